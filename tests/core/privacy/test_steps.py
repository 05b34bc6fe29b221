"""Group steps against plain search, for the strong and the weak policy."""

import sys
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, floor

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leeward.core.errors import InvalidParameter
from leeward.core.privacy import StrongAlpha, WeakAlpha, group_steps
from leeward.core.privacy.policy import Policy
from leeward.core.privacy.steps import (
    Growth,
    _most_steps,
    _steps_of_large,
    steps_from,
    weak_group_steps,
)
from leeward.core.privacy.workforces import Counts, Database

small_rationals = st.builds(Fraction, st.integers(1, 12), st.integers(1, 12))
growths = st.builds(Growth, small_rationals, st.integers(1, 12))


def plain_steps(size: int, step: Growth, wanted: Growth) -> int:
    goal = max(floor((1 + wanted.alpha) * size), size + wanted.plus)
    steps = 0
    while size < goal:
        size = max(floor((1 + step.alpha) * size), size + step.plus)
        steps += 1
    return steps


@settings(deadline=None, max_examples=50)
@given(small_rationals, small_rationals)
def test_group_steps_are_the_largest_over_many_sizes(a: Fraction, b: Fraction) -> None:
    alpha, alpha_prime = min(a, b), max(a, b)
    # Sizes with every remainder of the first three roundings, small and large.
    sizes = [*range(400), *range(10**6, 10**6 + 1728)]
    step, wanted = Growth(alpha), Growth(alpha_prime)
    assert group_steps(alpha, alpha_prime) == max(plain_steps(x, step, wanted) for x in sizes)


@settings(deadline=None, max_examples=50)
@given(growths, growths)
def test_steps_with_more_jobs_are_the_largest_over_many_sizes(step: Growth, wanted: Growth) -> None:
    sizes = [*range(400), *range(10**6, 10**6 + 1728)]
    found = group_steps(step.alpha, wanted.alpha, step.plus, wanted.plus)
    assert found == max(plain_steps(x, step, wanted) for x in sizes)


@settings(deadline=None)
@given(st.integers(0, 10**7), growths, growths)
def test_jumping_counts_what_stepping_counts(size: int, step: Growth, wanted: Growth) -> None:
    assert steps_from(size, step, wanted) == plain_steps(size, step, wanted)


@settings(deadline=None)
@given(small_rationals, small_rationals)
def test_group_steps_never_exceed_the_bound(alpha: Fraction, more: Fraction) -> None:
    assert group_steps(alpha, alpha + more) <= ceil(2 * (alpha + more) / alpha)


@settings(deadline=None, max_examples=60)
@given(small_rationals, small_rationals, small_rationals)
def test_group_steps_multiply_at_most_and_grow(a: Fraction, b: Fraction, c: Fraction) -> None:
    low, middle, high = sorted((a, b, c))
    assert group_steps(low, high) <= group_steps(low, middle) * group_steps(middle, high)
    assert group_steps(low, high) >= group_steps(low, middle)
    assert group_steps(low, high) >= group_steps(middle, high)


def test_from_180_to_198_takes_18_steps() -> None:
    alpha, alpha_prime = Fraction(1, 100), Fraction(1, 10)
    assert steps_from(180, Growth(alpha), Growth(alpha_prime)) == 18
    assert group_steps("0.01", "0.1") == 18
    assert group_steps("0.01", "0.1") > 10  # what the continuous formula says


@pytest.mark.parametrize(
    ("alpha", "alpha_prime", "steps"),
    [
        ("0.1", "0.1", 1),
        ("0.1", "0.05", 1),
        ("0.1", "0.2", 3),
        (1, 3, 2),  # doubling twice, no step rounds: k₀ = 3 would be one too many
        (2, 26, 3),
        ("1/2", "5/4", 3),  # 1.5² = 2.25, but 5 → 7 → 10 falls short of 11
    ],
)
def test_group_steps_known(alpha: str | int, alpha_prime: str | int, steps: int) -> None:
    assert group_steps(alpha, alpha_prime) == steps


def test_equality_of_powers_needs_one_more_step_when_steps_round() -> None:
    alpha = Fraction(1, 7)
    alpha_prime = (1 + alpha) ** 3 - 1
    assert group_steps(alpha, alpha_prime) >= 4
    # Far beyond all small sizes, as constructed in Proposition 4 (b): s³x ≡ s² mod 7, mod 7³.
    remainder = next(x for x in range(343) if 8**3 * x % 343 == 8**2 % 7)
    assert plain_steps(343 * 10**9 + remainder, Growth(alpha), Growth(alpha_prime)) == 4


def test_powers_that_nearly_meet_are_told_apart() -> None:
    alpha = Fraction(1, 10)
    just = (1 + alpha) ** 3 - 1
    tiny = Fraction(1, 10**80)
    assert _steps_of_large(alpha, just - tiny) == 3
    assert _steps_of_large(alpha, just) == 4
    assert _steps_of_large(alpha, just + tiny) == 4


@pytest.mark.parametrize(("alpha", "alpha_prime"), [("1e-6", "1"), ("1e-9", "1e-8")])
def test_too_many_sizes_give_the_proven_bound(alpha: str, alpha_prime: str) -> None:
    assert group_steps(alpha, alpha_prime) == ceil(2 * Fraction(alpha_prime) / Fraction(alpha))


