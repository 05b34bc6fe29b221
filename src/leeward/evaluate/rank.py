"""Rank: Spearman's correlation, within all cells and within each stratum."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.evaluate.strata import Floats, Groups

Values = NDArray[np.generic]


def average_ranks(values: Values) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    shared: Floats = last - (counts - 1) / 2
    return shared[inverse]


@dataclass(frozen=True, eq=False, repr=False)
class Ranks:
    """Centred ranks of all cells, and of each cell within its stratum."""

    overall: Floats
    within: Floats

    @classmethod
    def of(cls, values: Values, groups: Groups) -> "Ranks":
        """Rank the values of all cells."""
        within = np.zeros(values.size)
        for members in groups.members():
            ranks = average_ranks(values[members])
            within[members] = ranks - ranks.mean()
        overall = average_ranks(values)
        return cls(overall - overall.mean(), within)

    def correlation(self, other: "Ranks", groups: Groups) -> Floats:
        """Spearman's ρ of each group; NaN where either does not vary."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return _products(self, other, groups) / np.sqrt(
                _products(self, self, groups) * _products(other, other, groups)
            )


def _products(left: Ranks, right: Ranks, groups: Groups) -> Floats:
    strata = groups.sums(left.within * right.within)
    strata[0] = (left.overall * right.overall).sum()  # BLAS would wake threads of its own
    return strata
