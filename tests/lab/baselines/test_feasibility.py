"""Intervals equal those of all tables that fit, counted one by one; subtraction finds less."""

import sys
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.randomness import SeededBits
from leeward.lab.baselines.feasibility import UNBOUNDED, Equations, Feasible, solver
from leeward.publishing.engines.import_hooks import block_pandas

TRIANGLE = Equations.listed([(0, 1), (0, 2), (1, 2)])


def tables_that_fit(given: Feasible) -> list[tuple[int, ...]]:
    """All of them, by brute force."""
    ranges = [range(a, b + 1) for a, b in zip(given.low, given.high, strict=True)]
    members = given.equations.members()
    return [
        cells
        for cells in product(*ranges)
        if all(
            least <= sum(cells[one] for one in some) <= most
            for some, least, most in zip(members, given.least, given.most, strict=True)
        )
    ]


def random_problem(seed: int) -> Feasible:
    """2 × 2 × 2 cells: some withheld, some in classes, some sums in boxes."""
    draw = SeededBits(seed).generator
    codes = [one.ravel() for one in np.indices((2, 2, 2))]
    cells = draw.integers(0, 4, 8)
    kind = draw.integers(0, 3, 8)
    low = np.where(kind == 0, cells, np.where(kind == 1, cells // 2 * 2, 0))
    high = np.where(kind == 0, cells, np.where(kind == 1, cells // 2 * 2 + 1, 4))
    every = Equations.of(codes)
    equations = every.kept(draw.random(every.count) < 0.5)
    sums = equations.totals(cells)
    slack = draw.integers(0, 2, sums.size)
    return Feasible(equations, low, high, np.maximum(sums - slack, 0), sums + slack)


@pytest.mark.parametrize("seed", range(8))
def test_intervals_are_those_of_all_tables_that_fit(seed: int) -> None:
    given = random_problem(seed)
    fit = np.array(tables_that_fit(given))
    found = given.intervals()
    assert found.low.tolist() == fit.min(axis=0).tolist()
    assert found.high.tolist() == fit.max(axis=0).tolist()
    assert found.settled.all()
    wider = given.propagated()
    assert np.all(wider.low <= found.low)
    assert np.all(wider.high >= found.high)


def test_a_triangle_is_solved_though_nothing_can_be_subtracted() -> None:
    cells, unknown = np.array([2, 3, 4]), np.zeros(3, dtype=bool)
    sums = TRIANGLE.totals(cells)
    assert not TRIANGLE.subtracted(unknown).any()
    found = Feasible(TRIANGLE, np.zeros(3, int), np.full(3, UNBOUNDED), sums, sums).intervals()
    assert found.low.tolist() == found.high.tolist() == [2, 3, 4]


def test_subtraction_goes_from_sum_to_sum() -> None:
    chain = Equations.listed([(0, 1), (1, 2), (2, 3, 4)])
    known = np.array([True, False, False, False, False])
    assert chain.subtracted(known).tolist() == [True, True, True, False, False]


def test_an_interval_fails_exactly_below_its_bound() -> None:
    nothing = Equations.listed([])
    low, high = np.array([100, 100, 0, 10]), np.array([109, 110, 0, UNBOUNDED])
    none = np.zeros(0, int)
    found = Feasible(nothing, low, high, none, none).intervals(seconds=0)
    assert found.fails(Fraction(1, 10)).tolist() == [True, False, False, False]
    assert found.exact.tolist() == [False, False, True, False]


def test_sums_that_contradict_each_other_are_refused() -> None:
    low, high, odd = np.zeros(3, int), np.full(3, UNBOUNDED), np.array([1, 1, 1])
    with pytest.raises(InvalidParameter, match="contradict"):
        Feasible(TRIANGLE, low, high, odd, odd).intervals()  # halves would fit, whole jobs do not
    with pytest.raises(InvalidParameter, match="contradict"):
        Feasible(TRIANGLE, low + 5, high, odd, odd).intervals(seconds=0)


def test_a_command_that_blocks_pandas_can_still_solve() -> None:
    """OR-Tools loads pandas, which commands block to start fast."""
    before = list(sys.meta_path)
    block_pandas()
    solver()
    assert sys.meta_path == before
