"""Target: the inverse of prediction, the smallest ε that reaches a wanted error."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from leeward.errors import InvalidParameter, LeewardError, shown
from leeward.release.plan import Plan, make_plan
from leeward.release.prediction import mean_error
from leeward.release.reading import read_shares

WRITTEN = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*:\s*([0-9]+(?:\.[0-9]+)?)\s*(?:jobs?)?\s*")
LEAST, MOST = -3 * 900, 3 * 900
"""An ε is looked for from 0.001 to 1000."""

STRIDE = 300


@dataclass(frozen=True)
class Target:
    """A wanted mean absolute error of a table, in jobs."""

    table: str
    jobs: float


def read_target(written: str) -> Target:
    """`place_industry: 5 jobs` as a value."""
    found = WRITTEN.fullmatch(written)
    if found is None or float(found.group(2)) <= 0:
        raise InvalidParameter(
            "--target",
            rule="must be a table and a mean error above 0, such as 'place_industry: 5 jobs'",
            value=shown(written),
            next_step="Write it like that.",
        )
    return Target(found.group(1), float(found.group(2)))


def smallest_epsilon(plan: Plan, target: Target) -> Plan:
    """The same plan with the smallest ε, to three digits, that reaches the target."""
    names = [table.name for table in plan.tables]
    if target.table not in names:
        raise InvalidParameter(
            "--target",
            rule=f"must name a table of the plan: {', '.join(names)}",
            value=shown(target.table),
            next_step="Choose one of them.",
        )
    alone = _only(plan, target)
    low, high = LEAST - 1, 0
    while not _reaches(alone, target, three_digits(high)):
        if high >= MOST:
            raise _out_of_reach(target)
        low, high = high, high + STRIDE
    while high - low > 1:
        middle = (low + high) // 2
        reached = _reaches(alone, target, three_digits(middle))
        low, high = (low, middle) if reached else (middle, high)
    return with_epsilon(plan, three_digits(high))


def three_digits(place: int) -> Fraction:
    """The numbers of three significant digits in their order: 0 is 1, 1 is 1.01, 900 is 10."""
    power, above = divmod(place, 900)
    return Fraction(100 + above, 100) * Fraction(10) ** power


def _only(plan: Plan, target: Target) -> Plan:
    """The plan with its one table of interest, at the share that it has."""
    shares = read_shares(plan.request.tables)
    pairs = zip(plan.request.tables, shares, strict=True)
    wanted = [
        table.model_copy(update={"share": str(share)})
        for table, share in pairs
        if table.name == target.table
    ]
    return replace(plan, request=plan.request.model_copy(update={"tables": wanted}))


def with_epsilon(plan: Plan, epsilon: Fraction) -> Plan:
    """The plan with another ε; mechanisms are chosen anew."""
    protect = plan.request.protect.model_copy(update={"epsilon": str(epsilon)})
    return make_plan(plan.request.model_copy(update={"protect": protect}), Path(plan.path))


def _reaches(plan: Plan, target: Target, epsilon: Fraction) -> bool:
    try:
        tried = with_epsilon(plan, epsilon)
    except LeewardError:
        return False
    table = next(one for one in tried.tables if one.name == target.table)
    error = mean_error(table, tried.profile)
    return error is not None and error <= target.jobs


def _out_of_reach(target: Target) -> InvalidParameter:
    return InvalidParameter(
        "--target",
        rule="must be reachable with an epsilon of at most 1000",
        value=f"{target.jobs:g} jobs for {target.table}",
        next_step="Allow a larger error, a smaller alpha, or fewer worker cells.",
    )
