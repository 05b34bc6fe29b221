"""Sampled pair: two databases whose releases are drawn, and a lower bound of the loss.

One half of the draws finds an event that distinguishes the databases; on the other half its two
probabilities are bounded (Clopper and Pearson 1934). The log-ratio of the bounds is a lower bound
of the loss that assumes nothing but independent draws.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat
from math import isqrt, prod

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.core.exact import ball, precision
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.loss import UNKNOWN, PrivacyLoss
from leeward.lab.audit.neighbours import DatabasePair

Events = NDArray[np.int64]
Release = Callable[[Database, int], Floats]
"""A release of several workplace cells that all hold this database: one row a cell."""

FALSE_ALARM = Fraction(1, 10**6)
"""Error probability of one bound. A table has far fewer than a thousand, so all hold together at
99.9 %."""

BINS = {1: 64, 2: 24, 3: 14}
"""Bins of each released number, by how many numbers there are."""

STEPS = 7
"""Bisections after the first: to a hundredth of eight standard errors and twenty draws."""

CAUTION = 4.75
"""Standard errors by which a bound is expected to be below its estimate."""


@dataclass(frozen=True)
class SampledPair:
    """Two databases, and how often each is released."""

    pair: DatabasePair
    draws: int

    def loss(self, release: Release, delta: Fraction) -> PrivacyLoss:
        """A lower bound in either direction."""
        before, after = (release(database, self.draws) for database in self.pair.databases)
        ways = (lower_bound(before, after, delta), lower_bound(after, before, delta))
        return PrivacyLoss(*ways, UNKNOWN)


def lower_bound(ahead: Floats, behind: Floats, delta: Fraction = Fraction(0)) -> arb:
    """What ln((P(event) − δ)/Q(event)) exceeds, for an event found on the first half."""
    half = len(ahead) // 2
    # Quantiles of both databases together, so that no bin is empty in both.
    columns = np.concatenate((ahead[:half], behind[:half])).T
    shares = np.linspace(0, 1, BINS[len(columns)] + 1)[1:-1]
    edges = [np.unique(np.quantile(column, shares)) for column in columns]
    binned = []
    for sample in (ahead, behind):  # for each draw the bins of all its numbers, as one number
        numbers: Events = np.zeros(len(sample), dtype=np.int64)
        for column, cuts in zip(sample.T, edges, strict=True):
            numbers = numbers * (cuts.size + 1) + np.searchsorted(cuts, column, side="right")
        binned.append(numbers)
    p, q = binned
    inside = _distinguishing(p[:half], q[:half], prod(cuts.size + 1 for cuts in edges))
    seen, other = (int(np.count_nonzero(inside[bins[half:]])) for bins in (p, q))
    rest = len(ahead) - half
    with precision(64):
        least = at_least(seen, rest) - ball(delta)
        greatest = 1 - at_least(rest - other, rest)
        return (least / greatest).log() if least > 0 else arb(0)


def _distinguishing(p: Events, q: Events, bins: int) -> NDArray[np.bool_]:
    """The bins of the largest log-ratios, up to where a cautious guess of the bound is largest."""
    seen, other = (np.bincount(each, minlength=bins) for each in (p, q))
    order = np.argsort(-np.log((seen + 0.5) / (other + 0.5)), kind="stable")
    a, b = (np.cumsum(counts[order]) + 0.5 for counts in (seen, other))
    guess = np.log(a / b) - CAUTION * np.sqrt(1 / a + 1 / b)
    inside = np.zeros(bins, dtype=np.bool_)
    inside[order[: int(np.argmax(guess)) + 1]] = True
    return inside


def at_least(hits: int, draws: int) -> arb:
    """A probability that was exceeded, but for FALSE_ALARM: P(at least `hits`) is no more there.

    P(at least a of n) at p is the regularised incomplete beta function I_p(a, n − a + 1), which
    rises with p; the answer is the lower end of a bisection, so that it errs downwards.
    """
    if hits == 0:
        return arb(0)
    low, high = Fraction(0), Fraction(hits, draws)
    near = high - Fraction(isqrt(64 * hits * (draws - hits) // draws) + 20, draws)
    with precision(64):
        for middle in (near, *repeat(None, STEPS)):
            p = (low + high) / 2 if middle is None else max(middle, low)
            rare = ball(p).beta_lower(hits, draws - hits + 1, regularized=True)
            low, high = (p, high) if rare <= ball(FALSE_ALARM) else (low, p)
    return ball(low)
