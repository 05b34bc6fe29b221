"""Fitting: by least squares, the numbers nearest to noisy ones that add up, or are whole, or both.

Nearest in Σ(x−z)²/v, with z as released and v public multiples of their variances. A factor that
all variances have in common changes nothing.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leeward.core.errors import InvalidParameter

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = Sequence[Sequence[float]]

STEPS = 100_000
"""Most alternating projections; the lecture's table of twelve cells takes about a hundred."""

PRECISION = 1e-12
"""Projections end when no number moves by more than this part of the largest one."""


def least_squares(
    values: Sequence[float],
    variances: Sequence[float],
    sums: Rows,
    equal: Sequence[float] | None = None,
    *,
    negative: bool = True,
) -> Floats:
    """The nearest numbers x whose `sums` are `equal`: A·x = b.

    Parameters
    ----------
    values, variances
        Noisy numbers, and public multiples of their variances, all positive.
    sums, equal
        A: a row of coefficients for each condition. b: what it amounts to, zeros if not given.
    negative
        Whether numbers may be negative. If not, the nearest numbers that are not are found by
        alternating projections (Dykstra 1983).

    Raises
    ------
    InvalidParameter
        If the lengths differ, a variance is not positive, or no numbers fulfil the conditions.

    Examples
    --------
    >>> least_squares([2005, 1001, 995], [8, 50, 32], [[1, -1, -1]]).round(1).tolist()
    [2004.2, 1006.0, 998.2]
    """
    z, v = np.asarray(values, float), np.asarray(variances, float)
    A = np.asarray(sums, float).reshape(len(sums), -1)
    b = np.zeros(len(A)) if equal is None else np.asarray(equal, float)
    if not len(z) or v.shape != z.shape or A.shape != (len(b), len(z)):
        lengths = f"{len(z)} values, {len(v)} variances, sums {A.shape}, equal {len(b)}"
        raise _refused("sums", "must have a coefficient for each value", lengths)
    if not (v > 0).all():
        raise _refused("variances", "must be positive", f"{v.min()}")
    inverse = np.linalg.pinv(A * v @ A.T)

    def adding_up(x: Floats) -> Floats:
        return np.asarray(x - v * (A.T @ (inverse @ (A @ x - b))))

    x = adding_up(z) if negative else _not_negative(z, adding_up)
    if not np.allclose(A @ x, b, atol=1e-6 * (1 + np.abs(z).max())):
        raise _refused("sums", "must be fulfilled by some numbers", "none found")
    return x


def _not_negative(z: Floats, adding_up: Callable[[Floats], Floats]) -> Floats:
    """Dykstra: what one projection cut off is put back before its next turn."""
    x, cut = z, np.zeros_like(z)
    for _ in range(STEPS):
        summed = adding_up(x)
        kept = np.maximum(summed + cut, 0)
        cut += summed - kept
        if np.abs(kept - x).max() <= PRECISION * (1 + np.abs(z).max()):
            break
        x = kept
    return kept


def _refused(parameter: str, rule: str, value: str) -> InvalidParameter:
    return InvalidParameter(parameter, rule=rule, value=value, next_step="Change them.")


def sums_of(column: Floats | Integers, group: Integers, groups: int) -> Floats:
    """The sum of each group; exact for whole numbers up to 2^53."""
    return np.bincount(group, column, groups).astype(float)


def projected(values: Floats, variances: Floats, group: Integers, totals: Floats) -> Floats:
    """For each group the nearest numbers ≥ 0 with its total: x = max(0, z − μ·v), by one sort.

    `group` is the number of each value's group, from 0 on; totals are not negative. A value with
    variance 0 is exact and 0, and stays.
    """
    x = np.zeros_like(values)
    noisy = np.flatnonzero(variances > 0)
    g = group[noisy]
    z, v = values[noisy], variances[noisy]
    v = v / sums_of(v, g, len(totals))[g]  # a factor of a group changes nothing but rounding
    order = np.lexsort((-(z / v), g))
    z, v, g = z[order], v[order], g[order]
    first = np.searchsorted(g, g)  # of each value, where its group starts
    mean = (_running(z, first) - totals[g]) / _running(v, first)
    positive = (z / v > mean) | (np.arange(len(g)) == first)
    last = np.zeros(len(totals), np.int64)
    np.maximum.at(last, g[positive], np.flatnonzero(positive))
    x[noisy[order]] = np.maximum(0, z - mean[last][g] * v) if len(g) else z
    return x


def _running(column: Floats, first: Integers) -> Floats:
    """Sums from the start of each group on."""
    sums = np.cumsum(column)
    return np.asarray(sums - (sums[first] - column[first]))


def whole(values: Floats, group: Integers, totals: Integers) -> Integers:
    """Whole numbers with the totals of their groups: floors, and 1 for the largest remainders.

    Of equal remainders the first one gets it. Values are not negative and have these totals.
    """
    floors = np.floor(values + 1e-9).astype(np.int64)
    left = totals - sums_of(floors, group, len(totals)).astype(np.int64)
    order = np.lexsort((np.round(floors - values, 9), group))
    rank = np.arange(len(order)) - np.searchsorted(group[order], group[order])
    floors[order] += rank < left[group[order]]
    return floors
