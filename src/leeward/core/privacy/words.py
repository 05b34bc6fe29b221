"""Words: the type of a sentence about a guarantee, and its numbers as a reader can check them.

A sentence and the number of steps that it allows are made together: `leeward audit --promises`
has pairs of worlds for every id, computes how far the odds really move between them, and
compares that with the steps of the sentence. Every factor bounds how far seeing a release moves
the odds between two possibilities.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from leeward.core.errors import InvalidParameter, NotCovered
from leeward.core.exact import START_BITS, alpha_text, ball, number_text, precision, three_digits_up

if TYPE_CHECKING:
    from leeward.core.privacy.guarantee import Guarantee

READING = Fraction(1, 10**6)
"""The extra probability at which a zCDP part is read as a factor, where none is given."""

LARGEST_EPSILON = 500
"""Beyond this the factor has hundreds of digits and is no protection worth a number."""

BILLION = 10**9

IDS = (
    "policy",
    "person",
    "person-moved",
    "size",
    "size-far",
    "group",
    "make-up",
    "make-up-share",
    "workforce",
    "firm",
    "growth-of-one-kind",
    "size-open",
    "firm-open",
    "frame",
    "scope",
    "further",
    "zcdp",
    "odds",
    "jobs",
    "job-displaced",
    "jobs-elsewhere",
    "strict",
    "total",
    "pay-changed",
    "payroll",
    "payroll-open",
    "joiners-at-cap",
    "raise",
    "wage-level",
    "wage-level-open",
    "curve",
    "local",
    "local-reports",
    "local-odds",
    "local-anew",
    "local-part",
    "local-employer",
)
"""Every id that a sentence may have."""

FACTOR = "<factor>"
"""Placeholder for how far the odds move."""


@dataclass(frozen=True)
class Sentence:
    """A printed text, and the number of steps between the possibilities that it compares.

    Without steps it bounds nothing: it warns of what is not protected, or explains a measure. Where
    it is about `jobs`, a step is one job more at one establishment, which costs ε_job.
    """

    id: str
    text: str
    steps: int | None = None
    jobs: bool = False


def joined(sentences: Iterable[Sentence]) -> str:
    """Sentences as one paragraph."""
    return " ".join(sentence.text for sentence in sentences)


def of_guarantee(guarantee: "Guarantee", name: str, steps: int, text: str) -> Sentence:
    """A sentence with its factor filled in, so that text and steps cannot differ."""
    return Sentence(name, text.replace(FACTOR, bound(guarantee, steps)), steps)


def of_release(guarantee: "Guarantee", name: str, steps: int, text: str) -> Sentence:
    """The same for a release: the factor is followed by its losses."""
    return Sentence(name, text.replace(FACTOR, bound(guarantee, steps, named=True)), steps)


def of_jobs(guarantee: "Guarantee", name: str, jobs: int, text: str) -> Sentence:
    """A sentence about a worker: its possibilities are this number of jobs apart."""
    return _about_jobs(guarantee, name, jobs, text, named=False)


def of_released_jobs(guarantee: "Guarantee", name: str, jobs: int, text: str) -> Sentence:
    """The same for a release: the factor is followed by its losses."""
    return _about_jobs(guarantee, name, jobs, text, named=True)


def _about_jobs(
    guarantee: "Guarantee", name: str, jobs: int, text: str, *, named: bool
) -> Sentence:
    if not guarantee.has_job_losses:
        return Sentence(name, text.replace(FACTOR, bound(guarantee, jobs, named=named)), jobs, True)
    said = bound(guarantee.job, jobs, named=named)
    if named:
        said = said.removesuffix(")") + f" for {'one job' if jobs == 1 else f'{jobs} jobs'})"
    return Sentence(name, text.replace(FACTOR, said.replace("ε)", "ε_job)")), jobs, True)


def stated_epsilon(guarantee: "Guarantee", named: str = "the stated epsilon") -> str:
    """What a sentence about jobs calls ε: "the stated epsilon", of one job where that is less."""
    return f"{named} of one job" if guarantee.has_job_losses else named


def bound(guarantee: "Guarantee", steps: int, *, named: bool = False) -> str:
    """How far the odds move between possibilities that are `steps` apart.

    The factor is followed by the power that it is, or, `named`, by the losses it comes from.
    """
    try:
        over = guarantee.over_steps(steps)
        read = over.restated
    except (NotCovered, InvalidParameter):  # nothing is left of 1 − δ
        return "without any bound"
    if read.epsilon > LARGEST_EPSILON:
        return f"without any useful bound (epsilon above {LARGEST_EPSILON})"
    factor = factor_text(read.epsilon)
    further = f", up to a further probability of {number_text(read.delta)}" if read.delta else ""
    if named:
        return f"by at most a factor {factor}{further} ({losses_text(over)})"
    power = "" if guarantee.rho > 0 else f" (e^{'ε' if steps == 1 else f'({steps}ε)'})"
    return f"by at most a factor {factor}{power}{further}"


def losses_text(guarantee: "Guarantee") -> str:
    """ε, δ and ρ with their names; those that are 0 are left out."""
    named = {"epsilon": guarantee.epsilon, "delta": guarantee.delta, "rho": guarantee.rho}
    return ", ".join(f"{name} {number_text(loss)}" for name, loss in named.items() if loss)


def both_losses(guarantee: "Guarantee") -> str:
    """The same with what one job costs where that is less: "epsilon 4 (epsilon 1 for one job)"."""
    return losses_text(guarantee) + _beside(guarantee)


def _beside(guarantee: "Guarantee") -> str:
    job = f" ({losses_text(guarantee.job)} for one job)"
    return job if guarantee.has_job_losses else ""


def amount_text(guarantee: "Guarantee") -> str:
    """The loss in its currency: "epsilon 4", or "rho 0.2"."""
    return f"{guarantee.currency} {number_text(guarantee.amount)}"


def both_amounts(guarantee: "Guarantee") -> str:
    """The same with what one job costs where that is less."""
    return amount_text(guarantee) + _beside(guarantee)


def factor_text(epsilon: Fraction) -> str:
    """e^ε rounded up; above a billion as a power."""
    with precision(START_BITS):
        factor = three_digits_up(ball(epsilon).exp())
    if factor > BILLION:
        return f"e^{number_text(epsilon)}, more than a billion"
    return f"{factor:,f}"


def steps_apart(steps: int, epsilon: Fraction) -> str:
    """What is promised of two nodes of a policy graph, each of whose edges is hidden by ε."""
    return (
        f"{steps} step{'s' if steps > 1 else ''} apart: seeing a release changes the odds between "
        f"them by a factor of at most {factor_text(steps * epsilon)}"
    )


def jobs_more(guarantee: "Guarantee", noun: str = "job") -> str:
    """Δ in words: "one job more", "5 jobs more"."""
    plus = guarantee.plus or 1
    return f"one {noun}" if plus == 1 else f"{plus} {noun}s"


def unit_text(guarantee: "Guarantee") -> str:
    """Whose size is protected, in one noun."""
    return "employer's part" if guarantee.unit == "employer" else "establishment"


def units_text(guarantee: "Guarantee") -> str:
    """The same for several."""
    return "employers' parts" if guarantee.unit == "employer" else "establishments"


def of_unit(text: str, unit: str | None) -> str:
    """A text that names the largest establishment of a cell, for this unit."""
    named = "largest employer" if unit == "employer" else "largest establishment"
    return text.replace("largest establishment", named)


def growth_text(guarantee: "Guarantee") -> str:
    """1 + α: the factor by which an establishment may grow in one step."""
    return alpha_text(None if guarantee.alpha is None else 1 + guarantee.alpha)
