"""Published block: the people of a block of seven, and the table that was published about them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple, TypeAlias

OLDEST, MARRIED_FROM = 125, 15


class Resident(NamedTuple):
    """An age and three letters: F or M, B or W, M (married) or S (single)."""

    age: int
    sex: str
    race: str
    married: str

    def __str__(self) -> str:
        return f"{self.age}{self.sex}{self.race}{self.married}"


Block: TypeAlias = tuple[Resident, ...]
Kind: TypeAlias = tuple[str, str, str]

KINDS: tuple[Kind, ...] = tuple(product("FM", "BW", "MS"))
"""Sex, race and whether married: the eight cells of a block."""


@dataclass(frozen=True)
class BlockRow:
    """A published row: who is counted, how many they are, median and mean of their ages.

    `who` has a letter or a dot for each of sex, race and married.
    """

    name: str
    who: str
    count: int
    median: int
    mean: float

    @cached_property
    def total(self) -> int:
        """The one sum of ages that rounds to the mean."""
        near = round(self.count * self.mean)
        (total,) = (
            total
            for total in range(near - 1, near + 2)
            if abs(total / self.count - self.mean) <= 1 / 20
        )
        return total

    def counts(self, kind: Sequence[str]) -> bool:
        """Whether a person of this kind is counted."""
        return all(letter in (".", own) for letter, own in zip(self.who, kind, strict=True))

    def fits(self, ages: Sequence[int]) -> bool:
        """Whether these are the ages of the people who are counted."""
        half, even = len(ages) // 2, len(ages) % 2 == 0
        if len(ages) != self.count or sum(ages) != self.total:
            return False
        ordered = sorted(ages)
        return ordered[half - even] + ordered[half] == 2 * self.median

    def ages(self) -> Iterator[tuple[int, ...]]:
        """All ages, in order, of the people who are counted: three or four of them."""
        rest, middle = self.total - 2 * self.median, 2 * self.median
        for b in range(self.median + 1):
            if self.count == 3 and b <= (last := self.total - self.median - b) <= OLDEST:
                yield b, self.median, last
            if self.count == 4:
                yield from (
                    (a, b, middle - b, rest - a)
                    for a in range(b + 1)
                    if middle - b <= rest - a <= OLDEST
                )


TABLE = (
    BlockRow("1A", "...", 7, 30, 38),
    BlockRow("2A", "F..", 4, 30, 33.5),
    BlockRow("2B", "M..", 3, 30, 44),
    BlockRow("2C", ".B.", 4, 51, 48.5),
    BlockRow("2D", ".W.", 3, 24, 24),
    BlockRow("3B", "..M", 4, 51, 54),
    BlockRow("4A", "FB.", 3, 36, 36.7),
)
"""The rows with numbers; all others of the table are withheld as (D), which tells nothing more."""

PAIRS = (("F..", "M.."), (".B.", ".W."))
"""Rows that divide the block in two, by sex and by race."""
