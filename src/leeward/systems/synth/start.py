"""Start: every column by itself with noise, and its rare values in one group.

The methods that look for dependence begin here. All of it is released, so that it may decide which
tables are asked for next and how large they are.
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
from leeward.systems.synth.fitting import Noisy, Pair, grouping, nearest, total
from leeward.systems.synth.measuring import Margin, Measurer, collected

RARE = 4
"""Values whose noisy count is below this number of deviations are measured in one group."""

MOST_CELLS = 1 << 22
"""A pair of more groups is not considered: a released number, so that it may decide."""

Rule = Mapping[int, tuple[int, ...]]
"""An impossible combination: positions by column."""


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
        return cls(domain, margins, [grouping(one.noisy, RARE) for one in margins])

    def again(self, measurer: Measurer, price: Guarantee) -> "Start":
        """The same with one-way counts once more, for a price that no table is worth."""
        return replace(self, margins=(*self.margins, *measurer.one_way(self.domain, price)))

    @cached_property
    def columns(self) -> tuple[Noisy, ...]:
        """The counts of values of each column."""
        return tuple(collected(self.margins).values())

    @cached_property
    def alone(self) -> tuple[Noisy, ...]:
        """The counts of groups."""
        both = zip(self.columns, self.groups, strict=True)
        return tuple(one.grouped(held) for one, held in both)

    @cached_property
    def rows(self) -> float:
        """The number of rows, as far as columns by themselves tell."""
        return total(self.columns)

    @cached_property
    def weights(self) -> tuple[Floats, ...]:
        """How groups are divided into values."""
        return tuple(nearest(one.table, self.rows) for one in self.columns)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Groups of each column."""
        return tuple(one.table.size for one in self.alone)

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
        allowed = np.ones([one.size for one in standing], dtype=bool)
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
        return np.array([kinds[one] for one in sorted(kinds)], dtype=np.int64)

    def _one_by_one(self, columns: Sequence[int], rules: Sequence[Rule]) -> Mask:
        """Cells that no single rule empties: it names all values of their groups."""
        allowed = np.ones(self.shape(columns), dtype=bool)
        for rule in rules:
            left = (self._left(at, rule) for at in columns)
            allowed[np.ix_(*(one == 0 for one in left))] = False
        return allowed

    def _left(self, column: int, rule: Rule) -> Integers:
        """How many values of each group of a column a rule does not name."""
        groups = self.groups[column]
        kept = np.ones(groups.size, dtype=bool)
        kept[list(rule.get(column, range(groups.size)))] = False
        return np.bincount(groups[kept], minlength=self.sizes[column])
