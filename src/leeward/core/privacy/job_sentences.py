"""Sentences about jobs and rows: what several jobs of a worker mean, and which rows are refused."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from leeward.core.codebook import BoundedJobs, EveryJob, JobsRule, PrimaryJob, SingleJob
from leeward.core.privacy.words import (
    Sentence,
    growth_text,
    jobs_more,
    stated_epsilon,
    unit_text,
    units_text,
)

if TYPE_CHECKING:
    from leeward.core.privacy.guarantee import Guarantee

STRICT_SCOPE = Sentence(
    "strict",
    "All of this speaks of data that pass the check of their rows (`rows: strict`). That these "
    "data passed is published by the bundle itself: every id and code was as the codebook and the "
    "plan ask.",
)
TOTAL_SCOPE = Sentence(
    "total",
    "Whether a bundle appears does not depend on the rows of workers and jobs: rows that do not "
    "agree with the codebook fall under a fixed rule, and none refuses a release. Whether one "
    "row agrees is hidden as the value of a person's attribute is.",
    2,
    True,
)


def most_jobs(rule: JobsRule) -> int:
    """Steps between a person with all counted jobs and one with none; with every job, for each."""
    return rule.most if isinstance(rule, BoundedJobs) else 1


def steps_of_a_job(guarantee: "Guarantee") -> int:
    """Steps between a person with one job and one with none."""
    return 2 if guarantee.policy.name == "establishment" else 1


def loss_of_steps(guarantee: "Guarantee") -> str:
    """What m steps cost beside m times ε: group privacy of δ and ρ."""
    if guarantee.rho > 0:
        return ", and m² times the ρ"
    ratio = "(e^(mε)−1)/(e^ε−1)"
    ratio = ratio.replace("ε", "ε_job") if guarantee.has_job_losses else ratio
    return f", and {ratio} times the δ" if guarantee.delta > 0 else ""


def many_times(guarantee: "Guarantee", stated: str, each: int = 1) -> str:
    """What m jobs of `each` steps cost; `stated` names ε, in whose place ρ is where it is all."""
    if guarantee.measure == "zCDP":
        rho = stated.replace("epsilon", "rho").replace("ε", "ρ")
        return f"{each**2 if each > 1 else ''}m² times {rho}"
    return f"{each if each > 1 else ''}m times {stated}{loss_of_steps(guarantee)}"


def jobs(guarantee: "Guarantee", rule: JobsRule) -> tuple[Sentence, ...]:
    """What was done about workers with several jobs, and what it means for them."""
    each = steps_of_a_job(guarantee)
    if isinstance(rule, EveryJob):
        text = (
            "Every job counts, however many a worker holds: a job is the record. A person who "
            f"holds m jobs has {many_times(guarantee, stated_epsilon(guarantee), each)}."
        )
        return (Sentence("jobs", text, each, each == 1),)
    if isinstance(rule, SingleJob):
        text = "Every worker holds at most one job; the data were checked for it."
        return (Sentence("jobs", text, each, each == 1),)
    return tuple(_counted_jobs(guarantee, rule, each))


def _counted_jobs(
    guarantee: "Guarantee", rule: PrimaryJob | BoundedJobs, each: int
) -> Iterator[Sentence]:
    """What it means that not all jobs of a worker count."""
    if guarantee.policy.name == "person":
        text = (
            f"{_counted(rule)} The guarantee speaks of the rows that count: a person with the "
            f"entire history has {_times(guarantee, 1)}, as it is and as it was before rows were "
            "dropped."
        )
        yield Sentence("jobs", text, 1)
        text = (
            f"One single row of a history has at most {_times(guarantee, 2)}, since it may "
            "displace another."
        )
        yield Sentence("job-displaced", text, 2)
        return
    steps = most_jobs(rule) * each
    text = (
        f"{_counted(rule)} The guarantee speaks of counted jobs: a worker with all jobs together "
        f"has {_times(guarantee, steps)}."
    )
    yield Sentence("jobs", text, steps, each == 1)
    most = _times(guarantee, 2 * each)
    text = f"One single job has at most {most}, since it may displace another."
    yield Sentence("job-displaced", text, 2 * each, each == 1)
    if guarantee.alpha is not None:
        kinds = " of every kind and group of kinds" if guarantee.policy.name == "weak" else ""
        text = (
            f"Sizes of {units_text(guarantee)} are numbers of counted jobs, and what is said of "
            "them speaks of those whose counted job is here. Another "
            f"{unit_text(guarantee)} that so loses or gains counted jobs is one more step for each "
            f"step of its own: a factor {growth_text(guarantee)}, or {jobs_more(guarantee)}{kinds}."
        )
        yield Sentence("jobs-elsewhere", text, 2)


def cap_of_jobs(cap: "Guarantee", most: int) -> Sentence:
    """What the cap of an account means for a worker with several jobs; 0: all of them count."""
    much = "the epsilon of one job" if cap.has_job_losses else "as much epsilon"
    if most == 0:
        lost = many_times(cap, "as much epsilon") if cap.rho else f"m times {much}"
        text = f"Every job counts: a worker who holds m jobs may lose {lost}."
        return Sentence("jobs", text, 1, True)
    lost = f"{most**2} times as much rho" if cap.rho else f"{most} times {much}"
    text = f"Up to {most} jobs of a worker count: such a worker may lose {lost}."
    return Sentence("jobs", text, most, True)


def _times(guarantee: "Guarantee", steps: int) -> str:
    if guarantee.measure == "zCDP":
        rho = stated_epsilon(guarantee, "the stated rho")
        return rho if steps == 1 else f"{steps**2} times {rho}"
    stated = stated_epsilon(guarantee)
    stated = {1: "", 2: "twice "}.get(steps, f"{steps} times ") + stated
    if steps == 1 or (guarantee.rho == 0 and guarantee.delta == 0):
        return stated
    return f"{stated} (m = {steps}{loss_of_steps(guarantee)})"


def _counted(rule: PrimaryJob | BoundedJobs) -> str:
    if isinstance(rule, PrimaryJob):
        return f"Only each worker's primary job counts: the one with the largest {rule.column}."
    if rule.per is None:
        return f"At most {rule.most} jobs of each worker count; further ones were dropped."
    number = "one job" if rule.most == 1 else f"{rule.most} jobs"
    return (
        f"Under each code of {rule.per} at most {number} of each worker counts; further ones, and "
        "jobs without one of these codes, were dropped."
    )


def rows(*, strict: bool) -> Sentence:
    """Whether the rows of workers and jobs could refuse the release."""
    return STRICT_SCOPE if strict else TOTAL_SCOPE
