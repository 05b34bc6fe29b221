"""Neighbouring databases: all small ones, extreme ones, and larger ones by a fixed scatter.

Every pair is checked against the policy's own definition.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product

from leeward.core.mechanisms.split import MOST_ESTABLISHMENTS
from leeward.core.privacy import Policy
from leeward.core.privacy.policy import Neighbours
from leeward.core.privacy.steps import RaiseAlpha
from leeward.core.privacy.workforces import Counts, Database, Workforce

GOLDEN = Fraction(6180339887, 10**10)
SILVER = Fraction(4142135623, 10**10)


@dataclass(frozen=True)
class Depth:
    """How much is examined: the largest size of which all pairs are, and scattered sizes."""

    small: int
    scatter: int


QUICK, FULL = Depth(small=8, scatter=2), Depth(small=16, scatter=12)


@dataclass(frozen=True)
class DatabasePair:
    """Two databases."""

    before: Database
    after: Database

    @classmethod
    def of(cls, before: Counts, after: Counts, *others: Counts) -> "DatabasePair":
        """One establishment that changes, after others that do not."""
        return cls(Database.of(*others, before), Database.of(*others, after))

    @property
    def databases(self) -> tuple[Database, Database]:
        """Both."""
        return self.before, self.after

    def chained(self) -> "DatabasePair":
        """The same with two establishments for each workforce, which both change."""
        return DatabasePair(chain(self.before), chain(self.after))

    def merged(self) -> "DatabasePair":
        """What a release by employer counts of these: each employer's part as one."""
        chained = self.chained()
        return DatabasePair(parts(chained.before), parts(chained.after))

    def admitted(self, policy: Neighbours, alpha: Fraction | None) -> Iterator["DatabasePair"]:
        """This pair, if it is one of neighbours."""
        if policy.admits(self.before, self.after, alpha):
            yield self


