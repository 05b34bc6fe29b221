"""Rank: Spearman's correlation, within all cells and within each stratum."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.evaluate.strata import Floats, Groups

Values = NDArray[np.generic]


def average_ranks(values: Values) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    order = np.argsort(values)
    return _ranked(order, _changes(values[order]))


def _changes(ordered: Values) -> NDArray[np.bool_]:
    """Where another value begins."""
    return np.concatenate([[True], ordered[1:] != ordered[:-1]])


def _ranked(order: NDArray[np.intp], changes: NDArray[np.bool_]) -> Floats:
    """The mean rank of each run of equal values, put where the values stood."""
    starts = np.flatnonzero(changes)
    lengths = np.diff(starts, append=order.size)
    ranks = np.empty(order.size)
    ranks[order] = np.repeat(starts + (lengths + 1) / 2, lengths)
    return ranks


@dataclass(frozen=True, eq=False, repr=False)
class Ranks:
    """Centred ranks of all cells, and of each cell within its stratum."""

    overall: Floats
    within: Floats

    @classmethod
    def of(cls, values: Values, groups: Groups) -> "Ranks":
        """Rank the values of all cells; one sort serves both."""
        if not values.size:
            return cls(np.zeros(0), np.zeros(0))
        order = np.argsort(values)
        overall = _ranked(order, _changes(values[order]))
        narrow = groups.of_cell.astype(np.uint8)  # a stable sort of bytes counts, it does not sort
        inner = order[np.argsort(narrow[order], kind="stable")]
        changes = _changes(values[inner]) | _changes(groups.of_cell)
        # Ranks within a stratum go on counting where the one before it ended: centring mends that.
        within = _ranked(inner, changes)
        sizes = groups.sizes[groups.sizes > 0]
        means = np.add.reduceat(within, groups.starts) / sizes
        return cls(overall - overall.mean(), within - np.repeat(means, sizes))

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
