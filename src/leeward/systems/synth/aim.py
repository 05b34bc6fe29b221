"""The method `aim`: round by round the table of which the model is farthest (McKenna et al. 2022).

A round chooses one pair or triple of columns and measures it; the model is fitted again. Where a
measurement moved the model less than its noise, later rounds get more of the price.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from leeward.core.mechanisms.row_counts import RowCounts
from leeward.core.privacy import Guarantee
from leeward.systems.synth.counting import KeptCounts
from leeward.systems.synth.description import Fit
from leeward.systems.synth.domain import Domain
from leeward.systems.synth.fitting import MOST_CELLS, Start
from leeward.systems.synth.measurer import Margin, Measurer
from leeward.systems.synth.model import estimated

ONE_WAY, CHOICE = Fraction(1, 10), Fraction(1, 10)
"""Of the price for columns by themselves, and of each round for its choice."""

ROUNDS = 4
"""Rounds for each column, were none to get more of the price than the first."""

ANNEALING = 4
"""A round that told nothing: the next ones have half the noise, at four times the ρ."""

LARGEST = 1 << 16
"""Cells of a table when all of the price is used; before, as much less as less is used."""

WIDEST = 3
"""Columns of a table at most."""


@dataclass(frozen=True)
class _Round:
    """What is left of the price, and what one round has of it; parts of one."""

    left: Fraction
    part: Fraction

    @property
    def spends(self) -> Fraction:
        """Its part, or all that is left where a further round would have less."""
        return self.left if self.left < 2 * self.part else self.part

    def then(self, *, told: bool) -> "_Round":
        """The next round."""
        return _Round(self.left - self.spends, self.part if told else ANNEALING * self.part)


def fit(domain: Domain, measurer: Measurer, budget: Guarantee) -> Fit:
    """A network of the tables that the rounds measured; budgets in ρ."""
    measurer = replace(measurer, counts=KeptCounts(measurer.counts))
    start = Start.measured(domain, measurer, budget.share(ONE_WAY))
    model, tables = estimated(start, ()), list[Margin]()
    now = _Round(1 - ONE_WAY, (1 - ONE_WAY) / (ROUNDS * len(domain.columns)))
    while now.left:
        candidates = _candidates(start, 1 - now.left)
        if not candidates:
            start = start.again(measurer, budget.share(now.left))
            model = estimated(start, tables)
            break
        price = budget.share(now.spends * (1 - CHOICE))
        (error,) = RowCounts(price, (Fraction(1),)).errors
        expected = {candidate: model.table(candidate) for candidate in candidates}
        scores = measurer.scores(expected, start.groups, error)
        weighted = {columns: len(columns) * score for columns, score in scores.items()}
        chosen = measurer.best(weighted, budget.share(now.spends * CHOICE), weight=WIDEST)
        tables += measurer.measured([chosen], start.groups, price)
        model = estimated(start, tables)
        moved = np.abs(model.table(chosen) - expected[chosen]).sum()
        now = now.then(told=bool(moved > error * expected[chosen].size))
    return Fit(model.network, model.rows, (*start.margins, *tables))


def _candidates(start: Start, used: Fraction) -> list[tuple[int, ...]]:
    """Tables that are not too large for what is used of the price; else the smallest one.

    There is none if that one is too large for memory, too.

    A set is worth its number of columns: what it has in common with all triples.
    """
    columns = range(len(start.sizes))
    every = [
        combination for size in range(2, WIDEST + 1) for combination in combinations(columns, size)
    ]
    smallest = min(every, key=start.cells)
    fitting = [columns for columns in every if start.cells(columns) <= used * LARGEST]
    return fitting or ([smallest] if start.cells(smallest) <= MOST_CELLS else [])
