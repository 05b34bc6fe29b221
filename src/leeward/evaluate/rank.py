"""Rank: Spearman's correlation, within all cells and within each stratum."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.evaluate.strata import Floats, Groups, Integers

REACH = 1 << 15
"""Values up to here are ranked by counting, which is several times faster than sorting."""


def average_ranks(values: Integers) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    if values.size < REACH:
        return _sorted_ranks(values)
    low, high = values < -REACH, values >= REACH
    inner = ~(low | high)
    ranks = np.empty(values.size)
    ranks[low] = _sorted_ranks(values[low])
    ranks[inner] = np.count_nonzero(low) + _counted_ranks(values[inner] + REACH)
    ranks[high] = values.size - np.count_nonzero(high) + _sorted_ranks(values[high])
    return ranks


def _sorted_ranks(values: Integers) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return _shared(counts)[inverse]


def _counted_ranks(values: Integers) -> Floats:
    return _shared(np.bincount(values, minlength=2 * REACH))[values]


def _shared(counts: NDArray[np.integer]) -> Floats:
    """The mean rank of each value, from how often it occurs."""
    shared: Floats = np.cumsum(counts) - (counts - 1) / 2
    return shared


@dataclass(frozen=True, eq=False, repr=False)
class Ranks:
    """Centred ranks of all cells, and of each cell within its stratum."""

    overall: Floats
    within: Floats

    @classmethod
    def of(cls, values: Integers, groups: Groups) -> "Ranks":
        """Rank the values of all cells."""
        within = [_centred(part) for part in np.split(values, groups.starts[1:])]
        return cls(_centred(values), np.concatenate(within))

    def correlation(self, other: "Ranks", groups: Groups) -> Floats:
        """Spearman's ρ of each group; NaN where either does not vary."""
        with np.errstate(invalid="ignore", divide="ignore"):
            product = _products(self, other, groups)
            return product / np.sqrt(self.squares(groups) * other.squares(groups))

    def squares(self, groups: Groups) -> Floats:
        """The sum of squared ranks of each group."""
        return _products(self, self, groups)


def _products(left: Ranks, right: Ranks, groups: Groups) -> Floats:
    strata = groups.sums(left.within * right.within)
    strata[0] = (left.overall * right.overall).sum()  # BLAS would wake threads of its own
    return strata


def _centred(values: Integers) -> Floats:
    ranks = average_ranks(values)
    return ranks - (ranks.size + 1) / 2
