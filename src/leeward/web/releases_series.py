"""Series page: one row of a table over the releases of the folder."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from starlette.requests import Request
from starlette.responses import Response

from leeward.bundle import Bundle
from leeward.bundle.blocks import certified
from leeward.errors import LeewardError
from leeward.show.charts import Bar, Trend, trend
from leeward.show.numbers import cut
from leeward.tidy.series import Series, alike, series
from leeward.web.releases_folder import listing, opened
from leeward.web.releases_table import CODE, refuse_wide
from leeward.web.site import listed, render, site_of

PERIOD = 12
"""Maximum length of the name of a period below the chart."""

MOST_RELEASES = 40
"""Maximum number of bundles that are looked into, the newest ones."""

READING = Lock()
"""One series at a time, since it reads a table in each of many bundles."""


@dataclass(frozen=True)
class Drawn:
    """A series and its chart; `others` is how many bundles do not have the same table."""

    series: Series
    chart: Trend
    others: int
    unread: int

    @property
    def label(self) -> str:
        """What the cell counts."""
        return " · ".join(cut(one.label or one.code) for one in self.series.cell.values())


def series_page(request: Request) -> Response:
    """A row with its margin in every release that has the same table."""
    asked, folder = request.path_params, site_of(request).releases
    bundle = opened(folder, asked["name"])
    held = certified(bundle, asked["table"])
    refuse_wide(held)
    cell = {name: request.query_params.get(f"{CODE}{name}", "") for name in held.identifiers}
    found, refusals = None, tuple[LeewardError, ...]()
    try:
        with READING:
            found = _drawn(folder, bundle, held.name, cell)
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
    )


def _drawn(folder: Path, bundle: Bundle, table: str, cell: dict[str, str]) -> Drawn:
    sound = [one.name for one in listing(folder) if not one.problem]
    near = [name for name in sound if name != bundle.path.name][:MOST_RELEASES]
    over, others = alike(bundle, table, _opened(folder, near))
    found = series(bundle, table, cell, over)
    items = [
        Bar(_short(one.period), one.value, one.ends)
        for one in found.points
        if one.value is not None
    ]
    chart = trend(items, title=f"{table} over releases", unit=found.unit)
    return Drawn(found, chart, others, len(sound) - 1 - len(near))


def _opened(folder: Path, names: list[str]) -> Iterator[Bundle]:
    return (opened(folder, name) for name in names)


def _short(period: str) -> str:
    """A period that has room below a point; a stranger may have written a longer one."""
    return period if len(period) <= PERIOD else f"{period[: PERIOD - 1]}…"
