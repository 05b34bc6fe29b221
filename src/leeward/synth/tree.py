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

FURTHER = Fraction(3, 2)
"""Further pairs for each pair of the tree."""

ONE_WAY, CHOICE, TREE, FURTHER_CHOICE, FURTHER_PAIRS = (
    Fraction(part, 100) for part in (12, 4, 42, 4, 38)
)
"""How the price is divided; without further pairs the tree has their part."""

MOST_CELLS = 1 << 22
"""A pair of more groups is not considered: a released number, so that it may decide."""


def fit(domain: Domain, measurer: Measurer, budget: Guarantee) -> Fit:
    """A network of pairs; of one column, that column."""
    if len(domain.columns) == 1:
        return fit_independent(domain, measurer, budget)
    alone = measurer.one_way(domain, budget.share(ONE_WAY))
    rows = total([one.noisy for one in alone])
    flat = [nearest(one.noisy.table, rows) for one in alone]
    groups = [grouping(one.noisy, RARE) for one in alone]
    start = _Start(
        domain, groups, [one.noisy.grouped(g) for one, g in zip(alone, groups, strict=True)]
    )
    pairs = start.candidates
    further = min(int(FURTHER * len(groups)) - 1, max(0, len(pairs) - len(groups) + 1))
    tree = _tree(start, measurer, budget, last=further <= 0)
    more = _further(start, tree, measurer, budget, further) if further > 0 else ()
    network, rows = _network(start, tree, more, flat)
    return Fit(network, rows, (*alone, *tree, *more))


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

    def possible(self, pair: Pair) -> Mask:
        """Which cells of a pair of groups hold a possible pair of values."""
        a, b = pair
        allowed = np.zeros((self.sizes[a], self.sizes[b]), dtype=bool)
        values = np.nonzero(self.domain.possible(a, b))
        allowed[self.groups[a][values[0]], self.groups[b][values[1]]] = True
        return allowed


def _tree(
    start: _Start, measurer: Measurer, budget: Guarantee, *, last: bool
) -> tuple[Margin, ...]:
    """Pairs that join all columns, chosen against independence and measured."""
    margins, rows = margins_of(start.alone, {})
    expected = {(a, b): np.outer(margins[a], margins[b]) / rows for a, b in start.candidates}
    price = budget.share(TREE + FURTHER_PAIRS if last else TREE)
    edges = len(start.sizes) - 1
    scores = measurer.scores(expected, start.groups, _penalty(price, edges))
    choice = budget.share(CHOICE + FURTHER_CHOICE if last else CHOICE)
    chosen = measurer.chosen(scores, choice, edges, _joins)
    return measurer.measured(chosen, start.groups, price)


def _further(
    start: _Start,
    tree: tuple[Margin, ...],
    measurer: Measurer,
    budget: Guarantee,
    number: int,
) -> tuple[Margin, ...]:
    """Pairs of which the tree is farthest, measured."""
    tables, (margins, rows) = _fitted(start, {_pair(one): one.noisy for one in tree})
    implied = _implied(tables, margins, rows)
    expected = {pair: implied[pair] for pair in start.candidates if pair not in tables}
    price = budget.share(FURTHER_PAIRS)
    scores = measurer.scores(expected, start.groups, _penalty(price, number))
    chosen = measurer.chosen(scores, budget.share(FURTHER_CHOICE), number, lambda *_: True)
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
