"""Panels: lines on the same axes, panel beside panel, each named at its end, as plain data.

`panel_sheet.py` places them; `panels.svg.j2` draws a file that needs no style sheet. Colours are
those of Okabe and Ito, which the colour-blind can tell apart; WINE is of the muted palette of Paul
Tol, which has the same aim.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import isfinite
from typing import ClassVar

from leeward.core.show.axes import AIR, LEAST_TICKS, Axis, Tick, named

BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
WINE = "#882255"
GREY = "#767676"
RED = "#B00020"

READABLE = 4.5
"""The contrast to white that text needs (WCAG 2.1, level AA)."""


def ink(colour: str) -> str:
    """The colour for text: the same hue, dark enough to be read on white."""
    channels = tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
    shade = next(s for s in range(100, -1, -1) if contrast(_darker(channels, s)) >= READABLE)
    return "#" + "".join(f"{channel:02X}" for channel in _darker(channels, shade))


def contrast(channels: tuple[int, ...]) -> float:
    """The contrast of a colour to white, from 1 to 21."""
    red, green, blue = (
        share / 12.92 if share <= 0.03928 else float(((share + 0.055) / 1.055) ** 2.4)
        for share in (channel / 255 for channel in channels)
    )
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _darker(channels: tuple[int, ...], percent: int) -> tuple[int, ...]:
    return tuple(channel * percent // 100 for channel in channels)


@dataclass(frozen=True)
class Stroke:
    """How a line looks: dash and marker tell what the colour tells, for those who do not see it."""

    colour: str = BLACK
    dash: str = ""
    marker: str = "circle"
    width: float = 1.5


@dataclass(frozen=True)
class TracePoint:
    """A place on a line; without `y` a gap.

    One with a text in `bound` ("≤ 1", "> 4") is no value but a limit: an open marker beside the
    text, which no line reaches.
    """

    x: float
    y: float | None
    bound: str = ""


@dataclass(frozen=True)
class Trace:
    """A line: what it is called, how it looks, and its points from left to right."""

    label: str
    stroke: Stroke
    points: tuple[TracePoint, ...]

    @property
    def shown(self) -> tuple[TracePoint, ...]:
        """The points that get a marker."""
        return tuple(point for point in self.points if point.y is not None)

    @property
    def runs(self) -> Iterator[list[TracePoint]]:
        """The stretches that are joined: a gap or a bound breaks the line."""
        run: list[TracePoint] = []
        for point in self.points:
            if point.y is not None and not point.bound:
                run.append(point)
            else:
                yield run
                run = []
        yield run


@dataclass(frozen=True)
class Facet:
    """A panel: its title and its lines."""

    title: str
    traces: tuple[Trace, ...]


@dataclass(frozen=True)
class Direction:
    """What an axis shows, with these `ticks` where three of them are in sight.

    It shows what it `reaches` whatever the values are, and leaves `air` free beside them.
    """

    title: str
    log: bool = False
    ticks: tuple[float, ...] = ()
    reaches: tuple[float, ...] = ()
    air: float = AIR

    def has(self, value: float | None) -> bool:
        """Whether a value has a place: no missing or infinite one has, nor zero on a log axis."""
        return value is not None and isfinite(value) and (value > 0 or not self.log)

    def axis(self, values: Iterable[float]) -> Axis:
        """The axis that shows all values."""
        return Axis.of((*values, *self.reaches), log=self.log, air=self.air)

    def numbers(self, axis: Axis) -> tuple[Tick, ...]:
        """The numbers at its axis."""
        given = (Tick(axis.at(value), text) for value, text in named(self.ticks))
        seen = tuple(tick for tick in given if 0 <= tick.at <= 100)
        return seen if len(seen) >= LEAST_TICKS else axis.ticks


@dataclass(frozen=True)
class FacetPlot:
    """Lines in panels with the same axes.

    `level` is a horizontal line with its name; `mark` is a warning, in red above everything.
    """

    kind: ClassVar[str] = "panels"

    title: str
    x: Direction
    y: Direction
    facets: tuple[Facet, ...]
    subtitle: str = ""
    level: tuple[float, str] | None = None
    mark: str | None = None

    @property
    def drawable(self) -> tuple[Facet, ...]:
        """The panels with the points that have a place, and the lines that have such points."""
        facets = []
        for facet in self.facets:
            traces = []
            for trace in facet.traces:
                points = tuple(
                    replace(point, y=point.y if self.y.has(point.y) else None)
                    for point in trace.points
                    if self.x.has(point.x)
                )
                placed = replace(trace, points=points)
                if placed.shown:
                    traces.append(placed)
            facets.append(Facet(facet.title, tuple(traces)))
        return tuple(facets)

    @property
    def description(self) -> str:
        """The figure for readers who do not see it."""
        lines = dict.fromkeys(trace.label for facet in self.drawable for trace in facet.traces)
        parts = (
            self.mark,
            self.subtitle,
            f"Panels: {'; '.join(facet.title for facet in self.facets)}.",
            f"Across: {self.x.title}. Upwards: {self.y.title}.",
            f"Lines: {'; '.join(lines)}.".replace("\n", " "),
            f"A rule at {self.level[0]:g}: {self.level[1]}." if self.level else "",
        )
        return " ".join(part for part in parts if part)
