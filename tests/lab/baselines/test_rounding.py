"""Controlled rounding: neighbouring multiples that add up, as near as they can be."""

from itertools import product

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.randomness import SeededBits
from leeward.lab.baselines.feasibility import Equations
from leeward.lab.baselines.protected import controlled

BASE = 5


def table(shape: tuple[int, ...], seed: int = 1) -> tuple[np.ndarray, Equations]:
    counts = SeededBits(seed).generator.integers(0, 30, int(np.prod(shape)))
    return counts, Equations.of([one.ravel() for one in np.indices(shape)])


@pytest.mark.parametrize("seed", [1, 2])
def test_the_nearest_table_that_adds_up_is_found(seed: int) -> None:
    counts, margins = table((2, 3), seed)
    found = controlled(counts, margins, BASE)
    near = [sorted({one // BASE * BASE, -(-one // BASE) * BASE}) for one in counts.tolist()]
    sums = margins.totals(counts)
    fit = [
        cells
        for cells in map(np.array, product(*near))
        if np.all(np.abs(margins.totals(cells) - sums) < BASE)
    ]
    least = min(np.abs(cells - counts).sum() for cells in fit)
    assert any(np.array_equal(found.values, cells) for cells in fit)
    assert np.abs(found.values - counts).sum() == least


@pytest.mark.parametrize("seconds", [5.0, 0.0])
def test_truth_is_inside_the_boxes_with_a_solver_and_without(seconds: float) -> None:
    counts, margins = table((6, 5, 3))
    found = controlled(counts, margins, BASE, seconds=seconds)
    assert np.all(found.values % BASE == 0)
    assert np.all(np.abs(found.values - counts) < BASE)
    assert not found.withheld.any()
    assert found.feasible(margins).intervals(seconds=0).holds(counts)
    assert ("CP-SAT" in found.words) == (seconds > 0)
    assert ("less than 5 jobs" in found.words) == (seconds > 0)


def test_a_base_of_one_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="base"):
        controlled(*table((2, 2)), 1)
