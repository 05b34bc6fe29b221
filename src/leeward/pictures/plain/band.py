"""Band: what may be published for one true size, as a hill of likelihood on a scale of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite

from leeward.pictures.picture import Picture
from leeward.pictures.plain.letters import width as wide
from leeward.pictures.plain.mark import Point, box, path, polygon, stroke, words
from leeward.pictures.plain.number import full
from leeward.pictures.plain.ruler import Ruler, ruler
from leeward.pictures.plain.sheet import WIDE, at_most, checked, empty, finished

MOST = 12
HILL, SEEN = 46.0, 0.004
"""Height of a hill; the share of its peak below which it is not drawn."""


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


def noise(bands: Sequence[Band], *, title: str, width: int = 680) -> Picture:
    """One row for each band."""
    checked(width)
    at_most(MOST, len(bands), "bands")
    if not bands:
        return empty(title, width)
    head = 20.0 if width >= WIDE else 37.0
    high = head + 18 + HILL + 20 + 20
    rows = [part for at, band in enumerate(bands) for part in _row(band, at * high, width)]
    foot = len(bands) * high
    told = "; ".join(f"{band.label}, true size {full(band.true)}: {band.told}" for band in bands)
    return finished(
        [*rows, *_key(foot, width)],
        (width, foot + (14 if width >= WIDE else 50)),
        title=title,
        description=f"{told}.",
    )


def _row(band: Band, top: float, width: int) -> Iterator[str]:
    beside = width >= WIDE
    told = wide(band.told)
    yield words(band.label, (0, top + 14), "head", room=width - told - 16 if beside else width)
    if beside:
        yield words(band.told, (width, top + 14), "number", anchor="end")
    else:
        yield words(band.told, (0, top + 31), "number")
    yield from _hill(band, top + (38 if beside else 55), width)


def _hill(band: Band, top: float, width: int) -> Iterator[str]:
    """The curve over its ruler, the interval, and the true size."""
    peak = max((y for _, y in _finite(band)), default=1.0) or 1.0
    curve = sorted((x, y / peak) for x, y in _finite(band) if y >= SEEN * peak)
    seen = [x for x, _ in curve] + [band.true, band.low, band.high]
    along = ruler(seen, 1, width - 1, zero=False)
    foot = top + HILL
    if curve:
        yield path(_area(curve, along, foot), "hill")
        inner = _between(curve, band.low, band.high)
        yield path(_area(inner, along, foot), "core") if inner else ""
    yield path(stroke((1, foot), (width - 1, foot)), "line")
    yield from _ticks(along, foot)
    at = along.at(band.true)
    yield path(stroke((at, top - 4), (at, foot)), "true")
    text = f"true size {full(band.true)}"
    half = wide(text, 11) / 2
    middle = min(max(at, half), width - half)
    yield words(text, (middle, top - 8), "soft", anchor="middle")


def _finite(band: Band) -> list[tuple[float, float]]:
    return [(x, y) for x, y in band.curve if isfinite(x) and isfinite(y) and y >= 0]


def _area(curve: Sequence[Point], along: Ruler, foot: float) -> str:
    ends = ((curve[0][0], 0.0), *curve, (curve[-1][0], 0.0))
    return polygon((along.at(x), foot - y * HILL) for x, y in ends)


def _between(curve: Sequence[Point], low: float, high: float) -> list[Point]:
    """The curve from low to high, with points of its own at both ends."""
    inner = [(x, y) for x, y in curve if low < x < high]
    for end in (low, high):
        for (a, up), (b, down) in pairwise(curve):
            if a <= end <= b and a < b:
                inner.append((end, up + (down - up) * (end - a) / (b - a)))
                break
    return sorted(inner)


def _ticks(along: Ruler, foot: float) -> Iterator[str]:
    texts = {tick: full(int(tick)) for tick in along.scale.ticks}
    for tick in along.ticks(texts):
        at, half = along.at(tick), wide(texts[tick], 11) / 2
        yield path(stroke((at, foot), (at, foot + 4)), "line")
        middle = min(max(at, half), along.end + 1 - half)
        yield words(texts[tick], (middle, foot + 16), "soft", anchor="middle")


def _key(top: float, width: int) -> Iterator[str]:
    """What the colours say; the same words for every row."""
    x, y = 0.0, top
    for look, text in (("core", "nine in ten published numbers"), ("hill", "the others")):
        yield box((x, y - 9, 16, 10), look)
        yield words(text, (x + 22, y), "soft")
        x, y = (x + 46 + wide(text, 11), y) if width >= WIDE else (0.0, y + 18)
    yield path(stroke((x + 8, y - 10), (x + 8, y + 2)), "true")
    yield words("true size", (x + 22, y), "soft")
