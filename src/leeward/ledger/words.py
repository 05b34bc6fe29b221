"""Words: accounts and entries of a ledger for a person."""

import re
from collections.abc import Iterable

from leeward.ledger.entry import Entry
from leeward.privacy import Guarantee
from leeward.privacy.sentences import cap_of_jobs, suspicion_in_all
from leeward.privacy.words import alpha_text, number_text

BOUNDED = re.compile(r"max_per_worker: ([0-9]+)")
EVERY = "every"


def meaning(cap: Guarantee, entries: Iterable[Entry] = ()) -> list[str]:
    """What a cap means to a suspicion, and for a worker of whom several jobs count."""
    return [suspicion_in_all(cap).text, *_several_jobs(entries)]


def _several_jobs(entries: Iterable[Entry]) -> list[str]:
    rules = {entry.subject.jobs for entry in entries if entry.subject is not None}
    return [cap_of_jobs(most).text for most in sorted(map(_most, rules)) if most != 1]


def _most(rule: str) -> int:
    """How many jobs of a worker count under a rule as the ledger keeps it; 0 for all of them."""
    bounded = BOUNDED.match(rule)
    return 0 if rule == EVERY else int(bounded[1]) if bounded else 1


def price(guarantee: Guarantee) -> str:
    """Policy and losses in one line."""
    alpha = "" if guarantee.alpha is None else f", alpha {alpha_text(guarantee.alpha)}"
    named = {"epsilon": guarantee.epsilon, "delta": guarantee.delta, "rho": guarantee.rho}
    numbers = ", ".join(f"{name} {number_text(one)}" for name, one in named.items() if one)
    return f"{guarantee.policy.name}{alpha}, {numbers}"


def happened(entry: Entry) -> str:
    """What an entry says, for a person."""
    said = {
        "opened": "account opened",
        "committed": f"entry {entry.names} committed: its bundle is complete",
        "failed": f"entry {entry.names} failed ({entry.reason}); its charge stays",
        "withdrawn": f"entry {entry.names} withdrawn ({entry.reason}); its charge stays",
    }
    words = said.get(entry.kind, "")
    if entry.kind == "reserved" and entry.charge is not None and entry.subject is not None:
        corrects = f", corrects entry {entry.corrects}" if entry.corrects else ""
        reason = entry.same_establishments
        shared = "" if reason is None else f", establishments of another account ({reason})"
        words = (
            f"charged {price(entry.charge)} for {entry.subject.bundle} "
            f"({entry.subject.period}){corrects}{shared}"
        )
    return words


def states(entries: Iterable[Entry]) -> dict[int, str]:
    """What became of each charge: committed, failed, withdrawn, or open where nothing is said."""
    found: dict[int, str] = {}
    for entry in entries:
        if entry.kind == "reserved":
            found[entry.number] = "open"
        elif entry.names in found and found[entry.names] != "withdrawn":
            found[entry.names] = entry.kind
    return found


def line(entry: Entry) -> str:
    """An entry in one line."""
    return f"{entry.number:>4}  {entry.time}  {happened(entry)}"
