"""Bin: how many cells lie in which range, as columns of equal width."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from leeward.pictures.picture import Picture
from leeward.pictures.plain.letters import width as wide
from leeward.pictures.plain.mark import box, path, stroke, upright, words
from leeward.pictures.plain.number import full, round_number
from leeward.pictures.plain.ruler import Ruler, ruler
from leeward.pictures.plain.sheet import at_most, checked, empty, finished

MOST, FEW = 40, 4
"""The most bins; fewer than these are as wide as if they were so many."""
TOP, FLOOR = 38.0, 188.0
LONGEST, LINE = 210.0, 13.0
"""The room of a label that stands upright, and its height."""


@dataclass(frozen=True)
class Bin:
    """A range, both ends within it, and how many lie there."""

    low: int
    high: int
    count: int

    @property
    def label(self) -> str:
        """The range as words."""
        if self.low == self.high:
            return full(self.low)
        between = " to " if self.low < 0 else "–"
        return f"{full(self.low)}{between}{full(self.high)}"


@dataclass(frozen=True)
class Layout:
    """Where columns stand, and which words find room."""

    up: Ruler
    left: float
    column: float
    counted: bool
    label: float

    @property
    def turned(self) -> bool:
        """Whether labels stand upright."""
        return self.label > self.column - 6

    @property
    def every(self) -> int:
        """Each, or each second, third … column is labelled."""
        return max(1, ceil(LINE / self.column))

    @property
    def foot(self) -> float:
        """Under the labels."""
        return FLOOR + (min(self.label, LONGEST) + 10 if self.turned else 18)


def histogram(
    bins: Sequence[Bin], *, title: str, x: str, y: str = "cells", width: int = 680
) -> Picture:
    """One column for each bin, in the order given, with its count."""
    checked(width)
    at_most(MOST, len(bins), "bins")
    if not bins:
        return empty(title, width)
    at = _layout(bins, width)
    middle, room = (at.left + width) / 2, width - at.left
    parts = [
        words(y, (0, 12), "soft", room=width),
        *(() if at.counted else _grid(at, width)),
        *(part for place, one in enumerate(bins) for part in _bar(one, place, at)),
        path(stroke((at.left, FLOOR), (width, FLOOR)), "line"),
        words(x, (middle, at.foot + 16), "soft", anchor="middle", room=room),
    ]
    return finished(parts, (width, at.foot + 24), title=title, description=_told(bins, x, y))


def _layout(bins: Sequence[Bin], width: int) -> Layout:
    """Counts stand over their columns where all find room; otherwise there is a scale."""
    up = ruler((one.count for one in bins), FLOOR, TOP)
    columns = max(len(bins), FEW)
    counted = width / columns >= max(wide(full(one.count)) for one in bins) + 4
    left = 0.0 if counted else max(wide(round_number(t), 11) for t in up.scale.ticks) + 9
    label = max(wide(one.label, 11) for one in bins)
    return Layout(up, left, (width - left) / columns, counted, label)


def _grid(at: Layout, width: int) -> Iterator[str]:
    for tick in at.up.scale.ticks:
        y = at.up.at(tick)
        yield path(stroke((at.left, y), (width, y)), "grid")
        yield words(round_number(tick), (at.left - 8, y + 4), "soft", anchor="end")


def _bar(one: Bin, place: int, at: Layout) -> Iterator[str]:
    middle, top = at.left + (place + 0.5) * at.column, min(at.up.at(one.count), FLOOR)
    thick = min(0.8 * at.column, 72)
    told = f"{one.label}: {full(one.count)}"
    yield box((middle - thick / 2, top, thick, FLOOR - top), "bar", told=told)
    if at.counted:
        yield words(full(one.count), (middle, top - 5), "number", anchor="middle")
    if not at.turned:
        yield words(one.label, (middle, FLOOR + 15), "soft", anchor="middle")
    elif place % at.every == 0:
        yield upright(one.label, (middle + 4, FLOOR + 6), anchor="end", room=LONGEST)


def _told(bins: Sequence[Bin], x: str, y: str) -> str:
    listed = "; ".join(f"{one.label}: {full(one.count)}" for one in bins)
    return f"Number of {y} by {x}. {listed}."
