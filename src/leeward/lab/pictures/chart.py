"""Chart: the contents of a figure as plain values: axes, series, panels and lines."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from leeward.core.errors import InvalidParameter
from leeward.lab.pictures.axis import Axis
from leeward.lab.pictures.colour import BLACK


@dataclass(frozen=True)
class Series:
    """A line: the name its rows carry, what it is called, and how it looks.

    The dash and the shape of the markers say the same as the colour, for those who cannot see it.
    """

    name: str
    label: str
    colour: str = BLACK
    dash: tuple[int, ...] = ()
    shape: str = "circle"
    width: float = 1.5


@dataclass(frozen=True)
class Reference:
    """A horizontal rule at a value worth comparing with."""

    value: float
    label: str


@dataclass(frozen=True)
class Panels:
    """A figure of several panels with the same axes, a line for each series in each.

    Rows say in the column `panel` where they belong, in `by` to which series. A row with a text
    in the column `bound` ("≤ 1", "> 4") is no value but a bound: an open marker beside its text,
    which no line reaches. `mark` is a warning, drawn in red above everything.
    """

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    subtitle: str = ""
    panel: str = "panel"
    by: str = "series"
    bound: str = "bound"
    reference: Reference | None = None
    mark: str | None = None


Row: TypeAlias = Mapping[str, object]


@dataclass(frozen=True)
class Dot:
    """A place on a line; without `y` a gap, with a `bound` only a limit of the value."""

    x: float
    y: float | None
    bound: str = ""


@dataclass(frozen=True)
class Line:
    """The dots of a series, from left to right."""

    series: Series
    dots: tuple[Dot, ...]

    @property
    def shown(self) -> tuple[Dot, ...]:
        """The dots that get a marker."""
        return tuple(dot for dot in self.dots if dot.y is not None)

    def runs(self) -> Iterator[tuple[Dot, ...]]:
        """The stretches that are joined: a gap or a bound breaks the line."""
        run: list[Dot] = []
        for dot in self.dots:
            if dot.y is not None and not dot.bound:
                run.append(dot)
            elif run:
                yield tuple(run)
                run = []
        if run:
            yield tuple(run)


@dataclass(frozen=True)
class Panel:
    """A part of a figure: its title and the lines that have something to show."""

    title: str
    lines: tuple[Line, ...]


def arranged(rows: Iterable[Row], chart: Panels) -> tuple[Panel, ...]:
    """The panels in order of their first rows, each with its lines in the order of the series."""
    table = list(rows)
    titles = dict.fromkeys(str(row[chart.panel]) for row in table)
    panels = tuple(Panel(title, _lines(table, chart, title)) for title in titles)
    if not any(panel.lines for panel in panels):
        raise InvalidParameter(
            "rows",
            rule="must hold a value that the axes can show",
            value=f"{len(table)} rows without one",
            next_step="Leave this figure out.",
        )
    return panels


def _lines(table: list[Row], chart: Panels, title: str) -> tuple[Line, ...]:
    mine = [row for row in table if str(row[chart.panel]) == title]
    lines = (
        Line(one, tuple(_dots([row for row in mine if row[chart.by] == one.name], chart)))
        for one in chart.series
    )
    return tuple(line for line in lines if line.shown)


def _dots(rows: list[Row], chart: Panels) -> list[Dot]:
    dots = []
    for row in rows:
        x = chart.x.drawable(row[chart.x.column])
        y = chart.y.drawable(row.get(chart.y.column))
        if x is not None:
            dots.append(Dot(x, y, str(row.get(chart.bound) or "")))
    return sorted(dots, key=lambda dot: dot.x)