def test_the_bound_when_sizes_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["leeward.core.privacy.steps"], "LARGEST_SIZE", 150)
    assert _most_steps(Growth(Fraction(1, 100)), Growth(Fraction(1, 10))) == 20


@cache
def held(workforce: Counts) -> Database:
    return Database.of(workforce)


@cache
def distances(policy: Policy, alpha: Fraction, start: Counts, most: int) -> dict[Counts, int]:
    """Breadth-first search over all workforces up to `most` per kind, growing and shrinking."""
    everyone = list(product(range(most + 1), repeat=len(start)))
    found, edge, steps = {start: 0}, [start], 0
    while edge:
        steps += 1
        edge = [
            w
            for w in everyone
            if w not in found and any(policy.admits(held(w), held(e), alpha) for e in edge)
        ]
        found.update(dict.fromkeys(edge, steps))
    return found


@pytest.mark.parametrize(("alpha", "alpha_prime"), [("1/4", "1/2"), ("1/3", "1"), ("1/2", "5/4")])
def test_strong_pairs_are_joined_by_the_steps(alpha: str, alpha_prime: str) -> None:
    steps = group_steps(alpha, alpha_prime)
    for start in product(range(6), repeat=2):
        for end, apart in distances(StrongAlpha(), Fraction(alpha), start, 8).items():
            if StrongAlpha().admits(held(start), held(end), Fraction(alpha_prime)):
                assert apart <= steps


@pytest.mark.parametrize(("alpha", "alpha_prime"), [("1/2", "3/5"), ("1/2", "4/5"), ("1", "2")])
def test_weak_pairs_are_joined_where_no_size_lies_between(alpha: str, alpha_prime: str) -> None:
    steps = weak_group_steps(alpha, alpha_prime)
    assert steps == group_steps(alpha, alpha_prime) + 1
    for start in product(range(6), repeat=2):
        for end, apart in distances(WeakAlpha(), Fraction(alpha), start, 8).items():
            if WeakAlpha().admits(held(start), held(end), Fraction(alpha_prime)):
                assert apart <= steps


@pytest.mark.parametrize(
    ("alpha", "plus", "alpha_prime", "plus_prime", "steps"),
    [
        ("0.1", 1, "0.1", 3, 3),
        ("0.1", 1, "0.1", 5, 5),
        ("0.1", 1, "0.1", 10, 10),
        ("0.1", 5, "0.1", 10, 2),
        ("0.1", 3, "0.2", 5, 3),
        ("0.01", 5, "0.1", 10, 11),
        ("0.5", 1, "0.5", 10, 7),
        ("0.1", 10, "0.1", 5, 1),
    ],
)
def test_steps_to_more_jobs_known(
    alpha: str, plus: int, alpha_prime: str, plus_prime: int, steps: int
) -> None:
    assert group_steps(alpha, alpha_prime, plus, plus_prime) == steps


@pytest.mark.parametrize(
    ("alpha", "plus", "alpha_prime", "plus_prime"),
    [("1/2", 1, "1/2", 3), ("1/2", 2, "3/5", 3), ("1/3", 2, "1/4", 4), ("1/4", 3, "1/4", 2)],
)
def test_pairs_that_differ_by_more_jobs_are_joined_by_the_steps(
    alpha: str, plus: int, alpha_prime: str, plus_prime: int
) -> None:
    for kind, count in ((StrongAlpha, group_steps), (WeakAlpha, weak_group_steps)):
        steps = count(alpha, alpha_prime, plus, plus_prime)
        assert steps is not None
        wanted, furthest = kind(plus_prime), 0
        for start in product(range(5), repeat=2):
            for end, apart in distances(kind(plus), Fraction(alpha), start, 8).items():
                if wanted.admits(held(start), held(end), Fraction(alpha_prime)):
                    furthest = max(furthest, apart)
        assert furthest <= steps
        assert kind is WeakAlpha or furthest == steps


@pytest.mark.parametrize("kinds", [1, 2, 3])
def test_weak_kinds_of_one_worker_that_all_double_take_a_step_each(kinds: int) -> None:
    start, end = (1,) * kinds, (2,) * kinds
    assert WeakAlpha().admits(held(start), held(end), Fraction(1))
    assert distances(WeakAlpha(), Fraction(1, 2), start, 3)[end] == kinds
    assert weak_group_steps("1/2", 1) is None


@settings(deadline=None)
@given(small_rationals, small_rationals)
def test_weak_steps_exist_unless_a_size_lies_between(a: Fraction, b: Fraction) -> None:
    assume(a != b)
    between = any(min(a, b) * x < 1 <= max(a, b) * x for x in range(1, 13))
    assert (weak_group_steps(min(a, b), max(a, b)) is None) is between
    assert weak_group_steps(max(a, b), min(a, b)) == 1


@pytest.mark.parametrize("steps", [group_steps, weak_group_steps])
def test_growth_must_be_positive(steps: object) -> None:
    assert callable(steps)
    with pytest.raises(InvalidParameter, match=r"^alpha: must be above 0; got 0\. Give "):
        steps(0, "0.1")
    with pytest.raises(InvalidParameter, match=r"^alpha_prime: must be above 0; got -1\. Give "):
        steps("0.1", -1)
