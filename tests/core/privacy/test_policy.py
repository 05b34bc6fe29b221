"""All neighbours of small workforces, by brute force."""

from fractions import Fraction
from itertools import combinations, product

import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.privacy import (
    EstablishmentRemoval,
    Policy,
    StrongAlpha,
    WeakAlpha,
    WorkerOnly,
    policy,
)
from leeward.core.privacy.policy import POLICIES
from leeward.core.privacy.workforces import Counts, Database

TENTH = Fraction(1, 10)
ALPHAS = [Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(3, 2)]
WORKFORCES = list(product(range(6), repeat=2)) + [(a, b) for a in (9, 10, 11) for b in (20, 22)]
TRIPLES = list(product(range(4), repeat=3))


def pairs(workforces: list[tuple[int, ...]]) -> list[tuple[Counts, Counts]]:
    return [(before, after) for before in workforces for after in workforces]


def truly_weak(small: Counts, large: Counts, alpha: Fraction, printed: bool = False) -> bool:
    """Definition 7.3 written out with sets of kinds; `printed` is the misprinted one."""
    if small == large or any(a > b for a, b in zip(small, large, strict=True)):
        return False
    kinds = range(len(small))
    unions = [phi for size in kinds for phi in combinations(kinds, size + 1)]
    assert len(unions) == 2 ** len(small) - 1
    for phi in unions:
        few, many = sum(small[i] for i in phi), sum(large[i] for i in phi)
        if many > max((1 + alpha) * few, Fraction(1 if printed else few + 1)):
            return False
    return True


@pytest.mark.parametrize("alpha", ALPHAS)
def test_weak_is_the_definition_in_both_directions(alpha: Fraction) -> None:
    for before, after in pairs(WORKFORCES) + pairs(TRIPLES):
        truth = truly_weak(before, after, alpha) or truly_weak(after, before, alpha)
        assert WeakAlpha().admits(Database.of(before), Database.of(after), alpha) is truth


@pytest.mark.parametrize("alpha", ALPHAS)
def test_worker_pairs_are_weak_and_weak_pairs_are_strong(alpha: Fraction) -> None:
    chain = (WorkerOnly(), WeakAlpha(), StrongAlpha())
    found = [
        {
            (before, after)
            for before, after in pairs(WORKFORCES) + pairs(TRIPLES)
            if each.admits(Database.of(before), Database.of(after), alpha)
        }
        for each in chain
    ]
    assert found[0] < found[1] < found[2]


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("wanted", POLICIES.values(), ids=POLICIES)
def test_neighbours_are_symmetric_and_differ(wanted: Policy, alpha: Fraction) -> None:
    for before, after in pairs(WORKFORCES):
        there = wanted.admits(Database.of(before), Database.of(after), alpha)
        assert there is wanted.admits(Database.of(after), Database.of(before), alpha)
        assert not (there and before == after)


def test_worker_only_is_exactly_one_job() -> None:
    for before, after in pairs(WORKFORCES):
        one = sum(abs(a - b) for a, b in zip(before, after, strict=True)) == 1
        assert WorkerOnly().admits(Database.of(before), Database.of(after), None) is one


def test_establishment_removal_is_to_or_from_nobody() -> None:
    for before, after in pairs(WORKFORCES):
        removal = (before == (0, 0)) != (after == (0, 0))
        assert (
            EstablishmentRemoval().admits(Database.of(before), Database.of(after), None) is removal
        )


def test_strong_needs_containment_and_the_limit() -> None:
    strong = StrongAlpha()
    assert strong.admits(Database.of((50, 50)), Database.of((60, 50)), TENTH)
    assert not strong.admits(Database.of((50, 50)), Database.of((61, 50)), TENTH)
    assert not strong.admits(Database.of((50, 50)), Database.of((51, 49)), TENTH)
    assert strong.admits(Database.of((0, 0)), Database.of((0, 1)), TENTH)
    assert not strong.admits(Database.of((0, 0)), Database.of((1, 1)), TENTH)
    assert not WeakAlpha().admits(Database.of((50, 50)), Database.of((60, 50)), TENTH)


