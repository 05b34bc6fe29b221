"""Band: what may be published for one true size, as a hill of likelihood on a scale of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite

from leeward.pictures.picture import Picture
from leeward.pictures.plain.key import Key, keys
from leeward.pictures.plain.letters import width as wide
from leeward.pictures.plain.mark import Point, path, place, polygon, stroke, words
from leeward.pictures.plain.number import full
from leeward.pictures.plain.ruler import Ruler, ruler
from leeward.pictures.plain.sheet import WIDE, at_most, checked, empty, finished

MOST = 12
HILL, SEEN = 60.0, 0.005
"""Height of a hill; the share of its peak below which it is not drawn."""
KEYS = (
    Key("core", "nine times in ten"),
    Key("hill", "otherwise"),
    Key("true", "true size"),
)

Curve = Sequence[Point]


@dataclass(frozen=True)
class Band:
    """A true size, the curve of published numbers, and where nine in ten of them lie."""

    label: str
    true: int
    low: int
    high: int
    curve: Sequence[tuple[float, float]]

    @property
    def told(self) -> str:
        """The interval as words."""
        return f"nine times in ten between {full(self.low)} and {full(self.high)}"

    @property
    def seen(self) -> Curve:
        """The part of the curve that is high enough to be seen; its peak has the height 1."""
        usable = [(x, y) for x, y in self.curve if isfinite(x) and isfinite(y) and y > 0]
        peak = max((y for _, y in usable), default=1.0)
        return sorted((x, y / peak) for x, y in usable if y >= SEEN * peak)


def noise(bands: Sequence[Band], *, title: str, width: int = 680) -> Picture:
    """One row for each band."""
    checked(width)
    at_most(MOST, len(bands), "bands")
    if not bands:
        return empty(title, width)
    high = (38.0 if width >= WIDE else 56.0) + HILL + 42
    rows = [part for at, band in enumerate(bands) for part in _row(band, at * high, width)]
    drawn, foot = keys(KEYS, len(bands) * high, width)
    told = "; ".join(f"{band.label}, true size {full(band.true)}: {band.told}" for band in bands)
    return finished([*rows, *drawn], (width, foot + 8), title=title, description=f"{told}.")


def _row(band: Band, top: float, width: int) -> Iterator[str]:
    """The words beside each other where there is room, otherwise in two lines."""
    if width >= WIDE:
        room = width - wide(band.told) - 16
        yield words(band.label, (0, top + 14), "head", room=room)
        yield words(band.told, (width, top + 14), "number", anchor="end")
    else:
        yield words(band.label, (0, top + 14), "head", room=width)
        yield words(band.told, (0, top + 31), "number", room=width)
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
