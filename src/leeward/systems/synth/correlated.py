"""The method `correlated`: PrivBayes (Zhang et al. 2017), a network of columns given their parents.

Half of the price finds the network, half fills its tables. A column and its parents are chosen by
how far their counts are from independence of that column. Tables are measured as the network
grows, so that what is expected of parents is released before counts are compared with it. What is
left where no further table is useful measures columns by themselves once more.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from leeward.core.mechanisms.row_counts import RowCounts
from leeward.core.privacy import Guarantee
from leeward.systems.synth.description import Fit
from leeward.systems.synth.domain import Domain
from leeward.systems.synth.fitting import MOST_CELLS, Start
from leeward.systems.synth.measurer import Margin, Measurer, collected
from leeward.systems.synth.model import Model

PARENTS = 2
"""Parents of a column at most, unless asked otherwise."""

THETA = 4
"""θ-usefulness: a cell of a table has, in the mean, this many times its noise."""

ONE_WAY, CHOICES, TABLES = Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)
"""Of the price. The first two are the half that finds the network."""

Family = tuple[int, ...]
"""Parents, then the column that is drawn given them."""


def fit(domain: Domain, measurer: Measurer, budget: Guarantee, parents: int = PARENTS) -> Fit:
    """A network of one table for each column but the first."""
    start = Start.measured(domain, measurer, budget.share(ONE_WAY))
    model, tables, scores = Model.empty(start, {}), list[Margin](), dict[Family, int]()
    columns, choices, left = range(len(start.sizes)), CHOICES, TABLES
    while missing := [at for at in columns if at not in model.placed]:
        number = len(missing) - (not model.placed)
        price = budget.share(left / number)
        (error,) = RowCounts(price, (Fraction(1),)).errors
        useful = min(MOST_CELLS, start.rows / (THETA * error))
        families = list(_families(model, missing, parents, useful))
        if not families:
            model = model.alone(missing[0])
            continue
        expected = {
            family: model.independent(family) for family in families if family not in scores
        }
        scores |= measurer.scores(expected, start.groups, error)
        usable = {family: scores[family] for family in families}
        chosen = measurer.best(usable, budget.share(choices / number))
        (table,) = measurer.measured([chosen], start.groups, price)
        model = _joined(model, table)
        tables.append(table)
        choices, left = choices - choices / number, left - left / number
    if choices + left:
        start = start.again(measurer, budget.share(choices + left))
    model = Model.empty(start, collected(tables))
    for table in tables:
        model = _joined(model, table)
    return Fit(model.network, model.rows, (*start.margins, *tables))


def _joined(model: Model, table: Margin) -> Model:
    """One column more; where its only parent is not placed, that one by itself before."""
    *parents, _ = table.columns
    for at in parents:
        model = model if at in model.placed else model.alone(at)
    return model.given(table.columns, table.noisy)


def _families(model: Model, missing: Sequence[int], most: int, useful: float) -> Iterator[Family]:
    """Columns with their largest sets of parents whose tables are useful; at first, all pairs."""
    start = model.start
    if not model.placed:
        yield from (pair for pair in start.pairs if start.cells(pair) <= useful)
        return
    for column in missing:
        fitting = [
            set(combination)
            for size in range(1, most + 1)
            for combination in combinations(model.placed, size)
            if start.cells((*combination, column)) <= useful
        ]
        for one in fitting:
            if not any(one < other for other in fitting):
                yield (*sorted(one), column)
