"""Job worlds: worlds in which workers have several jobs, of which some count.

In histories a person has rows in several periods and at several workplaces: the kinds of a
population are periods there. Which jobs and rows count is written out person by person, for every
rule that limits them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

from leeward.core.codebook import BoundedJobs, JobsRule, PrimaryJob
from leeward.core.privacy.workforces import Counts
from leeward.lab.audit.worlds import Possibilities, WorldPair, added, alone, apart

Held = tuple[int, ...]
"""The establishments at which a person holds jobs, the highest rank first."""


def counted(
    population: Possibilities, rule: JobsRule, people: Iterable[Held], establishments: int
) -> tuple[Counts, ...]:
    """How many jobs count at each establishment: the rules written out, person by person."""
    sizes = [0] * establishments
    for person in people:
        kept: Iterable[int] = person
        if isinstance(rule, PrimaryJob):
            kept = person[:1]
        elif isinstance(rule, BoundedJobs):
            kept = sorted(person)[: rule.most]
        for at in kept:
            sizes[at] += 1
    return tuple((number, *(0,) * (population.kinds - 1)) for number in sizes)


def _places(
    before: tuple[Counts, ...], after: tuple[Counts, ...], times: Fraction = Fraction(1)
) -> Iterator[WorldPair]:
    for place in (alone, apart):
        yield WorldPair(place(*before), place(*after), times)


def all_jobs(population: Possibilities, rule: JobsRule) -> Iterator[WorldPair]:
    """A person with jobs everywhere, or with none."""
    for number in population.sizes:
        others = [(at,) for at in range(3) for _ in range(number)]
        before = counted(population, rule, others, 3)
        yield from _places(before, counted(population, rule, [*others, (0, 1, 2)], 3))


def all_jobs_moved(population: Possibilities, rule: JobsRule) -> Iterator[WorldPair]:
    """All counted jobs of a person are elsewhere, or all are those of another kind."""
    limit = rule.most if isinstance(rule, BoundedJobs) else 1
    here, there = tuple(range(limit)), tuple(range(limit, 2 * limit))
    for number in population.sizes:
        others = [(at,) for at in range(2 * limit) for _ in range(number)]
        before, after = (
            counted(population, rule, [*others, jobs], 2 * limit) for jobs in (here, there)
        )
        yield from _places(before, after)
        if population.kinds > 1:
            force = next(iter(population.of(number)))
            left, right = (added(force, population.one(kind)) for kind in (0, population.kinds - 1))
            yield from _places((left,) * limit, (right,) * limit)


def displaced(population: Possibilities, rule: JobsRule) -> Iterator[WorldPair]:
    """One job more of a person who has as many as count: it takes the place of another."""
    most_counted = rule.most if isinstance(rule, BoundedJobs) else 1
    jobs_before = tuple(range(1, most_counted + 1))
    for number in population.sizes:
        others = [(at,) for at in range(most_counted + 1) for _ in range(number)]
        with_it, without = (
            counted(population, rule, [*others, jobs], most_counted + 1)
            for jobs in ((0, *jobs_before), jobs_before)
        )
        yield from _places(without, with_it)


def joiners_from_elsewhere(population: Possibilities, rule: JobsRule) -> Iterator[WorldPair]:
    """Those who join hold a job elsewhere that counted until now: that place loses it."""
    limit = rule.most if isinstance(rule, BoundedJobs) else 1
    jobs_before = tuple(range(1, limit + 1))  # the last of them no longer counts after joining
    for number in population.sizes:
        joining = population.most(number) - number
        within = next(n for n in range(number + 10**4) if population.most(n) >= n + joining)
        for staying in dict.fromkeys((within, within // 2, 0)):
            others = [(0,)] * number + [(limit,)] * staying
            before = counted(population, rule, [*others, *[jobs_before] * joining], limit + 1)
            after = counted(population, rule, [*others, *[(0, *jobs_before)] * joining], limit + 1)
            steps, size = 0, staying
            while size < staying + joining:
                size, steps = population.most(size), steps + 1
            # The sentence prints one step here and one elsewhere.
            yield from _places(before, after, Fraction(1 + steps, 2))


Row = tuple[int, int]
"""The establishment and the period of a row."""

History = tuple[Row, ...]
"""All rows of a person, the highest rank first."""

PLACES, OTHERS = 3, (0, 3, 1000)
"""Establishments of every world of histories, and rows of others in each, in each period."""


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


def _histories(
    population: Possibilities, rule: JobsRule, histories: Iterable[tuple[History, History]]
) -> Iterator[WorldPair]:
    for pair, others in product(list(histories), OTHERS):
        worlds = []
        for history in pair:
            sizes = [[others] * population.kinds for _ in range(PLACES)]
            for at, period in counted_rows(rule, history):
                sizes[at][period] += 1
            worlds.append(tuple(tuple(by_period) for by_period in sizes))
        before, after = worlds
        yield from _places(before, after)


def _everywhere(population: Possibilities) -> History:
    return tuple(product(range(PLACES), range(population.kinds)))


def history_added(population: Possibilities, rule: JobsRule) -> Iterator[WorldPair]:
    """A person has rows everywhere and always, in one period, or once; or is not in the data."""
    whole = _everywhere(population)
    once = tuple(row for row in whole if row[1] == 0)
    histories = (((), history) for history in (whole, once, whole[-1:]))
    yield from _histories(population, rule, histories)


def history_changed(population: Possibilities, rule: JobsRule) -> Iterator[WorldPair]:
    """Two histories: other workplaces, other periods, and some rows or many."""
    whole = _everywhere(population)
    here, there = (tuple(row for row in whole if row[0] == at) for at in (0, PLACES - 1))
    soon, late = (tuple(row for row in whole if row[1] == at) for at in (0, population.kinds - 1))
    yield from _histories(population, rule, ((here, there), (soon, late), (whole, whole[-1:])))


def one_row_more(population: Possibilities, rule: JobsRule) -> Iterator[WorldPair]:
    """A further row, which comes first, may take the place of another."""
    first, *rest = _everywhere(population)
    yield from _histories(population, rule, ((tuple(rest), (first, *rest)), ((), (first,))))
