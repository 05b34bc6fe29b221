"""How many jobs each establishment has: a lognormal body, a Pareto tail, an exact total."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from leeward.randomness import SeededBits

SPREAD = 1.05
"""Standard deviation of log size in the body."""
TAIL_START = 6.0
TAIL_INDEX = 1.35
"""Below 2: the sum of squared sizes is ruled by the largest establishments."""
TOWNS = 2.0
CEILING_GROWTH = 2 / 3
CEILING_MEANS = 4
BISECTIONS = 100

Sizes = NDArray[np.int64]
Wishes = NDArray[np.float64]


def wished(bits: SeededBits, medians: Wishes, giants: Wishes, around: Wishes) -> Wishes:
    """Sizes before they know of one another.

    `giants` is each one's chance to lie in the tail. `around` is how many establishments its
    town has: a company town exists, but its company is not many times the town.
    """
    count = len(medians)
    body = np.exp(SPREAD * bits.generator.standard_normal(count))
    tail = TAIL_START * (1 + bits.generator.pareto(TAIL_INDEX, count))
    tail /= 1 + tail / (TOWNS * around)
    giant = bits.generator.random(count) < giants
    return medians * np.where(giant, tail * np.maximum(body, 1), body)


def to_total(wishes: Wishes, jobs: int) -> Sizes:
    """Whole sizes from one up that add up to `jobs`, in the order and proportions of the wishes.

    Sizes bend towards a ceiling that no establishment reaches: about jobs^(2/3), which is the
    share that the largest employers have in economies of very different extent. Precondition:
    there are at least as many jobs as wishes.
    """
    count = len(wishes)
    if not count:
        return np.zeros(0, dtype=np.int64)
    ceiling = max(CEILING_MEANS * ceil(jobs / count), round(jobs**CEILING_GROWTH))
    sizes = _scaled(wishes, _factor(wishes, jobs, ceiling), ceiling)
    return _completed(sizes, jobs, ceiling)


def _scaled(wishes: Wishes, factor: float, ceiling: int) -> Sizes:
    size = wishes * factor
    bent = size / (1 + size / ceiling)
    return np.maximum(bent, 1).astype(np.int64)


def _factor(wishes: Wishes, jobs: int, ceiling: int) -> float:
    """The largest factor, as far as floats tell, whose total does not pass `jobs`."""
    low, high = 0.0, 1.0
    while _scaled(wishes, high, ceiling).sum() <= jobs and high < 2.0**60:
        low, high = high, 2 * high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        total = int(_scaled(wishes, middle, ceiling).sum())
        low, high = (middle, high) if total <= jobs else (low, middle)
        if total == jobs:
            break
    return low


def _completed(sizes: Sizes, jobs: int, ceiling: int) -> Sizes:
    """The few jobs that rounding left over, one each, largest establishments first."""
    completed = sizes.copy()
    order = np.argsort(-sizes, kind="stable")
    while missing := jobs - int(completed.sum()):
        room = order[completed[order] < ceiling]
        completed[room[:missing]] += 1
    return completed
