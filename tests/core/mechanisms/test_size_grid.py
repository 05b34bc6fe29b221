"""The public grid of sizes: exact floors of logarithms, and at most STEPS between neighbours."""

from fractions import Fraction
from math import floor, log

import numpy as np
import pytest

from leeward.core.mechanisms.scale import STEPS, SizeGrid

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


@pytest.mark.parametrize("shape", [(), (0,), (2, 2)])
def test_indices_keep_their_shape(shape: tuple[int, ...]) -> None:
    assert SizeGrid(Fraction(1, 10)).index(np.full(shape, 77)).shape == shape
