"""Worlds with pay: pairs of them for every sentence about pay.

Sentences about classes of pay have worlds whose kinds of worker are the classes. The others have
the pay of every job; a table that reads no pay sees only how many jobs there are.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from leeward.core.codebook import BoundedJobs, JobsRule, PrimaryJob
from leeward.core.privacy.pay_sentences import CAPS, EXAMPLE
from leeward.core.privacy.steps import Growth, raise_limit, replacement_steps
from leeward.core.privacy.workforces import Database
from leeward.lab.audit import job_worlds, worlds
from leeward.lab.audit.neighbours import additive
from leeward.lab.audit.paid_neighbours import pay_raised
from leeward.lab.audit.worlds import Possibilities, PossibleWorld, WorldPair, added, alone

CAP = 30
"""The public cap: 2, 3, 5 and 10 of the mean pays of the examples."""

LEVELS = (0, 3, CAP)
"""What everyone is paid before the change."""

SIZES = (0, 1, 10, 1000)


def paid(population: Possibilities, *establishments: Sequence[int]) -> PossibleWorld:
    """One workplace cell by the pay of its jobs, all of the first kind of worker."""
    others = [()] * (population.kinds - 1)
    return PossibleWorld(
        (
            Database.capped(
                CAP, *([list(establishment), *others] for establishment in establishments)
            ),
        )
    )


def _step(population: Possibilities) -> Growth:
    return Growth(population.growth, additive(population.policy))


def _alike() -> Iterator[list[int]]:
    """Workforces in which everyone is paid alike."""
    for number, level in product(SIZES, LEVELS):
        yield [level] * number


def with_more(pay: Sequence[int], more: int) -> list[int]:
    """The same jobs with so much more pay in all, the last ones first; none above the cap."""
    return pay_raised(reversed(pay), more, CAP)[::-1]


def _of_pay(population: Possibilities) -> bool:
    """Whether sentences speak of pays, and not of classes."""
    return population.payroll or population.policy.name == "proportional"


def person(population: Possibilities) -> Iterator[WorldPair]:
    """Works here at the cap, or has no job: alone, and beside a larger establishment."""
    if not population.payroll:
        yield from worlds.each_job(population)
        return
    for before in _alike():
        after = [*before, CAP]
        yield WorldPair(paid(population, before), paid(population, after))
        larger = [LEVELS[1]] * (2 * len(before) + 1)
        yield WorldPair(paid(population, larger, before), paid(population, larger, after))


def pay_changed(population: Possibilities) -> Iterator[WorldPair]:
    """Two pays of a person; in a table of classes, two classes."""
    if not _of_pay(population):
        for number in population.sizes:
            for force in population.of(number):
                first, last = (added(force, population.one(k)) for k in (0, population.kinds - 1))
                yield WorldPair(alone(first), alone(last))
        return
    for before in _alike():
        for low, high in ((0, CAP), (LEVELS[1], LEVELS[1] + 1)):
            little, more = (paid(population, [*before, level]) for level in (low, high))
            yield WorldPair(little, more)


def pay_changed_in_jobs(population: Possibilities, rule: JobsRule) -> Iterator[WorldPair]:
    """All counted jobs of a person get another pay; another job may become the primary one."""
    if isinstance(rule, PrimaryJob) or not _of_pay(population):
        yield from job_worlds.all_jobs_moved(population, rule)
        return
    jobs = rule.most if isinstance(rule, BoundedJobs) else 1
    for before in _alike():
        nothing, most = (paid(population, *[[*before, level]] * jobs) for level in (0, CAP))
        yield WorldPair(nothing, most)


def payrolls(population: Possibilities) -> Iterator[WorldPair]:
    """Sizes and payrolls that grow by one step: joiners at any pay, raises, and both."""
    yield from () if population.payroll else worlds.size(population)
    step = _step(population)
    for before in _alike():
        payroll = sum(before)
        most = max(int(population.growth * payroll), step.plus * CAP)
        for joiners, more in product({0, 1, step.gain(len(before))}, (0, most // 2, most)):
            after = with_more([*before, *[0] * joiners], more)
            left, right = (paid(population, force) for force in (before, after))
            if population.policy.admits(left.cells[0], right.cells[0], population.alpha):
                yield WorldPair(left, right)
                beside = [LEVELS[1]] * (len(before) + 1)
                yield WorldPair(paid(population, beside, before), paid(population, beside, after))


def neighbours(population: Possibilities) -> Iterator[WorldPair]:
    """The neighbours of the policy itself."""
    if not population.payroll:
        yield from worlds.neighbours(population)
    if population.policy.name == "proportional":
        yield from payrolls(population)
    elif population.payroll:
        yield from person(population)
        yield from joiners_at_cap(population) if population.alpha is not None else ()


def joiners_at_cap(population: Possibilities) -> Iterator[WorldPair]:
    """As many joiners at the cap as a strong step has, for several caps."""
    joiners = [CAP] * _step(population).gain(EXAMPLE)
    for cap in CAPS:
        before = [CAP // cap] * EXAMPLE
        yield WorldPair(paid(population, before), paid(population, [*before, *joiners]))


def payroll_of_a_large_one(population: Possibilities) -> Iterator[WorldPair]:
    """The same jobs, and a tenth more pay for all of them."""
    before, after = ([pay] * EXAMPLE for pay in (10, 11))
    yield WorldPair(paid(population, before), paid(population, after))


def raised(population: Possibilities) -> Iterator[WorldPair]:
    """Same jobs, another payroll within the limit of two strong steps."""
    for before in _alike():
        if before:
            after = with_more(before, raise_limit(_step(population), tuple(before), CAP))
            yield WorldPair(paid(population, before), paid(population, after))


def wage_level(population: Possibilities) -> Iterator[WorldPair]:
    """All jobs are in one class of pay, or all in another; the sentence names 1,000 jobs."""
    step = _step(population)
    printed = replacement_steps(step, EXAMPLE, EXAMPLE)
    for number in population.sizes[1:]:
        times = Fraction(replacement_steps(step, number, number), printed)
        yield WorldPair(*_classes(population, number), times)


def wage_level_of_many(population: Possibilities) -> Iterator[WorldPair]:
    """The same of the jobs that the sentence names."""
    yield WorldPair(*_classes(population, EXAMPLE))


def _classes(population: Possibilities, number: int) -> tuple[PossibleWorld, PossibleWorld]:
    low, high = (tuple(number * x for x in population.one(kind)) for kind in (0, 1))
    return alone(low), alone(high)
