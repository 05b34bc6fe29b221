"""Reading: the numbers and rules of a plan, from what people write to exact values."""

from fractions import Fraction

from leeward.errors import InvalidParameter, shown
from leeward.exact import positive, rational
from leeward.mechanisms.choice import MARGIN_SHARE
from leeward.model import BoundedJobs, EveryJob, JobsRule, PrimaryJob, SingleJob
from leeward.model.document import nearest
from leeward.privacy import Guarantee
from leeward.privacy.policy import POLICIES, Policy
from leeward.publishing.request import WrittenJobs, WrittenProtection, WrittenTable

OFFERED = ("strong", "weak", "worker")
"""Policies of plans: no table that is of use protects whole establishments."""

MOST_JOBS_PER_WORKER = 1000


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
    asked = _policy(written.policy)
    alpha = None if written.alpha is None else read_number(written.alpha, "alpha")
    if asked.uses_alpha and alpha is None:
        raise InvalidParameter(
            "alpha",
            rule=f"must be given under the {asked.name} policy",
            value="nothing",
            next_step="Give the protected growth of an establishment, such as 0.1.",
        )
    epsilon = positive(read_number(written.epsilon, "epsilon"), "epsilon")
    return Guarantee(asked, alpha, epsilon, read_number(written.delta, "delta"))


def _policy(written: str) -> Policy:
    """The policy of this name; to whoever writes another, those of plans are offered."""
    if written in POLICIES:
        return POLICIES[written]
    near = nearest(written, OFFERED)
    raise InvalidParameter(
        "policy",
        rule="must be strong, weak or worker (of an account also establishment)",
        value=shown(written),
        next_step=f"Did you mean {near!r}?" if near else "Write one of these names.",
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
    if written.primary is not None:
        return PrimaryJob(_column(written.primary))
    most = read_number(written.max_per_worker or "", "jobs.max_per_worker")
    if most.denominator != 1 or not 1 <= most <= MOST_JOBS_PER_WORKER:
        raise InvalidParameter(
            "jobs.max_per_worker",
            rule=f"must be a whole number from 1 to {MOST_JOBS_PER_WORKER}",
            value=shown(most),
            next_step="A worker's guarantee is so many times epsilon: keep it small.",
        )
    return BoundedJobs(int(most))


def _column(name: str) -> str:
    if not name:
        raise InvalidParameter(
            "jobs.primary",
            rule="must name the column of the jobs table whose largest value is the primary job",
            value="nothing",
            next_step="Write a column such as earnings.",
        )
    return name


def read_margins(written: str | None) -> Fraction | None:
    """The share of a table's budget that pays for margins; None where there are none."""
    if written is None:
        return MARGIN_SHARE
    if written == "none":
        return None
    try:
        share = rational(written, "margins")
    except InvalidParameter:
        share = Fraction(0)  # what is no number is no share either
    if not 0 < share < 1:
        raise InvalidParameter(
            "margins",
            rule="must be none, or the share of the table's budget that pays for margins, "
            "between 0 and 1",
            value=shown(written),
            next_step="Leave it out for 1/10.",
        )
    return share


def read_shares(tables: list[WrittenTable]) -> tuple[Fraction, ...]:
    """The shares of the budget: as written, or equal if none is."""
    if all(table.share is None for table in tables):
        return (Fraction(1, len(tables)),) * len(tables)
    for number, table in enumerate(tables):
        if table.share is None:
            raise InvalidParameter(
                f"tables[{number}].share",
                rule="must be given for all tables or for none (then they are equal)",
                value="nothing",
                next_step="Add it.",
            )
    shares = tuple(_share(table, f"tables[{n}].share") for n, table in enumerate(tables))
    if sum(shares) > 1:
        raise InvalidParameter(
            "tables.share",
            rule="must add up to at most 1",
            value=shown(sum(shares, Fraction(0))),
            next_step="Lower some shares.",
        )
    return shares


def _share(table: WrittenTable, parameter: str) -> Fraction:
    return positive(read_number(table.share or "", parameter), parameter)
