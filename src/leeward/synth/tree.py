"""The method `tree`: a tree of pairs of columns, then further pairs that it gets wrong.

One-way counts come first. A pair is worth measuring by how far its counts are from independence,
less what noise would spoil. The tree has a closed form for every other pair, against which further
pairs are chosen; rows are drawn from the tree and weighted to agree with them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import pi, sqrt

import numpy as np

from leeward.mechanisms.row_counts import RowCounts
from leeward.noise.tabulated import Floats
from leeward.privacy import Guarantee
from leeward.synth.counting import Groups
from leeward.synth.description import Fit
from leeward.synth.domain import Domain, Mask
from leeward.synth.fitting import (
    Noisy,
    Pair,
    agreeing,
    grouping,
    margins_of,
    nearest,
    shrunk,
    total,
)
from leeward.synth.independent import fit as fit_independent
from leeward.synth.measuring import Margin, Measurer
from leeward.synth.network import Fitted, Network

RARE = 4
"""Values whose noisy count is below this number of deviations are measured in one group."""


@dataclass(frozen=True)
class Division:
    """How the price is divided, in hundredths; `number` is further pairs for each of the tree.

    How both were chosen, and on which tables, is told in docs/explanation/synthesis.md.
    """

    one_way: int
    choice: int
    tree: int
    further_choice: int
    further_pairs: int
    number: Fraction

    def without_further(self) -> "Division":
        """The tree has all that further pairs would have had."""
        choice, tree = self.choice + self.further_choice, self.tree + self.further_pairs
        return Division(self.one_way, choice, tree, 0, 0, Fraction(0))


GAUSSIAN = Division(12, 4, 42, 4, 38, Fraction(3, 2))
PURE = Division(20, 10, 40, 5, 25, Fraction(1, 2))
"""Parts of an ε add up, those of a ρ like squares: with ε fewer pairs are worth their part."""

MOST_CELLS = 1 << 22
"""A pair of more groups is not considered: a released number, so that it may decide."""


def fit(domain: Domain, measurer: Measurer, budget: Guarantee) -> Fit:
    """A network of pairs; of one column, that column."""
    if len(domain.columns) == 1:
        return fit_independent(domain, measurer, budget)
    division = PURE if budget.measure == "pure" else GAUSSIAN
    alone = measurer.one_way(domain, _part(budget, division.one_way))
    rows = total([one.noisy for one in alone])
    flat = [nearest(one.noisy.table, rows) for one in alone]
    groups = [grouping(one.noisy, RARE) for one in alone]
    grouped = [one.noisy.grouped(held) for one, held in zip(alone, groups, strict=True)]
    start = _Start(domain, groups, grouped)
    further = start.further(division)
    held = division if further else division.without_further()
    tree = _tree(start, measurer, budget, held)
    more = _further(start, tree, measurer, budget, held) if further else ()
    network, rows = _network(start, tree, more, flat)
    return Fit(network, rows, (*alone, *tree, *more))


def _part(budget: Guarantee, hundredths: int) -> Guarantee:
    return budget.share(Fraction(hundredths, 100))


@dataclass(frozen=True)
class _Start:
    """The columns in groups, with their noisy counts: where the search for pairs begins."""

    domain: Domain
    groups: Groups
    alone: Sequence[Noisy]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Groups of each column."""
        return tuple(one.table.size for one in self.alone)

    @property
    def candidates(self) -> list[Pair]:
        """Pairs whose tables are not too large."""
        sizes = self.sizes
        every = combinations(range(len(sizes)), 2)
        return [(a, b) for a, b in every if sizes[a] * sizes[b] <= MOST_CELLS]

    def further(self, division: Division) -> int:
        """How many pairs are measured beside the tree."""
        edges = len(self.sizes) - 1
        return min(round(division.number * edges), max(0, len(self.candidates) - edges))

    def possible(self, pair: Pair) -> Mask:
        """Which cells of a pair of groups hold a possible pair of values."""
        a, b = pair
        allowed = np.zeros((self.sizes[a], self.sizes[b]), dtype=bool)
        values = np.nonzero(self.domain.possible(a, b))
        allowed[self.groups[a][values[0]], self.groups[b][values[1]]] = True
        return allowed


def _tree(
    start: _Start, measurer: Measurer, budget: Guarantee, division: Division
) -> tuple[Margin, ...]:
    """Pairs that join all columns, chosen against independence and measured."""
    margins, rows = margins_of(start.alone, {})
    expected = {(a, b): np.outer(margins[a], margins[b]) / rows for a, b in start.candidates}
    price = _part(budget, division.tree)
    edges = len(start.sizes) - 1
    scores = measurer.scores(expected, start.groups, _penalty(price, edges))
    chosen = measurer.chosen(scores, _part(budget, division.choice), edges, _joins)
    return measurer.measured(chosen, start.groups, price)


