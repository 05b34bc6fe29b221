"""Figure plan: a figure over ε before its lines are known: points in panels, and one measure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from leeward.lab.evaluate.line import MechanismLine, line_of, lines_of
from leeward.lab.evaluate.panels import Direction, Facet, FacetPlot, Trace, TracePoint
from leeward.lab.evaluate.point import ScoredPoint

RATIO = "ratio_to_infusion"

LEAST_RATIO = 0.005
"""Where a baseline leaves the figure: edge DP hides less and less, at ever smaller errors."""

MEASURES: Mapping[str, Direction] = {
    RATIO: Direction("error ÷ error of noise infusion", log=True),
    "spearman": Direction("rank correlation with the truth", reaches=(1,)),
    "spearman_infusion": Direction("rank correlation with infusion", reaches=(1,)),
    "coverage": Direction("share of cells within the margin", reaches=(0.8, 1)),
}
"""What figures show upwards, by the measure of a point."""

Choice: TypeAlias = Callable[[MechanismLine], bool]


@dataclass(frozen=True)
class PointPanel:
    """A part of a figure and the points it shows."""

    title: str
    points: tuple[ScoredPoint, ...]


@dataclass(frozen=True)
class FigurePlan:
    """A figure over ε: a measure of points, a line for each line of theirs that is chosen."""

    stem: str
    title: str
    measure: str
    subtitle: str
    panels: Sequence[PointPanel]
    choice: Choice = lambda _: True
    level: tuple[float, str] | None = None

    def plot(self) -> FacetPlot:
        """The figure with its lines: a gap wherever a line has no point."""
        every = lines_of(point for panel in self.panels for point in panel.points)
        lines = [line for line in every if self.choice(line)]
        labels = {line: line.label(self._beside(line)) for line in lines}
        facets = tuple(
            Facet(
                panel.title,
                tuple(
                    Trace(labels[line], line.stroke, tuple(self._points(panel, line)))
                    for line in lines
                ),
            )
            for panel in self.panels
        )
        grid = {p.x for facet in facets for trace in facet.traces for p in trace.points}
        return FacetPlot(
            self.title,
            Direction("privacy loss ε", log=True, ticks=tuple(sorted(grid))),
            MEASURES[self.measure],
            facets,
            self.subtitle + self._cut(),
            self.level,
        )

    def _beside(self, line: MechanismLine) -> list[MechanismLine]:
        """The lines from which its name must tell it apart."""
        groups = [[one for one in lines_of(p.points) if self.choice(one)] for p in self.panels]
        return [mechanism_line for group in groups if line in group for mechanism_line in group]

    def _points(self, panel: PointPanel, line: MechanismLine) -> Iterator[TracePoint]:
        grid = sorted({point.epsilon for point in panel.points if point.epsilon is not None})
        values = {p.epsilon: getattr(p, self.measure) for p in panel.points if line_of(p) == line}
        for epsilon in grid if values else ():
            value = values.get(epsilon)
            yield TracePoint(epsilon, None if self._too_low(value, line) else value)

    def _too_low(self, value: float | None, line: MechanismLine) -> bool:
        """Whether a baseline would squeeze all other lines together."""
        return self.measure == RATIO and line.baseline and value is not None and value < LEAST_RATIO

    def _cut(self) -> str:
        """What the figure leaves out must be said on it."""
        every = [(line_of(point), point) for panel in self.panels for point in panel.points]
        shown = ((line, point) for line, point in every if self.choice(line))
        if any(self._too_low(getattr(point, self.measure), line) for line, point in shown):
            return f" Lines of other promises end where they fall below {LEAST_RATIO:g}."
        return ""
