"""Words: accounts and entries of a ledger for a person."""

from collections.abc import Iterable

from leeward.ledger.entry import Entry
from leeward.privacy import Guarantee
from leeward.privacy.words import alpha_text, number_text

BOUNDED = "max_per_worker: "


def several_jobs(entries: Iterable[Entry]) -> list[str]:
    """What the cap means for a worker of whom several jobs count."""
    rules = {entry.subject.jobs for entry in entries if entry.subject is not None}
    bounds = (rule.removesuffix(", total") for rule in rules)
    most = {rule.removeprefix(BOUNDED) for rule in bounds if rule.startswith(BOUNDED)}
    return [
        f"Up to {number} jobs of a worker count: such a worker may lose {number} times as much."
        for number in most
    ]


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
        words = (
            f"charged {price(entry.charge)} for {entry.subject.bundle} "
            f"({entry.subject.period}){corrects}"
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
