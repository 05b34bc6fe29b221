"""Promise: what a release protects, and what it does not, for people who decide about it."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from leeward.bundle import Certificate
from leeward.bundle.promises import shape_sentence
from leeward.report.number import alpha, loss

NO_SIZE = (
    "Nothing is promised about its size. The worker policy hides single jobs only: the size of a "
    "large establishment can be read almost exactly."
)
NO_FIRM = "Nothing is promised about the sizes of firms."


@dataclass(frozen=True)
class Saying:
    """A sentence and whom it is about."""

    about: str
    sentence: str
    protects: bool = True


def promised(certificate: Certificate) -> tuple[Saying, ...]:
    """The promise to a worker, about an establishment's size and make-up, and to a firm."""
    size, firm = certificate.establishment, certificate.firm
    shape = shape_sentence(certificate.guarantee.as_guarantee(), certificate.weak_attributes)
    return (
        Saying("A worker", certificate.worker.sentence),
        Saying(
            "The size of an establishment", size.sentence if size else NO_SIZE, size is not None
        ),
        Saying("The make-up of an establishment", shape, size is not None),
        Saying(
            "A firm of several establishments", firm.sentence if firm else NO_FIRM, firm is not None
        ),
    )


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
    return (
        "That an establishment exists, and its public attributes, are not hidden: which rows there "
        f"are shows them.{shown}"
    )


def _sizes(certificate: Certificate) -> Iterator[Saying]:
    policy, growth = certificate.guarantee.policy, certificate.guarantee.alpha
    if policy == "worker":
        yield Saying(
            "Sizes of employers",
            "How many people work at an establishment or for a firm is not protected at all. Who "
            "they are is.",
        )
    if growth is not None:
        factor = alpha(str(1 + Fraction(growth)))
        yield Saying(
            "Large differences in size",
            f"Two sizes that are further apart than a factor {factor} are hidden less, by another "
            f"ε for each further factor {factor}. An establishment of 1,000 jobs and one of "
            "many times that can be told apart.",
        )
    if policy == "weak":
        yield Saying(
            "One kind of worker alone",
            "If one kind of worker alone grows by more than the factor, that is not hidden; nor is "
            "the size from those who know such a thing about the make-up.",
        )


def _firms(certificate: Certificate) -> Iterator[Saying]:
    if certificate.firm is None:
        return
    yield Saying(
        "Large firms",
        "The promise is about one establishment at a time. A firm whose establishments all change "
        f"together loses more with each of them ({certificate.firm.rule}).",
    )


def _chance(certificate: Certificate) -> Iterator[Saying]:
    if certificate.guarantee.delta != "0":
        yield Saying(
            "A small chance",
            "No set of outcomes becomes more probable by more than δ = "
            f"{loss(certificate.guarantee.delta)} beyond the factor. Within that chance more may "
            "be revealed than the factor says.",
        )


def _jobs(certificate: Certificate) -> Iterator[Saying]:
    if certificate.jobs.rule != "single":
        yield Saying("Workers with several jobs", certificate.jobs.sentence)
