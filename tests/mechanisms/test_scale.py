"""The private scale: its public grid, and margins that really cover."""

from fractions import Fraction
from math import floor, log

import numpy as np
import pytest

from leeward.errors import InvalidParameter
from leeward.mechanisms.scale import Scale
from leeward.noise.grid import STEPS, SizeGrid
from tests.mechanisms.built import additive, scale
from tests.mechanisms.goodness import DRAWS

SIZES = np.array([0, 1, 9, 10, 11, 99, 100, 101, 12345, 10**9, 10**12, 2**61])


@pytest.mark.parametrize("alpha", ["0.000001", "0.01", "0.1", "1", "3"])
def test_the_index_is_the_floor_of_the_logarithm(alpha: str) -> None:
    grid = SizeGrid(Fraction(alpha))
    real = [STEPS * log(max(int(x), 1 / float(alpha))) / log(1 + float(alpha)) for x in SIZES]
    index = grid.index(SIZES)
    for value, wanted in zip(real, index.tolist(), strict=True):
        assert value - 1 - 1e-6 * abs(value) <= wanted <= value + 1e-6 * abs(value)
    exact = [grid.exact_index(max(Fraction(int(x)), 1 / grid.alpha)) for x in SIZES]
    assert index.tolist() == exact


def test_sizes_on_a_grid_point_belong_to_it() -> None:
    grid = SizeGrid(Fraction(1))
    powers = 2 ** np.arange(60)
    assert grid.index(powers).tolist() == (STEPS * np.arange(60)).tolist()
    assert grid.index(powers[5:] - 1).tolist() == [
        floor(STEPS * log(2**i - 1) / log(2)) for i in range(5, 40)
    ] + [STEPS * i - 1 for i in range(40, 60)]


@pytest.mark.parametrize("alpha", ["0.01", "0.1", "1"])
def test_neighbours_move_by_at_most_the_steps_that_the_noise_allows(alpha: str) -> None:
    share = Fraction(alpha)
    sizes = np.arange(3000)
    grown = np.array([max(int((1 + share) * int(x)), int(x) + 1) for x in sizes])
    moved = SizeGrid(share).index(grown) - SizeGrid(share).index(sizes)
    assert moved.min() >= 0
    assert moved.max() == STEPS


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 2)])
def test_indices_keep_their_shape(shape: tuple[int, ...]) -> None:
    sizes = np.full(shape, 77)
    assert SizeGrid(Fraction(1, 10)).index(sizes).shape == shape
    assert scale(alpha="0.1", epsilon=1).release(None, sizes).shape == shape


def coverage(margin: Scale, epsilon: str, factor: float) -> float:
    """How often |J| ≤ q·S̃ + ½ for a large establishment."""
    size = np.full(DRAWS, 54321)
    noise = additive("slope", epsilon=epsilon).release(np.zeros_like(size), size)
    smooth = margin.smooth(margin.release(None, size))
    return float(np.mean(np.abs(noise) <= factor * smooth + 0.5))


@pytest.mark.parametrize(("epsilon", "factor"), [("1", 4.91), ("0.9", 5.49)])
def test_margins_cover_nine_in_ten_with_the_noise_of_the_scale(epsilon: str, factor: float) -> None:
    # MATHS §6 prints 4.9 for counts at ε − ε_m = 0.9: that is the number for ε = 1.
    margin = scale(alpha="0.1", epsilon="0.1")
    found = margin.margin(additive("slope", epsilon=epsilon))
    assert found == pytest.approx(factor, abs=0.01)
    assert 0.9 - 6 * (0.09 / DRAWS) ** 0.5 < coverage(margin, epsilon, found) < 0.905


def test_a_margin_that_trusts_the_noisy_scale_does_not_cover() -> None:
    margin, built = scale(alpha="0.1", epsilon="0.1"), additive("slope")
    naive = built.quantile("0.95", 54321)
    assert isinstance(naive, int)
    assert naive / 5432.1 == pytest.approx(2.4, abs=0.06)
    assert coverage(margin, "1", naive / 5432.1) < 0.85


def test_a_scale_for_almost_nothing_has_no_margin() -> None:
    thin, built = scale(alpha="0.1", epsilon="0.0001"), additive("slope")
    with pytest.raises(InvalidParameter, match="must be large enough for a margin"):
        thin.margin(built)
    wide = scale(alpha="0.1", epsilon="0.01")
    assert wide.covers(wide.margin(built), built)
    assert not wide.covers(0.999 * wide.margin(built), built)


def test_a_smaller_coverage_needs_a_smaller_margin() -> None:
    margin, built = scale(alpha="0.1", epsilon="0.1"), additive("smooth_gamma")
    factors = [margin.margin(built, share) for share in ("0.5", "0.9", "0.99")]
    assert factors == sorted(factors)
