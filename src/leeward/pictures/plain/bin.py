"""Bin: how many cells lie in which range, as columns of equal width."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leeward.pictures.picture import Picture
from leeward.pictures.plain.letters import width as wide
from leeward.pictures.plain.mark import box, path, stroke, upright, words
from leeward.pictures.plain.number import full, round_number
from leeward.pictures.plain.ruler import Ruler, ruler
from leeward.pictures.plain.sheet import at_most, checked, empty, finished

MOST = 40
TOP, HIGH = 38.0, 150.0
FLOOR = TOP + HIGH


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


def histogram(
    bins: Sequence[Bin], *, title: str, x: str, y: str = "cells", width: int = 680
) -> Picture:
    """One column for each bin, in the order given, with its count."""
    checked(width)
    at_most(MOST, len(bins), "bins")
    if not bins:
        return empty(title, width)
    up = ruler((one.count for one in bins), FLOOR, TOP)
    written = _column(0, width, len(bins)) >= max(wide(full(one.count)) for one in bins) + 4
    left = 0.0 if written else max(wide(round_number(t), 11) for t in up.scale.ticks) + 8
    column = _column(left, width, len(bins))
    turned = column < max(wide(one.label, 11) for one in bins) + 6
    foot = FLOOR + (min(max(wide(one.label, 11) for one in bins), 130) + 8 if turned else 18)
    parts = [
        words(y, (0, 12), "soft", room=width),
        *(() if written else _grid(up, left, width)),
        *(
            part
            for at, one in enumerate(bins)
            for part in _bar(one, up, (left + at * column, column), written=written, turned=turned)
        ),
        path(stroke((left, FLOOR), (width, FLOOR)), "line"),
        words(x, ((left + width) / 2, foot + 16), "soft", anchor="middle", room=width - left),
    ]
    return finished(parts, (width, foot + 24), title=title, description=_description(bins, x, y))


def _column(left: float, width: int, count: int) -> float:
    return (width - left) / max(count, 4)


def _grid(up: Ruler, left: float, width: int) -> Iterator[str]:
    """Heights with their numbers, where counts find no room over their columns."""
    for tick in up.scale.ticks:
        yield path(stroke((left, up.at(tick)), (width, up.at(tick))), "grid")
        yield words(round_number(tick), (left - 8, up.at(tick) + 4), "soft", anchor="end")


def _bar(
    one: Bin, up: Ruler, span: tuple[float, float], *, written: bool, turned: bool
) -> Iterator[str]:
    start, wide_ = span
    middle, top = start + wide_ / 2, min(up.at(one.count), FLOOR)
    thick = min(0.8 * wide_, 72)
    told = f"{one.label}: {full(one.count)}"
    yield box((middle - thick / 2, top, thick, FLOOR - top), "bar", told=told)
    if written:
        yield words(full(one.count), (middle, top - 5), "number", anchor="middle")
    if turned:
        yield upright(one.label, (middle + 4, FLOOR + 6 + min(wide(one.label, 11), 130)), room=130)
    else:
        yield words(one.label, (middle, FLOOR + 15), "soft", anchor="middle")


def _description(bins: Sequence[Bin], x: str, y: str) -> str:
    listed = "; ".join(f"{one.label}: {full(one.count)}" for one in bins)
    return f"Number of {y} by {x}. {listed}."
