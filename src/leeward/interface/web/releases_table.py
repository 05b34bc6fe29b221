"""Table page: the rows of a table that an address asks for, each value drawn with its margin."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from stat import S_ISREG
from threading import Lock
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from leeward.core.errors import InvalidParameter
from leeward.core.show.charts import Span, spans
from leeward.core.show.interpretation import RANKS, picked_words
from leeward.core.show.numbers import rank_text
from leeward.interface.report.section import statuses
from leeward.interface.web.releases_address import (
    CODE,
    AddressTexts,
    choices,
    query,
    read_selection,
    table_of,
)
from leeward.interface.web.site import attempt, render, site_of
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.bundle_files import metadata_path
from leeward.publishing.bundle.certificate import damaged
from leeward.publishing.bundle.selection import Page, RowSelection, SelectedRow, select

RANKED = "shown"
MOST_BYTES = 16 << 20
"""Maximum size of a description in bytes."""

COLUMN_TERMS = {name: name for name in ("value", "status", "margin")} | {
    "low": "margin",
    "high": "margin",
}
"""The terms of the glossary that explain columns."""

ESTIMATING = Lock()
"""One estimate at a time, since it holds a table in memory."""

MOST_COLUMNS = 40
"""Maximum number of codes that are columns of a pivot."""


@dataclass(frozen=True)
class Header:
    """A column: the address that a click leads to, its aria-sort, its term if it has one."""

    name: str
    query: str
    sorted: str
    term: str = ""


LONGEST_CELL = 1000
"""Maximum length of names and codes of a cell in an address, in characters before encoding."""


@dataclass(frozen=True)
class ShownRow:
    """A row, the bar of its value, and the end of the address that shows it over releases.

    `ranks` are the ranks that it may have, where they were asked for.
    """

    row: SelectedRow
    span: Span
    series: str
    ranks: tuple[int, int] | None = None

    @property
    def rank(self) -> str:
        """The ranks as text."""
        return rank_text(self.ranks)


@dataclass(frozen=True)
class RowsPage:
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
    lines: list[ShownRow]
    before: str | None
    after: str | None
    picked: str = ""
    ranked: bool = False
    unranked: str = ""


def table_page(request: Request) -> Response:
    """A page of rows; refusals are shown beside the fields, which can then be corrected."""
    bundle, table = table_of(request)
    address = request.query_params

    def chosen() -> RowsPage:
        selection = read_selection(address, table)
        return _rows_page(bundle, table, selection, ranked=address.get("ranks") == RANKED)

    view, refusals = attempt(chosen)
    return render(
        request,
        "releases_table.html.j2",
        status=400 if refusals else 200,
        bundle=bundle,
        table=table,
        asked=AddressTexts.of(address),
        choices=choices(table, address),
        statuses=statuses(table),
        view=view,
        refusals=refusals,
        pivoted=pivoted(table),
        mapped=mapped(request, table),
        metadata=has_metadata(bundle, table),
        reading=reading_lines(table),
        ranked=RANKED,
        rank_words=RANKS,
        holds=Fraction(table.margins.coverage) if table.margins.coverage else None,
    )


def pivoted(table: CertifiedTable) -> bool:
    """Whether the codes of an identifier have room as columns."""
    return any(len(table.codes[name]) <= MOST_COLUMNS for name in table.identifiers)


def mapped(request: Request, table: CertifiedTable) -> bool:
    """Whether the map of the page has areas of the table."""
    geography = site_of(request).geography
    return geography is not None and geography.fits(table) is not None


def _rows_page(
    bundle: Bundle, table: CertifiedTable, selection: RowSelection, *, ranked: bool
) -> RowsPage:
    page = select(bundle, table.name, selection)
    at = page.number
    view = RowsPage(
        page=page,
        query=query(replace(selection, page=1, sort="", descending=False)),
        here=query(selection),
        printed=query(replace(selection, page=1)),
        headers=headers(table, selection),
        lines=lines(page, table.identifiers, signed=table.signed),
        before=query(replace(selection, page=at - 1)) if at > 1 else None,
        after=query(replace(selection, page=at + 1)) if at < page.last else None,
        picked=picked_by(bundle, table, selection.sort, page),
    )
    if not (ranked and view.picked):
        return view
    # A page that is served must not load laws and draws before they are needed.
    from leeward.derived.derive.groups import MOST_GROUPS  # noqa: PLC0415
    from leeward.derived.derive.picked import rank_intervals  # noqa: PLC0415

    codes = [tuple(code.code for code in row.codes) for row in page.rows]
    with ESTIMATING:
        ranks = rank_intervals(bundle, table, codes)
    lines_with_ranks = [
        replace(line, ranks=rank) for line, rank in zip(view.lines, ranks, strict=True)
    ]
    why = "" if any(ranks) else (
        "Ranks are not known here: the table must state the law of its noise, and have at most "
        f"{MOST_GROUPS:,} cells."
    )  # fmt: skip
    return replace(view, lines=lines_with_ranks, ranked=any(ranks), unranked=why)


def picked_by(bundle: Bundle, table: CertifiedTable, column: str, page: Page) -> str:
    """Which coverage the margins of a page have, where rows are sorted by a released number."""
    if column not in ("value", *table.noise_columns) or not (table.has_margins and page.rows):
        return ""
    from leeward.derived.derive.picked import picked_coverage  # noqa: PLC0415 (as above)

    with ESTIMATING:
        covered = picked_coverage(bundle, table, page.rows)
    return picked_words(column, len(page.rows), covered, least=table.allows_for_clipping)


def headers(table: CertifiedTable, selection: RowSelection) -> list[Header]:
    """Every column; a click sorts by it, another one the other way, a third not at all."""
    order = "descending" if selection.descending else "ascending"
    columns = []
    for place, name in enumerate(table.columns):
        downwards = name not in selection.filters  # first: codes upwards, numbers downwards
        if selection.sort != name:
            clicked = replace(selection, sort=name, descending=downwards, page=1)
        elif selection.descending == downwards:
            clicked = replace(selection, descending=not downwards, page=1)
        else:
            clicked = replace(selection, sort="", descending=False, page=1)
        sorted_by = order if name == selection.sort else "none"
        term = COLUMN_TERMS.get(name, "") if place >= len(table.identifiers) else ""
        columns.append(Header(name, query(clicked), sorted_by, term))
    return columns


def lines(page: Page, identifiers: Sequence[str], *, signed: bool = False) -> list[ShownRow]:
    """All rows of a page on one scale; `signed` as in `reaches_zero`."""
    drawn = spans([(row.value, row.ends) for row in page.rows], signed=signed)
    shown = []
    for row, span in zip(page.rows, drawn, strict=True):
        codes = {name: code.code for name, code in zip(identifiers, row.codes, strict=True)}
        cell = urlencode({f"{CODE}{name}": code for name, code in codes.items()})
        fits = sum(map(len, [*codes, *codes.values()])) <= LONGEST_CELL  # into an address
        shown.append(ShownRow(row, span, cell if fits else ""))
    return shown


# The table for other programs: its description (CSVW), and lines of R and Stata.


def has_metadata(bundle: Bundle, table: CertifiedTable) -> bool:
    """Whether the bundle describes the columns of the table for programs (CSVW)."""
    return metadata_path(table.name) in bundle.certificate.files


def metadata(bundle: Bundle, table: CertifiedTable) -> bytes:
    """The description of the columns, as it was published."""
    stamp = bundle.certificate.files.get(metadata_path(table.name))
    if stamp is None:
        raise InvalidParameter(
            "metadata",
            rule="must be in the bundle",
            value=f"no description of {table.name}",
            next_step="Read the certificate, which lists columns and codes.",
        )
    path = bundle.path / metadata_path(table.name)
    try:
        plain = S_ISREG(path.lstat().st_mode) and not path.parent.is_symlink()
        if not plain or stamp.bytes > MOST_BYTES or path.stat().st_size != stamp.bytes:
            raise damaged(path, "must be the file that was published")
        content = path.read_bytes()
    except OSError:
        raise damaged(path, "must be readable") from None
    if sha256(content).hexdigest() != stamp.sha256:
        raise damaged(path, "must be the file that was published")
    return content


def reading_lines(table: CertifiedTable) -> dict[str, str]:
    """Lines that read the CSV file, by program; codes are texts, which keep their zeros."""
    texts, others = 2 * len(table.identifiers), len(table.columns) - len(table.identifiers)
    file = f"{table.name}.csv"
    kinds = f'c(rep("character", {texts}), rep("numeric", {others}))'
    strings = f"stringcols(1/{texts}) " if texts else ""
    return {
        "R": f'rows <- read.csv("{file}", colClasses = {kinds}, fileEncoding = "UTF-8", '
        "check.names = FALSE)",
        "Stata": f'import delimited using "{file}", clear varnames(1) {strings}'
        'encoding("UTF-8") bindquote(strict)',
    }
