"""The plain sentences: numbers that are right, and what is not promised."""

from fractions import Fraction
from math import ceil, exp

import pytest

from leeward.core.codebook import BoundedJobs, EveryJob
from leeward.core.exact import alpha_text, number_text
from leeward.core.privacy import Guarantee
from leeward.core.privacy.odds_of_suspicion import odds, suspicion
from leeward.core.privacy.words import factor_text

PERSON = 'between "this person works here" and "has no job" by at most a factor'
EACH = "for each job that the person holds"


def test_strong_sentence_in_full() -> None:
    assert Guarantee("strong", "0.1", 1).sentence() == (
        "The strong policy with α = 0.1 protects single jobs and the sizes of establishments, "
        "whoever joins or leaves. "
        f"Seeing the release changes the odds {PERSON} 2.72 (e^ε) {EACH} (m jobs: m times that "
        "ε). Between two workplaces of a person or two values of a person's attribute, the odds "
        f"change by at most a factor 7.39 (e^(2ε)) {EACH}. "
        "Between sizes x and at most 1.1 times x (or one job more) of an establishment, all else "
        "being equal, the odds change by at most a factor 2.72 (e^ε). "
        "Between two groups who may have joined, the odds change by at most a factor 7.39 "
        "(e^(2ε)). "
        "For a firm of f establishments the factor is e^(fε); for two of them the odds change by "
        "at most a factor 7.39 (e^(2ε)). "
        "That an establishment exists, and its public attributes, are not hidden."
    )


def test_factors_are_rounded_up() -> None:
    # e^0.3 = 1.34986, e^0.6 = 1.82212: to the nearest the second would be 1.82.
    spoken = Guarantee("strong", "0.1", "0.3").sentence()
    assert "a factor 1.35 (e^ε)" in spoken
    assert "a factor 1.83 (e^(2ε))" in spoken


def test_weak_says_what_it_does_not_protect() -> None:
    spoken = Guarantee("weak", "0.25", 1).sentence()
    assert PERSON in spoken
    assert "at most 1.25 times x" in spoken
    assert "if every kind of worker and every group of kinds grows by no more" in spoken
    assert "share" not in spoken
    assert "It does NOT protect a size where one kind of worker alone grew" in spoken
    assert "two groups" not in spoken


def test_worker_only_says_that_sizes_are_not_protected() -> None:
    spoken = Guarantee("worker", None, 1).sentence()
    assert "It does NOT protect the sizes of establishments" in spoken
    assert "Between two workplaces of a person or two values of a person's attribute," in spoken
    assert "firm" not in spoken
    assert "α" not in spoken


def test_establishment_removal_counts_two_steps_for_a_person() -> None:
    spoken = Guarantee("establishment", None, 1).sentence()
    assert '"has none" by at most a factor 2.72 (e^ε).' in spoken
    assert '"has no job", the odds change by at most a factor 7.39 (e^(2ε)) for each' in spoken
    assert "two workplaces of a person the odds change by at most a factor 54.6 (e^(4ε))" in spoken


def test_delta_is_named_for_one_and_for_two_steps() -> None:
    spoken = Guarantee("strong", "0.1", "0.5", "1e-6").sentence()
    assert "1.65 (e^ε), up to a further probability of 0.000001 for each job" in spoken
    assert "2.72 (e^(2ε)), up to a further probability of 0.00000265" in spoken
    assert "A further probability means" in spoken
    assert "further" not in Guarantee("strong", "0.1", "0.5").sentence()


@pytest.mark.parametrize(
    ("epsilon", "part"), [(0, "The release is measured"), (1, "A part of the release is measured")]
)
def test_rho_is_named_with_its_meaning(epsilon: int, part: str) -> None:
    spoken = Guarantee("strong", "0.1", epsilon, 0, "0.01").sentence()
    assert f"{part} by ρ-zCDP with ρ = 0.01" in spoken
    assert "by more than ρ + t with a probability of at most e^(−t²/(4ρ))" in spoken
    assert ("ρ counts f² times" if epsilon == 0 else "ε counts f times and ρ f² times") in spoken
    assert "(e^ε)" not in spoken
    assert "ρ" not in Guarantee("strong", "0.1", 1).sentence()


