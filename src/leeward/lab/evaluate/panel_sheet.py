"""Panel sheet: panels with their lines and labels on one SVG file; all places are in pixels.

Names beside the ends of lines are moved so that none covers another; widths of letters are
estimated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from textwrap import wrap

from leeward.core.show.axes import Axis, Tick
from leeward.core.show.environment import template
from leeward.lab.evaluate.panels import BLACK, RED, Facet, FacetPlot, Trace, TracePoint, ink

PAGE, EDGE = 900.0, 12
"""Width of a file without its edges, and an edge."""

BESIDE, TOUCH = 52.0, 16.0
"""Room at the left of a plot, and between a plot and its labels."""

ABOVE, BELOW = 22, 46
"""Room above and below a plot, for the title of its panel and the numbers and title of its axis."""

NARROWEST, WIDEST, LOWEST = 150.0, 420.0, 220.0
"""Sizes of a plot."""

TITLE, TEXT = 16, 12
"""Sizes of text."""

LETTER, LINE = 5.4, 13.0
"""Mean width of a letter, and height of a line of text."""

BOLD, PLAIN = 0.56, 0.46
"""Mean widths of a letter, as shares of its size."""

MARKERS = {
    "circle": "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z",
    "square": "M-2.6-2.6H2.6V2.6H-2.6Z",
    "diamond": "M0-3.6 3.2 0 0 3.6-3.2 0Z",
    "triangle-up": "M0-3.2 3.5 2.8H-3.5Z",
    "triangle-down": "M0 3.2 3.5-2.8H-3.5Z",
    "triangle-right": "M3.2 0-2.8 3.5V-3.5Z",
    "cross": "M-3.2-1.2H-1.2V-3.2H1.2V-1.2H3.2V1.2H1.2V3.2H-1.2V1.2H-3.2Z",
}

BOUNDS = {"≤": ("triangle-down", 16), ">": ("triangle-up", -8)}
"""The marker of a bound and how far below it its text is, by the first letter of the text."""


@dataclass(frozen=True)
class PanelPicture:
    """A drawn figure as SVG text, with what a page says beside it or in place of it."""

    svg: str
    title: str
    description: str


def panel_picture(plot: FacetPlot) -> PanelPicture:
    """Draw the panels: the same SVG every time."""
    sheet = template("evaluate/panels.svg.j2").render(
        plot=plot, sheet=PanelSheet(plot), markers=MARKERS, bounds=BOUNDS, red=RED, ink=ink
    )
    return PanelPicture(sheet.strip(), plot.title, plot.description)


@dataclass(frozen=True)
class EndLabel:
    """A text of one or more lines, its colour, and the end of its line, from the top left."""

    text: str
    colour: str
    end: tuple[float, float]

    @property
    def height(self) -> float:
        """The height of the text."""
        return text_height(self.text)

    def rows(self, centre: float) -> list[tuple[float, str]]:
        """Its lines of text around this centre, each with the height of its middle."""
        first = centre - (self.height - LINE) / 2
        return [(first + LINE * n, text) for n, text in enumerate(self.text.split("\n"))]


def text_height(text: str) -> float:
    """The height of a text of one or more lines."""
    return LINE * (text.count("\n") + 1)


def text_width(text: str) -> float:
    """The estimated width of a text of one or more lines."""
    return LETTER * max(len(line) for line in text.split("\n"))


@dataclass(frozen=True)
class PanelSheet:
    """The places on a file: the largest plots that fit with their labels, all alike."""

    plot: FacetPlot

    @cached_property
    def facets(self) -> tuple[Facet, ...]:
        """The panels with what has a place."""
        return self.plot.drawable

    @cached_property
    def words(self) -> list[tuple[float, str, str]]:
        """The lines of mark, title and subtitle: how far down each is, what it is, and its text."""
        lines = [("mark", TITLE, text) for text in wrap(self.plot.mark or "", _letters(TITLE))]
        lines += [("title", TITLE, text) for text in wrap(self.plot.title, _letters(TITLE))]
        most = int(PAGE / PLAIN / TEXT)
        lines += [("subtitle", TEXT, text) for text in wrap(self.plot.subtitle, most)]
        heights = [size + 3 for _, size, _ in lines]
        return [(EDGE + sum(heights[: n + 1]), kind, t) for n, (kind, _, t) in enumerate(lines)]

    @cached_property
    def beside(self) -> float:
        """What a panel needs beside its plot."""
        names = [trace.label for facet in self.facets for trace in facet.traces]
        names += [self.plot.level[1]] if self.plot.level else []
        return BESIDE + TOUCH + max(map(text_width, names), default=0.0)

    @cached_property
    def columns(self) -> int:
        """How many panels stand beside each other."""
        return min(len(self.facets), max(2, int(PAGE // (self.beside + NARROWEST))))

    @cached_property
    def width(self) -> float:
        """Width of a plot."""
        return round(min(WIDEST, max(NARROWEST, PAGE / self.columns - self.beside)))

    @cached_property
    def height(self) -> float:
        """Height of a plot: all labels of a panel have room beside it."""
        rule = [self.plot.level[1]] if self.plot.level else []
        panels = ([*rule, *(trace.label for trace in facet.traces)] for facet in self.facets)
        return max(LOWEST, max(sum(map(text_height, names)) for names in panels) + LINE)

    @cached_property
    def corners(self) -> list[tuple[float, float]]:
        """The top left of each plot, and of what would stand below the last row."""
        row = self.above + self.height + BELOW
        top = self.words[-1][0] + self.above + EDGE
        lefts = [EDGE + BESIDE + n * (self.beside + self.width) for n in range(self.columns)]
        rows = -(-len(self.facets) // self.columns) + 1
        return [(left, top + n * row) for n in range(rows) for left in lefts]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the file."""
        across = 2 * EDGE + self.columns * (self.beside + self.width)
        return round(across), round(self.corners[-1][1] - self.above)

    @cached_property
    def titles(self) -> list[list[str]]:
        """The titles of the panels in lines."""
        most = _letters(TEXT, self.beside + self.width)
        return [wrap(facet.title, most) for facet in self.facets]

    @property
    def above(self) -> float:
        """Room above a plot for the longest title of a panel."""
        return ABOVE + (max(map(len, self.titles)) - 1) * (TEXT + 3)

    @cached_property
    def axes(self) -> tuple[Axis, Axis]:
        """Across and upwards."""
        points = [p for facet in self.facets for trace in facet.traces for p in trace.shown]
        upwards = [point.y for point in points if point.y is not None]
        upwards += [self.plot.level[0]] if self.plot.level else []
        return self.plot.x.axis(point.x for point in points), self.plot.y.axis(upwards)

    @cached_property
    def across(self) -> list[Tick]:
        """The numbers below a plot; one that would touch the number before it has no text."""
        numbers, free = list[Tick](), 0.0
        for tick in self.plot.x.numbers(self.axes[0]):
            at, half = self.width * tick.at / 100, LETTER * len(tick.text) / 2 + 2
            touches = bool(numbers) and at - half < free
            numbers.append(Tick(tick.at, "" if touches else tick.text))
            free = free if touches else at + half
        return numbers

    @cached_property
    def upwards(self) -> tuple[Tick, ...]:
        """The numbers beside a plot."""
        return self.plot.y.numbers(self.axes[1])

    def place(self, point: TracePoint) -> tuple[float, float]:
        """A point that has a place, from the top left of its plot."""
        across, upwards = self.axes
        down = 100 - upwards.at(point.y or 0.0)
        return round(self.width * across.at(point.x) / 100, 1), round(self.height * down / 100, 1)

    def runs(self, trace: Trace) -> Iterator[str]:
        """The points of the stretches that are joined."""
        for run in trace.runs:
            if len(run) > 1:
                yield " ".join("{:g},{:g}".format(*self.place(point)) for point in run)

    def labels(self, facet: Facet) -> list[tuple[EndLabel, float]]:
        """The names beside the ends of the lines of a panel, and the height of each centre."""
        labels = [
            EndLabel(trace.label, ink(trace.stroke.colour), self.place(trace.shown[-1]))
            for trace in facet.traces
        ]
        if self.plot.level:
            height, name = self.plot.level
            down = self.height * (1 - self.axes[1].at(height) / 100)
            labels.append(EndLabel(name, BLACK, (self.width, down)))
        return list(zip(labels, dodged(labels, room=self.height), strict=True))


