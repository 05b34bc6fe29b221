"""Ledger check: whether the ledger holds the entry that a bundle names, and agrees with it."""

from pathlib import Path

from leeward.bundle import BudgetStatement, Certificate, TableGuarantee, read_bundle
from leeward.ledger import Anchor, Entry, Ledger
from leeward.publishing.charge import fingerprint, payment


def entry_findings(bundle: Path, ledger: Path) -> list[str]:
    """Whether the ledger holds the entry that the certificate names, and what became of it.

    The ledger knows releases: of a bundle that was made of one, it confirms the release.
    """
    held = read_bundle(bundle)
    number, head = held.certificate.ledger.entry, held.certificate.ledger.head
    with Ledger.open(ledger) as book:
        findings = [*book.verify([Anchor(number, head, held.certificate.ledger.id)])]
        if findings:
            return findings
        entries = book.entries()
        findings += subject_findings(held.certificate, entries, book)
    about = [entry for entry in entries if entry.names == number]
    committed = [entry for entry in about if entry.kind == "committed"]
    failed = [entry for entry in about if entry.kind == "failed"]
    if failed:
        findings.append(f"entry {number} failed, so no bundle came of it: {failed[0].reason}")
    elif not committed:
        findings.append(f"entry {number} was never committed: run `leeward ledger commit`")
    elif committed[0].digest != held.certificate.origin[1]:
        findings.append(f"entry {number} was committed with another certificate")
    findings += [
        f"entry {number} was withdrawn: {entry.reason}"
        for entry in about
        if entry.kind == "withdrawn"
    ]
    return findings


def subject_findings(
    certificate: Certificate, entries: tuple[Entry, ...], book: Ledger
) -> list[str]:
    """Whether the entry was charged for what the certificate says."""
    number = certificate.ledger.entry
    entry = next((entry for entry in entries if entry.number == number), None)
    paid = None if entry is None else entry.subject
    if entry is None or paid is None:
        return [f"entry {number} is not a charge"]
    told = {
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
        for part, (said, written) in told.items()
        if said != written
    ]


def _sums(budget: BudgetStatement) -> tuple[TableGuarantee, ...]:
    # What is left of a cap that ρ was spent of is searched for with floats: not compared.
    return budget.cap, budget.paid, budget.spent
