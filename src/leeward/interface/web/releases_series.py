"""Series page: one row of a table over the releases of an account, as page, CSV and SVG."""

from dataclasses import dataclass
from threading import Lock
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from leeward.core.show.charts import ChartBar
from leeward.core.show.environment import picture
from leeward.core.show.numbers import cut
from leeward.core.show.point_charts import Trend, trend
from leeward.derived.derive.series import CellSeries, alike, series
from leeward.interface.web.releases_address import CODE, table_of
from leeward.interface.web.releases_files import CSV, attached, caption, picture_answer
from leeward.interface.web.releases_folder import listing, opened
from leeward.interface.web.site import attempt, render, site_of
from leeward.publishing.bundle import Bundle, CertifiedTable

PERIOD = 12
"""Maximum length of the name of a period below the chart."""

MOST_RELEASES = 40
"""Maximum number of bundles that are looked into, the newest ones."""

READING = Lock()
"""One series at a time, since it reads a table in each of many bundles."""


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
