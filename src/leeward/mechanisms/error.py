"""Expected error of rounded noise J = ⌊scale·Z + ½⌋, in float64: for planning, not for proofs.

E|J|^q is the same sum over j of g(j−½) whose integral is E|scale·Z|^q, with g(x) = P(|scale·Z| > x)
for q = 1 and 2x·P(|scale·Z| > x) for q = 2. So the closed form of the real noise is corrected,
job by job, by the difference between midpoint and integral.
"""

from typing import NamedTuple

import numpy as np

from leeward.mechanisms.law import Law
from leeward.mechanisms.table import Floats

JOBS = 48
"""Beyond this many jobs the difference between rounded and real noise is left out."""

COARSE = 400.0
"""At scales (in jobs) above this the rounding is left out altogether."""

_GAUSS, _WEIGHTS = np.polynomial.legendre.leggauss(24)
NODES = np.concatenate([_GAUSS - 1, _GAUSS + 1]) / 4
WEIGHTS = np.concatenate([_WEIGHTS, _WEIGHTS]) / 4
"""For either half of a job by itself: a discrete law has its seam at half a job."""


class Error(NamedTuple):
    """Expected value, absolute value and square of the integer noise; None where infinite."""

    mean: Floats | None
    absolute: Floats | None
    square: Floats | None


def rounded_error(law: Law, scale: Floats) -> Error:
    """The moments of the rounded noise at each scale; equal scales are computed once."""
    unique, inverse = np.unique(scale, return_inverse=True)
    moments = [law.moment(1), law.moment(1, absolute=True), law.moment(2)]
    corrections = _corrections(law, unique)
    columns = [
        None if moment is None else (moment * unique**order + correction)[inverse]
        for moment, order, correction in zip(moments, (1, 1, 2), corrections, strict=True)
    ]
    return Error(*columns)


def _corrections(law: Law, scale: Floats) -> tuple[Floats, Floats, Floats]:
    mean, absolute, square = (np.zeros_like(scale) for _ in range(3))
    # The spread of Z, not the scale alone, decides whether rounding to whole jobs matters.
    spread = law.moment(1, absolute=True) or 1.0
    fine = scale * spread < COARSE
    for job in range(1, JOBS + 1):
        middle = job - 0.5
        below, above = _tails(law, scale[fine], np.array([middle]))
        low, high = _tails(law, scale[fine], middle + NODES)
        mean[fine] += (above - below)[:, 0] - (high - low) @ WEIGHTS
        absolute[fine] += (above + below)[:, 0] - (high + low) @ WEIGHTS
        moment = 2 * (middle + NODES)
        square[fine] += 2 * middle * (above + below)[:, 0] - ((high + low) * moment) @ WEIGHTS
    return mean, absolute, square


def _tails(law: Law, scale: Floats, jobs: Floats) -> tuple[Floats, Floats]:
    """P(scale·Z < −x) and P(scale·Z > x) for each scale and each x."""
    x = jobs[None, :] / scale[:, None]
    below = law.float_tails(-x.ravel())[0].reshape(x.shape)
    above = law.float_tails(x.ravel())[1].reshape(x.shape)
    return below, above
