"""Ledger tab: accounts, entries, and whether the ledger is sound; it only reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from leeward.core.errors import LeewardError
from leeward.core.show.charts import Budget, Part, budget
from leeward.interface.web.releases_folder import Listed, listing
from leeward.interface.web.site import listed, page_number, render, site_of
from leeward.publishing.ledger import Account, Anchor, Entry, Ledger
from leeward.publishing.ledger.book import meaning, states
from leeward.publishing.ledger.entry import happened, price

TOGETHER = "in rho, together"
SET_ASIDE = "set aside for Gaussian noise"
PER_PAGE = 100
MOST_DRAWN = 12
"""Maximum number of accounts that are drawn at once; more become a list to choose from."""


@dataclass(frozen=True)
class LedgerView:
    """A ledger as it was found; without entries if it cannot be used.

    `known` bundles of the folder carry an entry of this ledger, `strange` ones of another.
    """

    findings: tuple[str, ...] = ()
    refusals: tuple[LeewardError, ...] = ()
    id: str = ""
    accounts: tuple[Account, ...] = ()
    entries: tuple[Entry, ...] = ()
    known: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether the ledger could be read."""
        return bool(self.id)


@dataclass(frozen=True)
class DrawnAccount:
    """An account and the chart of its budget."""

    account: Account
    notes: tuple[str, ...]
    chart: Budget


@dataclass(frozen=True)
class EntryLine:
    """An entry as a row; `link` names its bundle if the folder has it."""

    entry: Entry
    happened: str
    charge: str
    bundle: str
    link: str
    state: str


@dataclass(frozen=True)
class EntryPage:
    """A page of entries, the newest first."""

    lines: tuple[EntryLine, ...]
    number: int
    page: int
    pages: int


def routes() -> list[Route]:
    """The addresses of the tab."""
    return [Route("/ledger", page)]


def page(request: Request) -> Response:
    """The ledger, with the entries of all accounts or of one."""
    site, asked = site_of(request), request.query_params
    bundles = _bundles(request)
    view = LedgerView() if site.ledger is None else look(site.ledger, bundles)
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
    )


def _bundles(request: Request) -> Sequence[Listed]:
    """The bundles that can be opened; the Releases tab shows why a folder cannot be read."""
    try:
        found = listing(site_of(request).releases)
    except LeewardError:
        return ()
    return [one for one in found if not one.problem]


def _drawn(view: LedgerView, names: Sequence[str]) -> list[DrawnAccount]:
    if len(names) > MOST_DRAWN:
        return []
    return [drawn(one, view.entries) for one in view.accounts if one.name in names]


def _lines(view: LedgerView, account: str, page: str, bundles: Sequence[Listed]) -> EntryPage:
    own = [one for one in reversed(view.entries) if account in {"", one.account}]
    pages = max(1, -(-len(own) // PER_PAGE))
    number = page_number(page, pages)
    became = states(view.entries)
    places = {one.anchor[:2]: one.name for one in bundles}
    shown = own[(number - 1) * PER_PAGE : number * PER_PAGE]
    lines = tuple(_line(one, became, places.get((view.id, one.number), "")) for one in shown)
    return EntryPage(lines, len(own), number, pages)


def _line(entry: Entry, became: dict[int, str], link: str) -> EntryLine:
    subject = entry.subject
    return EntryLine(
        entry,
        happened(entry),
        "" if entry.charge is None else price(entry.charge),
        "" if subject is None else subject.bundle,
        link,
        became.get(entry.number, ""),
    )


def look(path: Path, bundles: Sequence[Listed]) -> LedgerView:
    """The ledger in this file, or the findings and refusals if it cannot be used."""
    try:
        with Ledger.open(path) as book:
            return _sound(book, bundles)
    except LeewardError as error:
        return LedgerView(_findings(path), listed(error))


def _sound(book: Ledger, bundles: Sequence[Listed]) -> LedgerView:
    entries = book.entries()
    own = entries[-1].ledger if entries else book.head().ledger
    known = [one for one in bundles if one.anchor[0] == own]
    strange = [one for one in bundles if one.anchor[0] not in {own, ""}]
    return LedgerView(
        findings=book.verify(_anchor(one) for one in known),
        id=own,
        accounts=book.accounts(),
        entries=entries,
        known=tuple(one.name for one in known),
        strange=tuple(one.name for one in strange),
    )


def _findings(path: Path) -> tuple[str, ...]:
    """The findings about a ledger that cannot be opened; nothing if the file is not a ledger."""
    try:
        return Ledger.unchecked(path).verify()
    except LeewardError:
        return ()


def _anchor(bundle: Listed) -> Anchor:
    ledger, entry, head = bundle.anchor
    return Anchor(entry, head, ledger)


def drawn(account: Account, entries: Sequence[Entry]) -> DrawnAccount:
    """The budget of an account: a part for each release, and the rest."""
    own = [entry for entry in entries if entry.account == account.name]
    parts = _parts(account, own)
    title = f"The budget of account {account.name}"
    chart = budget(parts, account.remaining, title=title, currency=account.cap.currency)
    return DrawnAccount(account, tuple(meaning(account.cap, own)), chart)


def _parts(account: Account, entries: Sequence[Entry]) -> list[Part]:
    """ε of every release, or ρ of a cap in ρ; other charges in ρ are converted into ε together."""
    paid = [
        Part(_release(entry), getattr(entry.paid, account.cap.currency))
        for entry in entries
        if entry.paid is not None
    ]
    rest = account.cap.amount - account.remaining
    rest -= sum((part.amount for part in paid), Fraction(0))
    single = [part for part in paid if part.amount]
    words = TOGETHER if account.box is None else SET_ASIDE
    return [*single, Part(words, rest)] if rest > 0 else single


def _release(entry: Entry) -> str:
    subject = entry.subject
    return f"entry {entry.number}" if subject is None else f"{subject.bundle} ({subject.period})"
