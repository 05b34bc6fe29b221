"""History: whether several bundles can come from one ledger that lost no entry.

Every paid output carries an anchor of its ledger and what its account had spent by then, so two
that contradict each other are found without the ledger: releases, synthetic tables, regressions.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations

from leeward.publishing.bundle.statements import TableGuarantee
from leeward.publishing.bundle.witness import PaidOutput

ROUNDED = Fraction(2, 10**100)
"""Tolerance in ε, δ and ρ: twice the rounding of very long numbers of a budget."""


def history_findings(certificates: Mapping[str, PaidOutput]) -> tuple[str, ...]:
    """Contradictions between bundles, in plain words; `certificates` by the path of the bundle.

    A release and what was made of it, such as its tidy tables, are one entry and one bundle.
    """
    pairs = combinations(sorted(certificates.items(), key=lambda one: one[1].ledger.entry), 2)
    return tuple(
        finding
        for (first, output), (second, other) in pairs
        if output.ledger.id == other.ledger.id and output.origin != other.origin
        for finding in _contradictions(output, other, f"{first} and {second}")
    )


def _contradictions(output: PaidOutput, other: PaidOutput, both: str) -> Iterator[str]:
    """Contradictions between two different certificates of one ledger, the older one first."""
    entries = (output.ledger.entry, other.ledger.entry)
    if entries[0] == entries[1]:
        if output.ledger.head == other.ledger.head:
            yield f"{both} claim the same entry {entries[0]}, which paid for one bundle"
        else:
            yield (
                f"{both} carry two different entries {entries[0]} of one ledger: it has two "
                "histories, so an old copy was put back and used, or it was rewritten"
            )
    elif output.account == other.account:
        yield from _sums(output, other, both)


def _sums(output: PaidOutput, other: PaidOutput, both: str) -> Iterator[str]:
    """Whether the account kept its cap and added up what it spent."""
    entries = f"entries {output.ledger.entry} and {other.ledger.entry}"
    if output.budget.cap != other.budget.cap:
        yield f"{both} give account {output.account} two caps in {entries}: a cap is set once"
    elif not _adds_up(output.budget.spent, other.budget.paid, other.budget.spent):
        yield (
            f"{both} do not add up in account {output.account}: by {entries} the later one holds "
            "less than what was spent before and its own charge; the ledger forgot a charge"
        )


def _adds_up(before: TableGuarantee, paid: TableGuarantee, after: TableGuarantee) -> bool:
    """Whether what was spent before, and this charge, are in what is spent after it."""
    first, charge, last = (guarantee.as_guarantee() for guarantee in (before, paid, after))
    return all(
        getattr(first, part) + getattr(charge, part) <= getattr(last, part) + ROUNDED
        for part in ("epsilon", "delta", "rho")
    )
