"""Witness: what an output says of the charge that paid for it, alike for every kind of output.

Ledger id, entry and head are what the ledger can be asked to confirm; the budget is what the
account had spent by then. Two outputs of a ledger that was put back in between contradict each
other, which `history_findings` finds without the ledger.
"""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Protocol

from leeward.core.privacy.guarantee import JOB_LOSSES
from leeward.publishing.bundle.statements import (
    BudgetStatement,
    Count,
    DataStatement,
    GuaranteeStatement,
    LedgerStatement,
    Prose,
    Sha256,
    Statement,
    TableGuarantee,
    Text,
)

MOST_CHARGE = 1 << 17
"""Maximum number of characters of a charge: wrong keys of a stranger's file are not gathered."""

ROUNDED = Fraction(2, 10**100)
"""Tolerance in ε, δ and ρ: twice the rounding of very long numbers of a budget."""


class PaidOutput(Protocol):
    """The certificate of a paid output: of a release, a synthetic table or a regression."""

    @property
    def account(self) -> str:
        """The account that was charged."""

    @property
    def plan_digest(self) -> str:
        """SHA-256 of what was asked for."""

    @property
    def period(self) -> str:
        """The period of a release, the method of other outputs."""

    @property
    def guarantee(self) -> GuaranteeStatement:
        """What was charged."""

    @property
    def data(self) -> DataStatement:
        """The keyed fingerprint of the data."""

    @property
    def ledger(self) -> LedgerStatement:
        """The entry of the charge."""

    @property
    def budget(self) -> BudgetStatement:
        """The account with the charge in it."""

    @property
    def corrects(self) -> int | None:
        """The entry of the release that it corrects."""

    @property
    def origin(self) -> tuple[str, str]:
        """What the entry calls the output, and the digest that the ledger committed."""


class Witness(Statement):
    """The charge of an output that is no release of a plan, as its files state it."""

    name: Prose
    account: Text
    plan_digest: Sha256
    period: Text
    guarantee: TableGuarantee
    data: DataStatement
    ledger: LedgerStatement
    budget: BudgetStatement
    corrects: Count | None = None

    @property
    def witness(self) -> "Witness":
        """These parts only."""
        return Witness(**{name: getattr(self, name) for name in Witness.model_fields})


def read_witness(stated: object) -> Witness:
    """A charge from plain values of a file; anything else is a ValueError."""
    written = json.dumps(stated)
    if len(written) > MOST_CHARGE:
        raise ValueError("a charge must not be so long")
    return Witness.model_validate_json(written)


def history_findings(certificates: Mapping[str, PaidOutput]) -> tuple[str, ...]:
    """Contradictions between bundles, in plain words; `certificates` by the path of the bundle.

    A release and what was made of it, such as its tidy tables, are one entry and one bundle.
    """
    pairs = combinations(sorted(certificates.items(), key=lambda named: named[1].ledger.entry), 2)
    return tuple(
        finding
        for (first, output), (second, other) in pairs
        if output.ledger.id == other.ledger.id and output.origin != other.origin
        for finding in _contradictions(output, other, f"{first} and {second}")
    )


def _contradictions(output: PaidOutput, other: PaidOutput, both: str) -> Iterator[str]:
    """Contradictions between two different certificates of one ledger, the older one first."""
    number, later = output.ledger.entry, other.ledger.entry
    if number == later and output.ledger.head == other.ledger.head:
        yield f"{both} claim the same entry {number}, which paid for one bundle"
    elif number == later:
        yield (
            f"{both} carry two different entries {number} of one ledger: it has two "
            "histories, so an old copy was put back and used, or it was rewritten"
        )
    if number == later or output.account != other.account:
        return
    entries = f"entries {number} and {later}"
    if output.budget.cap != other.budget.cap:
        yield f"{both} give account {output.account} two caps in {entries}: a cap is set once"
        return
    stated = (output.budget.spent, other.budget.paid, other.budget.spent)
    before, paid, after = (guarantee.as_guarantee() for guarantee in stated)
    if any(
        getattr(before, part) + getattr(paid, part) > getattr(after, part) + ROUNDED
        for part in ("epsilon", "delta", "rho", *JOB_LOSSES)
    ):
        yield (
            f"{both} do not add up in account {output.account}: by {entries} the later one holds "
            "less than what was spent before and its own charge; the ledger forgot a charge"
        )
