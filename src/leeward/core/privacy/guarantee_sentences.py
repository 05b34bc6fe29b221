"""Sentences about a guarantee: what its policy promises, and what it does not."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from leeward.core.codebook import BoundedJobs, EveryJob, JobsRule, SingleJob
from leeward.core.exact import alpha_text, number_text
from leeward.core.privacy.job_sentences import STRICT_SCOPE, many_times, most_jobs
from leeward.core.privacy.pay_sentences import joiners_at_cap, pay_changed, payrolls
from leeward.core.privacy.sentences import (
    EMPLOYERS_OPEN,
    FRAME,
    SIZE_OPEN,
    further,
    growth_of_one_kind,
    part_meaning,
    two_sizes,
)
from leeward.core.privacy.words import (
    FACTOR,
    Sentence,
    of_guarantee,
    units_text,
)

if TYPE_CHECKING:
    from leeward.core.privacy.guarantee import Guarantee


def whole(guarantee: "Guarantee", rule: JobsRule, *, strict: bool = False) -> tuple[Sentence, ...]:
    """What the policy promises, what it does not, and what δ and ρ mean where there are some."""
    spoken = {"worker": _worker, "establishment": _establishment, "strong": _strong, "weak": _weak,
              "proportional": _proportional, "person": _history}  # fmt: skip
    return (
        *spoken[guarantee.policy.name](guarantee, rule),
        *further(guarantee),
        *_zcdp(guarantee),
        FRAME,
        *([STRICT_SCOPE] if strict else []),
    )


def _worker(guarantee: "Guarantee", rule: JobsRule) -> Iterator[Sentence]:
    yield Sentence("policy", "The worker policy protects single jobs.", 1)
    yield from _person(guarantee, rule)
    yield SIZE_OPEN


def _history(guarantee: "Guarantee", _: JobsRule) -> Iterator[Sentence]:
    yield Sentence(
        "policy",
        "The person policy protects a person with the entire history: all rows of the person that "
        "count, at all workplaces and in all periods.",
        1,
    )
    yield of_guarantee(
        guarantee,
        "person",
        1,
        'Seeing the release changes the odds between "this person has this history" and "is not '
        f'in the data" {FACTOR}.',
    )
    yield of_guarantee(
        guarantee,
        "person-moved",
        2,
        "Between two histories of a person, such as other workplaces, other periods or another "
        f"value of an attribute, the odds change {FACTOR}.",
    )
    yield EMPLOYERS_OPEN


def _establishment(guarantee: "Guarantee", rule: JobsRule) -> Iterator[Sentence]:
    most = most_jobs(rule)
    yield Sentence("policy", "The establishment policy protects whole establishments.", 1)
    yield of_guarantee(
        guarantee,
        "workforce",
        1,
        'Seeing the release changes the odds between "this establishment has these workers" and '
        f'"has none" {FACTOR}.',
    )
    yield of_guarantee(
        guarantee,
        "person",
        2 * most,
        'Between any two workforces of it, and so between "this person works here" and "has no '
        f'job", the odds change {FACTOR}{_held(guarantee, rule)}.',
    )
    yield of_guarantee(
        guarantee,
        "person-moved",
        4 * most,
        f"Between two workplaces of a person the odds change {FACTOR}{_each(rule)}.",
    )
    yield _firm(guarantee)


def _strong(guarantee: "Guarantee", rule: JobsRule) -> Iterator[Sentence]:
    yield Sentence(
        "policy",
        f"The strong policy with α = {alpha_text(guarantee.alpha)} protects single jobs and the "
        f"sizes of {units_text(guarantee)}, whoever joins or leaves.{part_meaning(guarantee)}",
        1,
    )
    yield from _person(guarantee, rule)
    yield of_guarantee(
        guarantee,
        "size",
        1,
        f"Between {two_sizes(guarantee)}{_counted(rule)}, all else being equal, the odds "
        f"change {FACTOR}.",
    )
    yield of_guarantee(
        guarantee, "group", 2, f"Between two groups who may have joined, the odds change {FACTOR}."
    )
    yield _firm(guarantee)


def _weak(guarantee: "Guarantee", rule: JobsRule) -> Iterator[Sentence]:
    yield Sentence(
        "policy",
        f"The weak policy with α = {alpha_text(guarantee.alpha)} protects single jobs, and "
        f"{units_text(guarantee)} whose kinds of workers grow together.{part_meaning(guarantee)}",
        1,
    )
    yield from _person(guarantee, rule)
    yield of_guarantee(
        guarantee,
        "size",
        1,
        f"Between {two_sizes(guarantee)}{_counted(rule)}, all else being equal, the odds "
        f"change {FACTOR}, if every kind of worker and every group of kinds grows by no "
        "more than that.",
    )
    yield growth_of_one_kind(guarantee)
    yield _firm(guarantee)


def _proportional(guarantee: "Guarantee", rule: JobsRule) -> Iterator[Sentence]:
    yield Sentence(
        "policy",
        f"The proportional policy with α = {alpha_text(guarantee.alpha)} protects single jobs and "
        f"their pay, and {units_text(guarantee)} whose sizes and payrolls grow together."
        f"{part_meaning(guarantee)}",
        1,
    )
    yield from _person(guarantee, rule)
    yield pay_changed(guarantee, rule)
    yield payrolls(guarantee)
    yield of_guarantee(
        guarantee,
        "group",
        2,
        "Between two groups who may have joined, each within these limits, the odds change "
        f"{FACTOR}.",
    )
    yield joiners_at_cap(guarantee)
    yield _firm(guarantee)


def _person(guarantee: "Guarantee", rule: JobsRule) -> Iterator[Sentence]:
    most = most_jobs(rule)
    yield of_guarantee(
        guarantee,
        "person",
        most,
        'Seeing the release changes the odds between "this person works here" and "has no job" '
        f"{FACTOR}{_held(guarantee, rule)}.",
    )
    yield of_guarantee(
        guarantee,
        "person-moved",
        2 * most,
        "Between two workplaces of a person or two values of a person's attribute, the odds "
        f"change {FACTOR}{_each(rule)}.",
    )


def _held(guarantee: "Guarantee", rule: JobsRule) -> str:
    if isinstance(rule, EveryJob):
        times = many_times(guarantee, "that ε")
        return f" for each job that the person holds (m jobs: {times})"
    if isinstance(rule, BoundedJobs) and rule.most > 1:
        return f", if up to {rule.most} jobs of the person count"
    return ""


def _each(rule: JobsRule) -> str:
    return " for each job that the person holds" if isinstance(rule, EveryJob) else ""


def _counted(rule: JobsRule) -> str:
    """Whose coming and going a size speaks of, where some jobs of a person do not count."""
    if isinstance(rule, (EveryJob, SingleJob)):
        return ""
    return " in counted jobs, whoever joins or leaves of those whose counted job is here"


def _firm(guarantee: "Guarantee") -> Sentence:
    each, firm = "f", "a firm of f establishments"
    if guarantee.unit == "employer":
        each, firm = "c", "an employer present in c workplace cells of a table"
    several = {
        "zCDP": f"ρ counts {each}² times",
        "mixed": f"ε counts {each} times and ρ {each}² times",
    }.get(guarantee.measure, f"the factor is e^({each}ε)")
    text = f"For {firm} {several}; for two of them the odds change {FACTOR}."
    return of_guarantee(guarantee, "firm", 2, text)


def of_rows(guarantee: "Guarantee") -> tuple[str, ...]:
    """What is promised of one file whose rows are added and removed: the worker policy, of rows."""
    told = (
        of_guarantee(
            guarantee,
            "row",
            1,
            'Seeing this output changes the odds between "this row is in the file" and "it is not" '
            f"{FACTOR}.",
        ),
        of_guarantee(
            guarantee, "row-values", 2, f"Between two values of a row the odds change {FACTOR}."
        ),
        *further(guarantee),
        *_zcdp(guarantee),
    )
    return (
        *(one.text for one in told),
        "Each row is one person: a person with m rows has "
        f"{many_times(guarantee, 'that epsilon')}. It does NOT protect groups of people, such as "
        "an employer with all its workers.",
    )


def _zcdp(guarantee: "Guarantee") -> Iterator[Sentence]:
    if guarantee.rho > 0:
        part = "The release" if guarantee.measure == "zCDP" else "A part of the release"
        yield Sentence(
            "zcdp",
            f"{part} is measured by ρ-zCDP with ρ = {number_text(guarantee.rho)}: the logarithm "
            "of the odds moves by at most ρ on average, and by more than ρ + t with a "
            "probability of at most e^(−t²/(4ρ)); the factors above read it at a further "
            f"probability of {number_text(guarantee.reading)}.{_read_as(guarantee)}",
        )


def _read_as(guarantee: "Guarantee") -> str:
    """ρ as the ε that it implies at the δ of its reading; nothing where no δ is left."""
    if guarantee.told_delta >= 1:
        return ""
    read = guarantee.restated
    losses = f"ε = {number_text(read.epsilon)} at δ = {number_text(read.delta)}"
    return f" So read, the loss of one step is {losses}."
