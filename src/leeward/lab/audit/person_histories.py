"""Histories: worlds in which a person has rows in several periods and at several workplaces.

The kinds of a population are periods here. Which rows of a person count is written out person by
person, for every rule that limits them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product

from leeward.core.codebook import BoundedJobs, JobsRule
from leeward.core.privacy.workforces import Counts
from leeward.lab.audit.worlds import Possibilities, WorldPair, alone, apart

Row = tuple[int, int]
"""The establishment and the period of a row."""

History = tuple[Row, ...]
"""All rows of a person, the highest rank first."""

PLACES, OTHERS = 3, (0, 3, 1000)
"""Establishments of every world, and rows of others in each of them and in each period."""


def counted_rows(rule: JobsRule, history: History) -> Iterable[Row]:
    """The rows of one person that count."""
    if not isinstance(rule, BoundedJobs):
        return history[:1]
    if rule.per is None:
        return sorted(history)[: rule.most]
    periods = defaultdict[int, list[Row]](list)
    for row in sorted(history):
        periods[row[1]].append(row)
    return [row for rows in periods.values() for row in rows[: rule.most]]


def _sizes(
    population: Possibilities, rule: JobsRule, others: int, history: History
) -> list[Counts]:
    """Rows of each establishment by period: others in each, and those of one person that count."""
    sizes = [[others] * population.kinds for _ in range(PLACES)]
    for at, period in counted_rows(rule, history):
        sizes[at][period] += 1
    return [tuple(each) for each in sizes]


def _pairs(
    population: Possibilities, rule: JobsRule, histories: Iterable[tuple[History, History]]
) -> Iterator[WorldPair]:
    for (first, second), number in product(list(histories), OTHERS):
        before, after = (_sizes(population, rule, number, history) for history in (first, second))
        for place in (alone, apart):
            yield WorldPair(place(*before), place(*after))


def _everywhere(population: Possibilities) -> History:
    return tuple(product(range(PLACES), range(population.kinds)))


def added(population: Possibilities, rule: JobsRule) -> Iterator[WorldPair]:
    """A person has rows everywhere and always, in one period, or once; or is not in the data."""
    whole = _everywhere(population)
    once = tuple(row for row in whole if row[1] == 0)
    yield from _pairs(population, rule, (((), history) for history in (whole, once, whole[-1:])))


def changed(population: Possibilities, rule: JobsRule) -> Iterator[WorldPair]:
    """Two histories: other workplaces, other periods, and some rows or many."""
    whole = _everywhere(population)
    here, there = (tuple(row for row in whole if row[0] == at) for at in (0, PLACES - 1))
    soon, late = (tuple(row for row in whole if row[1] == at) for at in (0, population.kinds - 1))
    yield from _pairs(population, rule, ((here, there), (soon, late), (whole, whole[-1:])))


def one_row_more(population: Possibilities, rule: JobsRule) -> Iterator[WorldPair]:
    """A further row, which comes first, may take the place of another."""
    first, *rest = _everywhere(population)
    yield from _pairs(population, rule, ((tuple(rest), (first, *rest)), ((), (first,))))
