"""Worlds: pairs of possible states of the world, one set of pairs for every id of a sentence.

A policy relates neighbouring databases; a sentence compares two worlds. "This person works here"
against "works elsewhere" are two worlds that are two steps apart.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from leeward.core.privacy import Policy
from leeward.core.privacy.policy import unit_of
from leeward.core.privacy.workforces import Counts, Database
from leeward.lab.audit.neighbours import additive, chain, even, most, parts


@dataclass(frozen=True)
class PossibleWorld:
    """The workplace cells of the frame; `passes` is whether every row agrees with the codebook."""

    cells: tuple[Database, ...]
    passes: bool = True


@dataclass(frozen=True)
class WorldPair:
    """Two worlds that a sentence compares, `times` as far apart as its printed number.

    A sentence that says "m times" is examined with several m, each allowed m times the number.
    """

    before: PossibleWorld
    after: PossibleWorld
    times: Fraction = Fraction(1)


@dataclass(frozen=True)
class Possibilities:
    """What pairs are made of: a policy, its α, and how many kinds of worker a table separates.

    `payroll` is whether the table publishes payrolls.
    """

    policy: Policy
    alpha: Fraction | None
    kinds: int = 1
    payroll: bool = False

    @property
    def growth(self) -> Fraction:
        """α; where the policy has none, some growth that it does not protect."""
        return Fraction(1, 10) if self.alpha is None else self.alpha

    @property
    def sizes(self) -> tuple[int, ...]:
        """Small sizes, those around the kink Δ/α, and large ones."""
        if self.policy.name == "establishment":  # as far as any establishment is kept
            return tuple(range(11))
        kink = int(additive(self.policy) / self.growth)
        return tuple(sorted({0, 1, 2, 3, 5, 15, kink - 1, kink, kink + 1, 100, 1000}))

    def most(self, size: int) -> int:
        """The largest size that one step leads to."""
        return most(self.growth, size, additive(self.policy))

    def sizes_apart(self, before: int, after: int) -> WorldPair:
        """One establishment of one kind of worker and two sizes."""
        rest = (0,) * (self.kinds - 1)
        return WorldPair(alone((before, *rest)), alone((after, *rest)))

    def of(self, size: int) -> Iterator[Counts]:
        """Workforces of a size: all of the first kind, and evenly spread."""
        single = (size, *(0,) * (self.kinds - 1))
        yield from dict.fromkeys((single, even(size, self.kinds)))

    def one(self, kind: int) -> Counts:
        """One worker of a kind."""
        return tuple(int(i == kind) for i in range(self.kinds))

    def grown(self, force: Counts) -> Iterator[Counts]:
        """What may become of a workforce in one step: as many joiners as the policy admits."""
        limit = self.most(sum(force)) - sum(force)
        in_step = [self.most(count) - count if count else 0 for count in force]
        singles = [self.one(kind) for kind in range(self.kinds)]
        joiners = {even(limit, self.kinds), tuple(in_step), *singles}
        joiners |= {tuple(limit * count for count in single) for single in singles}
        for joining in sorted(joiners):
            after = added(force, joining)
            if self.policy.admits(Database.of(force), Database.of(after), self.alpha):
                yield after


def added(force: Counts, joining: Iterable[int]) -> Counts:
    """A workforce with joiners."""
    return tuple(count + more for count, more in zip(force, joining, strict=True))


def alone(*establishments: Counts) -> PossibleWorld:
    """One workplace cell."""
    return PossibleWorld((Database.of(*establishments),))


def apart(*establishments: Counts) -> PossibleWorld:
    """Each establishment in a workplace cell of its own."""
    return PossibleWorld(tuple(map(Database.of, establishments)))


def person(population: Possibilities) -> Iterator[WorldPair]:
    """Works here, or has no job: alone, and beside a larger establishment."""
    for size in population.sizes:
        for force in population.of(size):
            for kind in range(population.kinds):
                after = added(force, population.one(kind))
                yield WorldPair(alone(force), alone(after))
                larger = (9 * size + 1, *(0,) * (population.kinds - 1))
                yield WorldPair(alone(larger, force), alone(larger, after))


def person_with_jobs(population: Possibilities) -> Iterator[WorldPair]:
    """Holds m jobs at as many establishments, or none: m steps."""
    for size, jobs in product(population.sizes, (2, 3)):
        force = next(population.of(size))
        more = added(force, population.one(0))
        for place in (alone, apart):
            yield WorldPair(place(*[force] * jobs), place(*[more] * jobs), Fraction(jobs))


def person_moved(population: Possibilities) -> Iterator[WorldPair]:
    """Two workplaces of a person, in one cell and in two; two values of an attribute."""
    for size in population.sizes:
        for force in population.of(size):
            here = added(force, population.one(0))
            for place in (alone, apart):
                yield WorldPair(place(here, force), place(force, here))
            if population.kinds > 1:
                other = added(force, population.one(population.kinds - 1))
                yield WorldPair(alone(here), alone(other))


def size(population: Possibilities) -> Iterator[WorldPair]:
    """x and at most (1+α)x, or one job more; any joiners that the policy admits."""
    for number in population.sizes:
        for force in population.of(number):
            for after in population.grown(force):
                yield WorldPair(alone(force), alone(after))
                yield WorldPair(alone(force, after), alone(after, after))


def neighbours(population: Possibilities) -> Iterator[WorldPair]:
    """The neighbours of the policy itself."""
    yield from (
        workforce(population) if population.policy.name == "establishment" else person(population)
    )
    if population.alpha is not None:
        yield from size(population)


def size_far(population: Possibilities) -> Iterator[WorldPair]:
    """Sizes several whole steps apart."""
    for number, steps in product(population.sizes, (2, 3)):
        force = next(iter(population.of(number)))
        after = force
        for _ in range(steps):
            after = max(population.grown(after), key=sum)
        yield WorldPair(alone(force), alone(after), Fraction(steps))


def group(population: Possibilities) -> Iterator[WorldPair]:
    """Two groups who may have joined; of one size, two make-ups."""
    for number in population.sizes:
        for force in population.of(number):
            grown = list(population.grown(force)) if population.alpha is not None else []
            for first, second in product(grown, grown):
                if first < second:
                    yield WorldPair(alone(first), alone(second))
    if population.alpha is None:
        yield from workforce(population)


def alike(population: Possibilities, before: Counts, after: Counts) -> bool:
    """Whether every group of kinds differs by at most 1+α, or by Δ workers."""
    for chosen in product((0, 1), repeat=len(before)):
        few, many = sorted(
            sum(count for count, inside in zip(force, chosen, strict=True) if inside)
            for force in (before, after)
        )
        if many > population.most(few):
            return False
    return True


def make_up(population: Possibilities) -> Iterator[WorldPair]:
    """Two make-ups of one size in which every kind and every group of kinds is alike."""
    for number in population.sizes:
        for force in population.of(number):
            for moved in dict.fromkeys((1, population.most(force[0]) - force[0])):
                other = (force[0] - moved, force[1] + moved, *force[2:])
                if min(other) >= 0 and alike(population, force, other):
                    yield WorldPair(alone(force), alone(other))


def share_of_a_kind(population: Possibilities) -> Iterator[WorldPair]:
    """990 women and 10 men against 900 and 100: shares of women within 1.1, of men tenfold."""
    rest = (0,) * (population.kinds - 2)
    yield WorldPair(alone((990, 10, *rest)), alone((900, 100, *rest)))


def each_kind(population: Possibilities) -> Iterator[WorldPair]:
    """Ten kinds of one woman each against ten kinds of one man each, in a table by sex.

    Every kind differs by one worker, but the group of all women by ten.
    """
    rest = (0,) * (population.kinds - 2)
    yield WorldPair(alone((10, 0, *rest)), alone((0, 10, *rest)))


def one_kind_alone(population: Possibilities) -> Iterator[WorldPair]:
    """A small kind grows several times while the size stays within 1+α."""
    rest = (0,) * (population.kinds - 2)
    yield WorldPair(alone((1000, 10, *rest)), alone((1000, 100, *rest)))


def workforce(population: Possibilities) -> Iterator[WorldPair]:
    """These workers, or none."""
    for number in population.sizes[1:]:
        for force in population.of(number):
            yield WorldPair(alone((0,) * population.kinds), alone(force))
            yield WorldPair(alone(force, (0,) * population.kinds), alone(force, force))


def two_workforces(population: Possibilities) -> Iterator[WorldPair]:
    """Any two workforces, and so with one person and without."""
    for number in population.sizes:
        force = next(iter(population.of(number)))
        yield WorldPair(alone(force), alone(added(force, population.one(0))))


def firm(population: Possibilities) -> Iterator[WorldPair]:
    """All f establishments of a firm change at once, in one cell and in f."""
    if unit_of(population.policy) == "employer":
        yield from employer(population)
        return
    for number, establishments in product(population.sizes, (2, 3)):
        force = next(iter(population.of(number)))
        after = max(population.grown(force), key=sum) if population.alpha is not None else (
            added(force, population.one(0)) if number == 0 else (0,) * population.kinds
        )  # fmt: skip
        for place in (alone, apart):
            before = place(*[force] * establishments)
            changed = place(*[after] * establishments)
            yield WorldPair(before, changed, Fraction(establishments, 2))  # the sentence names two


def employer(population: Possibilities) -> Iterator[WorldPair]:
    """Both establishments of an employer in each of c cells change at once; they count as one."""
    for number, cells in product(population.sizes, (1, 2, 3)):
        force = next(iter(population.of(number)))
        after = max(population.grown(force), key=sum)
        before, changed = (
            PossibleWorld((parts(chain(Database.of(workforce))),) * cells)
            for workforce in (force, after)
        )
        yield WorldPair(before, changed, Fraction(cells, 2))  # the sentence names two cells


def size_of_a_large_one(population: Possibilities) -> Iterator[WorldPair]:
    """A large establishment, and one a tenth larger."""
    yield population.sizes_apart(1000, 1100)


def frame(population: Possibilities) -> Iterator[WorldPair]:
    """An establishment exists, or does not: a row is there, or is not."""
    none = (0,) * population.kinds
    yield WorldPair(apart(none), apart(none, none))


def rows_checked(population: Possibilities) -> Iterator[WorldPair]:
    """A code of one worker is listed, or is not."""
    force = next(iter(population.of(10)))
    yield WorldPair(alone(force), PossibleWorld(alone(force).cells, passes=False))


def row_rules(population: Possibilities) -> Iterator[WorldPair]:
    """The code of a job is listed, or the job counts in no cell; an id is there, or the job is not.

    The last kind is that of jobs in no cell, which count in the size alone.
    """
    outside = Possibilities(population.policy, population.alpha, population.kinds + 1)
    for number in population.sizes:
        for force in outside.of(number):
            listed = added(force, outside.one(0))
            yield WorldPair(alone(listed), alone(added(force, outside.one(population.kinds))))
            yield WorldPair(alone(listed), alone(force))


def each_job(population: Possibilities) -> Iterator[WorldPair]:
    """One job, and several at once."""
    yield from person(population)
    yield from person_with_jobs(population)
