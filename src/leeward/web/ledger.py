"""Ledger: the tab that shows accounts, entries and whether the ledger is sound. It only reads."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from leeward.errors import LeewardError
from leeward.ledger import Entry
from leeward.ledger.book import states
from leeward.ledger.entry import happened, price
from leeward.web import releases_words as say
from leeward.web.ledger_view import Drawn, View, drawn, look
from leeward.web.releases_folder import Listed, listing
from leeward.web.rendering import render, site_of

PER_PAGE = 100
MOST_DRAWN = 12
"""So many accounts are drawn at once; of more there is a list to choose from."""


@dataclass(frozen=True)
class Line:
    """An entry as a row: what it is about, and the bundle of it that lies in the folder."""

    entry: Entry
    happened: str
    charge: str
    bundle: str
    link: str
    state: str


@dataclass(frozen=True)
class Lines:
    """A page of entries, the newest first."""

    lines: tuple[Line, ...]
    number: int
    page: int
    pages: int


def routes() -> list[Route]:
    """The addresses of the tab."""
    return [Route("/ledger", page)]


def page(request: Request) -> Response:
    """Everything that the ledger says, of all accounts or of one."""
    site, asked = site_of(request), request.query_params
    bundles = _bundles(request)
    view = View() if site.ledger is None else look(site.ledger, bundles)
    account = asked.get("account", "")
    chosen = [one for one in view.accounts if account in {"", one.name}]
    return render(
        request,
        "ledger.html.j2",
        view=view,
        account=account,
        drawn=_drawn(view, [one.name for one in chosen]),
        chosen=chosen,
        lines=_lines(view, account, asked.get("page", ""), bundles),
        price=price,
        say=say,
    )


def _bundles(request: Request) -> Sequence[Listed]:
    """The bundles that can be opened; a folder that cannot be read is the other tab's matter."""
    try:
        found = listing(site_of(request).releases)
    except LeewardError:
        return ()
    return [one for one in found if not one.problem]


def _drawn(view: View, names: Sequence[str]) -> list[Drawn]:
    if len(names) > MOST_DRAWN:
        return []
    return [drawn(one, view.entries) for one in view.accounts if one.name in names]


def _lines(view: View, account: str, page: str, bundles: Sequence[Listed]) -> Lines:
    own = [one for one in reversed(view.entries) if account in {"", one.account}]
    pages = max(1, -(-len(own) // PER_PAGE))
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 9 else 1
    number = min(max(number, 1), pages)
    became = states(view.entries)
    places = {one.anchor[:2]: one.name for one in bundles}
    shown = own[(number - 1) * PER_PAGE : number * PER_PAGE]
    lines = tuple(_line(one, became, places.get((view.id, one.number), "")) for one in shown)
    return Lines(lines, len(own), number, pages)


def _line(entry: Entry, became: dict[int, str], link: str) -> Line:
    subject = entry.subject
    return Line(
        entry,
        happened(entry),
        "" if entry.charge is None else price(entry.charge),
        "" if subject is None else subject.bundle,
        link,
        became.get(entry.number, ""),
    )
