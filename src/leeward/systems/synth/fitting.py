"""Fitting: noisy margins become tables that agree, are nowhere negative, and have one total.

Everything here follows from released numbers. Methods that search for dependence begin with a
start: one-way counts, and margins of groups of values. Values that are too rare for the noise are
one group, which is divided by the released one-way counts afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np

from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee
from leeward.systems.synth.counting import Groups
from leeward.systems.synth.domain import Domain, Mask
from leeward.systems.synth.measurer import (
    Columns,
    Margin,
    Measurer,
    NoisyGroups,
    collected,
    mean,
)

Pair = tuple[int, int]
"""Two columns, the lower one first."""

RARE = 4
"""Values whose noisy count is below this number of deviations are measured in one group."""

MOST_CELLS = 1 << 22
"""A pair of more groups is not considered: a released number, so that it may decide."""

Rule = Mapping[int, tuple[int, ...]]
"""An impossible combination: positions by column."""

DYKSTRA, PROPORTIONAL = 60, 30
"""Rounds of the two steps that make a table agree with its margins."""

LEAST = 1e-12


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
        seen = [
            table.onto([columns.index(column)])
            for columns, table in tables.items()
            if column in columns
        ]
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


@dataclass(frozen=True)
class Start:
    """The released counts of each column, and the group of each of its values.

    Columns may be measured more than once; groups follow from the first time.
    """

    domain: Domain
    margins: tuple[Margin, ...]
    groups: Groups

    @classmethod
    def measured(cls, domain: Domain, measurer: Measurer, price: Guarantee) -> "Start":
        """One-way counts at this price."""
        margins = measurer.one_way(domain, price)
        return cls(domain, margins, [grouping(margin.noisy, RARE) for margin in margins])

    def again(self, measurer: Measurer, price: Guarantee) -> "Start":
        """The same with one-way counts once more, for a price that no table is worth."""
        return replace(self, margins=(*self.margins, *measurer.one_way(self.domain, price)))

    @cached_property
    def columns(self) -> tuple[NoisyGroups, ...]:
        """The counts of values of each column."""
        return tuple(collected(self.margins).values())

    @cached_property
    def alone(self) -> tuple[NoisyGroups, ...]:
        """The counts of groups."""
        both = zip(self.columns, self.groups, strict=True)
        return tuple(groups.grouped(held) for groups, held in both)

    @cached_property
    def rows(self) -> float:
        """The number of rows, as far as columns by themselves tell."""
        return total(self.columns)

    @cached_property
    def weights(self) -> tuple[Floats, ...]:
        """How groups are divided into values."""
        return tuple(nearest(column.table, self.rows) for column in self.columns)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Groups of each column."""
        return tuple(groups.table.size for groups in self.alone)

    @property
    def pairs(self) -> list[Pair]:
        """Pairs whose tables are not too large."""
        every = combinations(range(len(self.sizes)), 2)
        return [pair for pair in every if self.cells(pair) <= MOST_CELLS]

    def shape(self, columns: Sequence[int]) -> tuple[int, ...]:
        """Of a table of these columns."""
        return tuple(self.sizes[at] for at in columns)

    def cells(self, columns: Sequence[int]) -> int:
        """Of a table of these columns."""
        return prod(self.shape(columns))

    def possible(self, columns: Sequence[int]) -> Mask:
        """Which cells of a table of groups hold a possible combination of values.

        Rules of the same columns are taken together, as several may empty a cell that none empties.
        """
        allowed = np.ones(self.shape(columns), dtype=bool)
        for ruled in {tuple(at for at, _ in rule) for rule in self.domain.impossible}:
            if set(ruled) <= set(columns):
                within = tuple(at for at in columns if at in ruled)
                sizes = (self.sizes[at] if at in ruled else 1 for at in columns)
                allowed &= self._by_groups(within).reshape(tuple(sizes))
        return allowed

    def _by_groups(self, columns: Sequence[int]) -> Mask:
        """The same of just the columns of a rule.

        Where even values that stand for others are too many to be crossed, a cell is called
        impossible if one rule empties it. Rows that break a rule are never drawn in any case.
        """
        every = [dict(one) for one in self.domain.impossible]
        rules = [one for one in every if one.keys() <= set(columns)]
        standing = [self._standing(at, rules) for at in columns]
        if prod(one.size for one in standing) > MOST_CELLS:
            return self._one_by_one(columns, rules)
        allowed = np.ones([column.size for column in standing], dtype=bool)
        for rule in rules:
            both = zip(columns, standing, strict=True)
            allowed[np.ix_(*(np.isin(one, rule.get(at, one)) for at, one in both))] = False
        for axis, (at, one) in enumerate(zip(columns, standing, strict=True)):
            first = np.searchsorted(self.groups[at][one], np.arange(self.sizes[at]))
            allowed = np.logical_or.reduceat(allowed, first, axis=axis)
        return allowed

    def _standing(self, column: int, rules: Sequence[Rule]) -> Integers:
        """One value for all of a group that the same rules name, in the order of groups."""
        named: dict[int, list[int]] = {}
        for number, rule in enumerate(rules):
            for value in rule.get(column, ()):
                named.setdefault(value, []).append(number)
        groups = self.groups[column].tolist()
        kinds = {(group, *named.get(value, ())): value for value, group in enumerate(groups)}
        return np.array([kinds[kind] for kind in sorted(kinds)], dtype=np.int64)

    def _one_by_one(self, columns: Sequence[int], rules: Sequence[Rule]) -> Mask:
        """Cells that no single rule empties: it names all values of their groups."""
        allowed = np.ones(self.shape(columns), dtype=bool)
        for rule in rules:
            emptied = []
            for at in columns:
                groups = self.groups[at]
                left = np.ones(groups.size, dtype=bool)
                left[list(rule.get(at, range(groups.size)))] = False
                emptied.append(np.bincount(groups[left], minlength=self.sizes[at]) == 0)
            allowed[np.ix_(*emptied)] = False
        return allowed
