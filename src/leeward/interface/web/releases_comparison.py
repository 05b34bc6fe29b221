"""Comparison pages: the same table in two bundles, and one row in all releases of an account."""

from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from leeward.core.codebook.statistic import COUNT
from leeward.core.errors import InvalidParameter, LeewardError, shown
from leeward.core.show.charts import Bars, ChartBar, bars
from leeward.core.show.environment import picture
from leeward.core.show.numbers import count, counted, cut
from leeward.core.show.point_charts import Dot, DotChart, Trend, scatter, trend
from leeward.derived.derive.comparison import (
    Comparison,
    apart_words,
    compare,
    difference_words,
    marked_words,
)
from leeward.derived.derive.paired_cells import Pair
from leeward.derived.derive.series import CellSeries, alike, series
from leeward.interface.web.releases_address import CODE, refuse_wide, table_of
from leeward.interface.web.releases_files import CSV, attached, caption, picture_answer
from leeward.interface.web.releases_folder import listing, opened
from leeward.interface.web.site import attempt, listed, render, site_of
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import certified

JOINT = " · "
HONEST = (
    "Two releases of the same data differ only by their noise, and neither is wrong. A "
    "difference within its margin is no evidence that jobs changed."
)

COMPARING = Lock()
"""One comparison at a time, since it holds two tables in memory."""

PERIOD = 12
"""Maximum length of the name of a period below the chart."""

MOST_RELEASES = 40
"""Maximum number of bundles that are looked into, the newest ones."""

READING = Lock()
"""One series at a time, since it reads a table in each of many bundles."""


@dataclass(frozen=True)
class Compared:
    """A comparison in words and charts."""

    comparison: Comparison
    words: list[str]
    dots: DotChart
    differences: Bars


@dataclass(frozen=True)
class Chosen:
    """Two bundles, the tables that both have, and one of these; an empty text is not chosen yet."""

    first: str
    second: str
    table: str
    tables: tuple[str, ...] = ()
    compared: Compared | None = None
    refusals: tuple[LeewardError, ...] = ()


def comparison_page(request: Request) -> Response:
    """The fields to choose two bundles, and the differences between them."""
    query, folder = request.query_params, site_of(request).releases
    bundles = listing(folder)
    names = (query.get(name, "") for name in ("first", "second", "table"))
    chosen = _chosen(folder, *names)
    return render(
        request,
        "releases_comparison.html.j2",
        status=400 if chosen.refusals else 200,
        bundles=[bundle for bundle in bundles if not bundle.problem],
        chosen=chosen,
        label=label,
        marked_words=marked_words,
    )


def _chosen(folder: Path, first: str, second: str, table: str) -> Chosen:
    if not (first and second):
        return Chosen(first, second, table)
    if first == second:
        same = InvalidParameter(
            "second",
            rule="must be another bundle than the first",
            value=shown(first),
            next_step="Choose two different ones.",
        )
        return Chosen(first, second, table, refusals=(same,))
    tables: tuple[str, ...] = ()
    try:
        pair = opened(folder, first), opened(folder, second)
        tables = shared_tables(*pair)
        wanted = table or next(iter(tables), "")
        compared = None
        if wanted:
            for bundle in pair:
                refuse_wide(certified(bundle, wanted))
            with COMPARING:
                cells = compare(*pair, wanted)
            charts = dots(cells, (first, second)), differences(cells)
            compared = Compared(cells, comparison_words(cells), *charts)
    except LeewardError as error:
        return Chosen(first, second, table, tables, refusals=listed(error))
    return Chosen(first, second, wanted, tables, compared)


def shared_tables(first: Bundle, second: Bundle) -> tuple[str, ...]:
    """The names of the tables that both bundles have."""
    names = {table.name for table in second.certificate.tables}
    return tuple(table.name for table in first.certificate.tables if table.name in names)


