"""Worlds: pairs of possible states of the world, one set of pairs for every id of a sentence.

Neighbours are what a policy speaks of; worlds are what a sentence speaks of. "This person works
here" against "works elsewhere" are two worlds that are two steps apart.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from leeward.audit.neighbours import Workforce, most
from leeward.model import BoundedJobs, JobsRule, PrimaryJob
from leeward.privacy import Policy

Cell = tuple[Workforce, ...]
"""The establishments of one workplace cell."""


@dataclass(frozen=True)
class World:
    """The cells of the frame; `passes` says whether every row agrees with the codebook."""

    cells: tuple[Cell, ...]
    passes: bool = True


@dataclass(frozen=True)
class Pair:
    """Two worlds of which a sentence speaks, `times` as far apart as its printed number.

    A sentence that says "m times" is examined with several m, each allowed m times the number.
    """

    before: World
    after: World
    times: Fraction = Fraction(1)


@dataclass(frozen=True)
class Scene:
    """What pairs are made for: a policy, its α, and how many kinds a table tells apart."""

    policy: Policy
    alpha: Fraction | None
    kinds: int = 1

    @property
    def growth(self) -> Fraction:
        """α; where the policy has none, some growth that it does not protect."""
        return Fraction(1, 10) if self.alpha is None else self.alpha

    @property
    def sizes(self) -> tuple[int, ...]:
        """Small sizes, those around the kink 1/α, and large ones."""
        if self.policy.name == "establishment":  # as far as any establishment is kept
            return tuple(range(11))
        kink = int(1 / self.growth)
        return tuple(sorted({0, 1, 2, 3, 5, 15, kink - 1, kink, kink + 1, 100, 1000}))

    def of(self, size: int) -> Iterator[Workforce]:
        """Workforces of a size: all of the first kind, and evenly spread."""
        single = (size, *(0,) * (self.kinds - 1))
        even = tuple(size // self.kinds + (i < size % self.kinds) for i in range(self.kinds))
        yield from dict.fromkeys((single, even))

    def one(self, kind: int) -> Workforce:
        """One worker of a kind."""
        return tuple(int(i == kind) for i in range(self.kinds))

    def grown(self, force: Workforce) -> Iterator[Workforce]:
        """What may become of a workforce in one step: as many joiners as the policy admits."""
        limit = most(self.growth, sum(force)) - sum(force)
        spread = [limit // self.kinds + (i < limit % self.kinds) for i in range(self.kinds)]
        in_step = [most(self.growth, count) - count if count else 0 for count in force]
        joiners = {tuple(spread), tuple(in_step), *(self.one(k) for k in range(self.kinds))}
        joiners |= {tuple(limit * x for x in self.one(k)) for k in range(self.kinds)}
        for joining in sorted(joiners):
            after = added(force, joining)
            if self.policy.admits(force, after, self.alpha):
                yield after


def added(force: Workforce, joining: Iterable[int]) -> Workforce:
    """A workforce with joiners."""
    return tuple(count + more for count, more in zip(force, joining, strict=True))


def alone(*establishments: Workforce) -> World:
    """One workplace cell."""
    return World((establishments,))


def apart(*establishments: Workforce) -> World:
    """Each establishment in a workplace cell of its own."""
    return World(tuple((force,) for force in establishments))


def person(scene: Scene) -> Iterator[Pair]:
    """Works here, or has no job: alone, and beside a larger establishment."""
    for size in scene.sizes:
        for force in scene.of(size):
            for kind in range(scene.kinds):
                after = added(force, scene.one(kind))
                yield Pair(alone(force), alone(after))
                larger = (9 * size + 1, *(0,) * (scene.kinds - 1))
                yield Pair(alone(larger, force), alone(larger, after))


def person_with_jobs(scene: Scene) -> Iterator[Pair]:
    """Holds m jobs at as many establishments, or none: m steps."""
    for size, jobs in product(scene.sizes, (2, 3)):
        force = next(scene.of(size))
        more = added(force, scene.one(0))
        for place in (alone, apart):
            yield Pair(place(*[force] * jobs), place(*[more] * jobs), Fraction(jobs))


def person_moved(scene: Scene) -> Iterator[Pair]:
    """Two workplaces of a person, in one cell and in two; two values of an attribute."""
    for size in scene.sizes:
        for force in scene.of(size):
            here = added(force, scene.one(0))
            for place in (alone, apart):
                yield Pair(place(here, force), place(force, here))
            if scene.kinds > 1:
                other = added(force, scene.one(scene.kinds - 1))
                yield Pair(alone(here), alone(other))


def size(scene: Scene) -> Iterator[Pair]:
    """x and at most (1+α)x, or one job more, whoever joins as far as the policy goes."""
    for number in scene.sizes:
        for force in scene.of(number):
            for after in scene.grown(force):
                yield Pair(alone(force), alone(after))
                yield Pair(alone(force, after), alone(after, after))


def neighbours(scene: Scene) -> Iterator[Pair]:
    """What the policy itself speaks of."""
    yield from workforce(scene) if scene.policy.name == "establishment" else person(scene)
    if scene.alpha is not None:
        yield from size(scene)


def size_far(scene: Scene) -> Iterator[Pair]:
    """Sizes several whole steps apart."""
    for number, steps in product(scene.sizes, (2, 3)):
        force = next(iter(scene.of(number)))
        after, taken = force, 0
        while taken < steps:
            after = max(scene.grown(after), key=sum)
            taken += 1
        yield Pair(alone(force), alone(after), Fraction(steps))


def group(scene: Scene) -> Iterator[Pair]:
    """Two groups who may have joined; of one size, two make-ups."""
    for number in scene.sizes:
        for force in scene.of(number):
            grown = list(scene.grown(force)) if scene.alpha is not None else []
            for first, second in product(grown, grown):
                if first < second:
                    yield Pair(alone(first), alone(second))
    if scene.alpha is None:
        yield from workforce(scene)


def alike(scene: Scene, before: Workforce, after: Workforce) -> bool:
    """Whether every group of kinds differs by at most 1+α, or by one worker."""
    for chosen in product((0, 1), repeat=len(before)):
        few, many = sorted(
            sum(count for count, inside in zip(force, chosen, strict=True) if inside)
            for force in (before, after)
        )
        if many > most(scene.growth, few):
            return False
    return True


def make_up(scene: Scene) -> Iterator[Pair]:
    """Two make-ups of one size in which every kind and every group of kinds is alike."""
    for number in scene.sizes:
        for force in scene.of(number):
            for moved in dict.fromkeys((1, most(scene.growth, force[0]) - force[0])):
                other = (force[0] - moved, force[1] + moved, *force[2:])
                if min(other) >= 0 and alike(scene, force, other):
                    yield Pair(alone(force), alone(other))


def share_of_a_kind(scene: Scene) -> Iterator[Pair]:
    """990 women and 10 men against 900 and 100: shares of women within 1.1, of men tenfold."""
    rest = (0,) * (scene.kinds - 2)
    yield Pair(alone((990, 10, *rest)), alone((900, 100, *rest)))


def each_kind(scene: Scene) -> Iterator[Pair]:
    """Ten kinds of one woman each against ten kinds of one man each, in a table by sex.

    Every kind differs by one worker, but the group of all women by ten.
    """
    rest = (0,) * (scene.kinds - 2)
    yield Pair(alone((10, 0, *rest)), alone((0, 10, *rest)))


def one_kind_alone(scene: Scene) -> Iterator[Pair]:
    """A small kind grows several times while the size stays within 1+α."""
    rest = (0,) * (scene.kinds - 2)
    yield Pair(alone((1000, 10, *rest)), alone((1000, 100, *rest)))


def workforce(scene: Scene) -> Iterator[Pair]:
    """These workers, or none."""
    for number in scene.sizes[1:]:
        for force in scene.of(number):
            yield Pair(alone((0,) * scene.kinds), alone(force))
            yield Pair(alone(force, (0,) * scene.kinds), alone(force, force))


def two_workforces(scene: Scene) -> Iterator[Pair]:
    """Any two workforces, and so with one person and without."""
    for number in scene.sizes:
        force = next(iter(scene.of(number)))
        yield Pair(alone(force), alone(added(force, scene.one(0))))


def firm(scene: Scene) -> Iterator[Pair]:
    """All f establishments of a firm change at once, in one cell and in f."""
    for number, establishments in product(scene.sizes, (2, 3)):
        force = next(iter(scene.of(number)))
        after = max(scene.grown(force), key=sum) if scene.alpha is not None else (
            added(force, scene.one(0)) if number == 0 else (0,) * scene.kinds
        )  # fmt: skip
        for place in (alone, apart):
            before = place(*[force] * establishments)
            changed = place(*[after] * establishments)
            yield Pair(before, changed, Fraction(establishments, 2))  # the sentence names two


def size_of_a_large_one(scene: Scene) -> Iterator[Pair]:
    """A large establishment, and one a tenth larger."""
    rest = (0,) * (scene.kinds - 1)
    yield Pair(alone((1000, *rest)), alone((1100, *rest)))


def frame(scene: Scene) -> Iterator[Pair]:
    """An establishment exists, or does not: a row is there, or is not."""
    none = (0,) * scene.kinds
    yield Pair(apart(none), apart(none, none))


def rows_checked(scene: Scene) -> Iterator[Pair]:
    """A code of one worker is listed, or is not."""
    force = next(iter(scene.of(10)))
    yield Pair(alone(force), World(alone(force).cells, passes=False))


def row_rules(scene: Scene) -> Iterator[Pair]:
    """The code of a job is listed, or the job counts in no cell; an id is there, or the job is not.

    The last kind is that of jobs in no cell, which count in the size alone.
    """
    outside = Scene(scene.policy, scene.alpha, scene.kinds + 1)
    for number in scene.sizes:
        for force in outside.of(number):
            listed = added(force, outside.one(0))
            yield Pair(alone(listed), alone(added(force, outside.one(scene.kinds))))
            yield Pair(alone(listed), alone(force))


# Workers with several jobs, of which some count.

Held = tuple[int, ...]
"""The establishments at which a person holds jobs, the highest rank first."""


def counted(scene: Scene, rule: JobsRule, people: Iterable[Held], establishments: int) -> Cell:
    """How many jobs count at each establishment: the rules in plain words, person by person."""
    sizes = [0] * establishments
    for held in people:
        kept: Iterable[int] = held
        if isinstance(rule, PrimaryJob):
            kept = held[:1]
        elif isinstance(rule, BoundedJobs):
            kept = sorted(held)[: rule.most]
        for at in kept:
            sizes[at] += 1
    return tuple((number, *(0,) * (scene.kinds - 1)) for number in sizes)


def _places(before: Cell, after: Cell, times: Fraction = Fraction(1)) -> Iterator[Pair]:
    for place in (alone, apart):
        yield Pair(place(*before), place(*after), times)


def all_jobs(scene: Scene, rule: JobsRule) -> Iterator[Pair]:
    """A person with jobs everywhere, or with none."""
    for number in scene.sizes:
        others = [(at,) for at in range(3) for _ in range(number)]
        before = counted(scene, rule, others, 3)
        yield from _places(before, counted(scene, rule, [*others, (0, 1, 2)], 3))


def all_jobs_moved(scene: Scene, rule: JobsRule) -> Iterator[Pair]:
    """All counted jobs of a person are elsewhere, or all are those of another kind."""
    limit = rule.most if isinstance(rule, BoundedJobs) else 1
    here, there = tuple(range(limit)), tuple(range(limit, 2 * limit))
    for number in scene.sizes:
        others = [(at,) for at in range(2 * limit) for _ in range(number)]
        before, after = (counted(scene, rule, [*others, jobs], 2 * limit) for jobs in (here, there))
        yield from _places(before, after)
        if scene.kinds > 1:
            force = next(iter(scene.of(number)))
            left, right = (added(force, scene.one(kind)) for kind in (0, scene.kinds - 1))
            yield from _places((left,) * limit, (right,) * limit)


def displaced(scene: Scene, rule: JobsRule) -> Iterator[Pair]:
    """One job more of a person who has as many as count: it takes the place of another."""
    most_counted = rule.most if isinstance(rule, BoundedJobs) else 1
    held = tuple(range(1, most_counted + 1))
    for number in scene.sizes:
        others = [(at,) for at in range(most_counted + 1) for _ in range(number)]
        with_it, without = (
            counted(scene, rule, [*others, jobs], most_counted + 1) for jobs in ((0, *held), held)
        )
        yield from _places(without, with_it)


def joiners_from_elsewhere(scene: Scene, rule: JobsRule) -> Iterator[Pair]:
    """Those who join hold a job elsewhere that counted until now: that place loses it."""
    limit = rule.most if isinstance(rule, BoundedJobs) else 1
    held = tuple(range(1, limit + 1))  # the last of them no longer counts after joining
    for number in scene.sizes:
        joining = most(scene.growth, number) - number
        within = next(n for n in range(number + 10**4) if most(scene.growth, n) >= n + joining)
        for staying in dict.fromkeys((within, within // 2, 0)):
            others = [(0,)] * number + [(limit,)] * staying
            before = counted(scene, rule, [*others, *[held] * joining], limit + 1)
            after = counted(scene, rule, [*others, *[(0, *held)] * joining], limit + 1)
            steps = _steps_up(scene.growth, staying, staying + joining)
            # The sentence prints one step here and one elsewhere.
            yield from _places(before, after, Fraction(1 + steps, 2))


def _steps_up(growth: Fraction, size: int, reached: int) -> int:
    """How many steps a size is away from a larger one."""
    steps = 0
    while size < reached:
        size, steps = most(growth, size), steps + 1
    return steps


def each_job(scene: Scene) -> Iterator[Pair]:
    """One job, and several at once."""
    yield from person(scene)
    yield from person_with_jobs(scene)


PAIRS: dict[str, Callable[[Scene], Iterator[Pair]]] = {
    "policy": neighbours,
    "person": each_job,
    "person-moved": person_moved,
    "size": size,
    "size-far": size_far,
    "group": group,
    "make-up": make_up,
    "make-up-share": share_of_a_kind,
    "workforce": workforce,
    "firm": firm,
    "growth-of-one-kind": one_kind_alone,
    "size-open": size_of_a_large_one,
    "firm-open": size_of_a_large_one,
    "frame": frame,
    "scope": neighbours,
    "odds": person,
    "strict": rows_checked,
    "total": row_rules,
    "jobs": person_with_jobs,
}
"""The pairs of worlds of every sentence that does not depend on a jobs rule."""

JOB_PAIRS: dict[str, Callable[[Scene, JobsRule], Iterator[Pair]]] = {
    "person": all_jobs,
    "person-moved": all_jobs_moved,
    "jobs": all_jobs,
    "job-displaced": displaced,
    "jobs-elsewhere": joiners_from_elsewhere,
}
"""The same where some jobs of a person count and others do not."""