def test_erratum_printed_weak_definition_keeps_newcomers_out() -> None:
    # [H16] Def 7.3 as printed, max((1+α)φ, 1): with φ ≥ 1 and αφ < 1 nobody can join.
    assert not truly_weak((3, 4), (4, 4), TENTH, printed=True)
    assert truly_weak((3, 4), (4, 4), TENTH)
    assert WeakAlpha().admits(Database.of((3, 4)), Database.of((4, 4)), TENTH)


def test_erratum_half_a_step_is_a_full_step() -> None:
    # 50 women and 50 men at α = 0.1: the whole is one step, and so is each half alone.
    for each in (StrongAlpha(), WeakAlpha()):
        assert each.admits(Database.of((50, 50)), Database.of((55, 55)), TENTH)
        assert each.admits(Database.of((50,)), Database.of((55,)), TENTH)
        assert not each.admits(Database.of((50,)), Database.of((56,)), TENTH)


def test_erratum_two_values_of_a_person_are_two_steps_apart() -> None:
    # [H16] Theorem 7.1 says ε for any two values; they are not neighbours, but 2 steps apart.
    for each in (WorkerOnly(), WeakAlpha(), StrongAlpha()):
        assert not each.admits(Database.of((5, 4)), Database.of((4, 5)), TENTH)
        assert each.admits(Database.of((5, 4)), Database.of((4, 4)), TENTH)
        assert each.admits(Database.of((4, 4)), Database.of((4, 5)), TENTH)


def test_docstrings_say_what_is_protected() -> None:
    assert list(POLICIES) == ["worker", "person", "establishment", "strong", "weak", "proportional"]
    for name, each in POLICIES.items():
        assert (each.__doc__ or "").startswith("Protects ")
        assert each.name == name
        assert each.uses_alpha is (name in {"strong", "weak", "proportional"})


def test_policy_by_name_or_as_it_is() -> None:
    assert policy("strong") == StrongAlpha()
    assert policy(WeakAlpha()) == WeakAlpha()
    assert policy("worker") != policy("establishment")


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("stong", "Did you mean 'strong'?"),
        ("Weak", "Did you mean 'weak'?"),
        ("workers", "Did you mean 'worker'?"),
        ("zzz", "Write one of these names."),
        (7, "Write one of these names."),
    ],
)
def test_unknown_policy_is_refused_with_the_nearest(wrong: str, hint: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        policy(wrong)
    assert str(refused.value) == (
        "policy: must be one of worker, person, establishment, strong, weak, proportional; "
        f"got {wrong!r}. {hint}"
    )


@pytest.mark.parametrize("wanted", POLICIES.values(), ids=POLICIES)
def test_databases_that_cannot_be_compared_are_refused_without_their_counts(
    wanted: Policy,
) -> None:
    with pytest.raises(InvalidParameter, match=r"kinds: must be as many.*3 kinds against 2"):
        wanted.admits(Database.of((71, 72)), Database.of((71, 72, 73)), TENTH)
    with pytest.raises(InvalidParameter, match=r"establishments: must be the same.*1 against 2"):
        wanted.admits(Database.of((71,), (72,)), Database.of((71,)), TENTH)
    with pytest.raises(InvalidParameter, match="jobs: must be counts") as refused:
        wanted.admits(Database.of((71, -72)), Database.of((71, 72)), TENTH)
    assert "7" not in str(refused.value)


@pytest.mark.parametrize("wanted", [StrongAlpha(), WeakAlpha()])
@pytest.mark.parametrize("alpha", [None, Fraction(0), Fraction(-1)])
def test_alpha_policies_need_a_positive_alpha(wanted: Policy, alpha: Fraction | None) -> None:
    with pytest.raises(InvalidParameter, match=r"^alpha: must be .*; got .*\. Give "):
        wanted.admits(Database.of((1,)), Database.of((2,)), alpha)