def chain(database: Database) -> Database:
    """Every workforce as two establishments of one employer, one after the other."""
    halves = list[Workforce]()
    for force in database.establishments:
        for more in (0, 1):
            if force.pay is not None:
                halves.append(Workforce.paid(*(kind[1 - more :: 2] for kind in force.pay)))
            else:
                halves.append(Workforce(tuple((count + more) // 2 for count in force.jobs)))
    return Database(tuple(halves), database.cap)


def parts(database: Database) -> Database:
    """What a release by employer counts of such a database: each employer's part as one."""
    forces = database.establishments
    together = list[Workforce]()
    for force, other in zip(forces[::2], forces[1::2], strict=True):
        if force.pay is not None and other.pay is not None:
            pay = (a + b for a, b in zip(force.pay, other.pay, strict=True))
            together.append(Workforce.paid(*pay))
        else:
            jobs = (a + b for a, b in zip(force.jobs, other.jobs, strict=True))
            together.append(Workforce(tuple(jobs)))
    return Database(tuple(together), database.cap)


def pairs(policy: Policy, alpha: Fraction | None, depth: Depth) -> Iterator[DatabasePair]:
    """All pairs that a mechanism of one released number is examined on."""
    if policy.name == "worker":
        yield from small(policy, None, depth.small)
        yield from (DatabasePair.of((size,), (size + 1,)) for size in (100, 10**6))
    elif policy.name == "establishment" or alpha is None:
        yield from (DatabasePair.of((0,), (size,)) for size in range(1, 2 * depth.small + 1))
    else:
        yield from small(policy, alpha, depth.small)
        yield from large(policy, alpha, depth.scatter)


def most(alpha: Fraction, size: int, plus: int = 1) -> int:
    """max(⌊(1+α)x⌋, x+Δ)."""
    return max(int((1 + alpha) * size), size + plus)


def small(policy: Neighbours, alpha: Fraction | None, largest: int) -> Iterator[DatabasePair]:
    """Every pair of at most two establishments with at most `largest` jobs before the change."""
    sizes = range(largest + 1)
    limit = 2 * largest + 2 if alpha is None else most(alpha, largest, additive(policy))
    for others in ((), *combinations_with_replacement(sizes, 1)):
        for size in sizes:
            for after in range(size + 1, limit + 1):
                pair = DatabasePair.of((size,), (after,), *((other,) for other in others))
                yield from pair.admitted(policy, alpha)


def large(policy: Neighbours, alpha: Fraction, scatter: int) -> Iterator[DatabasePair]:
    """Full and partial steps at the kink Δ/α, at S = 100 and S = 10⁶, and scattered sizes."""
    plus = additive(policy)
    kink = int(plus / alpha)
    sizes = [kink, kink + 1, 2 * kink, int(100 / alpha), int(10**6 / alpha)]
    sizes += [int(10 ** (2 + 5 * fraction)) for fraction in scattered(scatter, GOLDEN)]
    parts = [Fraction(1), Fraction(1, 2), *scattered(scatter, SILVER)]
    for i, size in enumerate(sizes):
        for part in (Fraction(1), parts[i % len(parts)]):
            after = size + max(1, int(part * (most(alpha, size, plus) - size)))
            # The growing establishment is alone, the largest of two, or overtakes another.
            for other in ((), ((size,),), ((int(size * (1 + alpha / 2)),),), ((9 * size,),)):
                yield from DatabasePair.of((size,), (after,), *other).admitted(policy, alpha)


def scattered(count: int, step: Fraction) -> list[Fraction]:
    """Multiples of an irrational-like step modulo one: evenly spread, the same every time."""
    return [(step * (i + 1)) % 1 for i in range(count)]


def additive(policy: Neighbours) -> int:
    """Δ of a policy; 1 of a relation that has none."""
    return getattr(policy, "plus", 1)


def block_sizes(alpha: Fraction, largest: int, plus: int = 1) -> list[int]:
    """Empty, tiny, around the floor Δ/α of every scale, twice that, and large."""
    floor = int(plus / alpha)
    around = (floor - 1, floor, floor + 1, 2 * floor + 1)
    return sorted({0, 1, 2, 3, *(size for size in around if size > 0), int(largest / alpha)})


def blocks(
    policy: Neighbours, alpha: Fraction, kinds: int, sizes: Iterable[int]
) -> Iterator[DatabasePair]:
    """Workforces of several kinds: joiners of one kind, of all kinds, of a kind not there yet.

    Each alone in its workplace cell; some beside an establishment that they catch up with, one
    that they overtake, and one that stays larger.
    """
    for size in sizes:
        grown = most(alpha, size, additive(policy)) - size
        none = (0,) * (kinds - 1)
        single, in_one, late = (size, *none), (grown, *none), (*none, max(1, grown // 2))
        joining = sorted({in_one, in_one[::-1], even(grown, kinds), late})
        for before in sorted({even(size, kinds), single, single[::-1]}):
            for joiners in joining:
                after = tuple(b + j for b, j in zip(before, joiners, strict=True))
                for pair in DatabasePair.of(before, after).admitted(policy, alpha):
                    yield pair
                    if before == single and joiners[0] in (0, grown):
                        yield from _beside(before, after, grown)


def block_pairs(
    policy: Policy,
    alpha: Fraction,
    kinds: Iterable[int],
    depth: Depth,
    largest: int,
    first: int = 8,
) -> Iterator[DatabasePair]:
    """Pairs of blocks for each number of kinds: up to `largest` over α, and every fourth size."""
    sizes = [*block_sizes(alpha, largest, additive(policy)), *range(first, depth.small, 4)]
    for number in kinds:
        yield from blocks(policy, alpha, number, sizes)


def first_jobs(kinds: int) -> Iterator[DatabasePair]:
    """The first job of an establishment beside others, as many as fill a class.

    The number of establishments is public, that of those with jobs is not. If the class followed
    the latter, the job would move it to the next one. Several classes may have the same bound:
    with α = 1, ε = 4 and Gaussian noise all of up to 32 do. So every edge is examined.
    """
    none = (0,) * (kinds - 1)
    for edge in range(MOST_ESTABLISHMENTS.bit_length() - 1):
        yield DatabasePair.of((0, *none), (1, *none), *((1, *none),) * 2**edge)


def even(size: int, kinds: int) -> Counts:
    """Workers of several kinds, as even as can be."""
    return tuple(size // kinds + (i < size % kinds) for i in range(kinds))


def _beside(before: Counts, after: Counts, grown: int) -> Iterator[DatabasePair]:
    """The same beside a second establishment, whose workers are all of the first kind."""
    size, none = sum(before), (0,) * (len(before) - 1)
    for other in sorted({size + grown, size + grown // 2, 9 * size + 9}):
        yield DatabasePair.of(before, after, (other, *none))


# With pay: joiners at any pay, raises, and both, on small and large establishments.

Relation = Policy | RaiseAlpha
Paid = tuple[Counts, ...]
"""The pay of the jobs of an establishment, kind by kind."""

MANY = 1000
"""Above this size few changes are examined: pay is listed job by job."""

SOME = 2
"""Scattered sizes of a quick audit: beyond it, more sizes and pays are examined."""

LARGE = 100
"""S of the largest establishments."""


@lru_cache(maxsize=32)  # several mechanisms are examined on the same pairs
def paid_pairs(
    policy: Relation, alpha: Fraction, cap: int, kinds: int, depth: Depth
) -> tuple[DatabasePair, ...]:
    """One establishment changes: alone, or beside one that is larger in jobs, in pay, or both.

    A policy without α lets one job join, and has no kink in its sizes.
    """
    plus, neighbours = additive(policy), dict[DatabasePair, None]()
    alpha, thorough = alpha if policy.uses_alpha else Fraction(1), depth.scatter > SOME
    kink = int(plus / alpha)
    sizes = {0, 1, kink, kink + 1, int(LARGE / alpha)}  # empty, tiny, at the kink Δ/α, and large
    sizes |= {2, 3, kink - 1, 2 * kink + 1} if thorough else set()
    for size in sorted(size for size in sizes if size >= 0):
        grown = most(alpha, size, plus) - size if policy.uses_alpha else 1
        single = (size, *(0,) * (kinds - 1))
        workforces = dict.fromkeys((single, even(size, kinds), single[::-1]))
        # All are paid nothing, a third of the cap, or the cap.
        for jobs, pay in product(workforces, (0, cap // 3, cap)):
            before = tuple((pay,) * count for count in jobs)
            limit = max(int(alpha * sum(map(sum, before))), plus * cap)
            for after in _changed(before, cap, grown, limit, thorough=thorough):
                alone = size > MANY or not before[0]
                for others in ((),) if alone else _others(before, after, cap):
                    both = (
                        Database.capped(cap, *others, workforce) for workforce in (before, after)
                    )
                    for pair in DatabasePair(*both).admitted(policy, alpha):
                        neighbours[pair] = None
    return tuple(neighbours)


def _changed(before: Paid, cap: int, grown: int, limit: int, *, thorough: bool) -> Iterator[Paid]:
    """Joiners at 0, at the cap and in between; raises up to the limit of the payroll; and both."""
    kinds = range(len(before))
    turns = tuple(cap * (i % 2) for i in range(grown))
    each = limit // grown if grown else 0  # as much pay as the payroll may grow by
    whole = tuple(min(each + (i < limit - each * grown), cap) for i in range(grown))
    joiners = [(0,) * grown, (cap,) * grown, (cap,), turns]
    joiners += [(cap // 2,) * grown, whole] if thorough else [whole]
    for kind, pay in product(kinds, joiners):
        yield _with(before, kind, before[kind] + pay)
    for kind, more in product(kinds, (limit, limit // 2) if thorough else (limit,)):
        rise = _with(before, kind, tuple(pay_raised(before[kind], more, cap)))
        yield rise
        if more == limit:
            yield from (_with(rise, other, rise[other] + (0,) * grown) for other in kinds)


def _with(force: Paid, kind: int, pay: Counts) -> Paid:
    return (*force[:kind], pay, *force[kind + 1 :])


def pay_raised(pay: Iterable[int], more: int, cap: int) -> list[int]:
    """So much more pay in all, for the first jobs first; none above the cap."""
    after = []
    for before in pay:
        after.append(before + min(more, cap - before))
        more -= after[-1] - before
    return after


def _others(before: Paid, after: Paid, cap: int) -> Iterator[tuple[Paid, ...]]:
    """Nobody; as many jobs at no pay; as much payroll in few jobs; and more of both."""
    jobs, payroll = sum(map(len, after)), max(sum(map(sum, force)) for force in (before, after))
    none = ((),) * (len(before) - 1)
    yield ()
    yield (((0,) * jobs, *none),)
    yield (((cap,) * -(-payroll // cap), *none),)
    yield (((cap // 2,) * (2 * jobs + 1), *none),)
