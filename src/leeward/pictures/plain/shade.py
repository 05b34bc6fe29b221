"""Shade: the steps of a heat map, equal ones or growing ones."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from leeward.pictures.plain.number import LARGEST, full
from leeward.pictures.plain.style import SHADES

DECADES = 100
"""From this ratio of the largest to the smallest positive number on, steps grow."""


@dataclass(frozen=True)
class Shades:
    """Where each shade begins; the first one at zero."""

    starts: tuple[int, ...]
    rule: str

    def of(self, value: int) -> int:
        """The shade of a number from zero on; few steps lie far apart."""
        step, last = bisect_right(self.starts, value) - 1, len(self.starts) - 1
        return step * (SHADES - 1) // last if last else 1


def shades(values: Iterable[int]) -> Shades:
    """Steps that fit the numbers from zero on."""
    positive = [min(value, LARGEST - 1) for value in values if value > 0]
    if not positive:
        return Shades((0,), "")
    low, high = min(positive), max(positive)
    return _growing(low, high) if high >= DECADES * low else _equal(high)


def _equal(high: int) -> Shades:
    step = next(s for s in _round_steps() if high // s < SHADES)
    starts = tuple(range(0, high + 1, step))
    return Shades(starts, f"Each shade spans {full(step)}." if len(starts) > 1 else "")


def _round_steps() -> Iterator[int]:
    yield from (1, 2, 5)
    yield from (digit * 10**power for power in count() for digit in (10, 20, 25, 50))


def _growing(low: int, high: int) -> Shades:
    """Steps by a factor of about 3, or of 10, 100 and so on where that is not enough.

    One step more than there are shades is borne: the smallest numbers then share a shade.
    """
    for digits, power, factor in _factors():
        bounds = [d * 10 ** (n * power) for n in range(len(str(high))) for d in digits]
        within = [bound for bound in bounds if low < bound <= high]
        if len(within) <= SHADES:
            rule = f"Each shade begins about {full(factor)} times higher than the last."
            return Shades((0, *within[1 - SHADES :]), rule)
    raise AssertionError


def _factors() -> Iterator[tuple[tuple[int, ...], int, int]]:
    yield (1, 3), 1, 3
    yield from (((1,), power, 10**power) for power in count(1))
