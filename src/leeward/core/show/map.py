"""Map: areas in shades of their numbers; hatched where a margin reaches zero."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from leeward.core.show.charts import reaches_zero
from leeward.core.show.heat import shades
from leeward.core.show.interpretation import OPEN
from leeward.core.show.numbers import Ends, count, reach, tick

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
        """Whether its margin reaches zero."""
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
        """Its number in words."""
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
    found = shades(area.value for area in areas if area.value)
    looks = [NOTHING_LOOK if area.value is None else found.look(area.value) for area in areas]
    last = len(found.starts) - 1
    steps = {
        found.look(start): tick(start) + ("+" if last and at == last else "")
        for at, start in enumerate(found.starts)
    }
    others = {"below": "below zero", NOTHING_LOOK: NOTHING}
    zero = {FADED: OPEN} if any(area.reaches_zero for area in areas) else {}
    drawn = {look for area, look in zip(areas, looks, strict=True) if not area.reaches_zero}
    there = {look: words for look, words in others.items() if look in drawn}
    legend = {**steps, **there, **zero}
    return Map(title, unit, height, tuple(zip(areas, looks, strict=True)), tuple(legend.items()))
