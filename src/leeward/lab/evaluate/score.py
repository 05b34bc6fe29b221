"""Score: the measures of a trial against the truth, in each group of cells.

Ranks are Spearman's: equal values share the mean of their ranks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.cells import Floats, Integers
from leeward.lab.evaluate.truth import StratumGroups, Truth

Values: TypeAlias = NDArray[np.int64 | np.float64]
"""Released numbers: whole jobs, or real ones of a form that rounds nothing."""

CLOSE = 0.05
"""Largest relative error of a value that is near the truth."""

REACH = 1 << 15
"""Largest value that is ranked by counting, which is several times faster than sorting."""


@dataclass(frozen=True, eq=False, repr=False)
class Scorer:
    """What the trials of a table are compared with; made once for a table.

    `published` are the cells that noise infusion does not suppress, `today` the ranks of what it
    publishes in one world: an office has drawn its factors once.
    """

    counts: Integers
    groups: StratumGroups
    ranks: "Ranks"
    published: NDArray[np.bool_]
    today: "Ranks | None" = None

    @classmethod
    def of(cls, truth: Truth, published: NDArray[np.bool_], today: Integers | None) -> "Scorer":
        """From a table, the cells that infusion publishes, and its values in one world."""
        groups = truth.groups
        counts = truth.counts.ravel()
        there = None if today is None else Ranks.of(today.ravel(), groups)
        return cls(counts, groups, Ranks.of(counts, groups), published.ravel(), there)

    def trial(self, values: Values) -> "Trial":
        """All measures of one trial; a row of numbers each, one a group."""
        released, true = values.ravel(), self.counts
        error = (released - true).astype(np.float64)
        size = np.abs(error)
        ranks = Ranks.of(released, self.groups)
        means = self.groups.means
        return Trial(
            absolute=means(size),
            square=means(size**2),
            where_published=means(size, self.published),
            signed=means(error),
            relative=means(size / np.maximum(true, 1)),
            negative=means(released < 0),
            near=means(size <= CLOSE * true),
            spearman=ranks.correlation(self.ranks, self.groups),
            spearman_today=(
                np.full(len(self.groups.names), np.nan)
                if self.today is None
                else ranks.correlation(self.today, self.groups)
            ),
        )


@dataclass(frozen=True, eq=False)
class Trial:
    """The measures of one trial, or their means over several."""

    absolute: Floats
    square: Floats
    where_published: Floats
    signed: Floats
    relative: Floats
    negative: Floats
    near: Floats
    spearman: Floats
    spearman_today: Floats

    @classmethod
    def mean(cls, trials: Sequence["Trial"], groups: int) -> "Trial":
        """The mean of every measure; NaN in each of so many groups where nothing was drawn."""
        names = cls.__dataclass_fields__
        if not trials:
            return cls(**{name: np.full(groups, np.nan) for name in names})
        return cls(**{n: np.mean([getattr(t, n) for t in trials], axis=0) for n in names})


def standard_error(rows: Sequence[Floats]) -> Floats:
    """Of the mean of independent trials, group by group; NaN for a single one."""
    if len(rows) < 2:
        return np.full(rows[0].shape, np.nan)
    spread: Floats = np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
    return spread


def average_ranks(values: Values) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    if values.size < REACH or values.dtype.kind == "f":
        return _sorted_ranks(values)
    low, high = values < -REACH, values >= REACH
    inner = ~(low | high)
    ranks = np.empty(values.size)
    ranks[low] = _sorted_ranks(values[low])
    shifted = values[inner] + REACH
    within = _shared(np.bincount(shifted, minlength=2 * REACH))[shifted]
    ranks[inner] = np.count_nonzero(low) + within
    ranks[high] = values.size - np.count_nonzero(high) + _sorted_ranks(values[high])
    return ranks


def _sorted_ranks(values: Values) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return _shared(counts)[inverse]


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
    def of(cls, values: Values, groups: StratumGroups) -> "Ranks":
        """Rank the values of all cells."""
        within = [_centred(part) for part in np.split(values, groups.starts[1:])]
        return cls(_centred(values), np.concatenate(within))

    def correlation(self, other: "Ranks", groups: StratumGroups) -> Floats:
        """Spearman's ρ of each group; NaN where either does not vary."""
        with np.errstate(invalid="ignore", divide="ignore"):
            product = _products(self, other, groups)
            return product / np.sqrt(self.squares(groups) * other.squares(groups))

    def squares(self, groups: StratumGroups) -> Floats:
        """The sum of squared ranks of each group."""
        return _products(self, self, groups)


def _products(left: Ranks, right: Ranks, groups: StratumGroups) -> Floats:
    strata = groups.sums(left.within * right.within)
    strata[0] = (left.overall * right.overall).sum()  # BLAS would wake threads of its own
    return strata


def _centred(values: Values) -> Floats:
    ranks = average_ranks(values)
    return ranks - (ranks.size + 1) / 2