def test_zcdp_factors_are_those_of_the_conversion() -> None:
    made = Guarantee("strong", "0.1", 0, 0, "0.01")
    # At δ = 10⁻⁶: e^0.6217 = 1.862 for ρ and e^1.3050 = 3.688 for 4ρ, rounded up.
    assert f"{PERSON} 1.87, up to a further probability of 0.000001" in made.sentence()
    assert "two groups who may have joined, the odds change by at most a factor 3.69" in (
        made.sentence()
    )


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        ((1000, 0, 0), "without any useful bound (epsilon above 500)"),
        ((9, "0.001", 0), "the odds change without any bound"),
        ((1, "0.9999999", 1), "without any bound"),
    ],
)
def test_no_number_where_nothing_is_promised(loss: tuple[str, str, str], words: str) -> None:
    assert words in Guarantee("strong", "0.1", *loss).sentence()


def test_factors_beyond_a_billion_are_powers() -> None:
    spoken = Guarantee("strong", "0.1", 219).sentence()
    assert f"{PERSON} e^219, more than a billion (e^ε) for" in spoken
    assert "change by at most a factor e^438, more than a billion (e^(2ε)) for" in spoken
    assert factor_text(Fraction("20.7")) == "978,000,000"
    assert factor_text(Fraction("20.73")) == "e^20.73, more than a billion"
    assert factor_text(Fraction(64, 3)) == "e^21.4, more than a billion"  # rounded up


def test_alpha_is_never_rounded_and_losses_are_rounded_up() -> None:
    third = Guarantee("strong", "1/3", 1)
    assert "α = 1/3" in third.sentence()
    assert "at most 4/3 times x" in third.sentence()
    assert alpha_text(third.alpha) == "1/3"
    assert alpha_text(None) == "none"
    assert number_text(third.alpha or third.epsilon) == "0.334"
    assert number_text(third.epsilon) == "1"


def test_a_person_with_several_jobs_is_told_the_larger_factor() -> None:
    said = Guarantee("strong", "0.1", 1).sentence(BoundedJobs(3))
    assert '"has no job" by at most a factor 20.1 (e^(3ε)), if up to 3 jobs of the person' in said
    assert "two values of a person's attribute, the odds change by at most a factor 404" in said
    assert "whoever joins or leaves of those whose counted job is here" in said


@pytest.mark.parametrize(
    ("epsilon", "to", "level"),
    [
        ("0.01", 2, "calm"),
        ("2.3", 10, "calm"),
        ("2.5", 11, "attention"),
        (4, 36, "attention"),
        ("4.59", 50, "attention"),
        ("4.6", 51, "no useful bound"),
        (500, 100, "no useful bound"),
    ],
)
def test_a_suspicion_grows_by_bayes_rule_and_is_rounded_up(
    epsilon: str | int, to: int, level: str
) -> None:
    factor = exp(float(epsilon))
    assert to == min(100, ceil(100 * factor / (99 + factor)))
    found = odds(Guarantee("strong", "0.1", epsilon))
    assert found is not None
    assert (found.to, found.level) == (to, level)


def test_with_a_delta_or_a_rho_the_words_say_why_there_are_no_odds() -> None:
    for loss in ((1, "1e-6", 0), (1, 0, "0.1")):
        made = Guarantee("strong", "0.1", *loss)
        assert odds(made) is None
        assert "cannot be bounded by a number" in suspicion(made, EveryJob()).text
    assert "of m jobs of a person together, at m times epsilon" in (
        suspicion(Guarantee("strong", "0.1", 1), EveryJob()).text
    )
