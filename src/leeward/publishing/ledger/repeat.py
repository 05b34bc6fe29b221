"""Whether plan, rules, keys and establishments agree with earlier charges of a ledger.

Only public facts are compared: which releases are rejected says nothing about the data.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from leeward.core.errors import AlreadyReleased, CannotCompose, shown
from leeward.publishing.ledger.account import Account
from leeward.publishing.ledger.book import Book
from leeward.publishing.ledger.entry import Entry
from leeward.publishing.ledger.subject import NO_KINDS, FrameSketch, Subject

MOST_IN_COMMON = Fraction(1, 2)
"""Share of the smaller of two frames beyond which both are the same population."""


MOST_OF_PARTS = Fraction(1, 100)
"""Share of the smaller of two parts of one account beyond which they are not disjoint."""


def refuse_repeat(book: Book, account: str, subject: Subject, *, again: bool) -> None:
    """Reject a plan that the account was charged for before, unless `again` is set.

    The data are not compared. Otherwise a second bundle of a plan would show that they changed.
    """
    same = _charges_of(book, account, subject.plan)
    if not same or again:
        return
    best = _best(book, same)
    use = (
        "Release"
        if _state(book, best) in ("failed", "withdrawn")
        else "Use that bundle; or release"
    )
    raise AlreadyReleased(
        "plan",
        rule="must not have been charged to this account before",
        value=_known(book, best),
        next_step=f"{use} with --again, which pays once more for new noise.",
    )


def _charges(book: Book, account: str) -> Iterator[Entry]:
    return (entry for entry in book.reserved.values() if entry.account == account)


def _charges_of(book: Book, account: str, plan: str) -> list[Entry]:
    return [entry for entry in _charges(book, account) if _part(entry, "plan") == plan]


@dataclass(frozen=True)
class Earlier:
    """Charges of an account before a plan is released: of the same plan, and of its period.

    `same` names the best release of the very plan; None without one.
    """

    same: str | None
    others: tuple[str, ...]
    """Other releases of the period, by their bundles."""


def earlier_releases(book: Book, account: str, plan: str, period: str) -> Earlier:
    """The charges of an account that a plan and its period have, whatever their data were."""
    same = _charges_of(book, account, plan)
    others = (
        entry
        for entry in _charges(book, account)
        if entry not in same
        and _part(entry, "period") == period
        and _state(book, entry) == "committed"
    )
    known = _known(book, _best(book, same)) if same else None
    return Earlier(known, tuple(_bundle(entry) for entry in others))


def refuse_other_rule(book: Book, account: str, subject: Subject) -> None:
    """Reject a jobs rule that differs from the account's: such tables have no common neighbours."""
    for entry in _charges(book, account):
        known, rule = _part(entry, "jobs"), subject.jobs
        if known == rule:
            continue
        step = "Use the same rule."
        if known == "single":  # plans of format 1 were strict
            step = "Write `rows: strict` and leave `jobs` out."
        elif known == "every":
            step = "Leave `rows` and `jobs` out."
        elif rule == f"{known}, total":
            step = "Write `rows: strict`."
        elif known == f"{rule}, total":
            step = "Leave `rows` out."
        raise CannotCompose(
            "jobs",
            rule="must be the rule of all releases of an account: guarantees about differently "
            "reduced jobs do not add up",
            value=f"{rule!r} after {known!r} in entry {entry.number}",
            next_step=step,
        )


OF_JOBS = "jobs.worker"
"""The key of all charges of linked tables."""

MISSING = {
    "tables.nulls": "Write the same tables.nulls in the codebook",
    "nulls of jobs.primary": "Write the same nulls for the column of jobs.primary",
}
"""What a charge keeps of texts that mean missing, where there are any, and how to agree."""


def refuse_other_keys(book: Book, account: str, subject: Subject) -> None:
    """Reject a key column that differs from the account's: workplaces would be other units.

    So would they with other texts that mean a missing id. Charges without a key, those of earlier
    formats among them, are not compared.
    """
    keys = dict(subject.keys)
    for entry in _charges(book, account):
        known = _part(entry, "keys")
        if not isinstance(known, dict):
            continue
        compared = keys.keys() & known.keys()
        if OF_JOBS in compared:
            compared |= MISSING.keys() & (keys.keys() | known.keys())
        workplaces_first = sorted(compared, reverse=True)
        key = next((key for key in workplaces_first if keys.get(key) != known.get(key)), None)
        if key is None:
            continue
        texts = [
            shown(part[key]) if part.get(key) is not None else "no text" for part in (keys, known)
        ]
        step = MISSING.get(key)
        raise CannotCompose(
            key,
            rule=f"must be the same {'texts' if step else 'column'} in all releases of an account: "
            "guarantees about different workplaces or workers do not add up",
            value=f"{texts[0]} after {texts[1]} in entry {entry.number}",
            next_step=f"{step}; or charge another account."
            if step
            else f"If only its name changed, call the column {texts[1]} in "
            "data and codebook; or charge another account.",
        )


