"""Figures: what an evaluation found, as pictures for a page."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from leeward.lab.evaluate.break_even import summary
from leeward.lab.evaluate.contender import H15
from leeward.lab.evaluate.key_findings import compared, has_printed
from leeward.lab.evaluate.line import INFUSION, PUBLISHED, Line, drawable, line_of, lines_of
from leeward.lab.evaluate.point import ALL, Point
from leeward.lab.pictures import Axis, Panels, Picture, Reference, draw

CHOSEN_ALPHA = 0.1
"""The α of the figures that show one: the nearest to this that was measured."""
NOMINAL = 0.9
"""The coverage that margins are made for."""

LEAST_RATIO = 0.005
"""Where a baseline leaves the figure: edge DP hides less and less, at ever smaller errors."""

RATIO = Axis("ratio_to_infusion", "error ÷ error of noise infusion", log=True)
TODAY = Reference(1, "as today's noise infusion")
READING = "Mean absolute error of a cell, divided by that of noise infusion; both axes logarithmic."
STYLES = "Thick: ours. Dashed: as published. Grey: other promises"
TIGHT = "Thick: ours. Thin: the papers' mechanisms with the least noise that their proofs allow."

ChartRow: TypeAlias = dict[str, Any]
Choice: TypeAlias = Callable[[Line], bool]


@dataclass(frozen=True)
class Panel:
    """A part of a figure and the points it shows."""

    title: str
    points: tuple[Point, ...]


def figures(
    points: Iterable[Point],
    *,
    mark: str | None,
    words: Mapping[str, str] | None = None,
    strata_by: Mapping[str, str] | None = None,
) -> dict[str, Picture]:
    """Every figure that the points can fill, by the stem of its file.

    `mark` is the warning on figures of confidential data; None only where the data are made up.
    `words` says what people call a workload; without them it goes by its identifier. `strata_by`
    names the attribute whose jobs make its strata; without it, place.
    """
    given = tuple(points)
    names = {one: _called(one, words or {}) for one in dict.fromkeys(p.workload for p in given)}
    charts = {
        stem: (replace(chart, mark=mark), rows)
        for stem, chart, rows in _all(given, names, strata_by or {})
        if any(chart.y.drawable(row[chart.y.column]) is not None for row in rows)
    }
    return {stem: draw(rows, chart) for stem, (chart, rows) in charts.items()}


Chart: TypeAlias = tuple[str, Panels, list[ChartRow]]


def _all(
    given: Sequence[Point], names: Mapping[str, str], strata_by: Mapping[str, str]
) -> Iterator[Chart]:
    """Stem, chart and rows of every figure, also of those that turn out empty."""
    yield ("summary", *summary(given, names))
    for workload, name in names.items():
        mine = [point for point in given if point.workload == workload]
        for stem, chart, panels, choice in _of_workload(
            mine, name, strata_by.get(workload, "place")
        ):
            told = replace(chart, subtitle=f"{chart.subtitle} {_promises(panels, choice)}".strip())
            yield (f"{workload}-{stem}", *_filled(told, panels, choice))
    yield from _experiment_of_2015(given, names)
    yield ("coverage", *_coverage(drawable(given), names))


def _experiment_of_2015(given: Sequence[Point], names: Mapping[str, str]) -> Iterator[Chart]:
    """A figure for each α, a panel for each table: the three algorithms as [H15] counts them."""
    if not has_printed(given):
        return
    both = dict.fromkeys((*compared(given, H15), *compared(given, PUBLISHED)))
    # What differs between tables is how they are booked, which the figure says once.
    alike = [replace(one, accounting="single", policy="none", delta=0.0) for one in both]
    for alpha in sorted({one.alpha for one in alike if one.alpha is not None}):
        here = [one for one in alike if one.alpha == alpha]
        panels = [
            Panel(name, tuple(one for one in here if one.workload == workload))
            for workload, name in names.items()
        ]
        chart = _chart(
            f"The experiment of 2015: error against today's noise infusion at α = {alpha:g}",
            RATIO,
            f"{READING} Solid: as printed in 2015, which keeps no promise. Dashed: as published in "
            "2016; Log-Laplace is the same in both. Each worker cell is counted at ε, as in 2015; "
            "by the sum rule d of them cost d·ε.",
        )
        chart = replace(chart, reference=TODAY)
        yield (f"experiment-2015-{alpha:g}", *_filled(chart, panels, lambda _: True))


Planned: TypeAlias = tuple[str, Panels, list[Panel], Choice]


def _of_workload(given: Sequence[Point], name: str, strata_by: str) -> Iterator[Planned]:
    shown = drawable(given)
    whole = [point for point in shown if point.stratum == ALL]
    by_alpha = _by_alpha(whole)
    error = _chart(
        f"{name}: error against today's noise infusion", RATIO, f"{READING} {STYLES}, without α."
    )
    error = replace(error, reference=TODAY)
    yield "error", error, by_alpha, _main
    title = f"{name}: error of the papers' mechanisms, calibrated tightly"
    tight = replace(error, title=title, subtitle=f"{READING} {TIGHT}")
    yield "tight", tight, _only_if_tight(by_alpha), _tight
    yield from _ranks(given, name, by_alpha)
    yield _strata(shown, name, strata_by)


def _ranks(given: Sequence[Point], name: str, panels: list[Panel]) -> Iterator[Planned]:
    reading = (
        "Spearman's rank correlation of the cells; 1 is the same order. " + STYLES + ", without α."
    )
    today = [one for one in given if one.mechanism == INFUSION and one.stratum == ALL]
    own = [point.spearman for point in today]
    rule = next((Reference(one, "today's noise infusion") for one in own if one is not None), None)
    truth = Axis("spearman", "rank correlation with the truth", reaches=(1,))
    chart = _chart(f"{name}: order of the cells, against the truth", truth, reading)
    yield "rank", replace(chart, reference=rule), panels, _main
    infusion = Axis("spearman_infusion", "rank correlation with infusion", reaches=(1,))
    title = f"{name}: order of the cells, against noise infusion"
    yield "rank-infusion", _chart(title, infusion, reading), panels, _main


def _strata(shown: Sequence[Point], name: str, by: str) -> Planned:
    """One α, a panel for each stratum in the order in which the points name them."""
    alphas = [point.alpha for point in shown if point.alpha is not None]
    alpha = min(alphas, key=lambda one: (abs(one - CHOSEN_ALPHA), one), default=None)
    here = [point for point in shown if point.alpha in {None, alpha}]
    strata = dict.fromkeys(point.stratum for point in here if point.stratum != ALL)
    panels = [
        Panel(stratum, tuple(point for point in here if point.stratum == stratum))
        for stratum in strata
    ]
    title = f"{name}: error by jobs in the {by}"
    at = "" if alpha is None else f" At α = {alpha:g}."
    chart = _chart(title, RATIO, f"{READING}{at} Panels: jobs in the {by}. {STYLES}.")
    return "strata", replace(chart, reference=TODAY), panels, _main


def _coverage(shown: Sequence[Point], names: Mapping[str, str]) -> tuple[Panels, list[ChartRow]]:
    """The lowest coverage over all α: a promise holds where its worst case does."""
    covered = [p for p in shown if p.coverage is not None and p.stratum == ALL]
    worst: dict[object, Point] = {}
    for point in sorted(covered, key=lambda point: point.coverage or 0):
        worst.setdefault((point.workload, line_of(point), point.epsilon), point)
    panels = [
        Panel(name, tuple(point for point in worst.values() if point.workload == workload))
        for workload, name in names.items()
    ]
    chart = _chart(
        "Coverage of the published 90 % margins",
        Axis("coverage", "share of cells within the margin", reaches=(0.8, 1)),
        "Share of cells whose true count lies within its margin: the lowest over all α.",
    )
    chart = replace(chart, reference=Reference(NOMINAL, "90 %"))
    return _filled(chart, [panel for panel in panels if panel.points], lambda _: True)


def _promises(panels: list[Panel], choice: Choice) -> str:
    """Which line promises what, where they promise different things: a figure must not hide it."""
    points = [one for panel in panels for one in panel.points if choice(line_of(one))]
    known = [one for one in lines_of(points) if not one.baseline]
    if len({line.policy for line in known}) < 2 and not any(line.delta for line in known):
        return ""
    makers = {
        policy: dict.fromkeys(line.maker(points) for line in known if line.policy == policy)
        for policy in sorted({line.policy for line in known})
    }
    told = "; ".join(f"{policy} for {', '.join(names)}" for policy, names in makers.items())
    return f"Promise: {told}."


def _called(workload: str, words: Mapping[str, str]) -> str:
    name = words.get(workload, "")
    return f"{name[:1].upper()}{name[1:]}" or workload


def _chart(title: str, y: Axis, subtitle: str) -> Panels:
    """A figure over ε; `_filled` adds the series and the ticks."""
    return Panels(title, Axis("epsilon", "privacy loss ε", log=True), y, (), subtitle)


def _main(line: Line) -> bool:
    """All at once is not legible: the tight forms of the papers have their own figure."""
    return line.ours or line.published or line.baseline


def _tight(line: Line) -> bool:
    return not (line.published or line.baseline or line.printed)


def _only_if_tight(panels: list[Panel]) -> list[Panel]:
    lines = lines_of(point for panel in panels for point in panel.points)
    return panels if any(_tight(line) and not line.ours for line in lines) else []


def _by_alpha(points: Sequence[Point]) -> list[Panel]:
    """A panel for each α; what promises something else has none, and stands in all of them."""
    alphas = sorted({point.alpha for point in points if point.alpha is not None})
    return [
        Panel(f"α = {alpha:g}", tuple(p for p in points if p.alpha in {None, alpha}))
        for alpha in alphas
    ]


def _filled(chart: Panels, panels: list[Panel], choice: Choice) -> tuple[Panels, list[ChartRow]]:
    """The chart with its series, and its rows: a gap wherever a line has no point."""
    lines = [one for one in lines_of(p for panel in panels for p in panel.points) if choice(one)]
    rows = [row for panel in panels for line in lines for row in _rows(panel, line, chart.y.column)]
    ticks = tuple(sorted({row["epsilon"] for row in rows}))
    series = tuple(line.series(_beside(line, panels, choice)) for line in lines)
    subtitle = chart.subtitle + _cut(panels, chart.y.column, choice)
    return replace(chart, series=series, subtitle=subtitle, x=replace(chart.x, ticks=ticks)), rows


def _beside(line: Line, panels: list[Panel], choice: Choice) -> list[Line]:
    """The lines from which its name must tell it apart."""
    groups = [[one for one in lines_of(panel.points) if choice(one)] for panel in panels]
    return [one for group in groups if line in group for one in group]


def _rows(panel: Panel, line: Line, column: str) -> Iterator[ChartRow]:
    grid = sorted({point.epsilon for point in panel.points if point.epsilon is not None})
    values = {p.epsilon: getattr(p, column) for p in panel.points if line_of(p) == line}
    for epsilon in grid:
        value = values.get(epsilon)
        yield {
            "panel": panel.title,
            "series": line.name,
            "epsilon": epsilon,
            column: None if _too_low(value, line, column) else value,
        }


def _too_low(value: float | None, line: Line, column: str) -> bool:
    """Whether a baseline would squeeze all other lines together."""
    return column == RATIO.column and line.baseline and value is not None and value < LEAST_RATIO


def _cut(panels: list[Panel], column: str, choice: Choice) -> str:
    """What the figure leaves out must be said on it."""
    every = [(line_of(point), point) for panel in panels for point in panel.points]
    shown = ((line, point) for line, point in every if choice(line))
    if any(_too_low(getattr(point, column), line, column) for line, point in shown):
        return f" Lines of other promises end where they fall below {LEAST_RATIO:g}."
    return ""
