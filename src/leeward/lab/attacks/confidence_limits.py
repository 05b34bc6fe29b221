"""Confidence limits: of a probability, from how often something happened."""

from math import exp, isqrt, lgamma, log, log1p
from statistics import NormalDist

import numpy as np

from leeward.core.codebook.cells import Floats, Integers


def wilson(times: Integers, draws: int, miss: float) -> tuple[Floats, Floats]:
    """Both limits by Wilson's rule, which is quick; each is missed with probability `miss`."""
    z = -NormalDist().inv_cdf(miss)
    share, more = times / draws, z * z / draws
    middle = share + more / 2
    reach = z * np.sqrt(share * (1 - share) / draws + more / (4 * draws))
    low: Floats = np.maximum((middle - reach) / (1 + more), 0)
    high: Floats = (middle + reach) / (1 + more)
    return low, high


def at_least(times: int, draws: int, miss: float) -> float:
    """The lower confidence limit of a probability; it is too high with probability `miss`."""
    if times == 0:
        return 0.0
    low, high = 0.0, times / draws
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(times, draws, middle) < miss else (low, middle)
    return low


def at_most(times: int, draws: int, miss: float) -> float:
    """The upper confidence limit: the lower one of the opposite, from above."""
    return 1 - at_least(draws - times, draws, miss)


def _tail(times: int, draws: int, p: float) -> float:
    """P(X ≥ times) of a binomial X, for 0 < p ≤ times/draws: terms fall, so that few are needed."""
    if p >= 1:
        return 1.0
    first = lgamma(draws + 1) - lgamma(times + 1) - lgamma(draws - times + 1)
    first += times * log(p) + (draws - times) * log1p(-p)
    k = np.arange(times, min(draws, times + 20 * isqrt(draws) + 100))
    ratios = np.log((draws - k) / (k + 1)) + (log(p) - log1p(-p))
    return exp(first) * (1 + float(np.exp(np.cumsum(ratios)).sum()))
