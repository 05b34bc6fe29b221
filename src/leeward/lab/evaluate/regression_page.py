"""Regression page: figures, findings and tables of a comparison of regressions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from leeward.core.show.environment import template
from leeward.core.show.notebook import PageRow
from leeward.core.show.numbers import capital, percent, significant
from leeward.lab.evaluate.findings import COLUMNS as FINDING_COLUMNS
from leeward.lab.evaluate.findings import FindingRow
from leeward.lab.evaluate.panel_sheet import PanelPicture, panel_picture
from leeward.lab.evaluate.panels import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    VERMILLION,
    Direction,
    Facet,
    FacetPlot,
    Stroke,
    Trace,
    TracePoint,
)
from leeward.lab.evaluate.regressions import (
    ESTIMANDS,
    POINT_OF_ATLAS,
    TAILS,
    RegressionPoint,
    Regressions,
)
from leeward.systems.regress.mose import NOTICE

STATISTICS = {
    of.name: f"prediction at rank {of.rank:g}" if of.level else "slope of the line"
    for of in ESTIMANDS
}


@dataclass(frozen=True)
class MethodLook:
    """A method for people, and how it is drawn."""

    label: str
    about: str
    colour: str
    shape: str


SHOWN: Mapping[str, MethodLook] = {
    "moments": MethodLook(
        "moments",
        "Private. Noise on the count and on sums of x, y and their products; the line follows from "
        "them. ε pays once for the count, the slope and all predictions.",
        BLUE,
        "circle",
    ),
    "theil-sen": MethodLook(
        "Theil–Sen",
        "Private, with public counts. Medians of predictions by pairs of people, chosen at random "
        "on a public grid; ε pays for both ends of the line.",
        VERMILLION,
        "square",
    ),
    "mose": MethodLook(
        "MOSE",
        "Not formally private. Noise of scale χ/(εN); χ is the largest N times sensitivity of all "
        "cells, computed from the raw data, with one point added at a corner. Each statistic pays "
        "ε of its own.",
        GREEN,
        "diamond",
    ),
    "upper-bound": MethodLook(
        "MOSE upper bound",
        "Not formally private. χ is a proved bound that reads no y but their range; it still reads "
        "x.",
        PURPLE,
        "triangle-up",
    ),
    "local": MethodLook(
        "local sensitivity",
        "Not formally private. Noise of the cell's own sensitivity. Stated, the scale leaks; kept "
        "secret, the variance is unknown.",
        ORANGE,
        "triangle-right",
    ),
    "global": MethodLook(
        "global sensitivity",
        "Noise for the worst data that could be: the range of the statistic, into which it is "
        "moved. Not formally private here: floats, and a standard error of the raw data.",
        GREY,
        "cross",
    ),
    "suppression": MethodLook(
        "suppression",
        "Not formally private. Cells of fewer than 20 people are withheld, the others are exact; ε "
        "plays no part.",
        BLACK,
        "triangle-down",
    ),
}

STYLE = "Thick: private. Dashed: not formally private."
COLUMNS = ("Method", "Guarantee", "Error", "Error ÷ standard error", "Right fifth", "Published")


def regression_figures(done: Regressions) -> dict[str, PanelPicture]:
    """Error against ε, and the share of the outer fifths that is right."""
    error = FacetPlot(
        "Error of released lines",
        Direction("privacy loss ε", log=True, ticks=tuple(_epsilons(done))),
        Direction("error ÷ standard error", log=True),
        _facets(done, lambda point: point.ratio_to_se),
        "Median over cells of the mean absolute difference from least squares, divided by the "
        f"median standard error of least squares; both axes logarithmic. {STYLE}",
        level=(1, "as the sampling error"),
        mark=done.mark,
    )
    tails = replace(
        error,
        title="Cells put into the right tail",
        y=Direction("share of outer fifths that is right", reaches=(0, 1)),
        facets=_facets(done, lambda point: point.tails),
        subtitle="Share of the cells of the highest and lowest fifth that are released in it. "
        f"{STYLE}",
        level=(1 / TAILS, "by chance"),
    )
    return {"error": panel_picture(error), "tails": panel_picture(tails)}


def _facets(
    done: Regressions, measure: Callable[[RegressionPoint], float | None]
) -> tuple[Facet, ...]:
    """A panel for each statistic, a line for each method."""
    by_epsilon = sorted(done.points, key=lambda point: point.epsilon)
    facets = []
    for statistic in dict.fromkeys(point.statistic for point in done.points):
        traces = []
        for method, look in SHOWN.items():
            mine = [p for p in by_epsilon if (p.method, p.statistic) == (method, statistic)]
            private = any(point.private for point in mine)
            dash, width = ("", 2.6) if private else ("6 3", 1.2)
            stroke = Stroke(look.colour, dash, look.shape, width)
            points = tuple(TracePoint(point.epsilon, measure(point)) for point in mine)
            traces.append(Trace(look.label, stroke, points))
        facets.append(Facet(capital(STATISTICS[statistic]), tuple(traces)))
    return tuple(facets)


def _epsilons(done: Regressions) -> list[float]:
    return sorted({point.epsilon for point in done.points})


def regression_findings(done: Regressions) -> tuple[FindingRow, ...]:
    """Error and tails at the ε of the Atlas, and χ where the rule of corners misses a point.

    The least squares of a statistic, then every method at the ε nearest to that of the Atlas.
    """
    rows = []
    epsilon = min(_epsilons(done), key=lambda number: (abs(number - POINT_OF_ATLAS), number))
    setting = f"ε = {epsilon:g}"
    for line in done.lines:
        name = capital(STATISTICS[line.statistic])
        table, at_epsilon = partial(FindingRow, name, ""), partial(FindingRow, name, setting)
        rows.append(table("standard error", "least squares", line.se))
        for point in _here(done, line.statistic, epsilon):
            label = SHOWN[point.method].label
            of = "" if point.published == 1 else f"of {percent(point.published)} of cells"
            rows.append(at_epsilon("median error over cells", label, point.error, of))
            rows.append(at_epsilon("share of outer fifths that is right", label, point.tails))
        if line.chi_local is None or line.chi_local > line.chi * (1 + 1e-9):
            verdict = "unbounded" if line.chi_local is None else "corners miss a point"
            rows.append(table("χ by points added at corners", "MOSE", line.chi))
            rows.append(table("χ by all points that may change", "MOSE", line.chi_local, verdict))
    return tuple(rows)


def regression_caution(done: Regressions) -> Iterator[str]:
    """What a reader must know beside the numbers."""
    yield (
        f"MOSE, its bound, local and global sensitivity and suppression are {NOTICE}: at the same "
        "ε they promise nothing that moments and Theil–Sen promise."
    )
    yield (
        "MOSE pays ε for each statistic, moments once for the count, the slope and all predictions."
    )
    if done.made_up:
        yield "The cells are made up; other data have other numbers."


@dataclass(frozen=True)
class Standing:
    """A table of the page: all methods at one ε."""

    caption: str
    rows: Sequence[PageRow]


def regression_page(done: Regressions, drawn: Mapping[str, PanelPicture]) -> str:
    """The whole page."""
    return template("evaluate/regressions.html.j2").render(
        done=done,
        mark=done.mark,
        findings=[finding.row for finding in regression_findings(done)],
        finding_columns=FINDING_COLUMNS,
        caution=list(regression_caution(done)),
        figures=list(drawn.values()),
        tables=list(_tables(done)),
        columns=COLUMNS,
        methods=list(SHOWN.values()),
    )


def _tables(done: Regressions) -> Iterator[Standing]:
    for line in done.lines:
        for epsilon in _epsilons(done):
            rows = []
            for point in _here(done, line.statistic, epsilon):
                cells = (
                    "ε" if point.private else "none",
                    significant(point.error),
                    significant(point.ratio_to_se),
                    percent(point.tails),
                    percent(point.published),
                )
                rows.append(PageRow(capital(SHOWN[point.method].label), cells, point.private))
            caption = f"{capital(STATISTICS[line.statistic])}, ε = {epsilon:g}"
            yield Standing(caption, rows)


def _here(done: Regressions, statistic: str, epsilon: float) -> list[RegressionPoint]:
    """The points of a setting in the order of the methods."""
    by_method = {
        point.method: point
        for point in done.points
        if point.statistic == statistic and point.epsilon == epsilon
    }
    return [by_method[name] for name in SHOWN]
