"""Sentences about pay: what a guarantee promises about it, and what it does not protect."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

from leeward.core.codebook import BoundedJobs, EveryJob, JobsRule, Marginal, PrimaryJob
from leeward.core.exact import number_text
from leeward.core.privacy.job_sentences import most_jobs
from leeward.core.privacy.steps import Growth, joiner_steps, replacement_steps
from leeward.core.privacy.words import (
    FACTOR,
    Sentence,
    growth_text,
    jobs_more,
    of_guarantee,
    of_jobs,
    of_release,
    of_released_jobs,
    unit_text,
)

if TYPE_CHECKING:
    from leeward.core.privacy.guarantee import Guarantee

Telling: TypeAlias = Callable[["Guarantee", str, int, str], Sentence]
"""How the factor of a sentence is told: as a power of e, or with its losses."""

EXAMPLE = 1000
"""Jobs of the establishment that examples speak of."""

CAPS = (2, 3, 5, 10)
"""Caps of the example, in mean pays."""

PAYROLL_OPEN = Sentence(
    "payroll-open",
    "It does NOT protect the payrolls of establishments: the payroll of a large one, and its mean "
    "pay, can be read almost exactly.",
)

WAGE_LEVEL = Sentence(
    "wage-level-open",
    "Classes of pay, and percentiles made of them, do NOT protect the wage level of an employer "
    "who pays everyone alike: where the pay of all moves into another class, every job moves.",
)


@dataclass(frozen=True)
class PayRead:
    """What the tables of a release read of pay: classes of it, payrolls, or neither.

    `whole`: payrolls and means are of one column and of all jobs of an establishment, and nothing
    else reads pay.
    """

    classes: bool = False
    payroll: bool = False
    whole: bool = False

    @classmethod
    def of(cls, marginals: Iterable[Marginal]) -> "PayRead":
        """What these tables read."""
        tables = tuple(marginals)
        paid = [table for table in tables if table.statistic.capped]
        classes = any(table.by_numbers for table in tables)
        columns = {column.name for marginal in paid for column in marginal.statistic.needs}
        whole = (
            not classes
            and len(columns) == 1
            and all(marginal.counts_every_job for marginal in paid)
        )
        return cls(classes, bool(paid), whole)


NO_PAY = PayRead()


def about_pay(guarantee: "Guarantee", rule: JobsRule, read: PayRead) -> tuple[Sentence, ...]:
    """What is promised about pay and what is not; nothing where no table reads it.

    The proportional policy says it of every release: its neighbours differ in pay.
    """
    if guarantee.policy.name == "proportional":
        return (pay_changed(guarantee, rule, of_release), joiners_at_cap(guarantee))
    if read == NO_PAY:
        return ()
    levels: tuple[Sentence, ...] = (WAGE_LEVEL,) if read.classes else ()
    if read.classes and guarantee.policy.name == "strong":
        # What classes show of an employer with one wage (mathematics/policies.md 3, e).
        steps = replacement_steps(_step(guarantee), EXAMPLE, EXAMPLE)
        text = (
            f"Where the pay of all {EXAMPLE:,} jobs of an employer moves into another class, the "
            f"release changes by {steps} steps: the odds change {FACTOR}."
        )
        levels = (WAGE_LEVEL, of_release(guarantee, "wage-level", steps, text))
    return (
        pay_changed(guarantee, rule, of_release),
        *((PAYROLL_OPEN,) if read.payroll and not guarantee.policy.uses_alpha else ()),
        *_raised(guarantee, rule, read),
        *levels,
    )


def pay_changed(
    guarantee: "Guarantee", rule: JobsRule, telling: Telling = of_guarantee
) -> Sentence:
    """What a change of one person's pay costs: one proportional step, two of any other policy."""
    steps, why = 2, ", as between two values of any attribute: the job leaves and joins again"
    raised = guarantee.policy.name == "proportional" and not isinstance(rule, PrimaryJob)
    # One step in which no job leaves, or two single jobs: the smaller of both.
    raised = raised and 2 * guarantee.epsilon_job >= guarantee.epsilon
    if raised:
        steps, why = 1, ""
    if isinstance(rule, PrimaryJob):
        why = ", since another job may become the primary one"
    held = " for each job that the person holds" if isinstance(rule, EveryJob) else ""
    if isinstance(rule, BoundedJobs) and rule.most > 1:
        held = f" in all of up to {rule.most} jobs that count"
    most = most_jobs(rule)
    if guarantee.policy.name == "person":
        held, why, most = " in all rows that count", ", as between any two histories", 1
    text = f"Between two pays of a person{held}, the odds change {FACTOR}{why}."
    if not raised and guarantee.has_job_losses:
        telling = of_released_jobs if telling is of_release else of_jobs
    return telling(guarantee, "pay-changed", steps * most, text)


def payrolls(guarantee: "Guarantee") -> Sentence:
    """What the proportional policy promises about sizes and payrolls together."""
    growth, unit, more = growth_text(guarantee), unit_text(guarantee), jobs_more(guarantee)
    plus = guarantee.plus or 1
    at_cap = "the cap of a job" if plus == 1 else f"{plus} times the cap of a job"
    return of_guarantee(
        guarantee,
        "payroll",
        1,
        f"Between sizes x and at most {growth} times x (or {more} more) of an {unit} whose payroll "
        f"grows at most {growth} times too (or by {at_cap}), no pay of those who stay falling and "
        f"every pay counted up to the cap, all else being equal, the odds change {FACTOR}.",
    )


def joiners_at_cap(guarantee: "Guarantee") -> Sentence:
    """How proportional is weaker than strong (mathematics/policies.md 3, c)."""
    step = _step(guarantee)
    size = max(EXAMPLE, 100 * ceil(step.plus / step.alpha))
    steps = [joiner_steps(step, size, cap) for cap in CAPS]
    return Sentence(
        "joiners-at-cap",
        "The proportional policy does NOT hide who joins as the strong policy does: many joiners "
        f"at the cap are several steps. {step.gain(size):,} of them beside {size:,} jobs, one "
        f"strong step, are {_listed(steps)} steps where the cap is {_listed(CAPS)} mean pays.",
    )


def _raised(guarantee: "Guarantee", rule: JobsRule, read: PayRead) -> Iterator[Sentence]:
    """A raise of everyone under the strong policy, where size and payroll are all that is seen.

    Nothing is said where pay may decide which job of a person counts.
    """
    if guarantee.policy.name != "strong" or not read.whole or isinstance(rule, PrimaryJob):
        return
    step = _step(guarantee)
    replaced = min(step.gain(EXAMPLE), EXAMPLE)
    # G(B − m) ≥ αnm: the G lowest pays are at most G means (mathematics/policies.md 3, d).
    cap = 1 + step.alpha * EXAMPLE / replaced
    unit = unit_text(guarantee)
    yield of_release(
        guarantee,
        "raise",
        2,
        f"Between two payrolls of an {unit} with the same jobs, whoever got a raise, the odds "
        f"change {FACTOR}, where they differ by at most the cap for each job that one step adds, "
        f"less the lowest pays of as many jobs. For {EXAMPLE:,} jobs that holds for a raise of all "
        f"by {growth_text(guarantee)} times if the cap is at least {number_text(cap)} mean pays.",
    )


def _step(guarantee: "Guarantee") -> Growth:
    return Growth(guarantee.alpha or Fraction(1), guarantee.plus or 1)


def _listed(numbers: Iterable[int]) -> str:
    *first, last = (f"{number:,}" for number in numbers)
    return f"{', '.join(first)} and {last}"
