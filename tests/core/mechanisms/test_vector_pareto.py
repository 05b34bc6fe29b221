"""The vector Pareto: its calibration, one cell alone, and the joint law of a block."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import comb, log, log1p

import numpy as np
import pytest

from leeward import mechanism
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.noise.scales import Integers
from tests.core.mechanisms.built import vector_pareto
from tests.core.noise.goodness import (
    DRAWS,
    FALSE_ALARM,
    WRONG_SCALES,
    Shares,
    counted,
    law_masses,
    p_value,
)

BLOCK = vector_pareto(alpha="0.05", epsilon=1, cells=3)
LARGEST = 400
CUTS = (0, 1, 8, 20, 40)
"""|J| below the first cut is impossible; beyond the last it is one bin."""


@pytest.fixture(scope="module")
def noise() -> Integers:
    return BLOCK.release(np.zeros((DRAWS, 3), dtype=np.int64), np.full(DRAWS, LARGEST))


def sigma(built: VectorPareto) -> float:
    return float(built.scale(None, LARGEST))


def tail(thresholds: Sequence[float], scale: float, k: float) -> float:
    """P(σ|Z_1| > a, σ|Z_2| > b, …) = (1 + (a + b + …)/σ)^−k."""
    return float((1 + sum(max(t - 0.5, 0.0) for t in thresholds) / scale) ** -k)


def joint_masses(scale: float, k: float, cells: int) -> Shares:
    """The mass of every combination of bins of |J|, by inclusion and exclusion."""
    tails = np.zeros((len(CUTS) + 1,) * cells)
    for place in product(range(len(CUTS)), repeat=cells):
        tails[place] = tail([CUTS[i] for i in place], scale, k)
    for axis in range(cells):
        tails = -np.diff(tails, axis=axis)
    return tails


def joint_counts(noise: Integers) -> Integers:
    bins = np.searchsorted(CUTS, np.abs(noise), side="right") - 1
    flat = np.ravel_multi_index(tuple(bins.T), (len(CUTS),) * noise.shape[1])
    return np.bincount(flat, minlength=len(CUTS) ** noise.shape[1])


@pytest.mark.parametrize("cell", range(3))
def test_each_cell_alone_is_two_sided_pareto(noise: Integers, cell: int) -> None:
    scale, cuts = BLOCK.scale(None, LARGEST), range(-60, 61, 4)
    observed = counted(noise[:, cell], cuts)
    assert p_value(observed, law_masses(BLOCK.law, scale, cuts)) > FALSE_ALARM
    for factor in WRONG_SCALES:
        assert p_value(observed, law_masses(BLOCK.law, scale * factor, cuts)) < FALSE_ALARM


@pytest.mark.parametrize("cells", [[0, 1], [0, 2], [1, 2], [0, 1, 2]])
def test_cells_of_a_row_have_the_exact_joint_masses(noise: Integers, cells: list[int]) -> None:
    observed, k = joint_counts(noise[:, cells]), float(BLOCK.shape)
    masses = joint_masses(sigma(BLOCK), k, len(cells))
    assert masses.sum() == pytest.approx(1)
    assert p_value(observed, masses) > FALSE_ALARM
    for factor in WRONG_SCALES:
        wrong = joint_masses(sigma(BLOCK) * float(factor), k, len(cells))
        assert p_value(observed, wrong) < FALSE_ALARM


def test_cells_of_a_row_share_one_gamma(
    noise: Integers,
) -> None:
    alone = joint_masses(sigma(BLOCK), float(BLOCK.shape), 1)
    apart = np.multiply.outer(alone, alone)
    assert p_value(joint_counts(noise[:, :2]), apart) < FALSE_ALARM
    assert p_value(joint_counts(np.column_stack([noise[1:, 0], noise[:-1, 1]])), apart) > (
        FALSE_ALARM
    )


def test_signs_are_fair_and_independent(
    noise: Integers,
) -> None:
    moved = noise[(noise != 0).all(axis=1)]
    signs = (moved > 0) @ np.array([1, 2, 4])
    assert p_value(np.bincount(signs, minlength=8), np.full(8, 1 / 8)) > FALSE_ALARM


def test_one_cell_is_released_alike_as_column_or_block() -> None:
    built = vector_pareto(alpha="0.1", epsilon=1)
    column = built.release(np.full(DRAWS, 5), np.full(DRAWS, LARGEST))
    block = built.release(np.full((DRAWS, 1), 5), np.full(DRAWS, LARGEST))
    assert block.shape == (DRAWS, 1)
    cuts = range(-100, 111, 7)
    masses = law_masses(built.law, built.scale(None, LARGEST), [cut - 5 for cut in cuts])
    for released in (column, block[:, 0]):
        assert p_value(counted(released, cuts), masses) > FALSE_ALARM


@pytest.mark.parametrize(
    ("alpha", "epsilon", "cells"),
    [("0.1", "1", 1), ("0.01", "2", 8), ("0.05", "4", 8), ("0.1", "4", 8), ("1", "50", 3)],
)
def test_the_three_conditions_hold_and_one_is_tight(alpha: str, epsilon: str, cells: int) -> None:
    built = vector_pareto(alpha=alpha, epsilon=epsilon, cells=cells)
    k, t, growth = float(built.shape), float(built.step), log1p(float(alpha))
    losses = [
        (cells + k) * log(1 + t),
        cells * growth + (cells + k) * log1p(t / (1 + float(alpha))),
        k * growth,
    ]
    assert max(losses) <= float(epsilon)
    assert max(losses) == pytest.approx(float(epsilon), rel=1e-9)


def test_no_other_shape_has_a_smaller_error() -> None:
    built = vector_pareto(alpha="0.1", epsilon="4", cells=8)
    growth, most = log(1.1), int(4 / log(1.1))

    def error(k: int) -> float:
        shift = np.expm1(4 / (8 + k))
        both = 1.1 * np.expm1((4 - 8 * growth) / (8 + k))
        return float(1 / (min(shift, both) * (k - 1)))

    best = min(range(2, min(most, 128) + 1), key=error)
    assert int(built.shape) == best
    assert built.mean_abs_error(10**8) == pytest.approx(error(best) * 10**7, rel=1e-9)


@pytest.mark.parametrize("epsilon", ["0.22", "14"])
def test_the_error_is_known_where_the_shape_is_two(epsilon: str) -> None:
    made = mechanism("vector_pareto", alpha="0.1", epsilon=epsilon, cells=2)
    assert isinstance(made, VectorPareto)
    assert made.shape == 2
    error = made.mean_abs_error(10**9)
    assert error == pytest.approx(10**8 / float(made.step), rel=1e-6)  # S/(t(k−1))
    assert made.std(10**9) is None


@pytest.mark.parametrize(("cells", "epsilon"), [(2, 1), (8, 4), (36, 5)])
def test_joint_coverage_is_the_alternating_sum(cells: int, epsilon: int) -> None:
    """Σ C(d,j)(−1)^j(1+jz)^−k in whole fractions, which lose nothing."""
    built = vector_pareto(alpha="0.1", epsilon=epsilon, cells=cells)
    for z in (Fraction(1, 50), Fraction(1, 3), Fraction(2), Fraction(40)):
        terms = (
            comb(cells, j) * (-1) ** j * (1 + j * z) ** -int(built.shape) for j in range(cells + 1)
        )
        (found,) = built.together(built.within)(np.array([float(z)]))
        assert found == pytest.approx(float(sum(terms)), abs=1e-4)
