"""Thresholds, errors and choices of local mechanisms, against numbers worked out elsewhere."""

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

import pytest

from docs.slot import current
from docs.tables import TABLES
from leeward.core.errors import InvalidParameter
from leeward.core.privacy.local_privacy import LocalEpsilon
from leeward.systems.local.channel import Channel
from leeward.systems.local.channel_choice import channel
from leeward.systems.local.hadamard import Hadamard
from leeward.systems.local.hashing import Hashing
from leeward.systems.local.projective import Projective, best_space
from leeward.systems.local.randomised import RandomisedResponse
from leeward.systems.local.sketch import Sketch
from leeward.systems.local.subset_selection import SubsetSelection
from leeward.systems.local.unary import Unary
from leeward.systems.local.word_draws import threshold

N = 10**6


@pytest.mark.parametrize(
    ("epsilon", "expected"),
    [
        ("ln 3", 13835058055282163712),
        ("1", 13485650502877570762),
        ("2", 16247838278329192790),
        ("4", 18114957061682843468),
    ],
)
def test_thresholds_of_a_coin(epsilon: str, expected: int) -> None:
    loss = LocalEpsilon.read(epsilon)
    assert threshold(loss, 1, 1) == expected
    assert threshold(loss.times(2), 1, 1, halved=True) == expected


def test_a_rational_factor_is_exact() -> None:
    """⌊2^64·(3·5)/(3·5 + 1)⌋ is whole: no ball would ever decide it."""
    assert threshold(LocalEpsilon.read("ln 3"), 5, 1) == 2**64 * 15 // 16
    assert threshold(LocalEpsilon.read("ln 9"), 1, 1, halved=True) == 3 * 2**62


def unbounded_projective(domain: int, epsilon: str) -> Projective:
    """As if a transform could be of any size."""
    space = best_space(domain, LocalEpsilon.read(epsilon), 1 << 40)
    return Projective.of(domain, epsilon, space)


ONE_FOR_ALL: dict[Callable[[int, str], Channel], tuple[int, ...]] = {
    Unary.of: (1919, 851, 276),
    Hashing.of: (1921, 851, 276),
    Hadamard.of: (2164, 1126, 388),
}
"""The same for every domain; with whole buckets hashing errs more by a thousandth at ε = 1."""

BY_DOMAIN = {
    10: ((1905, 614, 148), (1680, 614, 148), (1745, 614, 148)),
    1000: ((18410, 4963, 605), (1917, 849, 272), (1920, 851, 274)),
    100_000: ((184038, 49497, 5902), (1919, 851, 276), (1921, 851, 276)),
    10**7: ((1_840_000, 495_000, 59_000), (1919, 851, 276), (1921, 851, 276)),
}
"""Of k-ary randomised response (beyond a million to three digits), subset selection, projective."""


def deviations(made: Callable[[int, str], Channel], domain: int) -> tuple[int, ...]:
    return tuple(round(sqrt(made(domain, e).variance(N, 0))) for e in ("1", "2", "4"))


@pytest.mark.parametrize("domain", BY_DOMAIN)
def test_standard_deviations_of_a_rare_answer(domain: int) -> None:
    by_domain = BY_DOMAIN[domain]
    direct = deviations(lambda k, e: SubsetSelection.of(k, e, 1), domain)
    assert direct == pytest.approx(by_domain[0], rel=1e-9 if domain < N else 5e-4)
    assert deviations(SubsetSelection.of, domain) == by_domain[1]
    assert deviations(unbounded_projective, domain) == by_domain[2]
    for made, expected in ONE_FOR_ALL.items():
        if made != Unary.of or domain < 10**7:  # a report of ten million bits is refused
            assert deviations(made, domain) == expected