def refuse_other_kinds(book: Book, account: Account, subject: Subject) -> None:
    """Reject kinds of workers, or caps of pay, that differ from an account's: so do neighbours.

    Kinds make neighbours under the weak policy, caps under the proportional one. What holds under
    the strong policy holds whatever they are.
    """
    policy = account.cap.policy.name
    if policy not in OF_KINDS or subject.kinds == NO_KINDS:
        return
    for entry in _charges(book, account.name):
        known = _part(entry, "kinds")
        if known == NO_KINDS:
            continue
        if entry.format == 1 or known != subject.kinds:
            rule, other = OF_KINDS["weak" if entry.format == 1 else policy]
            raise CannotCompose(
                "codebook",
                rule=rule,
                value=f"entry {entry.number}, which keeps only their names"
                if entry.format == 1
                else f"{other} than that of entry {entry.number}",
                next_step="Use the codebook of that release, release under the strong policy, or "
                "open a new account.",
            )


OF_KINDS = {
    "weak": (
        "must make the same kinds of workers (tables, columns, codes, recoding) in all weak "
        "releases of an account: guarantees about different kinds do not add up",
        "another list",
    ),
    "proportional": (
        "must have the same columns, caps and nulls of pay in all releases of a proportional "
        "account: guarantees about payrolls that are counted otherwise do not add up",
        "another cap, column or list of nulls",
    ),
}
"""What the codebook must keep under a policy, and what it is where it does not."""


def refuse_same_establishments(book: Book, account: str, subject: Subject) -> None:
    """Reject a frame of which another account holds most: one population has one cap.

    Ids are compared as they are and in plain form. Entries before format 5 have only the first.
    """
    frames, others = [*map(FrameSketch.read, subject.frames)], dict[str, Entry]()
    if not frames:
        return
    for entry in book.reserved.values():
        sketches = (_part(entry, name) for name in ("frame", "plain_frame"))
        if entry.account != account:  # most frames stay the same from one charge to the next
            others |= {str(known): entry for known in sketches if known is not None}
    for known, entry in others.items():
        sketch = FrameSketch.read(known)
        if any(frame.overlap(sketch) > MOST_IN_COMMON for frame in frames):
            raise AlreadyReleased(
                "account",
                rule="must be the one that most of these establishments were charged to: losses "
                "about them add up there",
                value=f"more than half in common with {_known(book, entry)}",
                next_step=f"Charge account {entry.account!r}; or, if they are others or their "
                "losses are added up elsewhere, release with --same-establishments REASON, which "
                "the ledger keeps.",
            )


def refuse_overlapping_parts(book: Book, account: Account, subject: Subject) -> None:
    """Reject a part of the frame with establishments of another part of the account."""
    if account.sums is None or subject.part is None:
        return
    frames, others = [*map(FrameSketch.read, subject.frames)], dict[str, Entry]()
    for entry in _charges(book, account.name):
        part = _part(entry, "part")
        if isinstance(part, dict) and part != dict([subject.part]):
            sketches = (_part(entry, name) for name in ("frame", "plain_frame"))
            others |= {str(known): entry for known in sketches if known is not None}
    for known, entry in others.items():
        sketch = FrameSketch.read(known)
        if any(frame.overlap(sketch) > MOST_OF_PARTS for frame in frames):
            raise AlreadyReleased(
                "part",
                rule="must have at most a hundredth of its establishments in common with another "
                "part of the account: one that is in both may lose the cap twice",
                value=f"more in common with {_known(book, entry)}",
                next_step="Name the same part; or, if they moved, release with "
                "--same-establishments REASON, which the ledger keeps.",
            )


def _part(entry: Entry, name: str) -> object:
    # The text itself is compared: reading every subject in full would take most of the time.
    subject = entry.body["subject"]
    return subject.get(name) if isinstance(subject, dict) else None


def _best(book: Book, same: list[Entry]) -> Entry:
    """The latest release that a user can still use; if there is none, the latest."""
    usable = [entry for entry in same if _state(book, entry) == "committed"]
    return (usable or same)[-1]


def _state(book: Book, entry: Entry) -> str:
    if entry.number in book.withdrawn:
        return "withdrawn"
    ended = book.ended.get(entry.number)
    return "reserved" if ended is None else ended.kind


FATE = {
    "committed": "",
    "reserved": ", never committed: its budget is spent, the bundle may be missing",
    "failed": ", which failed: its budget is spent, there is no bundle",
    "withdrawn": ", since withdrawn: its budget stays spent",
}


def _known(book: Book, entry: Entry) -> str:
    fate = FATE[_state(book, entry)]
    return f"entry {entry.number} of account {entry.account!r}, bundle {_bundle(entry)!r}{fate}"


def _bundle(entry: Entry) -> str:
    return str(_part(entry, "bundle"))
