"""Table page: the rows of a table that an address asks for, each value drawn with its margin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from threading import Lock
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from leeward.core.errors import InvalidParameter, LeewardError, shown
from leeward.core.show.charts import Span, spans
from leeward.core.show.interpretation import RANKS, picked_words
from leeward.core.show.numbers import MOST_LETTERS, cut, rank_text
from leeward.interface.report.section import statuses
from leeward.interface.web.releases_folder import opened
from leeward.interface.web.releases_reading import has_metadata, reading_lines
from leeward.interface.web.site import listed, render, site_of
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import certified
from leeward.publishing.bundle.selection import Coded, Page, Row, Selection, select

CODE = "code."
"""Prefix of the name of an identifier in an address: an attribute may be called `page`."""

DESCENDING = "down"
RANKED = "shown"
TOTALS = "too"
MOST_CHOICES = 100
"""Maximum number of codes in a list to choose from; of longer lists the first are suggested."""

COLUMN_TERMS = {one: one for one in ("value", "status", "margin")} | {
    "low": "margin",
    "high": "margin",
}
"""The terms of the glossary that explain columns."""

ESTIMATING = Lock()
"""One estimate at a time, since it holds a table in memory."""

MOST_COLUMNS = 40
"""Maximum number of codes that are columns of a pivot."""

MOST_IDENTIFIERS = 40
"""Maximum number of identifiers of a table that the page shows."""


@dataclass(frozen=True)
class Asked:
    """The texts of an address, to fill the fields of the page again."""

    search: str
    status: str
    sort: str
    order: str
    totals: str

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "Asked":
        """The texts of the fields with a fixed name."""
        names = ("search", "status", "sort", "order", "totals")
        return cls(*(asked.get(name, "") for name in names))

    @property
    def narrowed(self) -> bool:
        """Whether the address narrows or sorts the rows."""
        return any((self.search, self.status, self.sort))


@dataclass(frozen=True)
class Header:
    """A column: the address that a click leads to, its present order, its term if it has one."""

    name: str
    query: str
    sorted: str
    term: str = ""


LONGEST_CELL = 1000
"""Maximum length of names and codes of a cell in an address, in characters before encoding."""


@dataclass(frozen=True)
class RowLine:
    """A row, the bar of its value, and the end of the address that shows it over releases.

    `ranks` are the ranks that it may have, where they were asked for.
    """

    row: Row
    span: Span
    series: str
    ranks: tuple[int, int] | None = None

    @property
    def rank(self) -> str:
        """The ranks as text."""
        return rank_text(self.ranks)


@dataclass(frozen=True)
class Choice:
    """The codes of an identifier, all or the first of them; `chosen` is the code asked for."""

    name: str
    codes: tuple[Coded, ...]
    chosen: str
    number: int

    @property
    def whole(self) -> bool:
        """Whether the list has every code."""
        return len(self.codes) == self.number


@dataclass(frozen=True)
class Found:
    """One page of rows with the links around it.

    `query` ends the address of all rows of the view, `here` that of this page, `printed` that of
    the print view. `picked` says which coverage margins have where rows are sorted by a released
    number; else it is empty. `ranked` says whether ranks are shown, `unranked` why those that were
    asked for are not.
    """

    page: Page
    query: str
    here: str
    printed: str
    headers: list[Header]
    lines: list[RowLine]
    before: str | None
    after: str | None
    picked: str = ""
    ranked: bool = False
    unranked: str = ""


def table_page(request: Request) -> Response:
    """A page of rows; refusals are shown beside the fields, which can then be corrected."""
    asked = opened(site_of(request).releases, request.path_params["name"])
    held = certified(asked, request.path_params["table"])
    refuse_wide(held)
    found, refusals = None, tuple[LeewardError, ...]()
    try:
        ranked = request.query_params.get("ranks") == RANKED
        found = _found(asked, held, read_selection(request.query_params, held), ranked=ranked)
    except LeewardError as error:
        refusals = listed(error)
    return render(
        request,
        "releases_table.html.j2",
        status=400 if refusals else 200,
        bundle=asked,
        table=held,
        asked=Asked.of(request.query_params),
        choices=choices(held, request.query_params),
        statuses=statuses(held),
        found=found,
        refusals=refusals,
        pivoted=pivoted(held),
        mapped=mapped(request, held),
        metadata=has_metadata(asked, held),
        reading=reading_lines(held),
        ranked=RANKED,
        rank_words=RANKS,
        holds=Fraction(held.margins.coverage) if held.margins.coverage else None,
    )


def pivoted(table: CertifiedTable) -> bool:
    """Whether the codes of an identifier have room as columns."""
    return any(len(table.codes[name]) <= MOST_COLUMNS for name in table.identifiers)


def mapped(request: Request, table: CertifiedTable) -> bool:
    """Whether the map of the page has areas of the table."""
    geography = site_of(request).geography
    return geography is not None and geography.fits(table) is not None


def _found(bundle: Bundle, table: CertifiedTable, selection: Selection, *, ranked: bool) -> Found:
    page = select(bundle, table.name, selection)
    found = Found(
        page,
        query(replace(selection, page=1, sort="", descending=False)),
        query(selection),
        turned(selection, 1),
        headers(table, selection),
        lines(page, table.identifiers, signed=table.signed),
        turned(selection, page.number - 1) if page.number > 1 else None,
        turned(selection, page.number + 1) if page.number < page.last else None,
    )
    found = replace(found, picked=picked_by(bundle, table, selection.sort, page))
    return _ranked(found, bundle, table) if ranked and found.picked else found


def picked_by(bundle: Bundle, table: CertifiedTable, column: str, page: Page) -> str:
    """Which coverage the margins of a page have, where rows are sorted by a released number."""
    if column not in ("value", *table.noise_columns) or not (table.has_margins and page.rows):
        return ""
    # A page that is served must not load laws and draws before they are needed.
    from leeward.derived.derive.picked import picked_coverage  # noqa: PLC0415

    with ESTIMATING:
        covered = picked_coverage(bundle, table, page.rows)
    return picked_words(column, len(page.rows), covered, least=table.allows_for_clipping)


def _ranked(found: Found, bundle: Bundle, table: CertifiedTable) -> Found:
    """The page with the ranks that its rows may have."""
    from leeward.derived.derive.groups import MOST_GROUPS  # noqa: PLC0415 (as above)
    from leeward.derived.derive.picked import rank_intervals  # noqa: PLC0415

    codes = [tuple(one.code for one in row.codes) for row in found.page.rows]
    with ESTIMATING:
        ranks = rank_intervals(bundle, table, codes)
    lines = [replace(line, ranks=one) for line, one in zip(found.lines, ranks, strict=True)]
    why = "" if any(ranks) else (
        "Ranks are not known here: the table must state the law of its noise, and have at most "
        f"{MOST_GROUPS:,} cells."
    )  # fmt: skip
    return replace(found, lines=lines, ranked=any(ranks), unranked=why)


def read_selection(asked: Mapping[str, str], table: CertifiedTable) -> Selection:
    """The selection that an address asks for."""
    return Selection(
        search=asked.get("search", "").strip(),
        filters={name: asked.get(f"{CODE}{name}", "").strip() for name in table.identifiers},
        status=_number(asked, "status") if asked.get("status") else None,
        sort=asked.get("sort", ""),
        descending=asked.get("order") == DESCENDING,
        page=_number(asked, "page") if asked.get("page") else 1,
        totals=asked.get("totals") == TOTALS and table.totals is not None,
    )


def _number(asked: Mapping[str, str], name: str) -> int:
    text = asked[name]
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise InvalidParameter(
            name,
            rule="must be a whole number",
            value=shown(text),
            next_step="Use the fields and links of the page.",
        )
    return int(text)


def query(selection: Selection) -> str:
    """A selection as the end of an address."""
    asked = {
        "search": selection.search,
        **{f"{CODE}{name}": code for name, code in selection.filters.items()},
        "status": "" if selection.status is None else str(selection.status),
        "sort": selection.sort,
        "order": DESCENDING if selection.descending else "",
        "totals": TOTALS if selection.totals else "",
        "page": str(selection.page) if selection.page > 1 else "",
    }
    return urlencode({name: text for name, text in asked.items() if text})


def turned(selection: Selection, page: int) -> str:
    """The same rows on another page."""
    return query(replace(selection, page=page))


def headers(table: CertifiedTable, selection: Selection) -> list[Header]:
    """Every column; a click sorts by it, another one the other way, a third not at all."""
    return [
        Header(
            name,
            query(_next(selection, name)),
            _sorted(selection, name),
            COLUMN_TERMS.get(name, "") if place >= len(table.identifiers) else "",
        )
        for place, name in enumerate(table.columns)
    ]


def _next(selection: Selection, column: str) -> Selection:
    """The first click sorts codes upwards and numbers downwards."""
    order = [False, True] if column in selection.filters else [True, False]
    if selection.sort != column:
        return replace(selection, sort=column, descending=order[0], page=1)
    if selection.descending == order[0]:
        return replace(selection, descending=order[1], page=1)
    return replace(selection, sort="", descending=False, page=1)


def _sorted(selection: Selection, column: str) -> str:
    """The value of aria-sort."""
    if selection.sort != column:
        return "none"
    return "descending" if selection.descending else "ascending"


def lines(page: Page, identifiers: Sequence[str], *, signed: bool = False) -> list[RowLine]:
    """All rows of a page on one scale; `signed` as in `reaches_zero`."""
    drawn = spans([(row.value, row.ends) for row in page.rows], signed=signed)
    return [
        RowLine(row, span, _cell(row, identifiers))
        for row, span in zip(page.rows, drawn, strict=True)
    ]


def _cell(row: Row, identifiers: Sequence[str]) -> str:
    """The codes of a row as the end of an address; empty where it would be too long for one."""
    if sum(map(len, identifiers)) + sum(len(one.code) for one in row.codes) > LONGEST_CELL:
        return ""
    named = zip(identifiers, row.codes, strict=True)
    return urlencode({f"{CODE}{name}": one.code for name, one in named})


def refuse_wide(table: CertifiedTable) -> None:
    """Refuse a table with too many columns for a page: a stranger may have written it."""
    if len(table.identifiers) > MOST_IDENTIFIERS:
        raise InvalidParameter(
            "table",
            rule=f"must have at most {MOST_IDENTIFIERS} identifiers to be shown",
            value=f"{len(table.identifiers):,}",
            next_step="Read it with a program that reads Parquet.",
        )


def choices(table: CertifiedTable, asked: Mapping[str, str]) -> list[Choice]:
    """A list for each identifier, with the code that the address asks for."""
    return [_choice(table, name, asked.get(f"{CODE}{name}", "")) for name in table.identifiers]


def _choice(table: CertifiedTable, name: str, chosen: str) -> Choice:
    listed = table.listed(name)
    short = ((code, label) for code, label in listed.items() if len(code) <= MOST_LETTERS)
    codes = tuple(Coded(code, cut(label)) for code, label in islice(short, MOST_CHOICES))
    return Choice(name, codes, chosen, len(listed))
