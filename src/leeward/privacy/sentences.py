"""Sentences: everything that is printed about a guarantee, each with an id.

A sentence and the number of steps that it allows are made together: `leeward audit --promises`
has pairs of worlds for every id, computes how far the odds really move between them, and
compares that with the steps of the sentence. Every factor bounds how far seeing a release moves
the odds between two possibilities.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leeward.model import BoundedJobs, EveryJob, JobsRule, PrimaryJob, SingleJob
from leeward.privacy.odds import OF, odds
from leeward.privacy.words import READING, alpha_text, bound, number_text

if TYPE_CHECKING:
    from leeward.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class Sentence:
    """What is printed, and how many steps apart the possibilities are of which it speaks.

    Without steps it bounds nothing: it warns of what is not protected, or explains a measure.
    """

    id: str
    text: str
    steps: int | None = None


FACTOR = "<factor>"
"""Where a sentence says how far the odds move."""

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
)
"""Every id that a sentence may have."""


def most_jobs(rule: JobsRule) -> int:
    """How many steps away from no job a person is; with every job, for each of them."""
    return rule.most if isinstance(rule, BoundedJobs) else 1


def joined(sentences: Iterable[Sentence]) -> str:
    """Sentences as one paragraph."""
    return " ".join(one.text for one in sentences)


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
    "worker": Sentence(
        "policy", "One job is protected; nothing is promised about the size of an establishment.", 1
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
    "worker": Sentence(
        "policy", "hides single jobs only; large establishments show almost exactly", 1
    ),
}
"""The policies of plans, for those who choose one."""


def whole(guarantee: "Guarantee", rule: JobsRule, *, strict: bool = False) -> tuple[Sentence, ...]:
    """What the policy promises, what it does not, and what δ and ρ mean where there are some."""
    spoken = {"worker": _worker, "establishment": _establishment, "strong": _strong, "weak": _weak}
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


def _establishment(guarantee: "Guarantee", rule: JobsRule) -> Iterator[Sentence]:
    most = most_jobs(rule)
    yield Sentence("policy", "The establishment policy protects whole establishments.", 1)
    yield _said(
        guarantee,
        "workforce",
        1,
        'Seeing the release changes the odds between "this establishment has these workers" and '
        f'"has none" {FACTOR}.',
    )
    yield _said(
        guarantee,
        "person",
        2 * most,
        'Between any two workforces of it, and so between "this person works here" and "has no '
        f'job", the odds change {FACTOR}{_held(guarantee, rule)}.',
    )
    yield _said(
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
        "sizes of establishments, whoever joins or leaves.",
        1,
    )
    yield from _person(guarantee, rule)
    yield _said(
        guarantee,
        "size",
        1,
        f"Between {_sizes(guarantee)} of an establishment{_counted(rule)}, all else being equal, "
        f"the odds change {FACTOR}.",
    )
    yield _said(
        guarantee, "group", 2, f"Between two groups who may have joined, the odds change {FACTOR}."
    )
    yield _firm(guarantee)


def _weak(guarantee: "Guarantee", rule: JobsRule) -> Iterator[Sentence]:
    yield Sentence(
        "policy",
        f"The weak policy with α = {alpha_text(guarantee.alpha)} protects single jobs, and "
        "establishments whose kinds of workers grow together.",
        1,
    )
    yield from _person(guarantee, rule)
    yield _said(
        guarantee,
        "size",
        1,
        f"Between {_sizes(guarantee)} of an establishment{_counted(rule)}, all else being equal, "
        f"the odds change {FACTOR}, if every kind of worker and every group of kinds grows by no "
        "more than that.",
    )
    yield growth_of_one_kind(guarantee)
    yield _firm(guarantee)


def _person(guarantee: "Guarantee", rule: JobsRule) -> Iterator[Sentence]:
    most = most_jobs(rule)
    yield _said(
        guarantee,
        "person",
        most,
        'Seeing the release changes the odds between "this person works here" and "has no job" '
        f"{FACTOR}{_held(guarantee, rule)}.",
    )
    yield _said(
        guarantee,
        "person-moved",
        2 * most,
        "Between two workplaces of a person or two values of a person's attribute, the odds "
        f"change {FACTOR}{_each(rule)}.",
    )


def _held(guarantee: "Guarantee", rule: JobsRule) -> str:
    if isinstance(rule, EveryJob):
        return f" for each job that the person holds (m jobs: m times that ε{_grows(guarantee)})"
    if isinstance(rule, BoundedJobs) and rule.most > 1:
        return f", if up to {rule.most} jobs of the person count"
    return ""


def _grows(guarantee: "Guarantee") -> str:
    """What m steps cost beside m times ε: group privacy of δ and of ρ."""
    if guarantee.rho > 0:
        return ", and m² times the ρ"
    return ", and (e^(mε)−1)/(e^ε−1) times the δ" if guarantee.delta > 0 else ""


def _each(rule: JobsRule) -> str:
    return " for each job that the person holds" if isinstance(rule, EveryJob) else ""


def _counted(rule: JobsRule) -> str:
    """Whose coming and going a size speaks of, where some jobs of a person do not count."""
    if isinstance(rule, (EveryJob, SingleJob)):
        return ""
    return " in counted jobs, whoever joins or leaves of those whose counted job is here"


def _sizes(guarantee: "Guarantee") -> str:
    return f"sizes x and at most {_growth(guarantee)} times x (or one job more)"


def _growth(guarantee: "Guarantee") -> str:
    return alpha_text(None if guarantee.alpha is None else 1 + guarantee.alpha)


def worker(guarantee: "Guarantee", rule: JobsRule) -> Sentence:
    """The promise to a worker, of a release; under the establishment policy twice the steps."""
    most = most_jobs(rule) * _steps_of_a_job(guarantee)
    if isinstance(rule, EveryJob):
        jobs = (
            " This speaks of each job that the person holds: a person with m jobs has m times "
            f"the epsilon{_grows(guarantee)}."
        )
    else:
        jobs = " This speaks of all jobs of the person that count, together."
    return _released(
        guarantee,
        "person",
        most,
        'Seeing these tables changes the odds between "this person works here" and "has no job" '
        f"{FACTOR}.{jobs}",
    )


def establishment(guarantee: "Guarantee", rule: JobsRule) -> Sentence:
    """The promise about the size of an establishment, of a release."""
    policy = guarantee.policy.name
    if policy == "worker":
        return SIZE_OPEN
    if policy == "establishment":
        text = '"this establishment has these workers" and "it has none"'
        return _released(guarantee, "workforce", 1, f"{SEEING} {text}, {FACTOR}.")
    joining = "whoever joins or leaves" + (
        "" if isinstance(rule, (EveryJob, SingleJob)) else " of those whose counted job is here"
    )
    if policy == "weak":
        joining += ", if every kind of worker and every group of kinds grows by no more than that"
    text = f"two {_sizes(guarantee)} of an establishment, {joining}, all else being equal"
    return _released(guarantee, "size", 1, f"{SEEING} {text}, {FACTOR}.")


SEEING = "Seeing these tables changes the odds between"


def make_up(guarantee: "Guarantee", kinds: tuple[str, ...] | None, *, by_cell: bool) -> Sentence:
    """The promise about the make-up of an establishment's workforce.

    `kinds` are the attributes that make kinds of workers under the weak policy, `by_cell` says
    that every worker table pays for each of its cells by itself.
    """
    if guarantee.policy.name == "worker":
        return Sentence(
            "size-open", "The make-up of an establishment is not protected, as its size is not."
        )
    if kinds is None:
        text = (
            "The make-up of an establishment is hidden as its size is: between two groups who may "
            f"have joined, the odds change {FACTOR}."
        )
        return _released(guarantee, "group", 2, text)
    growth = _growth(guarantee)
    text = (
        "Between two make-ups of an establishment of the same size in which every kind of worker "
        f"(by {', '.join(kinds) or 'no attribute'}) and every group of kinds differs by at most "
        f"{growth} times (or one worker), the odds change {FACTOR}."
    )
    return _released(guarantee, "make-up", 1 if by_cell else 2, text)


MAKE_UP_SHARE = Sentence(
    "make-up-share",
    "The share of one kind of worker alone is not hidden: a small minority can be told from one "
    "several times as large.",
)


def growth_of_one_kind(guarantee: "Guarantee") -> Sentence:
    """What the weak policy does not protect."""
    growth = _growth(guarantee)
    return Sentence(
        "growth-of-one-kind",
        "It does NOT protect a size where one kind of worker alone grew: such growth is "
        f"protected only up to {growth} times that kind, or one worker.",
    )


def _firm(guarantee: "Guarantee") -> Sentence:
    several = "ε counts f times and ρ f² times" if guarantee.rho > 0 else "the factor is e^(fε)"
    return _said(
        guarantee,
        "firm",
        2,
        f"For a firm of f establishments {several}; for two of them the odds change {FACTOR}.",
    )


def firm(guarantee: "Guarantee") -> Sentence:
    """The promise to a firm whose establishments all change at once, of a release."""
    if guarantee.policy.name == "worker":
        return FIRM_OPEN
    return _released(
        guarantee,
        "firm",
        2,
        "A firm loses more, the more establishments it has: each of them counts once "
        f"({firm_rule(guarantee)}). For a firm of two establishments the odds change {FACTOR}.",
    )


def firm_rule(guarantee: "Guarantee") -> str:
    """What f establishments lose, in short."""
    rule = "f establishments: f times epsilon"
    return f"{rule} and f squared times rho" if guarantee.rho > 0 else rule


def far_sizes(guarantee: "Guarantee") -> Sentence:
    """What happens to sizes that are several steps apart."""
    growth = _growth(guarantee)
    return Sentence(
        "size-far",
        f"Two sizes that are further apart than a factor {growth} are hidden less, by another ε "
        f"for each further step: from x to {growth} times x, rounded down to whole jobs, or to "
        "one job more. An establishment of 1,000 jobs and one of many times that can be told "
        "apart.",
        1,
    )


SIZE_OPEN = Sentence(
    "size-open",
    "It does NOT protect the sizes of establishments: the size of a large one can be read almost "
    "exactly.",
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


def further(guarantee: "Guarantee") -> Iterator[Sentence]:
    """What δ means, where there is one."""
    if guarantee.delta > 0 or guarantee.rho > 0:
        yield FURTHER


def _zcdp(guarantee: "Guarantee") -> Iterator[Sentence]:
    if guarantee.rho > 0:
        part = "The release" if guarantee.measure == "zCDP" else "A part of the release"
        yield Sentence(
            "zcdp",
            f"{part} is measured by ρ-zCDP with ρ = {number_text(guarantee.rho)}: the logarithm "
            "of the odds moves by at most ρ on average, and by more than ρ + t with a "
            "probability of at most e^(−t²/(4ρ)); the factors above read it at a further "
            f"probability of {number_text(READING)}.",
        )


LEVEL = {
    "calm": "",
    "attention": " That asks for attention.",
    "no useful bound": " That is no useful bound.",
}


def suspicion(guarantee: "Guarantee", rule: JobsRule) -> Sentence:
    """ε in words: what becomes of a suspicion about one job."""
    found = odds(guarantee)
    if found is None:
        part = "delta" if guarantee.delta > 0 else "rho"
        return Sentence(
            "odds",
            f"What becomes of a suspicion of 1 in {OF} cannot be bounded by a number: {part} is "
            "above 0, and within it more may be revealed than the factor says.",
        )
    several = {
        EveryJob: " This speaks of one job; of m jobs of a person together, at m times epsilon.",
        PrimaryJob: " This speaks of all jobs of a person; of one single job, which may displace "
        "another, at twice epsilon.",
        BoundedJobs: " This speaks of one counted job; of one single job, which may displace "
        f"another, at twice epsilon; of all jobs of a person, at {most_jobs(rule)} times epsilon.",
    }.get(type(rule), "")
    text = (
        f"A suspicion of 1 in {OF} becomes at most {found.to} in {OF}.{LEVEL[found.level]}{several}"
    )
    return Sentence("odds", text, 1)


def suspicion_in_all(cap: "Guarantee") -> Sentence:
    """The cap of an account in words: what becomes of a suspicion when all of it is spent."""
    found = odds(cap)
    if found is None:
        return Sentence("odds", "A delta bounds no suspicion by a number.")
    text = f"All of it spent, a suspicion of 1 in {OF} becomes at most {found.to} in {OF}."
    return Sentence("odds", f"{text}{LEVEL[found.level]}", 1)


def jobs(guarantee: "Guarantee", rule: JobsRule) -> tuple[Sentence, ...]:
    """What was done about workers with several jobs, and what it means for them."""
    each = _steps_of_a_job(guarantee)
    if isinstance(rule, EveryJob):
        times = "m" if each == 1 else f"{each}m"
        text = (
            "Every job counts, however many a worker holds: a job is the record. A person who "
            f"holds m jobs has {times} times the stated epsilon{_grows(guarantee)}."
        )
        return (Sentence("jobs", text, each),)
    if isinstance(rule, SingleJob):
        text = "Every worker holds at most one job; the data were checked for it."
        return (Sentence("jobs", text, each),)
    elsewhere = [] if guarantee.alpha is None else [_elsewhere(guarantee)]
    return (_reduced(guarantee, rule, each), _displaced(guarantee, 2 * each), *elsewhere)


def cap_of_jobs(most: int) -> Sentence:
    """What the cap of an account means for a worker with several jobs; 0: all of them count."""
    if most == 0:
        text = "Every job counts: a worker who holds m jobs may lose m times as much epsilon."
        return Sentence("jobs", text, 1)
    text = (
        f"Up to {most} jobs of a worker count: such a worker may lose {most} times as much epsilon."
    )
    return Sentence("jobs", text, most)


def _steps_of_a_job(guarantee: "Guarantee") -> int:
    """How many steps a person with one job is away from having none."""
    return 2 if guarantee.policy.name == "establishment" else 1


def _times(guarantee: "Guarantee", steps: int) -> str:
    stated = {1: "the", 2: "twice the"}.get(steps, f"{steps} times the") + " stated epsilon"
    if steps == 1 or (guarantee.rho == 0 and guarantee.delta == 0):
        return stated
    return f"{stated} (m = {steps}{_grows(guarantee)})"


def _reduced(guarantee: "Guarantee", rule: PrimaryJob | BoundedJobs, each: int) -> Sentence:
    steps = most_jobs(rule) * each
    if isinstance(rule, PrimaryJob):
        counted = f"Only each worker's primary job counts: the one with the largest {rule.column}."
    else:
        counted = f"At most {rule.most} jobs of each worker count; further ones were dropped."
    text = (
        f"{counted} The guarantee speaks of counted jobs: a worker with all jobs together has "
        f"{_times(guarantee, steps)}."
    )
    return Sentence("jobs", text, steps)


def _displaced(guarantee: "Guarantee", steps: int) -> Sentence:
    text = f"One single job has at most {_times(guarantee, steps)}, since it may displace another."
    return Sentence("job-displaced", text, steps)


def _elsewhere(guarantee: "Guarantee") -> Sentence:
    kinds = " of every kind and group of kinds" if guarantee.policy.name == "weak" else ""
    return Sentence(
        "jobs-elsewhere",
        "Sizes of establishments are numbers of counted jobs, and what is said of them speaks of "
        "those whose counted job is here. Another establishment that so loses or gains counted "
        "jobs is one more step for each step of its own: a factor "
        f"{_growth(guarantee)}, or one job{kinds}.",
        2,
    )


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
)


def rows(*, strict: bool) -> Sentence:
    """Whether the rows of workers and jobs could refuse the release."""
    return STRICT_SCOPE if strict else TOTAL_SCOPE


def _said(guarantee: "Guarantee", name: str, steps: int, text: str) -> Sentence:
    """A sentence with its factor filled in: the text and the steps cannot differ."""
    return Sentence(name, text.replace(FACTOR, bound(guarantee, steps)), steps)


def _released(guarantee: "Guarantee", name: str, steps: int, text: str) -> Sentence:
    """The same of a release, whose factor is followed by its losses."""
    return Sentence(name, text.replace(FACTOR, bound(guarantee, steps, named=True)), steps)
