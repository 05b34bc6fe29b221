"""Sentences about policies: what a guarantee promises to whom, and what it does not protect."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from leeward.core.codebook import BoundedJobs, EveryJob, JobsRule, SingleJob
from leeward.core.exact import alpha_text, number_text
from leeward.core.privacy.job_sentences import STRICT_SCOPE, many_times, most_jobs, steps_of_a_job
from leeward.core.privacy.pay_sentences import joiners_at_cap, pay_changed, payrolls
from leeward.core.privacy.words import (
    FACTOR,
    Sentence,
    growth_text,
    jobs_more,
    of_guarantee,
    of_jobs,
    of_release,
    of_released_jobs,
    stated_epsilon,
    unit_text,
    units_text,
)

if TYPE_CHECKING:
    from leeward.core.privacy.guarantee import Guarantee


IN_GENERAL = {
    "strong": Sentence(
        "policy",
        "Seeing a release changes the odds by at most e^ε between a person working at an "
        "establishment and having no job, and between sizes x and at most (1+α)x of an "
        "establishment (or one job more), whoever joins or leaves, all else being equal.",
        1,
    ),
    "weak": Sentence(
        "policy",
        "The same, but sizes only where every kind of worker and every group of kinds grows by no "
        "more than that. Strong implies weak.",
        1,
    ),
    "proportional": Sentence(
        "policy",
        "As strong, and between two pays of a person, but sizes only where the payroll, too, grows "
        "by no more than 1+α (or the cap of a job). Many joiners at the cap are several steps.",
        1,
    ),
    "worker": Sentence(
        "policy", "One job is protected; nothing is promised about the size of an establishment.", 1
    ),
    "person": Sentence(
        "policy",
        "One person with the entire history is protected: all rows of the person that count, at "
        "all workplaces and in all periods; nothing is promised about the sizes of establishments.",
        1,
    ),
    "establishment": Sentence("policy", "All of an establishment is protected at once.", 1),
}
"""What each policy promises, without numbers."""

IN_SHORT = {
    "strong": Sentence(
        "policy",
        "hides single jobs, and sizes of establishments within 1+α, whoever joins or leaves",
        1,
    ),
    "weak": Sentence(
        "policy",
        "hides single jobs, and sizes within 1+α where every group of kinds grows within it",
        1,
    ),
    "proportional": Sentence(
        "policy",
        "hides single jobs and their pay, and sizes within 1+α where the payroll grows within it "
        "too; for payroll and means. Many joiners at the cap are several steps",
        1,
    ),
    "worker": Sentence(
        "policy", "hides single jobs only; large establishments show almost exactly", 1
    ),
    "person": Sentence(
        "policy",
        "hides a person with the entire history, of which a limited number of rows counts; large "
        "establishments show almost exactly",
        1,
    ),
}
"""The policies of plans, for those who choose one."""


SEEING = "Seeing these tables changes the odds between"

SIZE_OPEN = Sentence(
    "size-open",
    "It does NOT protect the sizes of establishments: the size of a large one can be read almost "
    "exactly.",
)

EMPLOYERS_OPEN = Sentence(
    "size-open",
    "It does NOT protect employers: the size of a large establishment can be read almost exactly.",
)

FIRM_OPEN = Sentence("firm-open", "Nothing is promised about the sizes of firms.")

FRAME = Sentence(
    "frame", "That an establishment exists, and its public attributes, are not hidden."
)

SCOPE = Sentence(
    "scope",
    "The promise holds for everyone who sees this folder, however much they compute, also if they "
    "know every other job.",
    1,
)

FURTHER = Sentence(
    "further",
    "A further probability means that no set of outcomes becomes more probable by more than it "
    "beyond the factor.",
)

MAKE_UP_SHARE = Sentence(
    "make-up-share",
    "The share of one kind of worker alone is not hidden: a small minority can be told from one "
    "several times as large.",
)

GROUPS = (
    "What many people have in common is published on purpose: that is what statistics are "
    "for. If most workers of a sector are men, that may be guessed of each of them, "
    "whether or not that person is in the data."
)

OTHER_RELEASES = (
    "Other releases about the same people and employers add to what these tables reveal; the "
    "ledger of the publisher counts them together."
)

OTHER_RELEASES_IN_FULL = (
    "Whatever else is published about the same people and employers adds to what these "
    "tables reveal: earlier and later periods, other accounts, other ledgers. The ledger "
    "adds up what is charged to one account; it knows of nothing else."
)

NOT_CHARGED = (
    "No account was charged, so the promise is about this output alone: whatever else is published "
    "about the same people and employers, this once more included, adds to what it reveals."
)

INSIDE = (
    "The promise speaks of this folder. It does not cover the ledger, the output of "
    "checks, logs and timings: none of them may leave with it."
)


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
        f"sizes of {units_text(guarantee)}, whoever joins or leaves.{_part(guarantee)}",
        1,
    )
    yield from _person(guarantee, rule)
    yield of_guarantee(
        guarantee,
        "size",
        1,
        f"Between {_sizes(guarantee)}{_counted(rule)}, all else being equal, the odds "
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
        f"{units_text(guarantee)} whose kinds of workers grow together.{_part(guarantee)}",
        1,
    )
    yield from _person(guarantee, rule)
    yield of_guarantee(
        guarantee,
        "size",
        1,
        f"Between {_sizes(guarantee)}{_counted(rule)}, all else being equal, the odds "
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
        f"{_part(guarantee)}",
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
    yield of_jobs(
        guarantee,
        "person",
        most,
        'Seeing the release changes the odds between "this person works here" and "has no job" '
        f"{FACTOR}{_held(guarantee, rule)}.",
    )
    yield of_jobs(
        guarantee,
        "person-moved",
        2 * most,
        "Between two workplaces of a person or two values of a person's attribute, the odds "
        f"change {FACTOR}{_each(rule)}.",
    )


def _held(guarantee: "Guarantee", rule: JobsRule) -> str:
    if isinstance(rule, EveryJob):
        times = many_times(guarantee, "that ε_job" if guarantee.has_job_losses else "that ε")
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


def _sizes(guarantee: "Guarantee") -> str:
    growth, more = growth_text(guarantee), jobs_more(guarantee)
    return f"sizes x and at most {growth} times x (or {more} more) of an {unit_text(guarantee)}"


def _part(guarantee: "Guarantee") -> str:
    """What the noun means, where it is no word of everyone."""
    meaning = " An employer's part is all its establishments in one workplace cell of a table."
    return meaning if guarantee.unit == "employer" else ""


def worker(guarantee: "Guarantee", rule: JobsRule) -> Sentence:
    """The promise to a worker, of a release; under the establishment policy twice the steps."""
    if guarantee.policy.name == "person":
        text = (
            f'{SEEING} "this person has this history" and "is not in the data" {FACTOR}. This '
            "speaks of all rows of the person that count, in all periods together."
        )
        return of_release(guarantee, "person", 1, text)
    most = most_jobs(rule) * steps_of_a_job(guarantee)
    if isinstance(rule, EveryJob):
        jobs = (
            " This speaks of each job that the person holds: a person with m jobs has "
            f"{many_times(guarantee, stated_epsilon(guarantee, 'the epsilon'))}."
        )
    else:
        jobs = " This speaks of all jobs of the person that count, together."
    text = (
        'Seeing these tables changes the odds between "this person works here" and "has no job" '
        f"{FACTOR}.{jobs}"
    )
    removal = guarantee.policy.name == "establishment"
    return (of_release if removal else of_released_jobs)(guarantee, "person", most, text)


def establishment(guarantee: "Guarantee", rule: JobsRule) -> Sentence:
    """The promise about the size of an establishment, of a release."""
    policy = guarantee.policy.name
    if policy in ("worker", "person"):
        return SIZE_OPEN if policy == "worker" else EMPLOYERS_OPEN
    if policy == "establishment":
        text = '"this establishment has these workers" and "it has none"'
        return of_release(guarantee, "workforce", 1, f"{SEEING} {text}, {FACTOR}.")
    joining = "whoever joins or leaves" + (
        "" if isinstance(rule, (EveryJob, SingleJob)) else " of those whose counted job is here"
    )
    if policy == "proportional":
        joining += (
            ", if its payroll grows by no more than that (or by the cap for each such job) and no "
            "pay of those who stay falls"
        )
    if policy == "weak":
        joining += ", if every kind of worker and every group of kinds grows by no more than that"
    text = f"two {_sizes(guarantee)}, {joining}, all else being equal"
    return of_release(guarantee, "size", 1, f"{SEEING} {text}, {FACTOR}.{_part(guarantee)}")


def make_up(guarantee: "Guarantee", kinds: tuple[str, ...] | None, *, by_cell: bool) -> Sentence:
    """The promise about the make-up of an establishment's workforce.

    `kinds` are the attributes that make kinds of workers under the weak policy, `by_cell` says
    that every worker table pays for each of its cells by itself.
    """
    if guarantee.policy.name in ("worker", "person"):
        return Sentence(
            "size-open", "The make-up of an establishment is not protected, as its size is not."
        )
    if kinds is None:
        text = (
            f"The make-up of an {unit_text(guarantee)} is hidden as its size is: between two "
            f"groups who may have joined{_within_limits(guarantee)}, the odds change {FACTOR}."
        )
        return of_release(guarantee, "group", 2, text)
    growth = growth_text(guarantee)
    text = (
        f"Between two make-ups of an {unit_text(guarantee)} of the same size in which every kind "
        f"of worker (by {', '.join(kinds) or 'no attribute'}) and every group of kinds differs by "
        f"at most {growth} times (or {jobs_more(guarantee, 'worker')}), the odds change {FACTOR}."
    )
    return of_release(guarantee, "make-up", 1 if by_cell else 2, text)


def _within_limits(guarantee: "Guarantee") -> str:
    limited = guarantee.policy.name == "proportional"
    return ", the payroll of each within its limit" if limited else ""


def growth_of_one_kind(guarantee: "Guarantee") -> Sentence:
    """What the weak policy does not protect."""
    growth = growth_text(guarantee)
    return Sentence(
        "growth-of-one-kind",
        "It does NOT protect a size where one kind of worker alone grew: such growth is "
        f"protected only up to {growth} times that kind, or {jobs_more(guarantee, 'worker')}.",
    )


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


def firm(guarantee: "Guarantee") -> Sentence:
    """The promise to a firm whose establishments all change at once, of a release."""
    if guarantee.policy.name in ("worker", "person"):
        return FIRM_OPEN
    text = (
        "A firm loses more, the more establishments it has: each of them counts once "
        f"({firm_rule(guarantee)}). For a firm of two establishments the odds change {FACTOR}."
    )
    if guarantee.unit == "employer":
        text = (
            "An employer loses more, the more workplace cells of a table it is present in: all "
            f"its establishments in one cell count as one ({firm_rule(guarantee)}). For an "
            f"employer present in two cells the odds change {FACTOR}."
        )
    return of_release(guarantee, "firm", 2, text)


def firm_rule(guarantee: "Guarantee") -> str:
    """What f establishments lose, or an employer in c workplace cells, in short."""
    merged = guarantee.unit == "employer"
    each, counted = ("c", "workplace cells") if merged else ("f", "establishments")
    lost = {
        "zCDP": f"{each} squared times rho",
        "mixed": f"{each} times epsilon and {each} squared times rho",
    }.get(guarantee.measure, f"{each} times epsilon")
    return f"{each} {counted}: {lost}"


def of_rows(guarantee: "Guarantee") -> tuple[str, ...]:
    """What is promised of one file whose rows are added and removed: the worker policy, of rows."""
    sentences = (
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
        *(sentence.text for sentence in sentences),
        "Each row is one person: a person with m rows has "
        f"{many_times(guarantee, 'that epsilon')}. It does NOT protect groups of people, such as "
        "an employer with all its workers.",
    )


def far_sizes(guarantee: "Guarantee") -> Sentence:
    """What happens to sizes that are several steps apart."""
    growth = growth_text(guarantee)
    less = {
        "zCDP": "less: at k² times the ρ over k steps, each",
        "mixed": "less: at k times the ε and k² times the ρ over k steps, each",
    }.get(guarantee.measure, "less, by another ε for each further step:")
    return Sentence(
        "size-far",
        f"Two sizes that are further apart than a factor {growth} are hidden {less} "
        f"from x to {growth} times x, rounded down to whole jobs, or to "
        f"{jobs_more(guarantee)} more{_within_limits(guarantee)}. An {unit_text(guarantee)} of "
        "1,000 jobs and one of many times that can be told apart.",
        1,
    )


def existence(attributes: Iterable[str]) -> str:
    """What the rows of a table show about establishments, with these public attributes."""
    listed = ", ".join(dict.fromkeys(attributes))
    shown = f" Here these are: {listed}." if listed else ""
    return f"{FRAME.text} Which rows there are shows them.{shown}"


def kinds_of_workers(attributes: Iterable[str]) -> str:
    """Which attributes make the kinds of workers of the weak policy."""
    listed = ", ".join(attributes) or "none"
    return f"Kinds of workers are the combinations of these attributes: {listed}."


def further(guarantee: "Guarantee") -> Iterator[Sentence]:
    """What δ means, where there is one."""
    if guarantee.delta > 0 or guarantee.rho > 0:
        yield FURTHER


def _zcdp(guarantee: "Guarantee") -> Iterator[Sentence]:
    if guarantee.rho > 0:
        part = "The release" if guarantee.measure == "zCDP" else "A part of the release"
        read_as = ""
        if guarantee.told_delta < 1:  # some δ is left: ρ is read as the ε that it implies there
            read = guarantee.restated
            losses = f"ε = {number_text(read.epsilon)} at δ = {number_text(read.delta)}"
            read_as = f" So read, the loss of one step is {losses}."
        yield Sentence(
            "zcdp",
            f"{part} is measured by ρ-zCDP with ρ = {number_text(guarantee.rho)}: the logarithm "
            "of the odds moves by at most ρ on average, and by more than ρ + t with a "
            "probability of at most e^(−t²/(4ρ)); the factors above read it at a further "
            f"probability of {number_text(guarantee.reading)}.{read_as}",
        )
