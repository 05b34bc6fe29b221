"""View: what a ledger says, read once and never written."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from leeward.errors import LeewardError
from leeward.ledger import Account, Anchor, Entry, Ledger
from leeward.ledger.book import meaning
from leeward.pictures import Picture
from leeward.pictures.plain import Part, budget_parts
from leeward.web.refusals import listed
from leeward.web.releases_folder import Listed

WIDE, NARROW = 520, 320
TOGETHER = "in rho, together"


@dataclass(frozen=True)
class Drawn:
    """An account with its charges, and what they left of its cap, drawn."""

    account: Account
    notes: tuple[str, ...]
    wide: Picture
    narrow: Picture


@dataclass(frozen=True)
class View:
    """A ledger as it was found; without entries where it cannot be used.

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
        """Whether there is anything to show but what is wrong."""
        return bool(self.id)


def look(path: Path, bundles: Sequence[Listed]) -> View:
    """The ledger in this file; what is wrong is told as far as it can be read."""
    try:
        with Ledger.open(path) as book:
            return _sound(book, bundles)
    except LeewardError as error:
        return View(_findings(path), listed(error))


def _sound(book: Ledger, bundles: Sequence[Listed]) -> View:
    entries = book.entries()
    own = entries[-1].ledger if entries else book.head().ledger
    known = [one for one in bundles if one.anchor[0] == own]
    strange = [one for one in bundles if one.anchor[0] not in {own, ""}]
    return View(
        findings=book.verify(_anchor(one) for one in known),
        id=own,
        accounts=book.accounts(),
        entries=entries,
        known=tuple(one.name for one in known),
        strange=tuple(one.name for one in strange),
    )


def _findings(path: Path) -> tuple[str, ...]:
    """What verification says about a file that cannot be used; nothing if it is no ledger."""
    try:
        return Ledger(path).verify()
    except LeewardError:
        return ()


def _anchor(bundle: Listed) -> Anchor:
    ledger, entry, head = bundle.anchor
    return Anchor(entry, head, ledger)


def drawn(account: Account, entries: Sequence[Entry]) -> Drawn:
    """An account: a part for each release, and what is left."""
    own = [entry for entry in entries if entry.account == account.name]
    parts = _parts(account, own)
    title = f"The budget of account {account.name}"
    wide, narrow = (
        budget_parts(parts, account.left.epsilon, title=title, width=width)
        for width in (WIDE, NARROW)
    )
    return Drawn(account, tuple(meaning(account.cap, own)), wide, narrow)


def _parts(account: Account, entries: Sequence[Entry]) -> list[Part]:
    """ε of every release; what was charged in ρ is read as ε for all of them at once."""
    paid = [
        Part(_release(entry), entry.paid.epsilon) for entry in entries if entry.paid is not None
    ]
    rest = account.cap.epsilon - account.left.epsilon
    rest -= sum((part.amount for part in paid), Fraction(0))
    single = [part for part in paid if part.amount]
    return [*single, Part(TOGETHER, rest)] if rest > 0 else single


def _release(entry: Entry) -> str:
    subject = entry.subject
    return f"entry {entry.number}" if subject is None else f"{subject.bundle} ({subject.period})"
