"""Promise: what a release protects, and what it does not, for people who decide about it."""

from collections.abc import Iterator
from dataclasses import dataclass

from leeward.bundle import Certificate
from leeward.privacy import sentences
from leeward.report.number import loss


@dataclass(frozen=True)
class Saying:
    """A sentence and whom it is about."""

    about: str
    sentence: str
    protects: bool = True


def promised(certificate: Certificate) -> tuple[Saying, ...]:
    """The promise to a worker, about an establishment's size and make-up, and to a firm."""
    size, firm = certificate.establishment, certificate.firm
    make_up, known = _make_up(certificate), certificate.odds
    no_size, no_firm = sentences.SIZE_OPEN.text, sentences.FIRM_OPEN.text
    return (
        *([] if known is None else [Saying("What ε means", known.sentence, known.to is not None)]),
        Saying("A worker", certificate.worker.sentence),
        Saying("The size of an establishment", size.sentence if size else no_size, bool(size)),
        Saying("The make-up of an establishment", make_up, bool(size)),
        Saying("A firm of several establishments", firm.sentence if firm else no_firm, bool(firm)),
    )


def _make_up(certificate: Certificate) -> str:
    """What the certificate says of it; one of format 1 says nothing that is true, so computed."""
    if certificate.make_up is not None:
        return certificate.make_up.sentence
    guarantee, kinds = certificate.guarantee.as_guarantee(), certificate.weak_attributes
    return sentences.make_up(guarantee, kinds, by_cell=False).text


def unprotected(certificate: Certificate) -> tuple[Saying, ...]:
    """What anybody may learn from this release, or could learn without it."""
    return (
        Saying("Existence", _existence(certificate)),
        *_sizes(certificate),
        *_firms(certificate),
        Saying(
            "Groups",
            "What many people have in common is published on purpose: that is what statistics are "
            "for. If most workers of a sector are men, that may be guessed of each of them, "
            "whether or not that person is in the data.",
        ),
        Saying(
            "Other releases",
            "Whatever else is published about the same people and employers adds to what these "
            "tables reveal: earlier and later periods, other accounts, other ledgers. The ledger "
            "adds up what is charged to one account; it knows of nothing else.",
        ),
        *_chance(certificate),
        *_jobs(certificate),
        Saying(
            "What stays inside",
            "The promise speaks of this folder. It does not cover the ledger, the output of "
            "checks, logs and timings: none of them may leave with it.",
        ),
    )


def _existence(certificate: Certificate) -> str:
    names = [name for table in certificate.tables for name in table.workplace_identifiers]
    listed = ", ".join(dict.fromkeys(names))
    shown = f" Here these are: {listed}." if listed else ""
    return f"{sentences.FRAME.text} Which rows there are shows them.{shown}"


def _sizes(certificate: Certificate) -> Iterator[Saying]:
    guarantee = certificate.guarantee.as_guarantee()
    if guarantee.policy.name == "worker":
        yield Saying("Sizes of employers", sentences.SIZE_OPEN.text)
    if guarantee.alpha is not None:
        yield Saying("Large differences in size", sentences.far_sizes(guarantee).text)
    if guarantee.policy.name == "weak":
        alone = sentences.growth_of_one_kind(guarantee).text
        yield Saying("One kind of worker alone", f"{alone} {sentences.MAKE_UP_SHARE.text}")


def _firms(certificate: Certificate) -> Iterator[Saying]:
    if certificate.firm is not None:
        yield Saying("Large firms", certificate.firm.sentence)


def _chance(certificate: Certificate) -> Iterator[Saying]:
    for said in sentences.further(certificate.guarantee.as_guarantee()):
        text = f"δ = {loss(certificate.guarantee.delta)}. {said.text}"
        yield Saying("A small chance", text)


def _jobs(certificate: Certificate) -> Iterator[Saying]:
    if certificate.jobs.rule != "single":
        yield Saying("Workers with several jobs", certificate.jobs.sentence)
    held = certificate.rows
    if held is None or held.strict:
        yield Saying("Rows that were checked", sentences.rows(strict=True).text)
