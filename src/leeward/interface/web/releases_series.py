"""Series page: one row of a table over the releases of an account, as page, CSV and SVG."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from leeward.core.errors import LeewardError
from leeward.core.show.charts import Bar, Trend, trend
from leeward.core.show.numbers import cut
from leeward.core.show.picture import picture
from leeward.derived.derive.series import Series, alike, series
from leeward.interface.web.releases_files import CSV, attached, caption, picture_answer
from leeward.interface.web.releases_folder import listing, opened
from leeward.interface.web.releases_table import CODE, refuse_wide
from leeward.interface.web.site import listed, render, site_of
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import certified

PERIOD = 12
"""Maximum length of the name of a period below the chart."""

MOST_RELEASES = 40
"""Maximum number of bundles that are looked into, the newest ones."""

READING = Lock()
"""One series at a time, since it reads a table in each of many bundles."""


@dataclass(frozen=True)
class Drawn:
    """A series and its chart; `others` is how many bundles do not have the same table.

    `elsewhere` is how many bundles other accounts paid for.
    """

    series: Series
    chart: Trend
    others: int
    unread: int
    elsewhere: int

    @property
    def label(self) -> str:
        """What the cell counts."""
        return " · ".join(cut(one.label or one.code) for one in self.series.cell.values())


def series_page(request: Request) -> Response:
    """A row with its margin in every release of the account that has the same table."""
    bundle, held = _asked(request)
    found, refusals = None, tuple[LeewardError, ...]()
    try:
        found = _drawn(request, bundle, held)
    except LeewardError as error:
        refusals = listed(error)
    return render(
        request,
        "releases_series.html.j2",
        status=400 if refusals else 200,
        bundle=bundle,
        table=held,
        found=found,
        refusals=refusals,
        query=urlencode(_cell(request, held, CODE)),
    )


def series_file(request: Request) -> Response:
    """The same as CSV, or its chart as SVG."""
    bundle, held = _asked(request)
    drawn, file = _drawn(request, bundle, held), request.path_params["file"]
    if file == f"{held.name}.csv":
        return attached(drawn.series.to_csv().encode(), file, CSV)
    if file != f"{held.name}.svg":
        raise HTTPException(404)
    what = f"{drawn.label or 'All jobs'}. {caption(bundle, held)}"
    return picture_answer(picture(drawn.chart, what), file)


def _asked(request: Request) -> tuple[Bundle, CertifiedTable]:
    bundle = opened(site_of(request).releases, request.path_params["name"])
    held = certified(bundle, request.path_params["table"])
    refuse_wide(held)
    return bundle, held


def _cell(request: Request, table: CertifiedTable, prefix: str = "") -> dict[str, str]:
    asked = request.query_params
    return {f"{prefix}{name}": asked.get(f"{CODE}{name}", "") for name in table.identifiers}


def _drawn(request: Request, bundle: Bundle, table: CertifiedTable) -> Drawn:
    folder, account = site_of(request).releases, bundle.certificate.account
    sound = [one for one in listing(folder) if not one.problem and one.name != bundle.path.name]
    own = [one.name for one in sound if one.account == account]
    near = own[:MOST_RELEASES]
    with READING:
        over, others = alike(bundle, table.name, _opened(folder, near))
        found = series(bundle, table.name, _cell(request, table), over)
    items = [
        Bar(_short(one.period), one.value, one.ends)
        for one in found.points
        if one.value is not None
    ]
    chart = trend(items, title=f"{table.heading} over releases", unit=found.unit)
    return Drawn(found, chart, others, len(own) - len(near), len(sound) - len(own))


def _opened(folder: Path, names: list[str]) -> Iterator[Bundle]:
    return (opened(folder, name) for name in names)


def _short(period: str) -> str:
    """A period that has room below a point; a stranger may have written a longer one."""
    return period if len(period) <= PERIOD else f"{period[: PERIOD - 1]}…"
