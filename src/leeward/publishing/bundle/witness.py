"""Witness: what an output says of the charge that paid for it, alike for every kind of output.

Ledger id, entry and head are what the ledger can be asked to confirm; the budget is what the
account had spent by then. Two outputs of a ledger that was put back in between contradict each
other.
"""

import json
from typing import Protocol

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
