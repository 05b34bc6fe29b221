"""Score: trials of a table compared with the truth, measure by measure, group by group."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.evaluate.rank import Ranks
from leeward.evaluate.strata import Floats, Groups, Integers
from leeward.evaluate.truth import Truth

CLOSE = 0.05
"""A cell is near the truth if it is off by at most this share of it."""


@dataclass(frozen=True, eq=False, repr=False)
class Referee:
    """Everything about the truth that trials are compared with; made once for a table.

    `published` are the cells that noise infusion does not suppress, `today` the ranks of what it
    publishes in one world: an office has drawn its factors once.
    """

    counts: Integers
    groups: Groups
    ranks: Ranks
    published: NDArray[np.bool_]
    today: Ranks | None = None

    @classmethod
    def of(cls, truth: Truth, published: NDArray[np.bool_], today: Integers | None) -> "Referee":
        """From a table, the cells that infusion publishes, and its values in one world."""
        groups = truth.groups
        counts = truth.counts.ravel()
        there = None if today is None else Ranks.of(today.ravel(), groups)
        return cls(counts, groups, Ranks.of(counts, groups), published.ravel(), there)

    def trial(self, values: Integers) -> "Trial":
        """All measures of one trial; a row of numbers each, one a group."""
        released, true = values.ravel(), self.counts
        error = (released - true).astype(np.float64)
        size = np.abs(error)
        ranks = Ranks.of(released, self.groups)
        means = self.groups.means
        return Trial(
            absolute=means(size),
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
    where_published: Floats
    signed: Floats
    relative: Floats
    negative: Floats
    near: Floats
    spearman: Floats
    spearman_today: Floats

    @classmethod
    def mean(cls, trials: Sequence["Trial"]) -> "Trial":
        """The mean of every measure."""
        names = cls.__dataclass_fields__
        return cls(**{n: np.mean([getattr(t, n) for t in trials], axis=0) for n in names})


def standard_error(rows: Sequence[Floats]) -> Floats:
    """Of the mean of independent trials, group by group; NaN for a single one."""
    if len(rows) < 2:
        return np.full(rows[0].shape, np.nan)
    spread: Floats = np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
    return spread
