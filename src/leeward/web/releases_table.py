"""Table: the rows of a table as an address asks for them, found and drawn."""

from dataclasses import dataclass
from fractions import Fraction

from starlette.requests import Request
from starlette.responses import Response

from leeward.bundle import Bundle, CertifiedTable
from leeward.bundle.blocks import certified
from leeward.bundle.selection import Page, Selection, select
from leeward.errors import LeewardError
from leeward.report.section import STATUSES
from leeward.web import releases_words as say
from leeward.web.refusals import listed
from leeward.web.releases_folder import opened
from leeward.web.releases_query import Asked, Header, headers, read_selection, turned
from leeward.web.releases_rows import WIDTH, Line, choices, cut, lines, refuse_wide
from leeward.web.rendering import render, site_of


@dataclass(frozen=True)
class Found:
    """One page of rows with the links around it."""

    page: Page
    headers: list[Header]
    lines: list[Line]
    before: str | None
    after: str | None


def table(request: Request) -> Response:
    """A page of rows. A refusal is told beside the fields, so that they can be mended."""
    asked = opened(site_of(request).releases, request.path_params["name"])
    held = certified(asked, request.path_params["table"])
    refuse_wide(held)
    found, refusals = None, tuple[LeewardError, ...]()
    try:
        found = _found(asked, held, read_selection(request.query_params, held))
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
        statuses=STATUSES,
        found=found,
        refusals=refusals,
        holds=Fraction(held.margins.coverage) if held.margins.coverage else None,
        width=WIDTH,
        cut=cut,
        say=say,
    )


def _found(bundle: Bundle, table: CertifiedTable, selection: Selection) -> Found:
    page = select(bundle, table.name, selection)
    return Found(
        page,
        headers(table, selection),
        lines(page),
        turned(selection, page.number - 1) if page.number > 1 else None,
        turned(selection, page.number + 1) if page.number < page.last else None,
    )
