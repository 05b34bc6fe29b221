"""Pivot page: the rows of a table with the codes of one attribute as columns."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from leeward.core.errors import InvalidParameter, shown
from leeward.core.show.charts import reaches_zero
from leeward.interface.web.releases_address import AddressTexts, choices, read_selection, table_of
from leeward.interface.web.releases_table import MOST_COLUMNS
from leeward.interface.web.site import attempt, one_page, render
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.selection import MOST_ROWS, Coded, RowSelection, SelectedRow, select

PER_PAGE = 100


@dataclass(frozen=True)
class Pivot:
    """Rows of cells by the codes of one attribute; a cell that the table lacks is None.

    `lines` are those of one page of `of` lines in all.
    """

    attribute: str
    columns: tuple[Coded, ...]
    others: tuple[str, ...]
    lines: tuple[tuple[tuple[Coded, ...], tuple[SelectedRow | None, ...]], ...]
    number: int
    pages: int
    of: int
    signed: bool

    def reaches_zero(self, row: SelectedRow) -> bool:
        """Whether the margin of a value reaches zero."""
        return row.value is not None and reaches_zero(row.value, row.ends, signed=self.signed)


def pivot_page(request: Request) -> Response:
    """A pivot of a table; refusals are shown beside the fields.

    Where nothing was asked for yet, a refusal only says what to choose.
    """
    query = request.query_params
    bundle, table = table_of(request)
    attribute = query.get("columns", "") or first(table)

    def chosen() -> Pivot:
        selection = replace(read_selection(query, table), page=1)
        return pivot(bundle, table, attribute, selection, query.get("page", ""))

    turned, refusals = attempt(chosen)
    kept = {name: text for name, text in query.items() if name != "page" and text}
    return render(
        request,
        "releases_pivot.html.j2",
        status=400 if refusals and query else 200,
        bundle=bundle,
        table=table,
        asked=AddressTexts.of(query),
        attribute=attribute,
        choices=choices(table, query),
        turned=turned,
        refusals=refusals,
        query=urlencode(kept),
    )


def first(table: CertifiedTable) -> str:
    """The attribute with the fewest codes: its columns have the most room."""
    return min(table.identifiers, key=lambda name: len(table.codes[name]), default="")


def pivot(
    bundle: Bundle,
    table: CertifiedTable,
    attribute: str,
    selection: RowSelection,
    page: str,
    *,
    size: int = PER_PAGE,
) -> Pivot:
    """The rows that a selection leaves, with the codes of an attribute as columns."""
    if attribute not in table.identifiers:
        raise InvalidParameter(
            "columns",
            rule="must be an attribute of the table",
            value=shown(attribute),
            next_step=f"Choose one of: {', '.join(table.identifiers) or 'it has none'}.",
        )
    rows = _rows(bundle, table, selection)
    place = table.identifiers.index(attribute)
    columns = _columns(table, attribute, {row.codes[place].code for row in rows})
    lines = dict[tuple[Coded, ...], dict[str, SelectedRow]]()
    for row in rows:
        key = row.codes[:place] + row.codes[place + 1 :]
        lines.setdefault(key, {})[row.codes[place].code] = row
    shown_lines, number, pages = one_page(list(lines.items()), page, size)
    return Pivot(
        attribute=attribute,
        columns=columns,
        others=tuple(name for name in table.identifiers if name != attribute),
        lines=tuple((key, tuple(cells.get(column.code) for column in columns))
                    for key, cells in shown_lines),
        number=number,
        pages=pages,
        of=len(lines),
        signed=table.signed,
    )  # fmt: skip


def _rows(
    bundle: Bundle, table: CertifiedTable, selection: RowSelection
) -> tuple[SelectedRow, ...]:
    page = select(bundle, table.name, replace(selection, sort=""), size=MOST_ROWS)
    if page.matches > MOST_ROWS:
        raise InvalidParameter(
            "rows",
            rule=f"must be at most {MOST_ROWS:,} to be shown with columns",
            value=f"{page.matches:,}",
            next_step="Choose a code of another attribute, or search.",
        )
    return page.rows


def _columns(table: CertifiedTable, name: str, there: set[str]) -> tuple[Coded, ...]:
    codes: Mapping[str, str] = table.listed(name)
    columns = tuple(Coded(code, label) for code, label in codes.items() if code in there)
    if len(columns) > MOST_COLUMNS:
        raise InvalidParameter(
            "columns",
            rule=f"must be an attribute with at most {MOST_COLUMNS} codes in these rows",
            value=f"{len(columns):,} of {name}",
            next_step="Choose another attribute, or search for fewer codes.",
        )
    return columns