def _further(
    start: _Start,
    tree: tuple[Margin, ...],
    measurer: Measurer,
    budget: Guarantee,
    division: Division,
) -> tuple[Margin, ...]:
    """Pairs of which the tree is farthest, measured."""
    tables, (margins, rows) = _fitted(start, {_pair(one): one.noisy for one in tree})
    implied = _implied(tables, margins, rows)
    expected = {pair: implied[pair] for pair in start.candidates if pair not in tables}
    price, number = _part(budget, division.further_pairs), start.further(division)
    scores = measurer.scores(expected, start.groups, _penalty(price, number))
    choice = _part(budget, division.further_choice)
    chosen = measurer.chosen(scores, choice, number, lambda *_: True)
    return measurer.measured(chosen, start.groups, price)


def _penalty(price: Guarantee, pairs: int) -> float:
    """The mean absolute noise of a cell, were the price divided equally."""
    (deviation,) = RowCounts(price.share(Fraction(1, pairs)), (Fraction(1),)).deviations
    return deviation / sqrt(2) if price.measure == "pure" else deviation * sqrt(2 / pi)


def _joins(pair: Pair, taken: tuple[Pair, ...]) -> bool:
    """Whether no path of taken pairs joins these two columns yet."""
    reached = {pair[0]}
    for _ in taken:
        reached |= {end for one in taken if reached & set(one) for end in one}
    return pair[1] not in reached


def _pair(margin: Margin) -> Pair:
    first, second = margin.columns
    return first, second


def _fitted(
    start: _Start, tree: Mapping[Pair, Noisy], more: Mapping[Pair, Noisy] | None = None
) -> tuple[dict[Pair, Floats], tuple[tuple[Floats, ...], float]]:
    """The tables of the tree with margins from everything that was measured, and these."""
    margins, rows = margins_of(start.alone, {**tree, **(more or {})})
    tables = {
        (a, b): agreeing(one.table, (margins[a], margins[b]), start.possible((a, b)))
        for (a, b), one in tree.items()
    }
    return tables, (margins, rows)


def _neighbours(tables: Mapping[Pair, Floats], column: int) -> Iterator[tuple[int, Floats]]:
    """Columns beside this one in the tree, with the table from this to that."""
    for (a, b), table in tables.items():
        if column == a:
            yield b, table
        elif column == b:
            yield a, table.T


def _given(table: Floats) -> Floats:
    """Shares of the columns in each row of a table."""
    rows = table.sum(axis=1, keepdims=True)
    shares: Floats = table / np.where(rows > 0, rows, 1.0)
    return shares


def _implied(
    tables: Mapping[Pair, Floats], margins: Sequence[Floats], rows: float
) -> dict[Pair, Floats]:
    """The table of every pair that follows from the tree: along a path, or independent."""
    found = {
        (a, b): np.outer(margins[a], margins[b]) / rows
        for a, b in combinations(range(len(margins)), 2)
    }
    for first in range(len(margins)):
        reached = dict(_neighbours(tables, first))
        open_ = list(reached)
        while open_:
            here = open_.pop()
            for there, table in _neighbours(tables, here):
                if there != first and there not in reached:
                    reached[there] = reached[here] @ _given(table)
                    open_.append(there)
        found |= {(first, second): one for second, one in reached.items() if first < second}
    return found


def _network(
    start: _Start, tree: tuple[Margin, ...], more: tuple[Margin, ...], flat: Sequence[Floats]
) -> tuple[Network, float]:
    """Nodes along the tree from its first column, and the further pairs as targets."""
    further = {_pair(one): one.noisy for one in more}
    tables, (margins, rows) = _fitted(start, {_pair(one): one.noisy for one in tree}, further)
    implied = _implied(tables, margins, rows)
    targets = []
    for (a, b), one in further.items():
        towards = shrunk(one, implied[a, b])
        table = agreeing(towards, (margins[a], margins[b]), start.possible((a, b)))
        targets.append(Fitted((a, b), table))
    nodes = tuple(_nodes(tables, margins))
    return Network(tuple(start.groups), tuple(flat), nodes, tuple(targets)), rows


def _nodes(tables: Mapping[Pair, Floats], margins: Sequence[Floats]) -> Iterator[Fitted]:
    """Each column given its neighbour nearer to the first one; roots by themselves."""
    seen: list[int] = []
    for root in range(len(margins)):
        if root in seen:
            continue
        seen.append(root)
        yield Fitted((root,), margins[root])
        yield from _below(root, tables, seen)


def _below(here: int, tables: Mapping[Pair, Floats], seen: list[int]) -> Iterator[Fitted]:
    for there, table in _neighbours(tables, here):
        if there not in seen:
            seen.append(there)
            yield Fitted((here, there), table)
            yield from _below(there, tables, seen)
