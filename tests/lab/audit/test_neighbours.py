"""The pairs examined: all admitted, and none of the kinds that matter left out."""

from fractions import Fraction
from itertools import product

import pytest

from leeward.core.privacy import ProportionalAlpha, StrongAlpha, policy
from leeward.core.privacy.steps import RaiseAlpha
from leeward.core.privacy.workforces import Database, changed
from leeward.lab.audit.neighbours import (
    FULL,
    QUICK,
    DatabasePair,
    Depth,
    block_sizes,
    blocks,
    chain,
    large,
    most,
    pairs,
    parts,
    small,
)
from leeward.lab.audit.paid_neighbours import Relation, paid_pairs

ALPHAS = [Fraction(1, 100), Fraction(1, 10), Fraction(3, 10), Fraction(1), Fraction(5, 2)]
GROWING = ["strong", "weak"]


def sizes(pair: DatabasePair) -> tuple[int, int]:
    """Of the establishment that changes."""
    return pair.before.sizes[-1], pair.after.sizes[-1]


def others(pair: DatabasePair) -> tuple[int, ...]:
    """The sizes of the establishments that do not change."""
    return pair.before.sizes[:-1]


def jobs(pair: DatabasePair) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of the establishment that changes, by kind of worker."""
    return pair.before.establishments[-1].jobs, pair.after.establishments[-1].jobs


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
@pytest.mark.parametrize("name", GROWING)
def test_every_pair_is_admitted(name: str, alpha: Fraction) -> None:
    chosen = policy(name)
    listed = [*small(chosen, alpha, 12), *large(chosen, alpha, 6)]
    listed += [pair for kinds in (1, 2, 3) for pair in blocks(chosen, alpha, kinds, range(40))]
    for pair in listed:
        assert chosen.admits(pair.before, pair.after, alpha)
        assert pair.databases == (pair.before, pair.after)
        assert pair.before.establishments[:-1] == pair.after.establishments[:-1]


@pytest.mark.parametrize("name", ["worker", "establishment"])
def test_pairs_without_alpha_are_admitted(name: str) -> None:
    listed = list(pairs(policy(name), None, QUICK))
    assert listed
    assert all(policy(name).admits(pair.before, pair.after, None) for pair in listed)


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_all_small_pairs_are_there(alpha: Fraction) -> None:
    expected = set()
    for other, size, after in product([None, *range(7)], range(7), range(40)):
        if size < after and (after <= (1 + alpha) * size or after == size + 1):
            expected.add(DatabasePair.of((size,), (after,), *([] if other is None else [(other,)])))
    assert set(small(policy("strong"), alpha, 6)) == expected


def test_all_small_pairs_of_one_job_are_there() -> None:
    listed = {sizes(pair) for pair in small(policy("worker"), None, 6)}
    assert listed == {(size, size + 1) for size in range(7)}


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_large_pairs_take_full_steps_with_and_without_a_larger_neighbour(alpha: Fraction) -> None:
    listed = list(large(policy("strong"), alpha, 2))
    full = [pair for pair in listed if sizes(pair)[1] == most(alpha, sizes(pair)[0])]
    fine = [pair for pair in full if alpha * sizes(pair)[0] >= 99]
    assert any(not others(pair) for pair in fine)
    assert any(others(pair) > sizes(pair)[1:] for pair in fine)
    assert any(alpha * sizes(pair)[0] >= 10**6 - 1 for pair in full)


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_large_pairs_overtake_another_establishment(alpha: Fraction) -> None:
    """Then A grows by a part of what n does: κ is strictly between 0 and 1."""
    kappas = set()
    for pair in large(policy("strong"), alpha, 2):
        first, second = (max(database.sizes) for database in pair.databases)
        kappas.add(Fraction(second - first, sizes(pair)[1] - sizes(pair)[0]))
    assert {0, 1} <= kappas
    assert any(Fraction(1, 3) < kappa < Fraction(2, 3) for kappa in kappas)


def test_blocks_have_all_kinds_of_joiners() -> None:
    listed = list(blocks(policy("strong"), Fraction(1, 10), 3, [100]))
    moved = {tuple(a > b for b, a in zip(*jobs(pair), strict=True)) for pair in listed}
    assert {(True, False, False), (False, False, True), (True, True, True)} <= moved
    # Joiners of a kind that was not there, and of the only kind that was.
    assert any(jobs(pair) == ((100, 0, 0), (100, 0, 10)) for pair in listed)
    assert any(jobs(pair) == ((100, 0, 0), (110, 0, 0)) for pair in listed)
    assert any(others(pair) for pair in listed)
    assert any(not others(pair) for pair in listed)


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_block_sizes_are_empty_tiny_and_around_the_floor(alpha: Fraction) -> None:
    sizes = set(block_sizes(alpha, 100))
    assert {0, 1, 2, 3, int(1 / alpha) + 1} <= sizes
    assert int(1 / alpha) - 1 in sizes or 1 / alpha <= 1
    assert max(sizes) >= 100 / alpha - 1


def test_blocks_stand_beside_establishments_that_are_overtaken_or_stay_larger() -> None:
    after = set()
    for pair in blocks(policy("strong"), Fraction(1, 10), 2, [100]):
        after |= {(other, sizes(pair)) for other in others(pair)}
    assert {other for other, grown in after if grown == (100, 110)} == {105, 110, 909}


def test_blocks_have_mostly_uncovered_establishments() -> None:
    listed = list(blocks(policy("strong"), Fraction(1, 10), 3, [100]))
    assert any(jobs(pair) == ((0, 0, 100), (10, 0, 100)) for pair in listed)


def test_a_removed_establishment_may_have_any_size_up_to_twice_the_depth() -> None:
    listed = {sizes(pair) for pair in pairs(policy("establishment"), None, Depth(5, 0))}
    assert listed == {(0, size) for size in range(1, 11)}


def test_the_full_audit_examines_more() -> None:
    for name in GROWING:
        few, many = (set(pairs(policy(name), Fraction(1, 10), d)) for d in (QUICK, FULL))
        assert len(many) > 2 * len(few)


@pytest.mark.parametrize("relation", [StrongAlpha(), ProportionalAlpha(3), RaiseAlpha()])
def test_pairs_with_pay_are_neighbours_of_every_sort(relation: Relation) -> None:
    """Joiners at both ends, raises where they may be, and a largest payroll at a smaller place."""
    alpha, cap = Fraction(1, 10), 30
    found = paid_pairs(relation, alpha, cap, 2, QUICK)
    sorts = set[str]()
    for pair in found:
        assert relation.admits(pair.before, pair.after, alpha)
        both = changed(*pair.databases)
        assert both is not None
        few, many = both
        joined, more = many.size - few.size, many.payroll - few.payroll
        sorts.add("raise" if not joined else "at the cap" if more == joined * cap else "below it")
        sorts.add("nothing" if not more else "both" if joined else "pay")
        rolls, jobs = [one.payroll for one in pair.after.establishments], pair.after.sizes
        if jobs.index(max(jobs)) != rolls.index(max(rolls)):
            sorts.add("apart")
        sorts.add(f"{min(few.size, 1000) // 1000}000")
    wanted = {"raise", "pay", "apart", "0000", "1000"}
    if relation.name != "raise":
        wanted |= {"at the cap", "below it", "nothing", "both"}
    if relation.name == "strong":
        wanted -= {"raise", "pay"}
    assert sorts == wanted


def test_an_employer_in_two_halves_is_one_part_again() -> None:
    database = Database.capped(30, [[1, 2, 3], [30]], [[], [5, 5]])
    assert len(chain(database).establishments) == 4
    assert parts(chain(database)) == database
