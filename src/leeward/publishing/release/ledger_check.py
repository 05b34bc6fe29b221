"""Ledger check: whether the ledger has the entry that an output names, and agrees with it."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from leeward.core.errors import NotCovered
from leeward.core.privacy.guarantee import JOB_LOSSES
from leeward.publishing.bundle import BudgetStatement, TableGuarantee
from leeward.publishing.bundle.witness import PaidOutput
from leeward.publishing.ledger import Anchor, Entry, Ledger
from leeward.publishing.ledger.account import Account, certainly_past, covers, owed
from leeward.publishing.ledger.box import Box
from leeward.publishing.release.charge import fingerprint, payment, sayable


def entry_findings(paid: PaidOutput, ledger: Path) -> list[str]:
    """Whether the ledger has the entry that the certificate names, and what became of it.

    The ledger knows what was paid for: of a bundle that was made of a release, it confirms the
    release.
    """
    number = paid.ledger.entry
    with Ledger.open(ledger) as book:
        findings = [*book.verify([anchor(paid)])]
        if findings:
            return findings
        entries = book.entries()
        findings += subject_findings(paid, entries, book)
    about = [entry for entry in entries if entry.names == number]
    committed = [entry for entry in about if entry.kind == "committed"]
    failed = [entry for entry in about if entry.kind == "failed"]
    if failed:
        findings.append(f"entry {number} failed, so no bundle came of it: {failed[0].reason}")
    elif not committed:
        findings.append(f"entry {number} was never committed: run `leeward ledger commit`")
    elif committed[0].digest != paid.origin[1]:
        findings.append(f"entry {number} was committed with another certificate")
    findings += [
        f"entry {number} was withdrawn: {entry.reason}"
        for entry in about
        if entry.kind == "withdrawn"
    ]
    return findings


def price_findings(paid: PaidOutput) -> Iterator[str]:
    """Whether the account paid what the guarantee costs under its policy, by the certificate."""
    stated, account = paid.budget, stated_account(paid)
    if paid.account != paid.ledger.account:
        yield "its charge names two accounts"
    try:
        due = sayable(owed(paid.guarantee.as_guarantee(), account.cap))
        # Certificates of earlier versions do not say what one job costs: it then counts as a step.
        earlier = due.model_copy(update=dict.fromkeys(JOB_LOSSES))
        if stated.paid not in (due, earlier):
            yield "its budget states another payment than what its guarantee costs"
    except NotCovered:
        yield "its account does not cover its guarantee"
        return
    spent = stated.spent.as_guarantee()
    if not covers(spent, stated.paid.as_guarantee()):
        yield "its budget states less spent than paid"
    if certainly_past(account, spent):
        yield "its budget states more spent than its cap"
    if account.box is not None and not account.box.keeps(account.cap):
        yield "its budget states more left than its cap"


def stated_account(paid: PaidOutput) -> Account:
    """The account with the charge in it; a cap in ε of which ρ is left was divided by a box."""
    stated = paid.budget
    cap, spent, left = stated.cap.as_guarantee(), stated.spent.as_guarantee(), stated.left
    box = None
    if left.rho is not None and cap.currency != "rho":
        rest = (Fraction(left.epsilon), Fraction(left.delta), Fraction(left.rho))
        losses = (spent.epsilon, spent.delta, spent.rho)
        box = Box(*(gone + more for gone, more in zip(losses, rest, strict=True)))
    return Account(paid.account, cap, spent, charges=1, opened="", box=box)


def anchor(paid: PaidOutput) -> Anchor:
    """The entry of the charge, as the ledger can be asked for it."""
    return Anchor(paid.ledger.entry, paid.ledger.head, paid.ledger.id)


def subject_findings(
    certificate: PaidOutput, entries: tuple[Entry, ...], book: Ledger
) -> list[str]:
    """Whether the entry was charged for what the certificate says."""
    number = certificate.ledger.entry
    entry = next((entry for entry in entries if entry.number == number), None)
    paid = None if entry is None else entry.subject
    if entry is None or paid is None:
        return [f"entry {number} is not a charge"]
    twice = {
        "account": (certificate.account, entry.account),
        "plan": (certificate.plan_digest, paid.plan),
        "data": (certificate.data.fingerprint, fingerprint(book, entry)),
        "period": (certificate.period, paid.period),
        "name": (certificate.origin[0], paid.bundle),
        "guarantee": (certificate.guarantee.as_guarantee(), entry.charge),
        "state of the account": (_sums(certificate.budget), _sums(payment(book, entry).budget)),
        "corrected entry": (certificate.corrects, entry.corrects),
    }
    return [
        f"entry {number} was charged for another {part}"
        for part, (said, written) in twice.items()
        if said != written
    ]


def _sums(budget: BudgetStatement) -> tuple[TableGuarantee | str | None, ...]:
    # What is left of a cap that ρ was spent of is searched for with floats: not compared.
    return budget.cap, budget.paid, budget.spent, budget.parts
