"""Guarantees: birth, what follows from them, and what does not."""

from fractions import Fraction
from math import exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leeward.core.errors import InvalidParameter, LeewardError, NotCovered
from leeward.core.exact import Number
from leeward.core.privacy import Guarantee, StrongAlpha, WeakAlpha, WorkerOnly, group_steps
from leeward.core.privacy.delta import zcdp_epsilon

numbers = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(4)])
deltas = st.sampled_from([Fraction(0), Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 100)])
rhos = st.sampled_from([Fraction(0), Fraction(1, 1000), Fraction(1, 50), Fraction(1, 2)])
alphas = st.sampled_from([Fraction(1, 20), Fraction(1, 10), Fraction(21, 200), Fraction(1, 2)])
policies = st.sampled_from(["worker", "establishment", "strong", "weak"])


@st.composite
def any_guarantee(draw: st.DrawFn) -> Guarantee:
    policy = draw(policies)
    alpha = draw(alphas) if policy in {"strong", "weak"} else None
    loss = draw(st.tuples(numbers, deltas, rhos).filter(any))
    return Guarantee(policy, alpha, *loss)


def test_numbers_are_stored_exactly() -> None:
    made = Guarantee("strong", "0.1", "1/3", "1e-6", 2)
    assert made.policy == StrongAlpha()
    assert (made.alpha, made.epsilon) == (Fraction(1, 10), Fraction(1, 3))
    assert (made.delta, made.rho) == (Fraction(1, 10**6), Fraction(2))
    assert made == Guarantee(StrongAlpha(), Fraction(1, 10), Fraction(1, 3), "0.000001", 2)
    assert len({made, Guarantee("strong", "1/10", "1/3", "1e-6", "2")}) == 1


