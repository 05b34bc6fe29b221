"""Ledger tab: accounts, entries, and whether the ledger is sound; it only reads."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from leeward.core.errors import LeewardError
from leeward.core.show.charts import BudgetChart, BudgetPart, budget
from leeward.interface.web.releases_folder import Listed, listing
from leeward.interface.web.site import listed, one_page, render, site_of
from leeward.publishing.ledger import Account, Anchor, Entry, Ledger
from leeward.publishing.ledger.book import meaning, states
from leeward.publishing.ledger.entry import happened, price
from leeward.publishing.ledger.part_sums import of_parts, part_lines

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
    chart: BudgetChart


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
    site, query = site_of(request), request.query_params
    try:
        bundles = [bundle for bundle in listing(site.releases) if not bundle.problem]
    except LeewardError:  # the Releases tab shows why its folder cannot be read
        bundles = []
    view = LedgerView() if site.ledger is None else look(site.ledger, bundles)
    account = query.get("account", "")
    chosen = [each for each in view.accounts if account in {"", each.name}]
    few = chosen if len(chosen) <= MOST_DRAWN else []
    return render(
        request,
        "ledger.html.j2",
        view=view,
        account=account,
        drawn=[drawn(each, view.entries) for each in few],
        chosen=chosen,
        lines=_lines(view, account, query.get("page", ""), bundles),
        price=price,
    )


def _lines(view: LedgerView, account: str, page: str, bundles: Sequence[Listed]) -> EntryPage:
    own = [entry for entry in reversed(view.entries) if account in {"", entry.account}]
    shown, number, pages = one_page(own, page, PER_PAGE)
    became = states(view.entries)
    places = {bundle.anchor[:2]: bundle.name for bundle in bundles}
    lines = tuple(
        EntryLine(
            entry,
            happened=happened(entry),
            charge="" if entry.charge is None else price(entry.charge),
            bundle="" if entry.subject is None else entry.subject.bundle,
            link=places.get((view.id, entry.number), ""),
            state=became.get(entry.number, ""),
        )
        for entry in shown
    )
    return EntryPage(lines, len(own), number, pages)


def look(path: Path, bundles: Sequence[Listed]) -> LedgerView:
    """The ledger in this file, or the findings and refusals if it cannot be used."""
    try:
        with Ledger.open(path) as book:
            entries = book.entries()
            own = entries[-1].ledger if entries else book.head().ledger
            known = [bundle for bundle in bundles if bundle.anchor[0] == own]
            strange = [bundle for bundle in bundles if bundle.anchor[0] not in {own, ""}]
            anchored = (bundle.anchor for bundle in known)
            anchors = (Anchor(entry, head, ledger) for ledger, entry, head in anchored)
            return LedgerView(
                findings=book.verify(anchors),
                id=own,
                accounts=book.accounts(),
                entries=entries,
                known=tuple(bundle.name for bundle in known),
                strange=tuple(bundle.name for bundle in strange),
            )
    except LeewardError as error:
        findings: tuple[str, ...] = ()
        with suppress(LeewardError):  # nothing is found in a file that is no ledger
            findings = Ledger.unchecked(path).verify()
        return LedgerView(findings, listed(error))


def drawn(account: Account, entries: Sequence[Entry]) -> DrawnAccount:
    """The budget of an account: a part for each release, and the rest.

    ε of every release, or ρ of a cap in ρ; other charges in ρ are converted into ε together. For an
    account by parts it is the budget of the part that has spent the most.
    """
    own, fullest = [entry for entry in entries if entry.account == account.name], ""
    notes = (*part_lines(account), *meaning(account.cap, own))
    if spent := of_parts(account):
        fullest = max(spent, key=lambda code: spent[code].lost)
        account = spent[fullest]
        parts_paid = [entry.subject.part if entry.subject else None for entry in own]
        pairs = zip(own, parts_paid, strict=True)
        own = [entry for entry, part in pairs if part is None or part[1] == fullest]
    paid = []
    for entry in own:
        subject, name = entry.subject, f"entry {entry.number}"
        if subject is not None:
            name = f"{subject.bundle} ({subject.period})"
        if entry.paid is not None:
            paid.append(BudgetPart(name, getattr(entry.paid, account.cap.currency)))
    rest = account.cap.amount - account.remaining
    rest -= sum((part.amount for part in paid), Fraction(0))
    parts = [part for part in paid if part.amount]
    if rest > 0:
        parts.append(BudgetPart(TOGETHER if account.box is None else SET_ASIDE, rest))
    title = f"The budget of account {account.name}{fullest and f', part {fullest}'}"
    chart = budget(parts, account.remaining, title=title, currency=account.cap.currency)
    return DrawnAccount(account, notes, chart)
