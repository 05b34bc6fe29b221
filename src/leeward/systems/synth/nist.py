"""The method `nist`: tables are selected on a public table, then measured (NIST-MST, 2018).

McKenna, Miklau and Sheldon (2021) won the NIST contest with it. Selection costs nothing, as it
reads a table that the user names as public: a maximum spanning tree by mutual information, pruned
to pairs that noise does not spoil, with triples of adjacent edges where the tree is wrong.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np

from leeward.core.mechanisms.row_counts import RowCounts
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee
from leeward.systems.synth.counting import Counts
from leeward.systems.synth.description import Fit
from leeward.systems.synth.domain import Domain
from leeward.systems.synth.fitting import MOST_CELLS, Pair, Start, joins
from leeward.systems.synth.measurer import Measurer
from leeward.systems.synth.model import estimated

ONE_WAY = Fraction(12, 100)
"""Of the price, for columns by themselves."""

TABLES = 2
"""Tables for each edge of the tree among which the price is thought divided while selecting."""


def fit(domain: Domain, measurer: Measurer, budget: Guarantee, public: Counts) -> Fit:
    """A network of tables that a public table selects."""
    start = Start.measured(domain, measurer, budget.share(ONE_WAY))
    price = budget.share(1 - ONE_WAY)
    sets = selected(start, public, price)
    if not sets:
        start = start.again(measurer, price)
    tables = measurer.measured(sets, start.groups, price) if sets else ()
    model = estimated(start, tables)
    return Fit(model.network, model.rows, (*start.margins, *tables))


def selected(start: Start, public: Counts, price: Guarantee) -> list[tuple[int, ...]]:
    """Pairs of the tree and what mends it, of the columns of a public table."""
    looked = _Public(start, public)
    number = TABLES * (len(start.sizes) - 1)
    (error,) = RowCounts(price.share(Fraction(1, number)), (Fraction(1),)).errors
    pairs = [pair for pair in start.pairs if looked.worth(pair, looked.alone(pair), error)]
    tree: tuple[Pair, ...] = ()
    for pair in sorted(pairs, key=looked.information, reverse=True):  # Kruskal
        tree = (*tree, pair) if joins(pair, tree) else tree
    more: dict[tuple[int, ...], None] = {}
    for one, other in combinations(tree, 2):
        for middle in set(one) & set(other):
            first, last = sorted({*one, *other} - {middle})
            more |= dict.fromkeys(looked.mending((first, middle, last), error))
    return [*tree, *more]


@dataclass(frozen=True)
class _Public:
    """Shares of a public table in the groups of the released counts."""

    start: Start
    counts: Counts

    @cached_property
    def rows(self) -> int:
        """The number of rows of the public table; one without rows says nothing of any pair."""
        return max(1, int(self.counts.of((0,), self.start.groups).sum()))

    def shares(self, columns: tuple[int, ...]) -> Floats:
        """Of all cells of these columns."""
        return self.counts.of(columns, self.start.groups) / self.rows

    def alone(self, pair: Pair) -> Floats:
        """Its columns independent of each other."""
        first, second = (self.shares((at,)) for at in pair)
        return np.outer(first, second)

    def information(self, pair: Pair) -> float:
        """Mutual information in nats, less what so few rows show of independent columns."""
        joint, alone = self.shares(pair), self.alone(pair)
        some = joint > 0
        shown = float((joint[some] * np.log(joint[some] / alone[some])).sum())
        first, second = (np.count_nonzero(joint.sum(axis=axis)) - 1 for axis in (0, 1))
        return shown - first * second / (2 * self.rows)

    def worth(self, columns: tuple[int, ...], expected: Floats, error: float) -> bool:
        """Whether a model is farther from a table than noise would be, were it measured.

        What the public table shows by its few rows alone is left out.
        """
        chance = np.sqrt(2 / np.pi * expected / self.rows).sum()
        apart = np.abs(self.shares(columns) - expected).sum() - chance
        return bool(apart * self.start.rows > error * expected.size)

    def mending(self, path: tuple[int, int, int], error: float) -> Iterator[tuple[int, ...]]:
        """The triple of two adjacent edges, or else the pair of their ends, if one is worth it."""
        if self.start.cells(path) > MOST_CELLS:
            return
        first, middle, last = path
        left, right = self.shares((first, middle)), self.shares((middle, last))
        both = right.sum(axis=1, keepdims=True)
        along = left[:, :, None] * (right / np.where(both > 0, both, 1.0))
        axes = np.argsort(path)
        if self.worth(tuple(sorted(path)), along.transpose(axes), error):
            yield tuple(sorted(path))
        elif self.worth((first, last), along.sum(axis=1), error):
            yield first, last
