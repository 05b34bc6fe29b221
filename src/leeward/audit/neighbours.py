"""Neighbouring databases: all small ones, extreme ones, and larger ones by a fixed scatter.

A database here is one workplace cell: the workforces of its establishments, each a tuple of jobs
by kind of worker. Every pair is checked against the policy's own definition.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

from leeward.privacy import Policy

Workforce = tuple[int, ...]
GOLDEN = Fraction(6180339887, 10**10)
SILVER = Fraction(4142135623, 10**10)


@dataclass(frozen=True)
class Pair:
    """Two databases that differ in one establishment: the others, and it before and after."""

    others: tuple[Workforce, ...]
    before: Workforce
    after: Workforce

    @property
    def databases(self) -> tuple[tuple[Workforce, ...], tuple[Workforce, ...]]:
        """Both databases in full."""
        return (*self.others, self.before), (*self.others, self.after)


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


def blocks(policy: Policy, alpha: Fraction, kinds: int, sizes: Iterable[int]) -> Iterator[Pair]:
    """Workforces of several kinds: joiners of one kind, of all kinds, of a kind not there yet."""
    for size in sizes:
        even = tuple(size // kinds + (i < size % kinds) for i in range(kinds))
        single = (size, *(0,) * (kinds - 1))
        grown = most(alpha, size) - size
        for before in {even, single, single[::-1]}:
            spread = [grown // kinds + (i < grown % kinds) for i in range(kinds)]
            for joiners in (
                (grown, *(0,) * (kinds - 1)),
                (*(0,) * (kinds - 1), grown),
                tuple(spread),
                (*(0,) * (kinds - 1), max(1, grown // 2)),
            ):
                after = tuple(b + j for b, j in zip(before, joiners, strict=True))
                if policy.admits(before, after, alpha):
                    yield Pair((), before, after)
                    yield Pair((after,), before, after)
