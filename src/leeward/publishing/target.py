"""Target: the inverse of prediction, the smallest ε that reaches a wanted error."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from leeward.errors import InvalidParameter, LeewardError, shown
from leeward.publishing.plan import Context, Plan, make_plan
from leeward.publishing.prediction import mean_error
from leeward.publishing.reading import read_shares
from leeward.publishing.request import WrittenTable

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
    alone = _alone(plan, target)
    low, high = LEAST - 1, 0
    while not alone.reaches(target, three_digits(high)):
        if high >= MOST:
            raise _out_of_reach(target)
        low, high = high, high + STRIDE
    while high - low > 1:
        middle = (low + high) // 2
        reached = alone.reaches(target, three_digits(middle))
        low, high = (low, middle) if reached else (middle, high)
    return with_epsilon(plan, three_digits(high))


@dataclass(frozen=True)
class _Alone:
    """The one table of interest, at the share that it has; the codebook is not read again."""

    plan: Plan
    table: WrittenTable
    share: Fraction

    def reaches(self, target: Target, epsilon: Fraction) -> bool:
        """Whether the table's mean error is small enough at this ε."""
        asked = replace(self.plan.asked, epsilon=epsilon)
        context = Context(self.plan.codebook, asked, self.plan.profile)
        try:
            made = context.table(self.table, self.share)
        except LeewardError:
            return False
        error = None if made is None else mean_error(made, self.plan.profile)
        return error is not None and error <= target.jobs


def _alone(plan: Plan, target: Target) -> _Alone:
    tables = plan.request.tables
    pairs = zip(tables, read_shares(tables), strict=True)
    table, share = next(pair for pair in pairs if pair[0].name == target.table)
    return _Alone(plan, table, share)


def three_digits(place: int) -> Fraction:
    """The numbers of three significant digits in their order: 0 is 1, 1 is 1.01, 900 is 10."""
    power, above = divmod(place, 900)
    return Fraction(100 + above, 100) * Fraction(10) ** power


def with_epsilon(plan: Plan, epsilon: Fraction) -> Plan:
    """The plan with another ε; mechanisms are chosen anew."""
    protect = plan.request.protect.model_copy(update={"epsilon": str(epsilon)})
    return make_plan(plan.request.model_copy(update={"protect": protect}), Path(plan.path))


def _out_of_reach(target: Target) -> InvalidParameter:
    return InvalidParameter(
        "--target",
        rule="must be reachable with an epsilon of at most 1000",
        value=f"{target.jobs:g} jobs for {target.table}",
        next_step="Allow a larger error, a smaller alpha, or fewer worker cells.",
    )
