"""Layout: how many panels stand side by side, how large they are, and where labels stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leeward.pictures import labels
from leeward.pictures.axis import Scale
from leeward.pictures.chart import Panels
from leeward.pictures.colour import BLACK, ink
from leeward.pictures.labels import Label
from leeward.pictures.panel import Dot, Panel

PAGE = 900.0
"""Width of a figure in pixels."""
BESIDE = 62.0
"""What a panel needs beside its plot and its labels: numbers of the axis, and air."""
NARROWEST, WIDEST, LOWEST = 150.0, 420.0, 220.0
"""Sizes of a plot in pixels."""
TOUCH = 14.0
"""From the edge of a plot to its labels, in pixels."""


@dataclass(frozen=True)
class Layout:
    """The grid of panels and the plots in it: all alike, so that they can be compared.

    `beside` is what a panel needs beside its plot.
    """

    columns: int
    beside: float
    width: float
    height: float
    x: Scale
    y: Scale


@dataclass(frozen=True)
class Placed:
    """A label at the place it got, beside the place its line ends; all in values of the axes.

    `lines` are the heights of the lines of its text.
    """

    label: Label
    end: tuple[float, float]
    at: tuple[float, float]
    lines: tuple[float, ...]


def laid_out(panels: Sequence[Panel], chart: Panels) -> Layout:
    """The largest plots that fit on a page with their labels."""
    beside = BESIDE + max(labels.width(text) for text in _texts(chart))
    columns = min(len(panels), max(2, int(PAGE // (beside + NARROWEST))))
    width = min(WIDEST, max(NARROWEST, PAGE / columns - beside))
    most = max(sum(Label(text, "", 0).height for text in _ends(one, chart)) for one in panels)
    dots = [dot for panel in panels for line in panel.lines for dot in line.shown]
    y = [dot.y for dot in dots if dot.y is not None]
    rule = [chart.reference.value] if chart.reference else []
    return Layout(
        columns,
        beside,
        round(width),
        max(LOWEST, most + labels.LINE),
        chart.x.scale(dot.x for dot in dots),
        chart.y.scale([*y, *rule]),
    )


def placed(panel: Panel, chart: Panels, layout: Layout) -> Iterator[Placed]:
    """The labels of a panel, each beside the last dot of its line, moved as little as needed."""
    found = [
        (Label(line.series.label, ink(line.series.colour), 0), line.shown[-1])
        for line in panel.lines
    ]
    if chart.reference:
        end = Dot(layout.x.high, chart.reference.value)
        found.append((Label(chart.reference.label, BLACK, 0), end))
    ends = [(dot.x, dot.y) for _, dot in found if dot.y is not None]
    wanting = [
        Label(label.text, label.colour, layout.height * (1 - layout.y.share(y)))
        for (label, _), (_, y) in zip(found, ends, strict=True)
    ]
    right = layout.x.value(1 + TOUCH / layout.width)
    heights = labels.dodged(wanting, room=layout.height)
    for label, end_at, height in zip(wanting, ends, heights, strict=True):
        rows = range(label.rows)
        middles = [height + labels.LINE * (row - (label.rows - 1) / 2) for row in rows]
        at, *lines = (layout.y.value(1 - one / layout.height) for one in (height, *middles))
        yield Placed(label, end_at, (right, at), tuple(lines))


def _texts(chart: Panels) -> list[str]:
    rule = [chart.reference.label] if chart.reference else []
    return [*(one.label for one in chart.series), *rule]


def _ends(panel: Panel, chart: Panels) -> list[str]:
    rule = [chart.reference.label] if chart.reference else []
    return [*(line.series.label for line in panel.lines), *rule]
