"""Point charts: curves of noise, dots of pairs, trends; places are in per cent of their room."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, copysign, isfinite, log10
from statistics import median
from typing import ClassVar

from leeward.core.show.axes import LEAST_TICKS, AxisScale, Tick
from leeward.core.show.charts import ChartBar
from leeward.core.show.numbers import count, tick

SEEN = 0.005
"""Share of its peak below which a curve is not drawn."""


MOST_TOOLTIPS = 400
"""Maximum number of dots with a tooltip each."""


MOST_NAMES = 8
"""Maximum number of names below a trend; of more points every second, third, … is named."""


SPREAD = 30
"""Ratio of the largest to the median value from which a scatter plot is logarithmic."""


Point = tuple[float, float]


@dataclass(frozen=True)
class Band:
    """A true size, the curve of published numbers, and the interval of nine in ten of them."""

    label: str
    true: int
    low: int
    high: int
    curve: Sequence[Point]

    @property
    def interval(self) -> str:
        return f"nine times in ten between {count(self.low)} and {count(self.high)}"

    @property
    def seen(self) -> Sequence[Point]:
        """The visible part of the curve, scaled to the height 1."""
        usable = [(x, y) for x, y in self.curve if isfinite(x) and isfinite(y) and y > 0]
        peak = max((y for _, y in usable), default=1.0)
        return sorted((x, y / peak) for x, y in usable if y >= SEEN * peak)


@dataclass(frozen=True)
class Hill:
    """A band as it is drawn: polygons in a box of 1000 by 100, and places in per cent."""

    band: Band
    whole: str
    core: str
    edge: str
    true: Tick
    ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class Curves:
    """Distributions of published numbers, one below the other."""

    kind: ClassVar = "curves"

    title: str
    hills: tuple[Hill, ...]


def curves(bands: Sequence[Band], *, title: str) -> Curves:
    """One curve for each band, each on its own scale."""
    hills = []
    for band in bands:
        curve = band.seen
        shown = [*(x for x, _ in curve), band.true, band.low, band.high]
        scale = AxisScale.of(shown, zero=False)
        whole = _area(curve, scale)
        core = _area(_between(curve, band.low, band.high), scale)
        true = Tick(scale.at(band.true), f"true size {count(band.true)}")
        hills.append(Hill(band, whole, core, _points(curve, scale), true, scale.ticks))
    return Curves(title, tuple(hills))


def _area(curve: Sequence[Point], scale: AxisScale) -> str:
    if len(curve) < 2:
        return ""
    return _points([(curve[0][0], 0.0), *curve, (curve[-1][0], 0.0)], scale)


def _points(curve: Sequence[Point], scale: AxisScale) -> str:
    return " ".join(f"{10 * scale.at(x):.1f},{100 - 100 * y:.1f}" for x, y in curve)


def _between(curve: Sequence[Point], low: float, high: float) -> Sequence[Point]:
    """The curve from low to high, with points of its own at both ends, if it goes so far."""
    points = [(x, y) for x, y in curve if low < x < high]
    for at in (low, high):
        for (start, up), (end, down) in pairwise(curve):
            if start <= at <= end and start < end:
                points.append((at, up + (down - up) * (at - start) / (end - start)))
                break
    return sorted(points)


@dataclass(frozen=True)
class Dot:
    """A pair of numbers; marked ones have another shape and colour."""

    x: float
    y: float
    marked: bool = False
    label: str = ""


@dataclass(frozen=True)
class DotChart:
    """Dots in per cent of a square whose two axes have one scale."""

    kind: ClassVar = "scatter"

    title: str
    x: str
    y: str
    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    log: bool

    @property
    def description(self) -> str:
        marked = sum(dot.marked for dot in self.dots)
        return (
            f"Across: {self.x}. Upwards: {self.y}. {len(self.dots)} dots, {marked} of them marked."
        )


def scatter(dots: Sequence[Dot], *, title: str, x: str, y: str) -> DotChart:
    """The dots on axes of one scale; it is logarithmic far from zero where values need it."""
    values = [value for dot in dots for value in (dot.x, dot.y)] or [0.0]
    sizes = [abs(value) for value in values]
    log = max(sizes) >= 1000 and max(sizes) > SPREAD * (1 + median(sizes))
    shown = map(bent, values) if log else values
    scale = AxisScale.of(shown, zero=log, air=0.03)
    placed = []
    for dot in dots:
        across, up = (scale.at(bent(value) if log else value) for value in (dot.x, dot.y))
        label = dot.label if len(dots) <= MOST_TOOLTIPS else ""
        placed.append(Dot(across, round(100 - up, 2), dot.marked, label))
    ticks = scale.ticks
    if log:  # zero and powers of ten, so few that their numbers do not touch, and at least three
        step = ceil((scale.high - scale.low) / 5)
        powers = (_powers(scale, fewer) for fewer in range(step, 0, -1))
        ticks = next((few for few in powers if len(few) >= LEAST_TICKS), _powers(scale, 1))
    return DotChart(title, x, y, tuple(placed), ticks, log)


def bent(value: float) -> float:
    """A value on the logarithmic scale: linear near zero, logarithmic on both sides of it."""
    return copysign(log10(1 + abs(value)), value)


def _powers(scale: AxisScale, step: int) -> tuple[Tick, ...]:
    """Zero and every `step`-th power of ten on both sides."""
    last = ceil(max(abs(scale.low), abs(scale.high)))
    powers = range(step, last + 1, step)
    values = [0.0, *(sign * 10.0**power for power in powers for sign in (1, -1))]
    return tuple(
        Tick(scale.at(bent(value)), tick(value))
        for value in values
        if 0 <= scale.at(bent(value)) <= 100
    )


@dataclass(frozen=True)
class TrendMark:
    """A point of a trend in per cent; `low` and `high` are the ends of its line, the upper second.

    An end that is not `known` is out of sight. Few names have room below the points.
    """

    bar: ChartBar
    at: float
    up: float
    low: float
    high: float
    known: tuple[bool, bool]
    named: bool

    @property
    def ends(self) -> tuple[float, ...]:
        """Where the line has a cap."""
        places = zip((self.low, self.high), self.known, strict=True)
        return tuple(place for place, known in places if known)


@dataclass(frozen=True)
class Trend:
    """Numbers over time as points with the lines of their intervals; zero need not be in sight."""

    kind: ClassVar = "trend"

    title: str
    unit: str
    marks: tuple[TrendMark, ...]
    ticks: tuple[Tick, ...]

    @property
    def links(self) -> Iterator[tuple[TrendMark, TrendMark]]:
        return pairwise(self.marks)

    @property
    def description(self) -> str:
        return "; ".join(f"{mark.bar.label}: {count(mark.bar.value)}" for mark in self.marks)


def trend(items: Sequence[ChartBar], *, title: str, unit: str) -> Trend:
    """Points in the given order, at equal distances."""
    marks = (mark for item in items for mark in (item.value, *(item.ends or ())))
    scale = AxisScale.of((mark for mark in marks if mark is not None), zero=not items, air=0.05)
    every = ceil(len(items) / MOST_NAMES)
    drawn = [
        _mark(item, scale, round(100 * (at + 0.5) / len(items), 2), named=at % every == 0)
        for at, item in enumerate(items)
    ]
    return Trend(title, unit, tuple(drawn), scale.ticks)


def _mark(item: ChartBar, scale: AxisScale, at: float, *, named: bool) -> TrendMark:
    up = round(100 - scale.at(item.value), 2)
    if item.ends is None:
        return TrendMark(item, at, up, up, up, (False, False), named)
    known = (item.ends[0] is not None, item.ends[1] is not None)
    places = (
        (scale.low if item.ends[0] is None else item.ends[0]),
        (scale.high if item.ends[1] is None else item.ends[1]),
    )
    low, high = (round(100 - scale.at(place), 2) for place in places)
    return TrendMark(item, at, up, low, high, known, named)