def test_the_sketch_errs_more_than_its_privacy_part_says() -> None:
    made = [Sketch.of(1000, epsilon) for epsilon in ("1", "2", "4")]
    assert [round(sqrt(one.privacy_part(N))) for one in made] == [1979, 960, 425]
    # 128 × 1024 with a hundred equal answers of ten thousand clients each.
    squares = 100 * 10_000.0**2
    assert made[2].variance(N, 0, squares) == pytest.approx(
        (1024 / 1023) ** 2 * (425.459**2 + (1023 / 1024**2) * (N * 127 / 128 + squares / 128)),
        rel=1e-5,
    )


def test_cohorts_add_to_the_variance() -> None:
    made, alone = Hashing.of(1000, "1", 1024), Hashing.of(1000, "1")
    added = made.variance(N, 0, 1e10) - alone.variance(N, 0)
    assert added == pytest.approx(1e10 / (1024 * 3))


def test_the_best_number_of_blocks() -> None:
    assert [Hadamard.of(1000, e).blocks for e in ("1", "2", "4")] == [1, 4, 32]
    even, skewed = (Hadamard.of(1000, "4").variance_in_block(N, 0, h) for h in (N / 32, N))
    assert skewed > 9 * even


def test_the_example_of_the_lecture() -> None:
    share, deviation = RandomisedResponse.of(2, "ln 3").share(45, 100)
    assert share == pytest.approx(0.40)
    assert deviation == pytest.approx(0.0995, abs=5e-5)


def test_how_many_answers_one_needs() -> None:
    def points(domain: int, epsilon: str, n: int) -> float:
        return round(100 * sqrt(SubsetSelection.of(domain, epsilon).variance(n, 0)) / n, 2)

    assert [points(2, e, 500) for e in ("1", "2")] == [4.29, 1.9]
    assert [points(20, e, 5000) for e in ("1", "2", "4")] == [2.54, 1.05, 0.22]


@pytest.mark.parametrize(
    ("domain", "epsilon", "name"),
    [
        (2, "ln 3", "subset_selection"),
        (100, "1", "subset_selection"),
        (101, "1", "projective"),
        (101, "4", "subset_selection"),  # of one answer, while k < 3e^ε + 2
        (100_000, "4", "projective"),
        (100_000, "10", "subset_selection"),
        (100_001, "4", "hadamard"),
    ],
)
def test_auto_by_domain_and_epsilon(domain: int, epsilon: str, name: str) -> None:
    assert channel("auto", domain, epsilon).name == name


@pytest.mark.parametrize("name", ["local-errors"])
def test_the_page_shows_these_numbers(name: str) -> None:
    page, made = TABLES[name]
    assert current(page, name) == made()


def test_a_domain_that_no_transform_holds_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="Write method: hadamard"):
        Projective.of(10**9, "4")


@pytest.mark.parametrize(
    ("method", "domain", "epsilon", "message"),
    [
        ("hadamar", 10, "1", "method: .* Did you mean 'hadamard'"),
        ("auto", 1, "1", "domain: must be a whole number of answers from 2"),
        ("randomised", 3, "1", "domain: .* from 2 to 2"),
        ("auto", 2, "17", "epsilon: must lie between 1/1000 and 16"),
        ("auto", 2, "ln 1", "epsilon: must be above 0"),
        ("auto", 2, "ln 1/2", "epsilon: must be above 0"),
        ("auto", 2, "ln x", "epsilon: must be an exact number"),
    ],
)
def test_refusals(method: str, domain: int, epsilon: str, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        channel(method, domain, epsilon)


def test_epsilons_are_exact_and_add_up() -> None:
    both = LocalEpsilon.read("1/2 + ln 3") + LocalEpsilon.read("ln(3/2)")
    assert (both.plain, both.ratio, both.text) == (Fraction(1, 2), Fraction(9, 2), "0.5 + ln 4.5")
    assert LocalEpsilon.read(both.text) == both
    assert LocalEpsilon.read("ln 3").times(2) == LocalEpsilon.read("ln 9")