def comparison_words(comparison: Comparison) -> list[str]:
    """The counts in words."""
    lacking = "" if comparison.unit == COUNT.unit else ", or without a number,"
    first, second = count(comparison.only_first), count(comparison.only_second)
    return [
        f"{counted(comparison.both, 'cell')} {'is' if comparison.both == 1 else 'are'} in both "
        f"releases, {first} only in the first, {second} only in the second. Cells without an "
        f"establishment{lacking} are left out.",
        *apart_words(comparison),
        *difference_words(comparison),
        HONEST,
    ]


def label(pair: Pair) -> str:
    """What a cell counts."""
    return JOINT.join(cut(code.label or code.code) for code in pair.codes) or "All jobs"


def dots(comparison: Comparison, names: tuple[str, str]) -> DotChart:
    """Each cell as a dot: its value in the first release, and in the second."""
    drawn = [
        Dot(
            float(pair.first),
            float(pair.second),
            comparison.marks(pair),
            f"{label(pair)}: {count(pair.first)} and {count(pair.second)}",
        )
        for pair in comparison.dots
    ]
    across, up = (f"{comparison.unit} in {name}" for name in names)
    return scatter(drawn, title="Each cell in both releases", x=across, y=up)


def differences(comparison: Comparison) -> Bars:
    """The most certain differences as bars, with their intervals as whiskers."""
    items = [ChartBar(label(pair), pair.difference, pair.ends) for pair in comparison.certain]
    title = "The most certain differences, second minus first"
    return bars(items, title=title, unit="Difference", signed=True)


# One row over the releases of an account, as page, CSV and SVG.


@dataclass(frozen=True)
class DrawnSeries:
    """A series and its chart; `others` is how many bundles do not have the same table.

    `elsewhere` is how many bundles other accounts paid for.
    """

    series: CellSeries
    chart: Trend
    others: int
    unread: int
    elsewhere: int

    @property
    def label(self) -> str:
        """What the cell counts."""
        return " · ".join(cut(code.label or code.code) for code in self.series.cell.values())


def series_page(request: Request) -> Response:
    """A row with its margin in every release of the account that has the same table."""
    bundle, table = table_of(request)
    drawn, refusals = attempt(lambda: _drawn(request, bundle, table))
    return render(
        request,
        "releases_series.html.j2",
        status=400 if refusals else 200,
        bundle=bundle,
        table=table,
        drawn=drawn,
        refusals=refusals,
        query=urlencode(_cell(request, table, CODE)),
    )


def series_file(request: Request) -> Response:
    """The same as CSV, or its chart as SVG."""
    bundle, table = table_of(request)
    drawn, file = _drawn(request, bundle, table), request.path_params["file"]
    if file == f"{table.name}.csv":
        return attached(drawn.series.to_csv().encode(), file, CSV)
    if file != f"{table.name}.svg":
        raise HTTPException(404)
    what = f"{drawn.label or 'All jobs'}. {caption(bundle, table)}"
    return picture_answer(picture(drawn.chart, what), file)


def _cell(request: Request, table: CertifiedTable, prefix: str = "") -> dict[str, str]:
    query = request.query_params
    return {f"{prefix}{name}": query.get(f"{CODE}{name}", "") for name in table.identifiers}


def _drawn(request: Request, bundle: Bundle, table: CertifiedTable) -> DrawnSeries:
    folder, account = site_of(request).releases, bundle.certificate.account
    sound = [each for each in listing(folder) if not each.problem and each.name != bundle.path.name]
    own = [each.name for each in sound if each.account == account]
    near = own[:MOST_RELEASES]
    with READING:
        over, others = alike(bundle, table.name, (opened(folder, name) for name in near))
        points = series(bundle, table.name, _cell(request, table), over)
    items = []
    for point in points.points:
        if point.value is not None:
            period = point.period  # a stranger may have written one without room below its point
            short = period if len(period) <= PERIOD else f"{period[: PERIOD - 1]}…"
            items.append(ChartBar(short, point.value, point.ends))
    chart = trend(items, title=f"{table.heading} over releases", unit=points.unit)
    return DrawnSeries(points, chart, others, len(own) - len(near), len(sound) - len(own))
