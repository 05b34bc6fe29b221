"""Reading: the numbers and rules of a plan, from what people write to exact values."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TypeVar

from leeward.core.codebook import (
    LEFT_OUT,
    Attribute,
    BoundedJobs,
    Codebook,
    EveryJob,
    JobsRule,
    PrimaryJob,
    SingleJob,
)
from leeward.core.errors import InvalidParameter, LeewardError, Problems, did_you_mean, shown
from leeward.core.exact import positive, rational
from leeward.core.mechanisms.parameters import AUTO, Share
from leeward.core.privacy import Guarantee, Person
from leeward.core.privacy.local_privacy import NOT_OF_PLANS, Local
from leeward.core.privacy.policy import POLICIES, Policy, with_plus, with_unit
from leeward.publishing.plan.request import WrittenJobs, WrittenProtection, WrittenTable

OFFERED = ("strong", "weak", "worker", "person", "proportional")
"""Policies of plans: no table that is of use protects whole establishments."""

MOST_JOBS_PER_WORKER = 1000
MOST_PER_TEXTS = 1000
"""Maximum number of texts that the codebook lists for the attribute `jobs.per`."""

LONGEST_COLUMN = 200
"""Maximum length of a column name in characters; a certificate holds as many."""


def read_number(written: str, parameter: str) -> Fraction:
    """A number as people write it in a plan, exactly; the advice is for them."""
    try:
        return rational(written, parameter)
    except InvalidParameter:
        comma = "Write a decimal point in place of the comma."
        raise InvalidParameter(
            parameter,
            rule="must be a number such as 4, 0.1 or 1/10",
            value=shown(written) if written else "nothing",
            next_step=comma if "," in written else "Write it in plain digits.",
        ) from None


def read_protection(written: WrittenProtection) -> Guarantee:
    """The promise of the whole plan."""
    policy = _policy(written.policy)
    numbers = ((name, getattr(written, name)) for name in ("alpha", "epsilon_job"))
    alpha, job = (text and read_number(text, name) for name, text in numbers)
    if policy.uses_alpha and alpha is None:
        raise InvalidParameter.missing(
            "alpha",
            where=f"under the {policy.name} policy",
            next_step="Give the protected growth of an establishment, such as 0.1.",
        )
    if written.plus is not None:
        policy = with_plus(policy, read_number(written.plus, "plus"))
    policy = with_unit(policy, written.unit)
    if (written.epsilon is None) == (written.rho is None):
        raise InvalidParameter(
            "epsilon",
            rule="must be given, or rho in its place",
            value="neither" if written.epsilon is None else "both",
            next_step="Write epsilon: 4, or rho: 0.2 with delta: 1e-9, at which rho is read.",
        )
    delta = read_number(written.delta, "delta")
    if written.rho is None:
        epsilon = positive(read_number(written.epsilon or "", "epsilon"), "epsilon")
        return Guarantee(policy, alpha, epsilon, delta, epsilon_job=job)
    if job is not None:
        raise InvalidParameter.unwanted(
            "epsilon_job",
            "beside rho: what one job may cost is part of an epsilon",
            value=shown(job),
        )
    rho = positive(read_number(written.rho, "rho"), "rho")
    if not 0 < delta < 1:  # nothing is spent of it
        raise InvalidParameter(
            "delta",
            rule="must be above 0 and below 1 beside rho: it is where rho is read as an epsilon",
            value=shown(delta),
            next_step="Give a small probability, such as 1e-9. The tables spend none of it.",
        )
    return Guarantee(policy, alpha, 0, rho=rho, reading=delta)


def _policy(written: str) -> Policy:
    """The policy of this name; to people who write another, those of plans are offered."""
    if written in POLICIES:
        return POLICIES[written]
    hint = did_you_mean(written, OFFERED, "Write one of these names.")
    raise InvalidParameter(
        "policy",
        rule=f"must be one of {', '.join(OFFERED)} (of an account also establishment)",
        value=shown(written),
        next_step=NOT_OF_PLANS if written == Local.name else hint,
    )


def read_rows(written: str | None) -> bool:
    """Whether wrong rows of workers and jobs refuse a release, instead of falling under a rule."""
    if written not in (None, "strict"):
        raise InvalidParameter(
            "rows",
            rule="must be strict, or left out",
            value=shown(written),
            next_step="Leave it out: every row then falls under a rule, and none refuses a "
            "release.",
        )
    return written == "strict"


def read_jobs(written: WrittenJobs | None, *, strict: bool = False) -> JobsRule:
    """The rule for workers with several jobs."""
    if written is None:
        return SingleJob() if strict else EveryJob()
    if (written.primary is None) == (written.max_per_worker is None):
        raise InvalidParameter(
            "jobs",
            rule="must be either {primary: column} or {max_per_worker: number}",
            value="neither" if written.primary is None else "both",
            next_step="Leave jobs out if every worker holds one job.",
        )
    if written.primary is not None and written.per is not None:
        raise InvalidParameter(
            "jobs.per",
            rule="must stand beside max_per_worker: it says under which codes that many jobs count",
            value=shown(written.per),
            next_step="Leave it out, or write jobs: {max_per_worker: 1, per: ATTRIBUTE}.",
        )
    if written.primary is not None:
        name = written.primary
        if not 1 <= len(name) <= LONGEST_COLUMN or not name.isprintable():
            raise InvalidParameter(
                "jobs.primary",
                rule="must name the column of the jobs table whose largest value is the primary "
                "job",
                value=shown(name) if name else "nothing",
                next_step="Write a column such as earnings.",
            )
        return PrimaryJob(name)
    most = read_number(written.max_per_worker or "", "jobs.max_per_worker")
    if most.denominator != 1 or not 1 <= most <= MOST_JOBS_PER_WORKER:
        raise InvalidParameter.not_whole(
            "jobs.max_per_worker",
            most,
            1,
            MOST_JOBS_PER_WORKER,
            next_step="A worker's loss is this number times epsilon, or its square times rho: keep "
            "it small.",
        )
    return BoundedJobs(int(most), written.per)


def read_per(rule: JobsRule, codebook: Codebook) -> Attribute | None:
    """The attribute under each code of which a number of jobs counts; None without one.

    Rows without a listed code must count nowhere: where several kinds of texts become one code, a
    database might take some of them for another text than the limit does.
    """
    if not isinstance(rule, BoundedJobs) or rule.per is None:
        return None
    per = codebook.attribute(rule.per, "jobs.per")
    required = {
        "an attribute of jobs": per.table == "jobs",
        f"an attribute of at most {MOST_PER_TEXTS} listed texts": len(per.recode) <= MOST_PER_TEXTS,
        "an attribute without other and null_as: a row without a listed code counts nowhere": (
            {per.unlisted, per.missing} <= {None, LEFT_OUT}
        ),
    }
    for rule_words, fulfilled in required.items():
        if not fulfilled:
            raise InvalidParameter(
                "jobs.per",
                rule=f"must name {rule_words}",
                value=shown(rule.per),
                next_step="Declare such an attribute in the codebook, for instance the years of "
                "the jobs, and name it here.",
            )
    return per


def require_limit(policy: Policy, rule: JobsRule) -> None:
    """A person is protected whose rows are limited; `per` limits them for this policy alone."""
    per = rule.per if isinstance(rule, BoundedJobs) else None
    if policy.name == Person.name and isinstance(rule, EveryJob):
        raise InvalidParameter.missing(
            "jobs",
            where="under the person policy: of a person with any number of rows nothing can be "
            "hidden",
            next_step="Write jobs: {max_per_worker: 1, per: ATTRIBUTE}, with the attribute of jobs "
            "that tells periods apart, or jobs: {primary: COLUMN}.",
        )
    if policy.name != Person.name and per is not None:
        raise InvalidParameter.meaningless(
            "jobs.per",
            f"under the {policy.name} policy, which protects single jobs",
            value=shown(per),
            next_step="Leave per out, or write policy: person.",
        )


def read_margins(written: str | None) -> Share:
    """The share of a table's budget that pays for margins, 0 for free ones; None: no margins."""
    if written is None:
        return AUTO
    if written in ("none", "free"):
        return None if written == "none" else Fraction(0)
    try:
        share = rational(written, "margins")
    except InvalidParameter:
        share = Fraction(0)  # what is no number is no share either
    if not 0 < share < 1:
        raise InvalidParameter(
            "margins",
            rule="must be none, free, or the share of the table's budget that pays for margins, "
            "between 0 and 1",
            value=shown(written),
            next_step="Leave it out: a share is then chosen.",
        )
    return share