def test_guarantees_are_frozen() -> None:
    with pytest.raises(AttributeError):
        Guarantee("worker", None, 1).epsilon = Fraction(2)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("loss", "measure"),
    [
        ((1, 0, 0), "pure"),
        ((1, "1e-6", 0), "approximate"),
        ((0, "1e-6", 0), "approximate"),
        ((0, 0, 1), "zCDP"),
        ((1, 0, 1), "mixed"),
        ((0, "1e-6", 1), "mixed"),
    ],
)
def test_measure_says_which_parts_there_are(loss: tuple[str, str, str], measure: str) -> None:
    assert Guarantee("worker", None, *loss).measure == measure


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("strong", None, 1), "alpha: must be given under the strong policy; got None. Give"),
        (("weak", 0, 1), "alpha: must be above 0; got 0. Give"),
        (("worker", "0.1", 1), "alpha: has no meaning under the worker policy; got 0.1. Leave"),
        (("establishment", 1, 1), "alpha: has no meaning under the establishment policy; got 1."),
        (("worker", None, -1), "epsilon: must be 0 or more; got -1. Give"),
        (("worker", None, 1, 0, "-1/2"), "rho: must be 0 or more; got -1/2. Give"),
        (("worker", None, 1, 1), "delta: must be at least 0 and below 1; got 1. Give"),
        (("worker", None, 1, "-0.1"), "delta: must be at least 0 and below 1; got -1/10. Give"),
        (("worker", None, 0), "epsilon: must be above 0 unless delta or rho is: no data"),
        (("worker", None, 0.5), "epsilon: must be an exact number: text such as"),
        (("worker", None, "nan"), "epsilon: must be an exact number: text such as"),
        (("worker", None, "inf"), "epsilon: must be an exact number: text such as"),
        (("worker", None, True), "epsilon: must be an exact number: text such as"),
        (
            ("strongest", "0.1", 1),
            "policy: must be one of worker, person, establishment, strong, weak, proportional;",
        ),
    ],
)
def test_refused_at_birth(arguments: tuple[str, str, str], message: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        Guarantee(*arguments)
    assert str(refused.value).startswith(message)
    assert_four_parts(refused.value)


def assert_four_parts(refusal: LeewardError) -> None:
    text = str(refusal)
    assert text.startswith(f"{refusal.parameter}: {refusal.rule}; got {refusal.value}. ")
    assert refusal.rule
    assert refusal.next_step.endswith((".", "?"))
    assert text.endswith(refusal.next_step)


@settings(deadline=None)
@given(any_guarantee())
def test_implication_is_reflexive(one: Guarantee) -> None:
    assert one.implies(one)
    assert one.weaken() == one


def test_implication_is_transitive() -> None:
    """Every triple of a grid that crosses all policies, growths and measures."""
    places: list[tuple[str, str | None]] = [("worker", None), ("establishment", None)]
    places += [(name, a) for name in ("strong", "weak") for a in ("0.1", "0.105", "0.5")]
    losses: list[tuple[Number, Number, Number]] = [
        ("0.1", 0, 0),
        (2, 0, 0),
        ("0.1", "1e-9", 0),
        (2, "0.01", 0),
        (40, "0.5", 0),
    ]
    losses += [(0, 0, "0.005"), (0, 0, 2), ("0.1", 0, "0.005"), (4, "0.01", "0.5")]
    grid = [Guarantee(*place, *loss) for place in places for loss in losses]
    follows = {one: {two for two in grid if one.implies(two)} for one in grid}
    for implied in follows.values():
        for two in implied:
            assert follows[two] <= implied
    # Not an empty exercise: implications across policies and across measures do occur.
    found = [(one, two) for one, implied in follows.items() for two in implied if one != two]
    assert sum(one.policy != two.policy for one, two in found) > 300
    assert sum(one.measure != two.measure for one, two in found) > 300


@settings(deadline=None, max_examples=300)
@given(any_guarantee(), policies, alphas)
def test_what_is_weakened_is_implied_and_chains(one: Guarantee, name: str, a: Fraction) -> None:
    try:
        two = one.weaken(name, a if name in {"strong", "weak"} else None)
    except NotCovered as refusal:
        assert_four_parts(refusal)
        return
    assert one.implies(two)
    assert two.epsilon >= one.epsilon
    less = Guarantee(two.policy, two.alpha, two.epsilon / 2, two.delta / 2, two.rho / 2)
    assert not one.implies(less) or one.measure != "pure"
    try:
        three = two.weaken("worker")
    except NotCovered:
        return
    assert one.implies(three)


def test_strong_implies_weak_and_worker_and_smaller_alpha() -> None:
    strong = Guarantee("strong", "0.1", 1)
    assert strong.implies(Guarantee("weak", "0.1", 1))
    assert strong.implies(Guarantee("strong", "0.05", 1))
    assert strong.implies(Guarantee("worker", None, 1))
    assert Guarantee("weak", "0.1", 1).implies(Guarantee("worker", None, 1))
    assert not strong.implies(Guarantee("worker", None, "0.99"))
    assert not strong.implies(Guarantee("establishment", None, 1000))
    assert not Guarantee("weak", "0.1", 1).implies(Guarantee("strong", "0.1", 1000))
    assert not Guarantee("worker", None, 1).implies(Guarantee("weak", "0.1", 1000))


def test_a_larger_alpha_costs_group_steps() -> None:
    one = Guarantee("strong", "0.01", "0.1", "1e-9", "1e-4")
    wide = one.weaken(alpha="0.1")
    assert group_steps("0.01", "0.1") == 18
    assert wide.epsilon == Fraction("1.8")
    assert wide.rho == 324 * Fraction("1e-4")
    assert float(wide.delta) == pytest.approx(1e-9 * (exp(1.8) - 1) / (exp(0.1) - 1))
    assert one.implies(wide)
    weak = one.weaken("weak", "0.1")
    assert (weak.policy, weak.epsilon) == (WeakAlpha(), wide.epsilon)
    assert not one.implies(Guarantee("strong", "0.1", "1.79", "0.5", 9))


def test_establishment_removal_is_two_steps_for_every_alpha() -> None:
    node = Guarantee("establishment", None, 1)
    for alpha in ("1e-6", "0.1", 1, 1000):
        assert node.weaken("strong", alpha) == Guarantee("strong", alpha, 2)
        assert node.implies(Guarantee("weak", alpha, 2))
        assert not node.implies(Guarantee("weak", alpha, "1.99"))
    assert node.weaken("worker") == Guarantee("worker", None, 2)
    assert node.weaken() == node
    with pytest.raises(InvalidParameter, match="alpha: must be given under the strong policy"):
        node.weaken("strong")


@pytest.mark.parametrize(
    ("start", "target", "words"),
    [
        (("weak", "0.1"), ("weak", "0.2"), "alpha: weak does not imply weak at this larger alpha"),
        (("weak", "0.1"), ("strong", "0.1"), "policy: weak does not imply strong: newcomers"),
        (("worker", None), ("strong", "0.1"), "policy: worker does not imply strong: it protects"),
        (("worker", None), ("establishment", None), "policy: worker does not imply establishment"),
        (("strong", "0.1"), ("establishment", None), "policy: strong does not imply establishment"),
    ],
)
def test_what_is_not_implied_is_refused(
    start: tuple[str, str | None], target: tuple[str, str | None], words: str
) -> None:
    with pytest.raises(NotCovered) as refused:
        Guarantee(*start, 1).weaken(*target)
    assert str(refused.value).startswith(words)
    assert start[0] in str(refused.value.value)
    assert_four_parts(refused.value)


def test_weak_to_a_slightly_larger_alpha_is_granted() -> None:
    # No size x has 0.1·x < 1 ≤ 0.105·x, so all kinds can move together.
    steps = group_steps("0.1", "0.105") + 1
    assert Guarantee("weak", "0.1", 1).weaken(alpha="0.105").epsilon == steps


def test_zcdp_and_approximate_imply_each_other_through_conversion() -> None:
    zcdp = Guarantee("strong", "0.1", 0, 0, "0.01")
    epsilon = zcdp_epsilon(Fraction("0.01"), Fraction("1e-6"))
    assert zcdp.implies(Guarantee("strong", "0.1", epsilon, "1e-6"))
    assert not zcdp.implies(Guarantee("strong", "0.1", epsilon * Fraction("0.999"), "1e-6"))
    assert not zcdp.implies(Guarantee("strong", "0.1", 1000))
    pure = Guarantee("strong", "0.1", "0.1")
    assert pure.implies(Guarantee("strong", "0.1", 0, 0, "0.005"))
    assert not pure.implies(Guarantee("strong", "0.1", 0, 0, "0.0049"))
    assert pure.implies(Guarantee("weak", "0.1", "0.0", "0.4"))
    assert not Guarantee("worker", None, 1, "1e-9").implies(Guarantee("worker", None, 0, 0, 99))


def test_to_approximate_spends_what_delta_is_left() -> None:
    mixed = Guarantee("strong", "0.1", "0.5", "1e-7", "0.01")
    read = mixed.to_approximate("1e-6")
    assert read.measure == "approximate"
    assert read.delta == Fraction("1e-6")
    assert read.epsilon == Fraction("0.5") + zcdp_epsilon(Fraction("0.01"), Fraction("9e-7"))
    assert mixed.implies(read)
    pure = Guarantee("worker", None, 1)
    assert pure.to_approximate("1e-6") == pure


@pytest.mark.parametrize("delta", ["1e-7", "1e-8", 0])
def test_to_approximate_needs_room(delta: str) -> None:
    with pytest.raises(InvalidParameter, match=r"^delta: must be above .*; got .*\. Give"):
        Guarantee("worker", None, 1, "1e-7", 1).to_approximate(delta)


def test_firms_and_jobs_count_steps() -> None:
    one = Guarantee("strong", "0.1", "0.5", "1e-6", "0.01")
    for many in (one.for_firm(3), one.for_jobs(3), one.over_steps(3)):
        assert (many.epsilon, many.rho) == (Fraction("1.5"), Fraction("0.09"))
        assert float(many.delta) == pytest.approx(1e-6 * (1 + exp(0.5) + exp(1.0)))
    assert one.for_firm(3).policy == one.policy
    assert one.for_jobs(3).policy == WorkerOnly()
    assert one.for_firm(1) == one
    assert one.for_jobs(1) == one.weaken("worker") == one.job


def test_jobs_under_establishment_removal_are_two_steps_each() -> None:
    made = Guarantee("establishment", None, 1).for_jobs(3)
    assert made == Guarantee("worker", None, 6)


def test_worker_only_says_nothing_of_firms() -> None:
    with pytest.raises(NotCovered, match="establishments: the worker policy") as refused:
        Guarantee("worker", None, 1).for_firm(2)
    assert_four_parts(refused.value)
    assert Guarantee("worker", None, 1).for_jobs(2).policy == WorkerOnly()


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "2"])
@pytest.mark.parametrize("method", ["for_firm", "for_jobs", "over_steps"])
def test_counts_must_be_whole_and_positive(method: str, count: int) -> None:
    with pytest.raises(InvalidParameter, match="must be a whole number of at least 1") as refused:
        getattr(Guarantee("strong", "0.1", 1), method)(count)
    assert_four_parts(refused.value)


def test_delta_that_reaches_one_promises_nothing() -> None:
    large = Guarantee("strong", "0.1", 5, "1e-3")
    with pytest.raises(NotCovered, match="delta: must stay below 1 over 3 steps") as refused:
        large.for_firm(3)
    assert_four_parts(refused.value)
    assert not large.implies(Guarantee("strong", "0.5", 1000, "0.9"))


def test_sound_on_a_real_mechanism() -> None:
    """Integer geometric noise at ε keeps exactly kε over k jobs, never less."""
    epsilon = 0.5
    for steps in range(1, 5):
        worst = max(
            epsilon * abs(abs(out) - abs(out - steps)) for out in range(-50, 50)
        )  # the log-ratio of e^(−ε|out|) and e^(−ε|out−steps|)
        assert worst == float(Guarantee("worker", None, "0.5").for_jobs(steps).epsilon)
