"""Expected error of rounded noise J = ⌊scale·Z + ½⌋, in float64: for planning, not for proofs.

E|J|^q is the same sum over j of g(j−½) whose integral is E|scale·Z|^q, with g(x) = P(|scale·Z| > x)
for q = 1 and 2x·P(|scale·Z| > x) for q = 2. So the closed form of the real noise is corrected,
job by job, by the difference between midpoint and integral.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.law import Law
from leeward.core.noise.scales import Error, Integers, LawByScale, Laws, Scales, by_law
from leeward.core.noise.tabulated import Floats

JOBS = 48
"""Beyond this many jobs the difference between rounded and real noise is left out."""

COARSE = 100.0
"""Where the mean absolute noise is above this many jobs, rounding is left out altogether."""

THIN = 0.5
"""Where it is below this, the sum is taken as it is: no quadrature sees so thin a peak."""

AT_ONCE = 1 << 10
"""Jobs times scales that are worked on together."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
NODES = np.concatenate([(_NODES - 1) / 4, (_NODES + 1) / 4])
WEIGHTS = np.concatenate([_WEIGHTS, _WEIGHTS]) / 4
"""A quadrature of one job around its middle, in two halves: discrete laws have a seam there."""


NEGLIGIBLE, POINTS = 40.0, 20_000
"""Noise beyond exp(−NEGLIGIBLE) is left out of expectations; maximum number of points a side."""


def rounded_errors(laws: Laws, scales: Scales) -> Error:
    """The moments of the rounded noise at each scale."""
    if isinstance(laws, LawByScale) and laws.table is not None:
        return laws.table.errors(scales.floats)
    count = len(scales.base)
    columns: list[Floats | None] = [np.empty(count), np.empty(count), np.empty(count)]
    for law, some in by_law(laws, scales):
        for i, moment in enumerate(rounded_error(law, scales.part(some).floats)):
            column = columns[i]
            if moment is None or column is None:
                columns[i] = None
            else:
                column[some] = moment
    return Error(*columns)


def rounded_error(law: Law, scale: Floats) -> Error:
    """The same for one law; equal scales are computed once."""
    unique, inverse = np.unique(scale, return_inverse=True)
    moments = [law.moment(1), law.moment(1, absolute=True), law.moment(2)]
    size = unique * (moments[1] or 1.0)
    sums, integrals = np.zeros((3, len(unique))), np.zeros((3, len(unique)))
    fine = size < COARSE
    at_once = max(1, AT_ONCE // (len(unique) or 1))
    for first in range(1, JOBS + 1, at_once):
        jobs = np.arange(first, min(first + at_once, JOBS + 1))
        for summed, integrated in _at_jobs(law, unique[fine], jobs):
            sums[:, fine] += summed
            integrals[:, fine] += integrated
    columns = [
        None
        if moment is None
        else np.where(size < THIN, sums[i], moment * unique**order + sums[i] - integrals[i])[
            inverse
        ]
        for i, (moment, order) in enumerate(zip(moments, (1, 1, 2), strict=True))
    ]
    return Error(*columns)


def _at_jobs(law: Law, scale: Floats, jobs: Integers) -> Iterator[tuple[Floats, Floats]]:
    """For each job its term in the three sums, and the three integrals over the same job."""
    middles = jobs.astype(np.float64) - 0.5
    below, above = _tails(law, scale, middles)
    lows, highs = _tails(law, scale, (middles[:, None] + NODES).ravel())
    for i, middle in enumerate(middles):
        part = slice(i * len(NODES), (i + 1) * len(NODES))
        low, high = lows[:, part], highs[:, part]
        across = 2 * (middle + NODES)
        both = above[:, i] + below[:, i]
        summed = np.array([above[:, i] - below[:, i], both, 2 * middle * both])
        integrated = np.array(
            [(high - low) @ WEIGHTS, (high + low) @ WEIGHTS, ((high + low) * across) @ WEIGHTS]
        )
        yield summed, integrated


def _tails(law: Law, scale: Floats, jobs: Floats) -> tuple[Floats, Floats]:
    """P(scale·Z < −x) and P(scale·Z > x) for each scale and each x."""
    x = jobs[None, :] / scale[:, None]
    below = law.float_tails(-x.ravel())[0].reshape(x.shape)
    above = law.float_tails(x.ravel())[1].reshape(x.shape)
    return below, above


class GridWeights(NamedTuple):
    """Values of an integer noise, `stride` apart, and their normalised probabilities."""

    noise: NDArray[np.int64]
    chance: Floats
    stride: int


def laplace_weights(rate: float) -> GridWeights:
    """Of discrete Laplace noise, P(j) ∝ exp(−rate·|j|)."""
    return _weights(NEGLIGIBLE / rate, lambda noise: np.exp(-rate * np.abs(noise)))


def gaussian_weights(variance: float) -> GridWeights:
    """Of discrete Gaussian noise, P(j) ∝ exp(−j²/2σ²)."""
    reach = (2 * NEGLIGIBLE * variance) ** 0.5
    return _weights(reach, lambda noise: np.exp(-(noise**2) / (2 * variance)))


def _weights(reach: float, density: Callable[[Floats], Floats]) -> GridWeights:
    most = int(reach) + 2
    stride = 1 + most // POINTS
    noise = np.arange(-(most // stride), most // stride + 1) * stride
    chance = density(noise.astype(np.float64))
    return GridWeights(noise, chance / chance.sum(), stride)
