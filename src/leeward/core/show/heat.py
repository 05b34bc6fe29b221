"""Heat map: numbers in shades of their size, in a table or as areas of a map."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from itertools import count as counting
from typing import ClassVar

from leeward.core.show.charts import reaches_zero
from leeward.core.show.interpretation import OPEN
from leeward.core.show.numbers import Ends, count, reach, short, tick

SHADES = 7
"""Number of shades of a heat map."""

LONGEST_ACROSS = 6
"""Maximum length in characters of a column name of a heat map that is written across."""

LETTERS_ON_PAPER = 90
"""Maximum length in characters of the longest numbers of all columns, with a gap each, in print."""

DECADES = 100
"""Ratio of the largest to the smallest positive number from which shades grow geometrically."""


@dataclass(frozen=True)
class Shades:
    """The number at which each shade begins; the first begins at zero."""

    starts: tuple[int, ...]
    rule: str
    signed: bool = False
    """Whether numbers below zero have shades of their own, in another colour."""

    def look(self, value: int) -> str:
        """The look of a number; few steps are spread over all shades."""
        if value < 0:
            return self.look(-value).replace("shade", "under") if self.signed else "below"
        step, last = bisect_right(self.starts, value) - 1, len(self.starts) - 1
        return f"shade-{step * (SHADES - 1) // last if last else 1}"

    @property
    def steps(self) -> list[tuple[str, str]]:
        """The look of each shade, and where it begins."""
        last = len(self.starts) - 1
        return [
            (self.look(start), tick(start) + ("+" if last and at == last else ""))
            for at, start in enumerate(self.starts)
        ]


@dataclass(frozen=True)
class HeatMap:
    """A table of numbers in shades; None is a cell without a number, and `nothing` says why."""

    kind: ClassVar = "heat"

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[int | None]]
    shades: Shades
    unit: str
    nothing: str
    open: Sequence[Sequence[bool]] = ()
    """Which numbers have a margin that reaches zero: they have no shade."""

    def look(self, row: int, column: int, value: int) -> str:
        if not self.open or not self.open[row][column]:
            return self.shades.look(value)
        return "open below" if value < 0 and not self.shades.signed else "open"

    @property
    def tall(self) -> bool:
        """Whether the names of columns are written upwards."""
        return max(map(len, self.columns), default=0) > LONGEST_ACROSS

    @property
    def wide(self) -> bool:
        """Whether its numbers are so long that they are printed in a smaller size."""
        columns = zip(*self.cells, strict=True)
        longest = (max(len(short(value or 0)) for value in column) for column in columns)
        return sum(longest) + len(self.columns) > LETTERS_ON_PAPER

    @property
    def legend(self) -> list[tuple[str, str]]:
        values = {value for row in self.cells for value in row}
        steps = self.shades.steps
        none = [("open", OPEN)] if any(map(any, self.open)) else []
        none += [("none", self.nothing)] if None in values else []
        if not any(value is not None and value < 0 for value in values):
            return [*steps, *none]
        if not self.shades.signed:
            return [*steps, ("below", "below zero"), *none]
        under = [(self.shades.look(-start), tick(-start)) for start in self.shades.starts[1:]]
        return [*reversed(under), *steps, *none]


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[int | None]],
    *,
    title: str,
    unit: str = "jobs",
    nothing: str = "no establishment",
) -> HeatMap:
    """Cells in shades of their size, with steps that fit them."""
    shaded = shades(value for row in cells for value in row if value)
    return HeatMap(title, rows, columns, cells, shaded, unit, nothing)


def shades(values: Iterable[int]) -> Shades:
    """Steps that fit the numbers from zero on."""
    positive = [value for value in values if value > 0]
    if not positive:
        return Shades((0,), "")
    low, high = min(positive), max(positive)
    if high >= DECADES * low:
        return _growing(low, high)
    larger = (digit * 10**power for power in counting() for digit in (10, 20, 25, 50))
    step = next(step for step in chain((1, 2, 5), larger) if high // step < SHADES)
    starts = tuple(range(0, high + 1, step))
    return Shades(starts, f"Each shade spans {count(step)}." if len(starts) > 1 else "")


def _growing(low: int, high: int) -> Shades:
    """Steps by a factor of about 3, or of 10, 100 and so on where that is not enough.

    There may be one step more than shades: the smallest numbers then share a shade.
    """
    decades = (((1,), power, 10**power) for power in counting(1))
    for digits, power, factor in chain([((1, 3), 1, 3)], decades):
        bounds = [d * 10 ** (n * power) for n in range(len(str(high))) for d in digits]
        within = [bound for bound in bounds if low < bound <= high]
        if len(within) <= SHADES:
            rule = f"Each shade begins about {count(factor)} times higher than the last."
            return Shades((0, *within[1 - SHADES :]), rule)
    raise AssertionError


NOTHING = "no number"
NOTHING_LOOK, FADED = "none", "faded"
WIDE = 1000
"""Width of every map; outlines are paths in these units."""


@dataclass(frozen=True)
class Area:
    """A place on the map: its outline, and its number if it has one."""

    path: str
    label: str
    value: int | None = None
    ends: Ends | None = None
    signed: bool = False

    @property
    def reaches_zero(self) -> bool:
        if self.value is None:
            return False
        return reaches_zero(self.value, self.ends, signed=self.signed)

    @property
    def at_most(self) -> str:
        """What a number whose margin reaches zero says."""
        high = None if self.ends is None else self.ends[1]
        return OPEN if high is None else f"{OPEN}, may be as large as {count(max(high, 0))}"

    @property
    def text(self) -> str:
        if self.value is None:
            return NOTHING
        return count(self.value) + (
            "" if self.ends is None else f", {reach(self.value, self.ends)}"
        )


@dataclass(frozen=True)
class Map:
    """Areas with their looks; `height` is in units of a width of 1000."""

    kind: ClassVar = "map"

    title: str
    unit: str
    height: int
    areas: tuple[tuple[Area, str], ...]
    legend: tuple[tuple[str, str], ...]

    @property
    def description(self) -> str:
        """How many areas have which kind of number."""
        known = sum(area.value is not None for area, _ in self.areas)
        zero = sum(area.reaches_zero for area, _ in self.areas)
        return f"{known:,} areas with a number, {zero:,} of these {OPEN}"


def shaded_map(areas: Sequence[Area], *, title: str, unit: str, height: int) -> Map:
    """The areas in shades that fit their numbers."""
    shaded = shades(area.value for area in areas if area.value)
    looks = [NOTHING_LOOK if area.value is None else shaded.look(area.value) for area in areas]
    others = {"below": "below zero", NOTHING_LOOK: NOTHING}
    zero = {FADED: OPEN} if any(area.reaches_zero for area in areas) else {}
    drawn = {look for area, look in zip(areas, looks, strict=True) if not area.reaches_zero}
    there = {look: words for look, words in others.items() if look in drawn}
    legend = {**dict(shaded.steps), **there, **zero}
    return Map(title, unit, height, tuple(zip(areas, looks, strict=True)), tuple(legend.items()))
