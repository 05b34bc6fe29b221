"""Promise: the sentences of a certificate about what is protected and what is not, in order."""

from collections.abc import Iterator
from dataclasses import dataclass

from leeward.core.codebook import EveryJob
from leeward.core.codebook.legal_passages import Passage
from leeward.core.privacy import sentences
from leeward.core.privacy.job_sentences import rows
from leeward.core.privacy.words import unit_text
from leeward.core.show.numbers import loss
from leeward.publishing.bundle import Certificate


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
        Answered(one, tuple(known[name] for name in one.answers if name in known))
        for one in (() if law is None else law.passages)
    )


def _promises(certificate: Certificate) -> dict[str, Saying]:
    """Every promise by the name that a passage of the law may give it."""
    size, firm, pay = certificate.establishment, certificate.firm, certificate.pay
    make_up, known = _make_up(certificate), certificate.odds
    no_size, no_firm = sentences.SIZE_OPEN.text, sentences.FIRM_OPEN.text
    meaning = f"What {'ε' if certificate.guarantee.rho == '0' else 'ρ'} means"
    unit = unit_text(certificate.guarantee.as_guarantee())
    odds = {} if known is None else {"odds": Saying(meaning, known.sentence, known.to is not None)}
    paid = {"pay": Saying("Pay", " ".join(pay.promised))} if pay and pay.promised else {}
    several = "A firm of several establishments"
    return {
        **odds,
        "worker": Saying("A worker", certificate.worker.sentence),
        "size": Saying(f"The size of an {unit}", size.sentence if size else no_size, bool(size)),
        "make_up": Saying(f"The make-up of an {unit}", make_up, bool(size)),
        "firm": Saying(several, firm.sentence if firm else no_firm, bool(firm)),
        **paid,
    }


def _make_up(certificate: Certificate) -> str:
    """The sentence of the certificate; format 1 has no correct one, so it is computed."""
    if certificate.make_up is not None:
        return certificate.make_up.sentence
    guarantee, kinds = certificate.guarantee.as_guarantee(), certificate.weak_attributes
    return sentences.make_up(guarantee, kinds, by_cell=False).text


def unprotected(certificate: Certificate) -> tuple[Saying, ...]:
    """What anybody may learn from this release, or could learn without it."""
    pay = certificate.pay
    return (
        Saying("Existence", _existence(certificate)),
        *_sizes(certificate),
        *_firms(certificate),
        *([Saying("Pay", " ".join(pay.unprotected))] if pay and pay.unprotected else []),
        Saying("Groups", sentences.GROUPS),
        Saying("Other releases", sentences.OTHER_RELEASES_IN_FULL),
        *_chance(certificate),
        *_jobs(certificate),
        Saying("What stays inside", sentences.INSIDE),
    )


def _existence(certificate: Certificate) -> str:
    tables = certificate.tables
    return sentences.existence(name for table in tables for name in table.workplace_identifiers)


def _sizes(certificate: Certificate) -> Iterator[Saying]:
    guarantee = certificate.guarantee.as_guarantee()
    if guarantee.policy.name in ("worker", "person"):
        open_sizes = sentences.establishment(guarantee, EveryJob())
        yield Saying("Sizes of employers", open_sizes.text)
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
        yield Saying("Rows that were checked", rows(strict=True).text)
