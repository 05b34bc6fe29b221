"""Sums over very many cells: body and tail, tables of tails, and sums that grow."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from leeward.core.noise import summed_errors
from leeward.core.noise.law import discrete_laplace, laplace, pareto
from leeward.core.noise.scales import CellNoise, Clip
from leeward.core.noise.summed_errors import SummedErrors
from leeward.core.noise.sums import ErrorDraws
from leeward.core.noise.tail_table import growth_table, unit_table

POWER = CellNoise(pareto(Fraction(3)), 1.0, 0.0)
BLOCK = CellNoise(None, 1.0, 0.0, shared=2)
LEANING = replace(POWER, lean=0.25)
CLIPPED = CellNoise(laplace(), 1.0, 0.0, clips=(Clip(2, 0.3, 0.0), Clip(9, 0.2, 0.1)))
ROWS, KINDS = 300, 3


def added(noise: CellNoise, step: int) -> SummedErrors:
    """Two sums of cells that take turns, so many cells at a time, each by way of two others."""
    random = np.random.default_rng(4)
    below = np.tile(random.integers(5, 90, (ROWS, 1)), KINDS)
    values, frame = below * random.integers(0, 9, (ROWS, KINDS)), random.integers(1, 12, ROWS)
    there = np.arange(ROWS) % 7 > 0
    draws, total = ErrorDraws(noise, 5, 200), None
    for start in range(0, ROWS, step):
        part = slice(start, start + step)
        cells = draws.cells(values[part], below[part], frame[part], there[part])
        number = np.arange(ROWS)[part] % 4
        known, place = np.unique(number, return_inverse=True)
        rows = cells.over(np.array([0, 0, 1])).grouped(place)
        at, place = np.unique(known % 2, return_inverse=True)
        found = rows.grouped(place)
        total = found if total is None else total.plus(at, found)
        assert len(at) == 2
    assert total is not None
    return total


@pytest.mark.parametrize("noise", [POWER, BLOCK, LEANING, CLIPPED])
@pytest.mark.parametrize("few", [20, 100, 10_000])
def test_sums_have_the_same_draws_however_cells_are_cut(
    monkeypatch: pytest.MonkeyPatch, noise: CellNoise, few: int
) -> None:
    monkeypatch.setattr(summed_errors, "FEW", few)
    whole = added(noise, ROWS).drawn()
    assert whole.shape == (2, 2, 200 * (2 if noise.clips or noise.lean else 1))
    for step in (4, 60):
        assert np.allclose(added(noise, step).drawn(), whole, rtol=1e-5, atol=1e-3)
    # No two sums have the same draws.
    assert abs(np.corrcoef(whole[0, 0, :200], whole[1, 0, :200])[0, 1]) < 0.4


def test_what_grows_leaves_its_parts_as_they_are() -> None:
    total = added(POWER, ROWS)
    before = total.drawn()
    grown = total.plus(np.array([0, 1]), added(POWER, ROWS))
    assert np.array_equal(total.drawn(), before)
    assert np.allclose(grown.drawn(), 2 * before)


def test_worker_cells_are_added_up_first() -> None:
    with pytest.raises(AssertionError, match="before"):
        added(POWER, ROWS).over(np.zeros(2, np.int64))


def test_a_table_has_the_tails_and_moments_of_its_law() -> None:
    table, z = unit_table(POWER), np.array([0.1, 1.0, 7.3, 400.0])
    assert table.symmetric
    assert table.mean == 0
    # P(|Z| > z) = (1+z)^−3, so that E Z² up to z is 1 less what is beyond.
    left = 3 / (1 + z) - 3 / (1 + z) ** 2 + 1 / (1 + z) ** 3
    assert table.cut_square(z) == pytest.approx(1 - left, rel=1e-6)
    assert table.beyond(z) == pytest.approx(np.stack([(1 + z) ** -3 / 2] * 2), rel=1e-9)
    shares = np.array([0.01, 0.4, 0.6, 0.99])
    far = 1 - (2 * np.where(shares < 0.5, shares, shares - 0.5)) ** (-1 / 3)
    drawn = table.drawn_beyond(np.full((2, 4), 0.5), shares)
    assert drawn == pytest.approx(np.where(shares < 0.5, far, -far), rel=1e-5)


@pytest.mark.parametrize("scale", [0.3, 1.0, 20.0])
@pytest.mark.parametrize("whole", [3, 500])
def test_a_cut_square_is_that_of_the_rounded_noise(scale: float, whole: int) -> None:
    for noise in (POWER, CellNoise(discrete_laplace(Fraction(2)), 1.0, 0.0)):
        assert noise.law is not None
        edges = np.asarray((np.arange(whole + 1) + 0.5) / scale, np.float64)
        above, below = noise.law.float_tails(edges)[1], noise.law.float_tails(-edges)[0]
        square = np.arange(1, whole + 1) ** 2 @ -np.diff(above + below)
        found = unit_table(noise).rounded_square(np.array([scale]), whole)
        assert found == pytest.approx([square], rel=2e-3)


def test_clipping_takes_a_share_of_the_stated_law() -> None:
    table = growth_table(0.3, 0.1, 40.0, gaussian=False)
    # E(e^G − 1) of G = 0.3·L − 0.1 above 0: P(G > g) = e^(−(g+0.1)/0.3)/2.
    assert table.mean == pytest.approx(np.exp(-1 / 3) / 2 * 0.3 / 0.7, rel=1e-6)
