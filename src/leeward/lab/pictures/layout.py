"""Layout: columns and sizes of panels, and places of labels that do not overlap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from leeward.lab.pictures.axis import Scale
from leeward.lab.pictures.chart import Dot, Panel, Panels
from leeward.lab.pictures.colour import BLACK, ink

LETTER = 5.4
"""Mean width of a letter, in pixels, at the size of labels."""

LINE = 13.0
"""Height of a line of text, in pixels, at the size of labels."""

PAGE = 900.0
"""Width of a figure in pixels."""

BESIDE = 62.0
"""Width in pixels of a panel beside its plot and labels: numbers of the axis, and space."""

NARROWEST, WIDEST, LOWEST = 150.0, 420.0, 220.0
"""Sizes of a plot in pixels."""

TOUCH = 14.0
"""From the edge of a plot to its labels, in pixels."""


@dataclass(frozen=True)
class Label:
    """A text and its wanted height, in pixels from the top."""

    text: str
    colour: str
    wanted: float

    @property
    def rows(self) -> int:
        """How many lines the text has."""
        return self.text.count("\n") + 1

    @property
    def height(self) -> float:
        """The height of the text in pixels."""
        return LINE * self.rows


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
    beside = BESIDE + max(text_width(text) for text in _texts(chart))
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
        max(LOWEST, most + LINE),
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
    heights = dodged(wanting, room=layout.height)
    for label, end_at, height in zip(wanting, ends, heights, strict=True):
        rows = range(label.rows)
        middles = [height + LINE * (row - (label.rows - 1) / 2) for row in rows]
        at, *lines = (layout.y.value(1 - one / layout.height) for one in (height, *middles))
        yield Placed(label, end_at, (right, at), tuple(lines))


def text_width(text: str) -> float:
    """The estimated width of a text of one or more lines, in pixels."""
    return LETTER * max(len(line) for line in text.split("\n"))


def dodged(labels: Sequence[Label], *, room: float) -> tuple[float, ...]:
    """Heights of the centres: none covers another, all between 0 and `room`, as near as can be.

    Written as q_i = centre_i − (what stands above it), the order must not fall: the nearest such
    q in squares is an isotonic regression, and its bounded form is the clipped one.
    """
    order = sorted(range(len(labels)), key=lambda one: labels[one].wanted)
    heights = [labels[one].height for one in order]
    above = [below - own / 2 for below, own in zip(accumulate(heights), heights, strict=True)]
    wanted = [labels[one].wanted - up for one, up in zip(order, above, strict=True)]
    most = max(0.0, room - sum(heights))
    placed = [0.0] * len(labels)
    for one, up, start in zip(order, above, _rising(wanted), strict=True):
        placed[one] = min(max(start, 0.0), most) + up
    return tuple(placed)


def _rising(wanted: Sequence[float]) -> list[float]:
    """The nearest numbers that do not fall: pools of neighbours share their mean."""
    pools: list[list[float]] = []
    for one in wanted:
        pools.append([one])
        while len(pools) > 1 and _mean(pools[-2]) >= _mean(pools[-1]):
            last = pools.pop()
            pools[-1].extend(last)
    return [_mean(pool) for pool in pools for _ in pool]


def _mean(pool: list[float]) -> float:
    return sum(pool) / len(pool)


def _texts(chart: Panels) -> list[str]:
    rule = [chart.reference.label] if chart.reference else []
    return [*(one.label for one in chart.series), *rule]


def _ends(panel: Panel, chart: Panels) -> list[str]:
    rule = [chart.reference.label] if chart.reference else []
    return [*(line.series.label for line in panel.lines), *rule]
