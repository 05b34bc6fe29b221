"""Distributions: a histogram of cells, and the curve of published numbers for a true size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, isfinite

from leeward.pictures.picture import Picture
from leeward.pictures.plain.elements import (
    WIDE,
    Key,
    Point,
    Ruler,
    at_most,
    box,
    checked,
    empty,
    finished,
    keys,
    path,
    place,
    polygon,
    ruler,
    stroke,
    upright,
    words,
)
from leeward.pictures.plain.text import full, round_number
from leeward.pictures.plain.text import width as wide

MOST_BINS, FEW = 40, 4
"""Maximum number of bins, and the number of columns that sets their maximum width."""

TOP, FLOOR = 38.0, 188.0
LONGEST, LINE = 210.0, 13.0
"""Maximum length of a vertical label, and the height of a line, in units."""

MOST_BANDS = 12
HILL, SEEN = 60.0, 0.005
"""Height of a curve in units, and the share of its peak below which it is not drawn."""

KEYS = (
    Key("core", "nine times in ten"),
    Key("hill", "otherwise"),
    Key("true", "true size"),
)
Curve = Sequence[Point]


@dataclass(frozen=True)
class Bin:
    """A range with both ends, and the number of cells in it."""

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
class HistogramLayout:
    """The places of columns, and which texts have room."""

    up: Ruler
    left: float
    column: float
    counted: bool
    label: float

    @property
    def turned(self) -> bool:
        """Whether labels are vertical."""
        return self.label > self.column - 6

    @property
    def every(self) -> int:
        """The distance between labelled columns: 1 if all are labelled."""
        return max(1, ceil(LINE / self.column))

    @property
    def foot(self) -> float:
        """Under the labels."""
        return FLOOR + (min(self.label, LONGEST) + 10 if self.turned else 18)


@dataclass(frozen=True)
class Band:
    """A true size, the curve of published numbers, and the interval of nine in ten of them."""

    label: str
    true: int
    low: int
    high: int
    curve: Sequence[tuple[float, float]]

    @property
    def interval(self) -> str:
        """The interval as words."""
        return f"nine times in ten between {full(self.low)} and {full(self.high)}"

    @property
    def seen(self) -> Curve:
        """The visible part of the curve, scaled to the height 1."""
        usable = [(x, y) for x, y in self.curve if isfinite(x) and isfinite(y) and y > 0]
        peak = max((y for _, y in usable), default=1.0)
        return sorted((x, y / peak) for x, y in usable if y >= SEEN * peak)


def histogram(
    bins: Sequence[Bin], *, title: str, x: str, y: str = "cells", width: int = 680
) -> Picture:
    """One column for each bin, in the order given, with its count."""
    checked(width)
    at_most(MOST_BINS, len(bins), "bins")
    if not bins:
        return empty(title, width)
    at = _layout(bins, width)
    middle, room = (at.left + width) / 2, width - at.left
    parts = [
        words(y, (0, 12), "soft", room=width),
        *(() if at.counted else _grid(at, width)),
        *(part for place, one in enumerate(bins) for part in _column(one, place, at)),
        path(stroke((at.left, FLOOR), (width, FLOOR)), "line"),
        words(x, (middle, at.foot + 16), "soft", anchor="middle", room=room),
    ]
    return finished(parts, (width, at.foot + 24), title=title, description=_description(bins, x, y))


def _layout(bins: Sequence[Bin], width: int) -> HistogramLayout:
    """Counts are drawn over their columns if all have room; otherwise on a scale."""
    up = ruler((one.count for one in bins), FLOOR, TOP)
    columns = max(len(bins), FEW)
    counted = width / columns >= max(wide(full(one.count)) for one in bins) + 4
    left = 0.0 if counted else max(wide(round_number(t), 11) for t in up.scale.ticks) + 9
    label = max(wide(one.label, 11) for one in bins)
    return HistogramLayout(up, left, (width - left) / columns, counted, label)


def _grid(at: HistogramLayout, width: int) -> Iterator[str]:
    for tick in at.up.scale.ticks:
        y = at.up.at(tick)
        yield path(stroke((at.left, y), (width, y)), "grid")
        yield words(round_number(tick), (at.left - 8, y + 4), "soft", anchor="end")


def _column(one: Bin, place: int, at: HistogramLayout) -> Iterator[str]:
    middle, top = at.left + (place + 0.5) * at.column, min(at.up.at(one.count), FLOOR)
    thick = min(0.8 * at.column, 72)
    tooltip = f"{one.label}: {full(one.count)}"
    yield box((middle - thick / 2, top, thick, FLOOR - top), "bar", tooltip=tooltip)
    if at.counted:
        yield words(full(one.count), (middle, top - 5), "number", anchor="middle")
    if not at.turned:
        yield words(one.label, (middle, FLOOR + 15), "soft", anchor="middle")
    elif place % at.every == 0:
        yield upright(one.label, (middle + 4, FLOOR + 6), anchor="end", room=LONGEST)


def _description(bins: Sequence[Bin], x: str, y: str) -> str:
    listed = "; ".join(f"{one.label}: {full(one.count)}" for one in bins)
    return f"Number of {y} by {x}. {listed}."


def noise(bands: Sequence[Band], *, title: str, width: int = 680) -> Picture:
    """One row for each band."""
    checked(width)
    at_most(MOST_BANDS, len(bands), "bands")
    if not bands:
        return empty(title, width)
    high = (38.0 if width >= WIDE else 56.0) + HILL + 42
    rows = [part for at, band in enumerate(bands) for part in _row(band, at * high, width)]
    drawn, foot = keys(KEYS, len(bands) * high, width)
    described = "; ".join(
        f"{band.label}, true size {full(band.true)}: {band.interval}" for band in bands
    )
    return finished([*rows, *drawn], (width, foot + 8), title=title, description=f"{described}.")


def _row(band: Band, top: float, width: int) -> Iterator[str]:
    """One band; its texts are side by side if there is room, otherwise in two lines."""
    if width >= WIDE:
        room = width - wide(band.interval) - 16
        yield words(band.label, (0, top + 14), "head", room=room)
        yield words(band.interval, (width, top + 14), "number", anchor="end")
    else:
        yield words(band.label, (0, top + 14), "head", room=width)
        yield words(band.interval, (0, top + 31), "number", room=width)
    down = top + (38 if width >= WIDE else 56) + HILL
    curve = band.seen
    shown = [*(x for x, _ in curve), band.true, band.low, band.high]
    along = ruler(shown, 1, width - 1, zero=False)
    yield from _hill(band, curve, along, down)
    yield from _ticks(along, down)
    yield from _true(band.true, along, down)


def _hill(band: Band, curve: Curve, along: Ruler, foot: float) -> Iterator[str]:
    """The whole curve, over it the interval, and a thin edge around both."""
    if len(curve) < 2:
        return
    yield path(_area(curve, along, foot), "hill")
    inner = _between(curve, band.low, band.high)
    if inner:
        yield path(_area(inner, along, foot), "core")
    edge = "L".join(f"{place(along.at(x))} {place(foot - y * HILL)}" for x, y in curve)
    yield path(f"M{edge}", "edge")


def _area(curve: Curve, along: Ruler, foot: float) -> str:
    ends = ((curve[0][0], 0.0), *curve, (curve[-1][0], 0.0))
    return polygon((along.at(x), foot - y * HILL) for x, y in ends)


def _between(curve: Curve, low: float, high: float) -> Curve:
    """The curve from low to high, with points of its own at both ends."""
    ends = [(end, up) for end in (low, high) for up in _height(curve, end)]
    return sorted([*ends, *((x, y) for x, y in curve if low < x < high)])


def _height(curve: Curve, at: float) -> Iterator[float]:
    """The height of the curve at a place; none beyond its ends."""
    for (start, up), (end, down) in pairwise(curve):
        if start <= at <= end and start < end:
            yield up + (down - up) * (at - start) / (end - start)
            return


def _ticks(along: Ruler, foot: float) -> Iterator[str]:
    yield path(stroke((along.start, foot), (along.end, foot)), "line")
    texts = {tick: full(int(tick)) for tick in along.scale.ticks}
    for tick, middle in along.written(texts, along.end + 1):
        at = along.at(tick)
        yield path(stroke((at, foot), (at, foot + 4)), "line")
        yield words(texts[tick], (middle, foot + 16), "soft", anchor="middle")


def _true(value: int, along: Ruler, foot: float) -> Iterator[str]:
    at, text = along.at(value), f"true size {full(value)}"
    half = wide(text, 11) / 2
    yield path(stroke((at, foot - HILL - 4), (at, foot)), "true")
    middle = min(max(at, half), along.end + 1 - half)
    yield words(text, (middle, foot - HILL - 8), "soft", anchor="middle")
