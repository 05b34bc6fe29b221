"""Figures: what an evaluation found, as pictures for a page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from leeward.core.show.numbers import capital
from leeward.lab.evaluate.break_even import summary
from leeward.lab.evaluate.contender import H15
from leeward.lab.evaluate.figure_plan import RATIO, Choice, FigurePlan, PointPanel
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
from leeward.lab.evaluate.panels import FacetPlot
from leeward.lab.evaluate.point import ALL, ScoredPoint

CHOSEN_ALPHA = 0.1
"""The α of the figures that show one: the nearest to this that was measured."""
NOMINAL = 0.9
"""The coverage that margins are made for."""

TODAY = (1.0, "as today's noise infusion")
READING = "Mean absolute error of a cell, divided by that of noise infusion; both axes logarithmic."
STYLES = "Thick: ours. Dashed: as published. Grey: other promises"
TIGHT = "Thick: ours. Thin: the papers' mechanisms with the least noise that their proofs allow."


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
            told = f"{plan.subtitle} {_promises(plan.panels, plan.choice)}".strip()
            plots[f"{workload}-{plan.stem}"] = replace(plan, subtitle=told).plot()
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
    return [
        PointPanel(names[load], tuple(scored_points))
        for load, scored_points in mine.items()
        if scored_points
    ]


def _of_workload(given: Sequence[ScoredPoint], name: str, strata_by: str) -> Iterator[FigurePlan]:
    shown = drawable(given)
    by_alpha = _by_alpha([point for point in shown if point.stratum == ALL])
    error = FigurePlan(
        "error",
        f"{name}: error against today's noise infusion",
        RATIO,
        f"{READING} {STYLES}, without α.",
        by_alpha,
        _main,
        TODAY,
    )
    yield error
    lines = lines_of(point for panel in by_alpha for point in panel.points)
    has_tight = any(_tight(line) and not line.ours for line in lines)
    yield replace(
        error,
        stem="tight",
        title=f"{name}: error of the papers' mechanisms, calibrated tightly",
        subtitle=f"{READING} {TIGHT}",
        panels=by_alpha if has_tight else [],
        choice=_tight,
    )
    yield from _orders(given, name, by_alpha)
    yield _strata(shown, name, strata_by)


def _orders(
    given: Sequence[ScoredPoint], name: str, by_alpha: Sequence[PointPanel]
) -> Iterator[FigurePlan]:
    """The order of the cells against the truth, and against noise infusion."""
    own = (p.spearman for p in given if p.mechanism == INFUSION and p.stratum == ALL)
    today = next((value for value in own if value is not None), None)
    order = FigurePlan(
        "rank",
        f"{name}: order of the cells, against the truth",
        "spearman",
        "Spearman's rank correlation of the cells; 1 is the same order. " + STYLES + ", without α.",
        by_alpha,
        _main,
        None if today is None else (today, "today's noise infusion"),
    )
    yield order
    yield replace(
        order,
        stem="rank-infusion",
        title=f"{name}: order of the cells, against noise infusion",
        measure="spearman_infusion",
        level=None,
    )


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
    known = [mechanism_line for mechanism_line in lines_of(points) if not mechanism_line.baseline]
    if len({line.policy for line in known}) < 2 and not any(line.delta for line in known):
        return ""
    makers = {
        policy: dict.fromkeys(line.maker(points) for line in known if line.policy == policy)
        for policy in sorted({line.policy for line in known})
    }
    told = "; ".join(f"{policy} for {', '.join(names)}" for policy, names in makers.items())
    return f"Promise: {told}."


def _main(line: MechanismLine) -> bool:
    """All at once is not legible: the tight forms of the papers have their own figure."""
    return line.ours or line.published or line.baseline


def _tight(line: MechanismLine) -> bool:
    return not (line.published or line.baseline or line.printed)


def _by_alpha(points: Sequence[ScoredPoint]) -> list[PointPanel]:
    """A panel for each α; what promises something else has none, and stands in all of them."""
    alphas = sorted({point.alpha for point in points if point.alpha is not None})
    return [
        PointPanel(f"α = {alpha:g}", tuple(p for p in points if p.alpha in {None, alpha}))
        for alpha in alphas
    ]
