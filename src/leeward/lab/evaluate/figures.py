"""Figures: what an evaluation found, as pictures for a page."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from leeward.core.show.numbers import capital
from leeward.lab.evaluate.break_even import summary
from leeward.lab.evaluate.contender import H15
from leeward.lab.evaluate.key_findings import compared, has_printed
from leeward.lab.evaluate.line import (
    INFUSION,
    PUBLISHED,
    MechanismLine,
    drawable,
    line_of,
    lines_of,
)
from leeward.lab.evaluate.panel_sheet import PanelPicture, panel_picture
from leeward.lab.evaluate.panels import Direction, Facet, FacetPlot, Trace, TracePoint
from leeward.lab.evaluate.point import ALL, ScoredPoint

CHOSEN_ALPHA = 0.1
"""The α of the figures that show one: the nearest to this that was measured."""
NOMINAL = 0.9
"""The coverage that margins are made for."""

TODAY = (1.0, "as today's noise infusion")
READING = "Mean absolute error of a cell, divided by that of noise infusion; both axes logarithmic."
STYLES = "Thick: ours. Dashed: as published. Grey: other promises"
TIGHT = "Thick: ours. Thin: the papers' mechanisms with the least noise that their proofs allow."

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
    """A figure over ε before its lines are known: a measure of points, and which lines it shows."""

    stem: str
    title: str
    measure: str
    subtitle: str
    panels: Sequence[PointPanel]
    choice: Choice = lambda _: True
    level: tuple[float, str] | None = None

    def plot(self) -> FacetPlot:
        """The figure with its lines: a gap wherever a line has no point."""
        groups = [self._chosen(panel.points) for panel in self.panels]
        every = [point for panel in self.panels for point in panel.points]
        lines = self._chosen(every)
        # The name of a line tells it apart from those in the same panels.
        labels = {
            line: line.label([other for group in groups if line in group for other in group])
            for line in lines
        }
        facets = []
        for panel in self.panels:
            traces = (
                Trace(labels[line], line.stroke, tuple(self._points(panel, line))) for line in lines
            )
            facets.append(Facet(panel.title, tuple(traces)))
        grid = {p.x for facet in facets for trace in facet.traces for p in trace.points}
        left_out = ""
        if any(self._too_low(point) for point in every if line_of(point) in lines):
            left_out = f" Lines of other promises end where they fall below {LEAST_RATIO:g}."
        return FacetPlot(
            self.title,
            Direction("privacy loss ε", log=True, ticks=tuple(sorted(grid))),
            MEASURES[self.measure],
            tuple(facets),
            self.subtitle + left_out,
            self.level,
        )

    def _chosen(self, points: Iterable[ScoredPoint]) -> list[MechanismLine]:
        return [line for line in lines_of(points) if self.choice(line)]

    def _points(self, panel: PointPanel, line: MechanismLine) -> Iterator[TracePoint]:
        grid = sorted({point.epsilon for point in panel.points if point.epsilon is not None})
        mine = {point.epsilon: point for point in panel.points if line_of(point) == line}
        for epsilon in grid if mine else ():
            point = mine.get(epsilon)
            shown = point is not None and not self._too_low(point)
            yield TracePoint(epsilon, getattr(point, self.measure) if shown else None)

    def _too_low(self, point: ScoredPoint) -> bool:
        """Whether a baseline would squeeze all other lines together."""
        value = point.ratio_to_infusion if self.measure == RATIO else None
        return line_of(point).baseline and value is not None and value < LEAST_RATIO


def figures(
    points: Iterable[ScoredPoint],
    *,
    mark: str | None,
    words: Mapping[str, str] | None = None,
    strata_by: Mapping[str, str] | None = None,
) -> dict[str, PanelPicture]:
    """Every figure that the points can fill, by the stem of its file.

    `mark` is the warning on figures of confidential data; None only where the data are made up.
    """
    plots = planned(points, words or {}, strata_by or {})
    return {stem: panel_picture(replace(plot, mark=mark)) for stem, plot in plots.items()}


def planned(
    points: Iterable[ScoredPoint], words: Mapping[str, str], strata_by: Mapping[str, str]
) -> dict[str, FacetPlot]:
    """The figures that have something to show, by their stems.

    `words` says what people call a workload; without them it goes by its identifier. `strata_by`
    names the attribute whose jobs make its strata; without it, place.
    """
    given = tuple(points)
    names = {
        load: capital(words.get(load, "")) or load
        for load in dict.fromkeys(p.workload for p in given)
    }
    plots = {"summary": summary(given, names)}
    for workload, name in names.items():
        mine = [point for point in given if point.workload == workload]
        for plan in _of_workload(mine, name, strata_by.get(workload, "place")):
            subtitle = f"{plan.subtitle} {_promises(plan.panels, plan.choice)}".strip()
            plots[f"{workload}-{plan.stem}"] = replace(plan, subtitle=subtitle).plot()
    for plan in (*_experiment_of_2015(given, names), _coverage(drawable(given), names)):
        plots[plan.stem] = plan.plot()
    return {
        stem: plot for stem, plot in plots.items() if any(facet.traces for facet in plot.drawable)
    }


def _experiment_of_2015(
    given: Sequence[ScoredPoint], names: Mapping[str, str]
) -> Iterator[FigurePlan]:
    """A figure for each α, a panel for each table: the three algorithms as [H15] counts them."""
    if not has_printed(given):
        return
    both = dict.fromkeys((*compared(given, H15), *compared(given, PUBLISHED)))
    # What differs between tables is how they are booked, which the figure says once.
    alike = [replace(point, accounting="single", policy="none", delta=0.0) for point in both]
    for alpha in sorted({point.alpha for point in alike if point.alpha is not None}):
        here = [point for point in alike if point.alpha == alpha]
        yield FigurePlan(
            f"experiment-2015-{alpha:g}",
            f"The experiment of 2015: error against today's noise infusion at α = {alpha:g}",
            RATIO,
            f"{READING} Solid: as printed in 2015, which keeps no promise. Dashed: as published in "
            "2016; Log-Laplace is the same in both. Each worker cell is counted at ε, as in 2015; "
            "by the sum rule d of them cost d·ε.",
            _by_workload(here, names),
            level=TODAY,
        )


def _by_workload(points: Iterable[ScoredPoint], names: Mapping[str, str]) -> list[PointPanel]:
    """A panel for each workload that has points."""
    mine: dict[str, list[ScoredPoint]] = {load: [] for load in names}
    for point in points:
        mine[point.workload].append(point)
    return [PointPanel(names[load], tuple(of_load)) for load, of_load in mine.items() if of_load]


def _of_workload(given: Sequence[ScoredPoint], name: str, strata_by: str) -> Iterator[FigurePlan]:
    shown = drawable(given)
    every = [point for point in shown if point.stratum == ALL]
    by_alpha = [  # what promises something else has no α, and is in all panels
        PointPanel(f"α = {alpha:g}", tuple(p for p in every if p.alpha in {None, alpha}))
        for alpha in sorted({point.alpha for point in every if point.alpha is not None})
    ]
    title = f"{name}: error against today's noise infusion"
    subtitle = f"{READING} {STYLES}, without α."
    yield (error := FigurePlan("error", title, RATIO, subtitle, by_alpha, _main, TODAY))
    lines = lines_of(point for panel in by_alpha for point in panel.points)
    yield replace(
        error,
        stem="tight",
        title=f"{name}: error of the papers' mechanisms, calibrated tightly",
        subtitle=f"{READING} {TIGHT}",
        panels=by_alpha if any(_tight(line) and not line.ours for line in lines) else [],
        choice=_tight,
    )
    own = (p.spearman for p in given if p.mechanism == INFUSION and p.stratum == ALL)
    today = next((value for value in own if value is not None), None)
    order = replace(
        error,
        stem="rank",
        title=f"{name}: order of the cells, against the truth",
        measure="spearman",
        subtitle=f"Spearman's rank correlation of the cells; 1 is the same order. {STYLES}, "
        "without α.",
        level=None if today is None else (today, "today's noise infusion"),
    )
    yield order
    title = f"{name}: order of the cells, against noise infusion"
    yield replace(order, stem="rank-infusion", title=title, measure="spearman_infusion", level=None)
    yield _strata(shown, name, strata_by)


def _strata(shown: Sequence[ScoredPoint], name: str, by: str) -> FigurePlan:
    """One α, a panel for each stratum in the order in which the points name them."""
    alphas = {point.alpha for point in shown if point.alpha is not None}
    alpha = min(alphas, key=lambda value: (abs(value - CHOSEN_ALPHA), value), default=None)
    here = [point for point in shown if point.alpha in {None, alpha}]
    strata = dict.fromkeys(point.stratum for point in here if point.stratum != ALL)
    panels = [
        PointPanel(stratum, tuple(point for point in here if point.stratum == stratum))
        for stratum in strata
    ]
    at = "" if alpha is None else f" At α = {alpha:g}."
    subtitle = f"{READING}{at} Panels: jobs in the {by}. {STYLES}."
    title = f"{name}: error by jobs in the {by}"
    return FigurePlan("strata", title, RATIO, subtitle, panels, _main, TODAY)


def _coverage(shown: Sequence[ScoredPoint], names: Mapping[str, str]) -> FigurePlan:
    """The lowest coverage over all α: a promise holds where its worst case does."""
    covered = [p for p in shown if p.coverage is not None and p.stratum == ALL]
    worst: dict[object, ScoredPoint] = {}
    for point in sorted(covered, key=lambda point: point.coverage or 0):
        worst.setdefault((point.workload, line_of(point), point.epsilon), point)
    return FigurePlan(
        "coverage",
        "Coverage of the published 90 % margins",
        "coverage",
        "Share of cells whose true count lies within its margin: the lowest over all α.",
        _by_workload(worst.values(), names),
        level=(NOMINAL, "90 %"),
    )


def _promises(panels: Sequence[PointPanel], choice: Choice) -> str:
    """Which line promises what, where they promise different things: a figure must not hide it."""
    points = [point for panel in panels for point in panel.points if choice(line_of(point))]
    known = [line for line in lines_of(points) if not line.baseline]
    if len({line.policy for line in known}) < 2 and not any(line.delta for line in known):
        return ""
    makers = {
        policy: dict.fromkeys(line.maker(points) for line in known if line.policy == policy)
        for policy in sorted({line.policy for line in known})
    }
    promises = "; ".join(f"{policy} for {', '.join(names)}" for policy, names in makers.items())
    return f"Promise: {promises}."


def _main(line: MechanismLine) -> bool:
    """All at once is not legible: the tight forms of the papers have their own figure."""
    return line.ours or line.published or line.baseline


def _tight(line: MechanismLine) -> bool:
    return not (line.published or line.baseline or line.printed)
