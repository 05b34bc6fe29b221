"""Neighbouring databases: all small ones, extreme ones, and larger ones by a fixed scatter.

A database here is one workplace cell: the workforces of its establishments, each a tuple of jobs
by kind of worker. Every pair is checked against the policy's own definition.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement

from leeward.privacy import Policy

Workforce = tuple[int, ...]
Database = tuple[Workforce, ...]
GOLDEN = Fraction(6180339887, 10**10)
SILVER = Fraction(4142135623, 10**10)


@dataclass(frozen=True)
class Pair:
    """Two databases that differ in one establishment: the others, and it before and after."""

    others: tuple[Workforce, ...]
    before: Workforce
    after: Workforce

    @property
    def databases(self) -> tuple[Database, Database]:
        """Both databases in full."""
        return (*self.others, self.before), (*self.others, self.after)


def jobs(workforce: Workforce) -> int:
    """All jobs of an establishment."""
    return sum(workforce)


def most(alpha: Fraction, size: int) -> int:
    """max(⌊(1+α)x⌋, x+1)."""
    return max(int((1 + alpha) * size), size + 1)


def small(policy: Policy, alpha: Fraction | None, largest: int) -> Iterator[Pair]:
    """Every pair with at most two establishments of at most so many jobs before the change."""
    sizes = range(largest + 1)
    limit = 2 * largest + 2 if alpha is None else most(alpha, largest)
    for others in ((), *combinations_with_replacement(sizes, 1)):
        for size in sizes:
            for after in range(size + 1, limit + 1):
                if policy.admits((size,), (after,), alpha):
                    yield Pair(tuple((other,) for other in others), (size,), (after,))


def large(policy: Policy, alpha: Fraction, scatter: int) -> Iterator[Pair]:
    """Full and partial steps at the kink 1/α, at S = 100 and S = 10⁶, and scattered sizes."""
    kink = int(1 / alpha)
    sizes = [kink, kink + 1, 2 * kink, int(100 / alpha), int(10**6 / alpha)]
    sizes += [int(10 ** (2 + 5 * fraction)) for fraction in scattered(scatter, GOLDEN)]
    parts = [Fraction(1), Fraction(1, 2), *scattered(scatter, SILVER)]
    for i, size in enumerate(sizes):
        for part in (Fraction(1), parts[i % len(parts)]):
            after = size + max(1, int(part * (most(alpha, size) - size)))
            # The growing establishment is alone, the largest of two, or overtakes another.
            for other in ((), ((size,),), ((int(size * (1 + alpha / 2)),),), ((9 * size,),)):
                if policy.admits((size,), (after,), alpha):
                    yield Pair(other, (size,), (after,))


def scattered(count: int, step: Fraction) -> list[Fraction]:
    """Multiples of an irrational-like step modulo one: evenly spread, the same every time."""
    return [(step * (i + 1)) % 1 for i in range(count)]


def block_sizes(alpha: Fraction, largest: int) -> list[int]:
    """Empty, tiny, around the floor 1/α of every scale, twice that, and large."""
    floor = int(1 / alpha)
    around = (floor - 1, floor, floor + 1, 2 * floor + 1)
    return sorted({0, 1, 2, 3, *(size for size in around if size > 0), int(largest / alpha)})


def blocks(policy: Policy, alpha: Fraction, kinds: int, sizes: Iterable[int]) -> Iterator[Pair]:
    """Workforces of several kinds: joiners of one kind, of all kinds, of a kind not there yet.

    Each alone in its workplace cell; some beside an establishment that they catch up with, one
    that they overtake, and one that stays larger.
    """
    for size in sizes:
        grown = most(alpha, size) - size
        single = (size, *(0,) * (kinds - 1))
        for before in sorted({_even(size, kinds), single, single[::-1]}):
            for joiners in sorted(_joiners(grown, kinds)):
                after = tuple(b + j for b, j in zip(before, joiners, strict=True))
                if policy.admits(before, after, alpha):
                    yield Pair((), before, after)
                    if before == single and joiners[0] in (0, grown):
                        yield from _beside(Pair((), before, after), grown)


def _even(size: int, kinds: int) -> Workforce:
    return tuple(size // kinds + (i < size % kinds) for i in range(kinds))


def _joiners(grown: int, kinds: int) -> set[Workforce]:
    none = (0,) * (kinds - 1)
    return {(grown, *none), (*none, grown), _even(grown, kinds), (*none, max(1, grown // 2))}


def _beside(pair: Pair, grown: int) -> Iterator[Pair]:
    """The same beside a second establishment, whose workers are all of the first kind."""
    size, none = jobs(pair.before), (0,) * (len(pair.before) - 1)
    for other in sorted({size + grown, size + grown // 2, 9 * size + 9}):
        yield replace(pair, others=((other, *none),))