def _letters(size: int, width: float = PAGE) -> int:
    """How many bold letters of a size have room."""
    return int(width / BOLD / size)


def dodged(labels: Sequence[EndLabel], *, room: float) -> tuple[float, ...]:
    """Heights of the centres: none covers another, all between 0 and `room`, as near as can be.

    Written as q_i = centre_i − (what stands above it), the order must not fall: the nearest such
    q in squares is an isotonic regression, and its bounded form is the clipped one.
    """
    order = sorted(range(len(labels)), key=lambda at: labels[at].end[1])
    heights = [labels[at].height for at in order]
    above = [below - own / 2 for below, own in zip(accumulate(heights), heights, strict=True)]
    wanted = [labels[at].end[1] - up for at, up in zip(order, above, strict=True)]
    most = max(0.0, room - sum(heights))
    centres = [0.0] * len(labels)
    for at, up, start in zip(order, above, rising(wanted), strict=True):
        centres[at] = min(max(start, 0.0), most) + up
    return tuple(centres)


def rising(wanted: Sequence[float]) -> list[float]:
    """The nearest numbers that do not fall: pools of neighbours share their mean."""
    pools: list[list[float]] = []
    for value in wanted:
        pools.append([value])
        while len(pools) > 1 and _mean(pools[-2]) >= _mean(pools[-1]):
            last = pools.pop()
            pools[-1].extend(last)
    return [_mean(pool) for pool in pools for _ in pool]


def _mean(pool: list[float]) -> float:
    return sum(pool) / len(pool)
