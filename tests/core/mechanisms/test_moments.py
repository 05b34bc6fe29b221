"""Sums of regressions: bounds by brute force, clipping by hand, and the noise that is drawn."""

from fractions import Fraction

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.moments import (
    DIAMETER,
    LATTICE,
    RADIUS,
    SUMS,
    UNIT,
    EmployerMoments,
    Establishments,
    Moments,
    Points,
    row_sums,
)

GRID = np.linspace(-LATTICE, LATTICE, 21).astype(np.int64)


def test_a_row_is_at_most_four_and_a_half_long_and_two_are_five_apart() -> None:
    u, v = (one.ravel() for one in np.meshgrid(GRID, GRID))
    rows = row_sums(u, v)
    longest = np.abs(rows).sum(axis=1).max()
    furthest = max(int(np.abs(rows - one).sum(axis=1).max()) for one in rows)
    assert (Fraction(int(longest), UNIT), Fraction(furthest, UNIT)) == (RADIUS, DIAMETER)


def of(rows: list[tuple[int, int]], owner: list[int], cell: list[int]) -> Establishments:
    u, v = (np.array([row[k] for row in rows]) for k in (0, 1))
    points = Points(u, v, np.array([True] * (len(rows) - 1) + [False]), np.array(owner))
    return Establishments.of(points, np.array(cell), 3)


HELD = of([(1000, 500)] * 3 + [(-1000, 0), (7, 7)], [0, 0, 0, 1, 0], [0, 2])
"""Three rows at (1, ½) and one that is left out; in another cell one row at (−1, 0)."""


def test_sums_and_sizes_are_those_of_the_rows() -> None:
    assert (HELD.total() / UNIT).tolist() == [[3, 3, 1.5, 1.5, 1.5], [0] * 5, [1, -1, 0.5, 0, 0]]
    assert HELD.sizes.tolist() == [4, 1]
    assert HELD.largest().tolist() == [4, 0, 1]


def test_clipping_keeps_the_proportions_of_all_rows() -> None:
    """θ = 1 in lattice points of 1/8: a quarter of the first establishment, whose size is 4."""
    clipped = HELD.clipped(np.array([8, 8, 8]), 8)
    assert (clipped / UNIT).tolist() == [
        [0.75, 0.75, 0.375, 0.375, 0.375], [0] * 5, [1, -1, 0.5, 0, 0]
    ]  # fmt: skip
    below = HELD.clipped(np.array([1, 8, 8]), 8)[0]
    assert below.tolist() == [-(-3 * UNIT) // 32, 3 * UNIT // 32, *[3 * UNIT // 64] * 3]


def copies(number: int) -> Establishments:
    return Establishments(
        np.repeat(row_sums(np.array([1000]), np.array([-1000])), number, axis=0),
        np.full(number, 60),
        np.arange(number),
        number,
    )


def test_drawn_errors_are_those_of_the_formula() -> None:
    """E|noise| = 4.5/ε rows in each sum; of employers 5βθ/ε₂."""
    held = copies(4000)
    rows = Moments.calibrated("2").release(held)
    errors = np.abs(rows.sums - held.total()).mean(axis=0) / UNIT
    assert errors == pytest.approx(np.full(SUMS, 4.5 / 2), rel=0.12)
    assert rows.deviation == pytest.approx(np.full(4000, 2**0.5 * 4.5 / 2))
    made = EmployerMoments.calibrated("0.1", "16")
    employers = made.release(held)
    error = np.abs(employers.sums[:, 1:4:2]).mean() / UNIT
    scale = np.median(employers.deviation) / 2**0.5
    least = 5 / 11 * 60 * float(made.clipping.headroom) / (16 * float(1 - made.split))
    assert scale == pytest.approx(least, rel=0.1)
    assert error > scale / 2


def test_numbers_that_no_proof_covers_are_refused() -> None:
    for call in (
        lambda: Moments.calibrated("0"),
        lambda: EmployerMoments.calibrated("0", "1"),
        lambda: EmployerMoments.calibrated("0.1", "2000"),
    ):
        with pytest.raises(InvalidParameter):
            call()
