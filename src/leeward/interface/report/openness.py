"""Openness: what everybody may know about how a release was made, and what nobody keeps."""

from collections import Counter
from collections.abc import Sequence

from leeward.core.show.numbers import count, counted, listed, losses, protected, significant
from leeward.interface.report.promise import Saying
from leeward.interface.report.summary import TableSummary
from leeward.publishing.bundle import Certificate

NO_SEED = (
    "There is none that could be asked for: the bits of the noise come from the operating system, "
    "and neither they nor a seed are kept."
)
DATA = (
    "The rows of workers and jobs, and numbers without noise. Of the data the certificate has a "
    "keyed fingerprint alone."
)
CENSUS = (
    "The census of 2010 in the United States published about 25 for each person (M. Hansen, The "
    "New York Times, 5 December 2018)."
)


def public(certificate: Certificate, summaries: Sequence[TableSummary]) -> tuple[Saying, ...]:
    """Parameters, mechanisms, program and ledger, and how much was published about each job."""
    promise, ledger = certificate.guarantee, certificate.ledger
    return (
        Saying("Parameters", f"Policy {protected(promise)}; together {losses(promise)}."),
        Saying("Mechanisms", _mechanisms(certificate)),
        Saying("Program", _program(certificate)),
        Saying("Ledger", f"Entry {ledger.entry} of ledger {ledger.id}; its head is {ledger.head}."),
        Saying("Numbers", _numbers(summaries)),
    )


def withheld() -> tuple[Saying, ...]:
    """What is not public about any release."""
    return Saying("Data", DATA, protects=False), Saying("A seed", NO_SEED, protects=False)


def _mechanisms(certificate: Certificate) -> str:
    used = Counter(table.mechanism for table in certificate.tables)
    named = listed(f"{name} ({counted(tables, 'table')})" for name, tables in used.items())
    return f"{named}. The certificate has the constants of each table, and the whole plan."


def _program(certificate: Certificate) -> str:
    made = certificate.software
    if made is None:
        return f"Leeward {certificate.leeward}."
    commit = "" if made.commit is None else f", commit {made.commit}"
    return f"Leeward {made.leeward}{commit}. SHA-256 over its files: {made.wheel}."


def _numbers(summaries: Sequence[TableSummary]) -> str:
    """How many values have noise; for each job, by the coarsest table that leaves out no job."""
    values = sum(one.cells for one in summaries)
    whole = [one for one in summaries if _counts_all(one) and one.total > 0]
    said = f"{counted(values, 'number')} with noise"
    if not whole:
        return f"{said}. {CENSUS}"
    by = min(whole, key=lambda one: one.cells)
    jobs = round(by.total)
    return (
        f"{said}, about {significant(values / by.total)} for each job: the noisy values of "
        f"{by.table.name} add up to {count(jobs)}. {CENSUS}"
    )


def _counts_all(summary: TableSummary) -> bool:
    """Whether each job counts in one row of the table."""
    table = summary.table
    return table.disjoint and table.where is None and not table.partial