def read_shares(tables: list[WrittenTable]) -> tuple[Fraction, ...]:
    """The shares of the budget: as written, or equal if none is.

    Whether they are too much depends on the filters of the tables (`share_problems`).
    """
    if all(table.share is None for table in tables):
        return (Fraction(1, len(tables)),) * len(tables)
    for number, table in enumerate(tables):
        if table.share is None:
            raise InvalidParameter.missing(
                f"tables[{number}].share",
                where="for all tables or for none (then they are equal)",
                next_step="Add it.",
            )
    places = [f"tables[{number}].share" for number in range(len(tables))]
    return tuple(
        positive(read_number(table.share or "", place), place)
        for table, place in zip(tables, places, strict=True)
    )


Value = TypeVar("Value")

PROTECT = ("policy", "alpha", "plus", "unit", "epsilon", "rho", "delta")
"""What a table is rejected for although it is a key of the whole plan."""


class Gathering:
    """Tries one thing after another and keeps what was rejected."""

    def __init__(self, known: Iterable[LeewardError] = ()) -> None:
        self.problems: list[LeewardError] = list(known)

    def attempt(self, make: Callable[[], Value], within: str = "") -> Value | None:
        """The value, or None if it was rejected; `within` says where in the plan it is."""
        try:
            return make()
        except LeewardError as problem:
            self.keep(problem.problems if isinstance(problem, Problems) else (problem,), within)
        return None

    def keep(self, problems: Iterable[LeewardError], within: str = "") -> None:
        """More problems; what all tables have in common is kept once."""
        known = {str(problem) for problem in self.problems}
        placed = (inside(problem, within) for problem in problems)
        self.problems.extend(problem for problem in placed if str(problem) not in known)


def inside(problem: LeewardError, within: str) -> LeewardError:
    """The same problem with its place in the plan before the parameter's name.

    One of the codebook has its place already.
    """
    if not within or problem.parameter.startswith("codebook."):
        return problem
    place = "protect" if problem.parameter in PROTECT else within
    return type(problem)(
        f"{place}.{problem.parameter}",
        rule=problem.rule,
        value=problem.value,
        next_step=problem.next_step,
    )
