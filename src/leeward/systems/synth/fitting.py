"""Fitting: noisy margins become tables that agree, are nowhere negative, and have one total.

Everything here follows from released numbers. Margins are of groups of values: values that are too
rare for the noise are one group, which is divided by the released one-way counts afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.systems.synth.domain import Mask

Pair = tuple[int, int]
"""Two columns, the lower one first."""

Columns = TypeVar("Columns", bound=tuple[int, ...])
"""A set of columns as a key: a pair, or one of any size."""

DYKSTRA, PROPORTIONAL = 60, 30
"""Rounds of the two steps that make a table agree with its margins."""

LEAST = 1e-12


@dataclass(frozen=True)
class NoisyGroups:
    """A released table of groups, and the variance of the noise in each of its cells."""

    table: Floats
    variance: Floats

    @classmethod
    def of(cls, counts: Integers, deviation: float) -> "NoisyGroups":
        """Counts with noise of one deviation."""
        table = counts.astype(np.float64)
        return cls(table, np.full(table.shape, deviation**2))

    def onto(self, axis: int) -> "NoisyGroups":
        """Added up to one of its columns."""
        others = tuple(at for at in range(self.table.ndim) if at != axis)
        return NoisyGroups(self.table.sum(axis=others), self.variance.sum(axis=others))

    def grouped(self, groups: Integers) -> "NoisyGroups":
        """One column with its values in groups."""
        table, variance = (np.bincount(groups, one) for one in (self.table, self.variance))
        return NoisyGroups(table.astype(np.float64), variance.astype(np.float64))


def mean(parts: Sequence[NoisyGroups]) -> NoisyGroups:
    """The mean of several measurements of the same table, weighted by inverse variances."""
    weight = sum((1 / part.variance for part in parts), np.zeros_like(parts[0].table))
    value = sum((groups.table / groups.variance for groups in parts), np.zeros_like(parts[0].table))
    return NoisyGroups(value / weight, 1 / weight)


def total(parts: Sequence[NoisyGroups]) -> float:
    """The released number of rows: the mean of the tables' sums by inverse variances."""
    sums = [(float(part.table.sum()), float(part.variance.sum())) for part in parts]
    weight = sum(1 / variance for _, variance in sums)
    return max(1.0, sum(value / variance for value, variance in sums) / weight)


def nearest(values: Floats, rows: float) -> Floats:
    """The nearest numbers that are not negative and sum to the number of rows."""
    falling = np.sort(values.ravel())[::-1]
    excess = (np.cumsum(falling) - rows) / np.arange(1, falling.size + 1)
    last = np.flatnonzero(falling > excess)[-1]
    kept: Floats = np.maximum(values - excess[last], 0.0)
    return kept


def grouping(counts: NoisyGroups, threshold: float) -> Integers:
    """The group of each value: its own, or one for all below the threshold in deviations."""
    common = counts.table >= threshold * np.sqrt(counts.variance)
    if not common.any():
        common[np.argmax(counts.table)] = True
    groups = np.cumsum(common) - 1
    groups[~common] = common.sum()
    return groups.astype(np.int64)


def agreeing(table: Floats, margins: tuple[Floats, Floats], possible: Mask) -> Floats:
    """The table nearest to a noisy one among those with these margins and no negative cell.

    By Dykstra's alternating projections, then a few rounds of proportional fitting, which leave no
    cell negative at the end. Impossible cells stay empty, where the margins allow it.
    """
    rows, columns = margins
    held, slack = np.where(possible, table, 0.0), np.zeros_like(table)
    for _ in range(DYKSTRA):
        across = (rows - held.sum(axis=1)) / held.shape[1]
        down = (columns - held.sum(axis=0)) / held.shape[0]
        moved = held + across[:, None] + down - (rows.sum() - held.sum()) / held.size + slack
        held = np.where(possible, np.maximum(moved, 0.0), 0.0)
        slack = moved - held
    for _ in range(PROPORTIONAL):
        held *= (rows / np.maximum(held.sum(axis=1), LEAST))[:, None]
        held *= columns / np.maximum(held.sum(axis=0), LEAST)
    return held


def margins_of(
    alone: Sequence[NoisyGroups], tables: Mapping[Columns, NoisyGroups]
) -> tuple[tuple[Floats, ...], float]:
    """One table for each column from all that was measured of it, and the number of rows."""
    means = []
    for column, own in enumerate(alone):
        seen = [table.onto(one.index(column)) for one, table in tables.items() if column in one]
        means.append(mean([own, *seen]))
    rows = total(means)
    return tuple(nearest(groups.table, rows) for groups in means), rows


def shrunk(noisy: NoisyGroups, expected: Floats) -> Floats:
    """A noisy table moved towards an expected one, the more the less its cells can tell.

    What a cell truly differs from its expectation is taken to have a variance proportional to that
    expectation; the factor is estimated from all cells of the table.
    """
    differs, prior = noisy.table - expected, np.maximum(expected, 0.0)
    factor = max(0.0, float((differs**2 - noisy.variance).sum()) / max(float(prior.sum()), LEAST))
    spread = factor * prior
    moved: Floats = expected + differs * spread / (spread + noisy.variance)
    return moved


def joins(pair: Pair, taken: tuple[Pair, ...]) -> bool:
    """Whether no path of taken pairs joins these two columns yet."""
    reached = {pair[0]}
    for _ in taken:
        reached |= {end for one in taken if reached & set(one) for end in one}
    return pair[1] not in reached
