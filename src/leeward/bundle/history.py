"""History: whether several bundles can come from one ledger that forgot nothing.

Every certificate carries a point of its ledger and what its account had spent by then. Nobody
needs the ledger to see that two of them contradict each other.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations

from leeward.bundle.certificate import Certificate
from leeward.bundle.statements import TableGuarantee

ROUNDED = Fraction(2, 10**100)
"""Very long numbers of a budget are rounded up by at most half of this; see `certify`."""


def history_findings(certificates: Mapping[str, Certificate]) -> tuple[str, ...]:
    """What speaks against one history, in plain words; `certificates` by the bundle's place."""
    pairs = combinations(sorted(certificates.items(), key=lambda one: one[1].ledger.entry), 2)
    return tuple(
        finding
        for (first, one), (second, other) in pairs
        if one.ledger.id == other.ledger.id and one != other
        for finding in _contradictions(one, other, f"{first} and {second}")
    )


def _contradictions(one: Certificate, other: Certificate, both: str) -> Iterator[str]:
    """What two different certificates of one ledger say against each other, the older one first."""
    entries = (one.ledger.entry, other.ledger.entry)
    if entries[0] == entries[1]:
        if one.ledger.head == other.ledger.head:
            yield f"{both} claim the same entry {entries[0]}, which paid for one bundle"
        else:
            yield (
                f"{both} carry two different entries {entries[0]} of one ledger: it has two "
                "histories, so an old copy was put back and used, or it was rewritten"
            )
    elif one.account == other.account:
        yield from _sums(one, other, both)


def _sums(one: Certificate, other: Certificate, both: str) -> Iterator[str]:
    """Whether the account kept its cap and added up what it spent."""
    entries = f"entries {one.ledger.entry} and {other.ledger.entry}"
    if one.budget.cap != other.budget.cap:
        yield f"{both} give account {one.account} two caps in {entries}: a cap is set once"
    elif not _adds_up(one.budget.spent, other.budget.paid, other.budget.spent):
        yield (
            f"{both} do not add up in account {one.account}: by {entries} the later one holds less "
            "than what was spent before and its own charge; the ledger forgot a charge"
        )


def _adds_up(before: TableGuarantee, paid: TableGuarantee, after: TableGuarantee) -> bool:
    """Whether what was spent before, and this charge, are in what is spent after it."""
    first, charge, last = (one.as_guarantee() for one in (before, paid, after))
    return all(
        getattr(first, part) + getattr(charge, part) <= getattr(last, part) + ROUNDED
        for part in ("epsilon", "delta", "rho")
    )
