"""Neighbouring databases: all small ones, extreme ones, and larger ones by a fixed scatter.

Every pair is checked against the policy's own definition.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

from leeward.core.mechanisms.split import MOST_ESTABLISHMENTS
from leeward.core.privacy.policy import Neighbours
from leeward.core.privacy.workforces import Counts, Database, Workforce
from leeward.lab.audit.job_relation import Examined, MoreJobs

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


def pairs(policy: Examined, alpha: Fraction | None, depth: Depth) -> Iterator[DatabasePair]:
    """All pairs that a mechanism of one released number is examined on."""
    if isinstance(policy, MoreJobs):
        yield from blocks(policy, alpha or Fraction(1), 1, policy.sizes)
    elif policy.name == "worker":
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


def gain(policy: Neighbours, alpha: Fraction, size: int) -> int:
    """By how many jobs a step from this size grows at most; one where no size is protected."""
    if isinstance(policy, MoreJobs):
        return policy.more
    return most(alpha, size, additive(policy)) - size if getattr(policy, "uses_alpha", True) else 1


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
        grown = gain(policy, alpha, size)
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
    policy: Examined,
    alpha: Fraction,
    kinds: Iterable[int],
    depth: Depth,
    largest: int,
    first: int = 8,
) -> Iterator[DatabasePair]:
    """Pairs of blocks for each number of kinds: up to `largest` over α, and every fourth size."""
    sizes = [*block_sizes(alpha, largest, additive(policy)), *range(first, depth.small, 4)]
    sizes = list(policy.sizes) if isinstance(policy, MoreJobs) else sizes
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
