"""Map page: one value for each area of the map that the page was started with."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from leeward.core.errors import InvalidParameter
from leeward.core.show.environment import picture
from leeward.core.show.heat import Area, Map, shaded_map
from leeward.core.show.interpretation import NOT_DISTINGUISHABLE, OPEN
from leeward.core.show.numbers import cut
from leeward.interface.web.releases_address import CODE, choices, table_of
from leeward.interface.web.releases_files import caption, picture_answer
from leeward.interface.web.site import attempt, render, site_of
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.selection import MOST_ROWS, RowSelection, select


@dataclass(frozen=True)
class DrawnMap:
    """A map of a table: `attribute` names its areas, the other attributes have one code each."""

    attribute: str
    chosen: Mapping[str, str]
    chart: Map
    off: tuple[str, ...]
    """Codes of the table that the map does not have."""

    @property
    def query(self) -> str:
        """The choice as the end of an address."""
        return urlencode({f"{CODE}{name}": code for name, code in self.chosen.items()})


def map_page(request: Request) -> Response:
    """The map of a table; refusals are shown in its place."""
    bundle, table = table_of(request)
    drawn, refusals = attempt(lambda: _drawn(request, bundle, table))
    chosen = {f"{CODE}{name}": code for name, code in drawn.chosen.items()} if drawn else {}
    return render(
        request,
        "releases_map.html.j2",
        status=400 if refusals else 200,
        bundle=bundle,
        table=table,
        choices=[choice for choice in choices(table, chosen) if f"{CODE}{choice.name}" in chosen],
        drawn=drawn,
        refusals=refusals,
        faded=FADED,
        open_words=OPEN,
    )


def map_picture(request: Request) -> Response:
    """The same map as a file."""
    bundle, table = table_of(request)
    chart = _drawn(request, bundle, table).chart
    return picture_answer(picture(chart, f"{caption(bundle, table)} {FADED}"), f"{table.name}.svg")


FADED = f"Hatched areas: {NOT_DISTINGUISHABLE} Dotted areas have no number."


def _drawn(request: Request, bundle: Bundle, table: CertifiedTable) -> DrawnMap:
    geography = site_of(request).geography
    fit = None if geography is None else geography.fits(table)
    if geography is None or fit is None:
        raise InvalidParameter(
            "map",
            rule="must have areas whose codes are those of an attribute of the table",
            value="no map" if geography is None else "none of its codes in the table",
            next_step="Start the page with another file: leeward serve --map FILE.",
        )
    attribute, key = fit
    others = [name for name in table.identifiers if name != attribute]
    texts = {name: request.query_params.get(f"{CODE}{name}", "") for name in others}
    chosen = texts if all(texts.values()) else _usual(bundle, table, texts)
    wanted = RowSelection(filters=chosen, totals=table.totals is not None)
    place, codes = table.identifiers.index(attribute), table.codes[attribute]
    selected = select(bundle, table.name, wanted, size=MOST_ROWS).rows
    rows = {row.codes[place].code: row for row in selected}
    areas = []
    for outline in geography.outlines:
        code = outline.texts.get(key, "")
        row, label = rows.get(code), cut(codes.get(code) or code or "not in the table")
        value, ends = (None, None) if row is None else (row.value, row.ends)
        areas.append(Area(outline.path, label, value, ends, signed=table.signed))
    known = {code for code in rows if code in codes} - geography.texts[key]
    what = " · ".join(cut(table.listed(name)[code] or code) for name, code in chosen.items())
    title = f"{what or table.heading}, {bundle.certificate.period}"
    chart = shaded_map(areas, title=title, unit=table.unit, height=geography.height)
    return DrawnMap(attribute, chosen, chart, tuple(sorted(known)))


def _usual(bundle: Bundle, table: CertifiedTable, texts: Mapping[str, str]) -> dict[str, str]:
    """Codes for what was not asked for: totals where there are some, else those of most areas."""
    totals = {} if table.totals is None else table.totals.codes
    wanted = {name: code or totals.get(name) or "" for name, code in texts.items()}
    if all(wanted.values()):
        return wanted
    selection = RowSelection(filters=wanted, totals=table.totals is not None)
    rows = select(bundle, table.name, selection, size=MOST_ROWS).rows
    places = [table.identifiers.index(name) for name in wanted]
    combinations = Counter(tuple(row.codes[place].code for place in places) for row in rows)
    first = tuple(code or next(iter(table.codes[name])) for name, code in wanted.items())
    best = combinations.most_common(1)[0][0] if combinations else first
    return dict(zip(wanted, best, strict=True))
