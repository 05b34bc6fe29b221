"""Print view: all rows of a view of a table as plain sheets with their source, for paper.

The browser loads it when a table or a pivot is printed, so that paper has more than one page of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response

from leeward.core.codebook.marginal import BOUND, RELEASED
from leeward.core.show.numbers import count, counted, cut, reach
from leeward.interface.web.releases_address import read_selection, table_of
from leeward.interface.web.releases_pivot import Pivot, first, pivot
from leeward.interface.web.releases_table import picked_by
from leeward.interface.web.site import render
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.bundle_files import ESTABLISHMENTS
from leeward.publishing.bundle.selection import Coded, RowSelection, SelectedRow, select
from leeward.publishing.bundle.signoff import certificate_digest

MOST_PRINTED = 5_000
"""Maximum number of rows of a print view."""

MOST_LINES = 2_000
"""Maximum number of lines of the print view of a pivot."""

MOST_NAMES = 4
"""Attributes that have columns of their own on paper; more of them share one."""

PAPER, NAME, NUMBER = 670, 105, 92
"""Width of the paper, of a column of names and of one of numbers, in pixels."""

NO_NUMBER = "·"


@dataclass(frozen=True)
class PaperSheet:
    """A table on paper: the first `names` of its columns name the rows, the others are numbers."""

    caption: str
    heads: tuple[str, ...]
    names: int
    rows: tuple[tuple[str, ...], ...]
    even: bool = False
    """Whether its columns are equally wide."""


@dataclass(frozen=True)
class View:
    """The bundle and the table that an address asks for, and the rows it chooses."""

    bundle: Bundle
    table: CertifiedTable
    selection: RowSelection

    @classmethod
    def of(cls, request: Request) -> "View":
        """The view of a request; pages of a screen do not matter on paper."""
        bundle, table = table_of(request)
        return cls(bundle, table, replace(read_selection(request.query_params, table), page=1))

    @property
    def chosen(self) -> Iterator[str]:
        """What was searched, filtered and sorted, in words."""
        selection = self.selection
        if not (
            selection.search or any(selection.filters.values()) or selection.status is not None
        ):
            yield "all rows"
        if selection.search:
            yield f"with {', '.join(selection.search.split())} in codes or labels"
        for name, code in selection.filters.items():
            if code:
                yield f"{name} {_named(Coded(code, self.table.listed(name)[code]))}"
        if selection.status is not None:
            yield f"status {count(selection.status)}"
        if selection.totals:
            yield "cells and totals"
        if selection.sort:
            way = "downwards" if selection.descending else "upwards"
            yield f"sorted by {selection.sort}, {way}"


def print_page(request: Request) -> Response:
    """All rows of a view of a table, up to a bound."""
    view = View.of(request)
    table = view.table
    page = select(view.bundle, table.name, view.selection, size=MOST_PRINTED)
    names, numbers = _joined(table.identifiers), table.columns[len(table.identifiers) :]
    rows = [(*_joined([*map(_named, row.codes)]), *_numbers(row, table)) for row in page.rows]
    sheet = PaperSheet(table.unit, (*names, *numbers), len(names), tuple(rows))
    picked = picked_by(view.bundle, table, view.selection.sort, page)
    left_out = _left_out(len(rows), page.matches, "row")
    return _printed(request, view, [sheet], left_out, picked)


def print_pivot(request: Request) -> Response:
    """All lines of a pivot, up to a bound, in groups of columns that fit the paper."""
    view = View.of(request)
    unsorted = replace(view, selection=replace(view.selection, sort=""))
    attribute = request.query_params.get("columns", "") or first(view.table)
    crossed = pivot(view.bundle, view.table, attribute, unsorted.selection, "", size=MOST_LINES)
    left_out = _left_out(len(crossed.lines), crossed.of, "line")
    return _printed(request, unsorted, list(_groups(crossed, view.table)), left_out)


def _printed(
    request: Request, view: View, sheets: Sequence[PaperSheet], left_out: str, picked: str = ""
) -> Response:
    return render(
        request,
        "releases_print.html.j2",
        bundle=view.bundle,
        table=view.table,
        sheets=sheets,
        chosen=" · ".join(view.chosen),
        left_out=left_out,
        picked=picked,
        digest=certificate_digest(view.bundle.path),
    )


def _left_out(rows: int, of: int, noun: str) -> str:
    """What is said where not every row is printed; else nothing."""
    if rows == of:
        return ""
    return (
        f"Printed are the first {count(rows)} of {counted(of, noun)}. Filter the view to print the "
        "others; the CSV file of the table has all of them."
    )


def _groups(crossed: Pivot, table: CertifiedTable) -> Iterator[PaperSheet]:
    """The columns of a pivot, as many at a time as the paper is wide."""
    names = _joined(crossed.others)
    most = max(2, (PAPER - NAME * len(names)) // NUMBER)
    for start in range(0, len(crossed.columns), most):
        columns = crossed.columns[start : start + most]
        heads = (*names, *(cut(column.label or column.code) for column in columns))
        rows = tuple(
            (*_joined([*map(_named, codes)]), *map(_cell, cells[start : start + most]))
            for codes, cells in crossed.lines
        )
        shown = f"{start + 1} to {start + len(columns)} of {len(crossed.columns)}"
        caption = f"{table.unit}, by {crossed.attribute} across: columns {shown}"
        yield PaperSheet(caption, heads, len(names), rows, even=True)


def _joined(names: Sequence[str]) -> tuple[str, ...]:
    """The columns that name a row: one for each attribute, or one for many."""
    return tuple(names) if len(names) <= MOST_NAMES else (" · ".join(names),)


def _named(coded: Coded) -> str:
    code, label = cut(coded.code), cut(coded.label)
    return f"{code} {label}" if label and label != code else code


def _cell(row: SelectedRow | None) -> str:
    if row is None or row.value is None:
        return NO_NUMBER
    if not row.ends:
        return count(row.value)
    far = reach(row.value, row.ends)
    return f"{count(row.value)} {far if far.startswith('±') else f'({far})'}"


def _numbers(row: SelectedRow, table: CertifiedTable) -> Iterator[str]:
    """The columns of a row behind its codes, in the order of the table."""
    sign = "" if table.margins.ends else "± "
    margins = zip(table.margin_columns + table.count_columns, row.margins, strict=True)
    shown = {name: "" if margin is None else f"{sign}{count(margin)}" for name, margin in margins}
    numbers = {
        "value": row.value,
        "status": row.status,
        RELEASED: row.released,
        BOUND: row.bound,
        ESTABLISHMENTS: row.establishments,
    }
    shown |= {name: count(number) for name, number in numbers.items() if number is not None}
    yield from (shown.get(name) or NO_NUMBER for name in table.columns[len(table.identifiers) :])
