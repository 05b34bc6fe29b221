"""Panel: the rows of one part of a figure, arranged as lines."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from leeward.errors import InvalidParameter
from leeward.pictures.chart import Panels, Series

Row: TypeAlias = Mapping[str, object]


@dataclass(frozen=True)
class Dot:
    """A place on a line; without `y` a gap, with a `bound` no value but a limit of it."""

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
