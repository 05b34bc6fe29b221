"""Model: every column by itself with noise, then a network in the making, and rows drawn of it.

Methods that look for dependence begin with a start: one-way counts, and rare values in one group.
Tables of any sizes may be measured then. Those that add one column to what is there become nodes;
the others are met by weights of the rows. All of it is released, so that it may decide which tables
are asked for next and how large they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np

from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee
from leeward.core.randomness import SeededBits
from leeward.systems.synth.bayesian_network import BayesianNetwork, Fitted
from leeward.systems.synth.counting import Groups
from leeward.systems.synth.domain import Domain, Mask
from leeward.systems.synth.drawing import extend, places, raked
from leeward.systems.synth.fitting import (
    NoisyGroups,
    Pair,
    agreeing,
    grouping,
    margins_of,
    nearest,
    shrunk,
    total,
)
from leeward.systems.synth.measurer import Margin, Measurer, collected

RARE = 4
"""Values whose noisy count is below this number of deviations are measured in one group."""

MOST_CELLS = 1 << 22
"""A pair of more groups is not considered: a released number, so that it may decide."""

Rule = Mapping[int, tuple[int, ...]]
"""An impossible combination: positions by column."""

SAMPLE = 1 << 16
"""Rows that are drawn to look at a model; their seed is the same always, and public."""

Tables = Mapping[tuple[int, ...], NoisyGroups]
"""Measured tables by their columns."""


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
            left = (self._left(at, rule) for at in columns)
            allowed[np.ix_(*(number == 0 for number in left))] = False
        return allowed

    def _left(self, column: int, rule: Rule) -> Integers:
        """How many values of each group of a column a rule does not name."""
        groups = self.groups[column]
        kept = np.ones(groups.size, dtype=bool)
        kept[list(rule.get(column, range(groups.size)))] = False
        return np.bincount(groups[kept], minlength=self.sizes[column])


@dataclass(frozen=True)
class Model:
    """Columns with their released margins; `nodes` are those that are placed already."""

    start: Start
    margins: tuple[Floats, ...]
    rows: float
    pool: Integers
    weights: Floats
    nodes: tuple[Fitted, ...] = ()
    targets: tuple[Fitted, ...] = ()

    @classmethod
    def empty(cls, start: Start, tables: Tables) -> "Model":
        """No column yet; margins are means of all that was measured of a column."""
        margins, rows = margins_of(start.alone, tables)
        pool = np.zeros((len(margins), SAMPLE), dtype=np.int64)
        return cls(start, margins, rows, pool, np.full(SAMPLE, rows / SAMPLE))

    @property
    def placed(self) -> tuple[int, ...]:
        """The columns in the order of drawing."""
        return tuple(node.columns[-1] for node in self.nodes)

    @property
    def network(self) -> BayesianNetwork:
        """What rows are drawn from; columns that are not placed stand by themselves."""
        left = [at for at in range(len(self.margins)) if at not in self.placed]
        nodes = (*self.nodes, *(Fitted((at,), self.margins[at]) for at in left))
        return BayesianNetwork(tuple(self.start.groups), self.start.weights, nodes, self.targets)

    def table(self, columns: Sequence[int]) -> Floats:
        """What placed columns are expected to be; one column by itself need not be placed."""
        if len(columns) == 1:
            return self.margins[columns[0]]
        shape = self.start.shape(columns)
        key = places(self.pool, columns, shape)
        held = np.bincount(key, self.weights, self.start.cells(columns))
        return held.reshape(shape).astype(np.float64, copy=False)

    def independent(self, columns: Sequence[int]) -> Floats:
        """The last column independent of the others, which are placed."""
        *parents, column = columns
        return np.multiply.outer(self.table(parents), self.margins[column] / self.rows)

    def alone(self, column: int) -> "Model":
        """A further column by itself."""
        return self._with(Fitted((column,), self.margins[column]))

    def given(self, columns: Sequence[int], noisy: NoisyGroups) -> "Model":
        """A further column, the last one, given the others by a measured table of all of them."""
        shape = self.start.shape(columns)
        return self._with(Fitted(tuple(columns), self._near(columns, noisy).reshape(shape)))

    def meeting(self, tables: Tables) -> "Model":
        """The same with rows weighted to meet further tables of placed columns."""
        if not tables:
            return self
        targets = tuple(
            Fitted(one, self._near(one, noisy, self.table(one)).reshape(noisy.table.shape))
            for one, noisy in tables.items()
        )
        weights = raked(self.weights, self.pool, (*self.nodes, *targets))
        return replace(self, targets=targets, weights=weights)

    def _with(self, node: Fitted) -> "Model":
        pool = self.pool.copy()
        extend(pool, node, SeededBits(len(self.nodes)))
        return replace(self, pool=pool, nodes=(*self.nodes, node))

    def _near(
        self, columns: Sequence[int], noisy: NoisyGroups, expected: Floats | None = None
    ) -> Floats:
        """A measured table near what is expected, with the margins that the model has."""
        *parents, column = columns
        above, size = self.table(parents).ravel(), self.start.sizes[column]
        prior = self.independent(columns) if expected is None else expected
        flat = NoisyGroups(noisy.table.reshape(-1, size), noisy.variance.reshape(-1, size))
        possible = self.start.possible(columns).reshape(-1, size)
        towards = shrunk(flat, prior.reshape(-1, size))
        return agreeing(towards, (above, self.margins[column]), possible)


def estimated(start: Start, margins: Iterable[Margin]) -> Model:
    """A model of measured tables of two columns and more.

    What tells most about one further column is the next node; tables that are no node are met.
    """
    tables = collected(margins)
    model, nodes = Model.empty(start, tables), set[frozenset[int]]()
    while len(model.nodes) < len(model.margins):
        families = dict(pair for key in tables for pair in _families(model, key, tables[key]))
        if not families:
            new = [at for at in range(len(model.margins)) if at not in model.placed]
            most = max(new, key=lambda at: sum(at in columns for columns in tables))
            model = model.alone(most)
            continue
        best = max(families, key=lambda columns: _dependence(model, columns, families[columns]))
        model = model.given(best, families[best])
        nodes.add(frozenset(best))
    return model.meeting({key: noisy for key, noisy in tables.items() if set(key) not in nodes})


def _families(
    model: Model, columns: tuple[int, ...], noisy: NoisyGroups
) -> Iterator[tuple[tuple[int, ...], NoisyGroups]]:
    """Placed columns of a table with each of its others, and what it says of those together."""
    placed = tuple(at for at in columns if at in model.placed)
    for new in (at for at in columns if placed and at not in placed):
        yield (*placed, new), _onto(noisy, columns, (*placed, new))


def _onto(noisy: NoisyGroups, columns: tuple[int, ...], wanted: tuple[int, ...]) -> NoisyGroups:
    """Added up to some of its columns, in another order."""
    others = tuple(axis for axis, at in enumerate(columns) if at not in wanted)
    kept = [at for at in columns if at in wanted]
    axes = [kept.index(at) for at in wanted]
    table, variance = (column.sum(axis=others) for column in (noisy.table, noisy.variance))
    return NoisyGroups(table.transpose(axes), variance.transpose(axes))


def _dependence(model: Model, columns: tuple[int, ...], noisy: NoisyGroups) -> float:
    """How far a table is from independence of its last column, less what noise does."""
    apart = np.abs(noisy.table - model.independent(columns)).sum()
    return float(apart - np.sqrt(noisy.variance).sum())
