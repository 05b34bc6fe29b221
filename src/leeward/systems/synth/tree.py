"""The method `tree`: a tree of pairs of columns, then further pairs that it gets wrong.

One-way counts come first. A pair is worth measuring by how far its counts are from independence,
less what noise would spoil. The tree has a closed form for every other pair, against which further
pairs are chosen; rows are drawn from the tree and weighted to agree with them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from leeward.core.mechanisms.row_counts import RowCounts
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee
from leeward.systems.synth.description import Fit
from leeward.systems.synth.domain import Domain
from leeward.systems.synth.drawing import BayesianNetwork, Fitted
from leeward.systems.synth.fitting import Pair, Start, agreeing, joins, margins_of, shrunk
from leeward.systems.synth.measurer import Margin, Measurer, NoisyGroups


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


def fit(domain: Domain, measurer: Measurer, budget: Guarantee) -> Fit:
    """A network of pairs."""
    division = PURE if budget.measure == "pure" else GAUSSIAN
    start = Start.measured(domain, measurer, _part(budget, division.one_way))
    if not start.pairs:
        start = start.again(measurer, _part(budget, 100 - division.one_way))
        return Fit(*_network(start, (), ()), start.margins)
    edges = len(start.sizes) - 1
    further = min(round(division.number * edges), max(0, len(start.pairs) - edges))
    division = division if further else division.without_further()
    # Pairs that join all columns, chosen against independence.
    margins, rows = margins_of(start.alone, {})
    expected = {(a, b): np.outer(margins[a], margins[b]) / rows for a, b in start.pairs}
    prices = _part(budget, division.choice), _part(budget, division.tree)
    tree = _farthest(start, measurer, expected, edges, prices, joins)
    more: tuple[Margin, ...] = ()
    if further:
        tables, (margins, rows) = _fitted(start, {_pair(margin): margin.noisy for margin in tree})
        implied = _implied(tables, margins, rows)
        expected = {pair: implied[pair] for pair in start.pairs if pair not in tables}
        prices = _part(budget, division.further_choice), _part(budget, division.further_pairs)
        more = _farthest(start, measurer, expected, further, prices, lambda *_: True)
    network, rows = _network(start, tree, more)
    return Fit(network, rows, (*start.margins, *tree, *more))


def _part(budget: Guarantee, hundredths: int) -> Guarantee:
    return budget.share(Fraction(hundredths, 100))


def _farthest(
    start: Start,
    measurer: Measurer,
    expected: Mapping[Pair, Floats],
    number: int,
    prices: tuple[Guarantee, Guarantee],
    allowed: Callable[[Pair, tuple[Pair, ...]], bool],
) -> tuple[Margin, ...]:
    """Pairs that are farthest from what is expected; `prices` are of the choice and the tables.

    A cell costs the mean absolute noise that it would have, were the price divided equally.
    """
    choice, price = prices
    (penalty,) = RowCounts(price.share(Fraction(1, number)), (Fraction(1),)).errors
    scores = measurer.scores(expected, start.groups, penalty)
    chosen = measurer.chosen(scores, choice, number, allowed)
    return measurer.measured(chosen, start.groups, price)


def _pair(margin: Margin) -> Pair:
    first, second = margin.columns
    return first, second


def _fitted(
    start: Start, tree: Mapping[Pair, NoisyGroups], more: Mapping[Pair, NoisyGroups] | None = None
) -> tuple[dict[Pair, Floats], tuple[tuple[Floats, ...], float]]:
    """The tables of the tree with margins from everything that was measured, and these."""
    margins, rows = margins_of(start.alone, {**tree, **(more or {})})
    tables = {
        (a, b): agreeing(groups.table, (margins[a], margins[b]), start.possible((a, b)))
        for (a, b), groups in tree.items()
    }
    return tables, (margins, rows)


def _neighbours(tables: Mapping[Pair, Floats], column: int) -> Iterator[tuple[int, Floats]]:
    """Columns beside this one in the tree, with the table from this to that."""
    for (a, b), table in tables.items():
        if column == a:
            yield b, table
        elif column == b:
            yield a, table.T


def _implied(
    tables: Mapping[Pair, Floats], margins: Sequence[Floats], rows: float
) -> dict[Pair, Floats]:
    """The table of every pair that follows from the tree: along a path, or independent."""
    pairs = {
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
                    rows_of = table.sum(axis=1, keepdims=True)
                    given = table / np.where(rows_of > 0, rows_of, 1.0)
                    reached[there] = reached[here] @ given
                    open_.append(there)
        pairs |= {(first, second): table for second, table in reached.items() if first < second}
    return pairs


def _network(
    start: Start, tree: tuple[Margin, ...], more: tuple[Margin, ...]
) -> tuple[BayesianNetwork, float]:
    """Nodes along the tree from its first column, and the further pairs as targets.

    Each column is given its neighbour nearer to the first one; roots are by themselves.
    """
    further = {_pair(margin): margin.noisy for margin in more}
    tables, (margins, rows) = _fitted(
        start, {_pair(margin): margin.noisy for margin in tree}, further
    )
    implied = _implied(tables, margins, rows)
    targets = []
    for (a, b), groups in further.items():
        towards = shrunk(groups, implied[a, b])
        table = agreeing(towards, (margins[a], margins[b]), start.possible((a, b)))
        targets.append(Fitted((a, b), table))
    nodes, seen = list[Fitted](), list[int]()
    for root in range(len(margins)):
        if root not in seen:
            seen.append(root)
            nodes += [Fitted((root,), margins[root]), *_below(root, tables, seen)]
    network = BayesianNetwork(tuple(start.groups), start.weights, tuple(nodes), tuple(targets))
    return network, rows


def _below(here: int, tables: Mapping[Pair, Floats], seen: list[int]) -> Iterator[Fitted]:
    for there, table in _neighbours(tables, here):
        if there not in seen:
            seen.append(there)
            yield Fitted((here, there), table)
            yield from _below(there, tables, seen)
