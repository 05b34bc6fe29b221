"""Promise: what a certificate says is protected, what is not, and what is public, in order."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from leeward.core.codebook import EveryJob
from leeward.core.codebook.legal_passages import Passage
from leeward.core.privacy import sentences
from leeward.core.privacy.job_sentences import rows
from leeward.core.privacy.words import unit_text
from leeward.core.show.numbers import (
    count,
    counted,
    listed,
    loss,
    losses,
    protected,
    significant,
)
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
CONSTANTS = "The certificate has the constants of each table, and the whole plan."
CENSUS = (
    "The census of 2010 in the United States published about 25 for each person (M. Hansen, The "
    "New York Times, 5 December 2018)."
)


@dataclass(frozen=True)
class Saying:
    """A sentence and its heading."""

    about: str
    sentence: str
    protects: bool = True


@dataclass(frozen=True)
class Answered:
    """A passage of the law, and what this release promises about it; nothing where it is none."""

    passage: Passage
    answers: tuple[Saying, ...]


def promised(certificate: Certificate) -> tuple[Saying, ...]:
    """The promise to a worker, about an establishment's size and make-up, and to a firm."""
    return tuple(_promises(certificate).values())


def answered(certificate: Certificate) -> tuple[Answered, ...]:
    """The passages of the office's law beside the promises that it names."""
    known, law = _promises(certificate), certificate.law
    return tuple(
        Answered(passage, tuple(known[name] for name in passage.answers if name in known))
        for passage in (() if law is None else law.passages)
    )


def _promises(certificate: Certificate) -> dict[str, Saying]:
    """Every promise by the name that a passage of the law may give it."""
    size, firm, pay = certificate.establishment, certificate.firm, certificate.pay
    known = certificate.odds
    if certificate.make_up is not None:
        make_up = certificate.make_up.sentence
    else:  # format 1 has no correct one, so it is computed
        kinds = certificate.weak_attributes
        promise = certificate.guarantee.as_guarantee()
        make_up = sentences.make_up(promise, kinds, by_cell=False).text
    no_size, no_firm = sentences.SIZE_OPEN.text, sentences.FIRM_OPEN.text
    meaning = f"What {'ε' if certificate.guarantee.rho == '0' else 'ρ'} means"
    unit = unit_text(certificate.guarantee.as_guarantee())
    odds = {} if known is None else {"odds": Saying(meaning, known.sentence, known.to is not None)}
    paid = {"pay": Saying("Pay", " ".join(pay.promised))} if pay and pay.promised else {}
    several, curve = "A firm of several establishments", certificate.curve or ()
    return {
        **odds,
        "worker": Saying("A worker", certificate.worker.sentence),
        "size": Saying(f"The size of an {unit}", size.sentence if size else no_size, bool(size)),
        "make_up": Saying(f"The make-up of an {unit}", make_up, bool(size)),
        "firm": Saying(several, firm.sentence if firm else no_firm, bool(firm)),
        **paid,
        **{point.name: Saying("Between two sizes", point.sentence) for point in curve},
    }


def unprotected(certificate: Certificate) -> tuple[Saying, ...]:
    """What anybody may learn from this release, or could learn without it."""
    guarantee, pay = certificate.guarantee.as_guarantee(), certificate.pay
    known = (name for table in certificate.tables for name in table.workplace_identifiers)
    facts = [("Existence", sentences.existence(known))]
    if guarantee.policy.name in ("worker", "person"):
        facts.append(("Sizes of employers", sentences.establishment(guarantee, EveryJob()).text))
    if guarantee.alpha is not None:
        facts.append(("Large differences in size", sentences.far_sizes(guarantee).text))
    if guarantee.policy.name == "weak":
        alone = sentences.growth_of_one_kind(guarantee).text
        facts.append(("One kind of worker alone", f"{alone} {sentences.MAKE_UP_SHARE.text}"))
    if certificate.firm is not None:
        facts.append(("Large firms", certificate.firm.sentence))
    if pay and pay.unprotected:
        facts.append(("Pay", " ".join(pay.unprotected)))
    facts.append(("Groups", sentences.GROUPS))
    facts.append(("Other releases", sentences.OTHER_RELEASES_IN_FULL))
    facts += (
        ("A small chance", f"δ = {loss(certificate.guarantee.delta)}. {sentence.text}")
        for sentence in sentences.further(guarantee)
    )
    if certificate.jobs.rule != "single":
        facts.append(("Workers with several jobs", certificate.jobs.sentence))
    if certificate.rows is None or certificate.rows.strict:
        facts.append(("Rows that were checked", rows(strict=True).text))
    facts.append(("What stays inside", sentences.INSIDE))
    return tuple(Saying(name, words) for name, words in facts)


def public(certificate: Certificate, summaries: Sequence[TableSummary]) -> tuple[Saying, ...]:
    """Parameters, mechanisms, program and ledger, and how much was published about each job."""
    promise, ledger, software = certificate.guarantee, certificate.ledger, certificate.software
    parts = certificate.parts
    used = Counter(table.mechanism for table in certificate.tables)
    mechanisms = listed(f"{name} ({counted(tables, 'table')})" for name, tables in used.items())
    program = f"Leeward {certificate.leeward}."
    if software is not None:
        commit = "" if software.commit is None else f", commit {software.commit}"
        program = f"Leeward {software.leeward}{commit}. SHA-256 over its files: {software.wheel}."
    return (
        Saying("Parameters", f"Policy {protected(promise)}; together {losses(promise)}."),
        *(() if parts is None else (Saying("Price", parts.sentence),)),
        Saying("Mechanisms", f"{mechanisms}. {CONSTANTS}"),
        Saying("Program", program),
        Saying("Ledger", f"Entry {ledger.entry} of ledger {ledger.id}; its head is {ledger.head}."),
        Saying("Numbers", _numbers(summaries)),
    )


def withheld() -> tuple[Saying, ...]:
    """What is not public about any release."""
    return Saying("Data", DATA, protects=False), Saying("A seed", NO_SEED, protects=False)


def _numbers(summaries: Sequence[TableSummary]) -> str:
    """How many values have noise; for each job, by the coarsest table that leaves out no job."""
    values = sum(summary.cells for summary in summaries)
    every_job = (  # each job counts in one row of the table
        each for each in summaries
        if each.table.disjoint and each.table.where is None and not each.table.partial
    )  # fmt: skip
    whole = [summary for summary in every_job if summary.total > 0]
    said = f"{counted(values, 'number')} with noise"
    if not whole:
        return f"{said}. {CENSUS}"
    by = min(whole, key=lambda summary: summary.cells)
    jobs = round(by.total)
    return (
        f"{said}, about {significant(values / by.total)} for each job: the noisy values of "
        f"{by.table.name} add up to {count(jobs)}. {CENSUS}"
    )
