"""Neighbours that change pay: `raise` and `proportional` (MATHS 10.1).

Under the strong policy jobs that stay keep their pay, so one changed pay is two steps: the job
leaves and joins again. Under these two relations it is one step. No plan can choose them yet.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from leeward.errors import InvalidParameter
from leeward.privacy.database import Database, Workforce, changed
from leeward.privacy.policy import given_alpha, within_growth


@dataclass(frozen=True, slots=True)
class RaiseAlpha:
    """Protects the pay of every job, and the payroll of an establishment within 1+α.

    Neighbours: the same jobs, no pay falls, and the payroll P grows by at most max(αP, cap).
    The presence of a job is not protected.
    """

    name: ClassVar[str] = "raise"
    uses_alpha: ClassVar[bool] = True

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one has the same jobs as the other, paid at least as much, within the limit."""
        growth, cap = given_alpha(self.name, alpha), _given_cap(self.name, left)
        found = changed(left, right)
        if found is None or found[0].jobs != found[1].jobs:
            return False
        low, high = sorted(found, key=lambda force: force.payroll)
        return _no_pay_falls(low, high) and _payroll_within(low, high, growth, cap)


@dataclass(frozen=True, slots=True)
class ProportionalAlpha:
    """Protects every job and its pay, and size and payroll of an establishment within 1+α.

    Neighbours: no job leaves, no pay of those who stay falls, |E'| ≤ max((1+α)|E|, |E|+1) and
    P' ≤ max((1+α)P, P + cap). Many joiners at the cap, one strong step, may be several steps here.
    """

    name: ClassVar[str] = "proportional"
    uses_alpha: ClassVar[bool] = True

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one has grown from the other, within both limits."""
        growth, cap = given_alpha(self.name, alpha), _given_cap(self.name, left)
        found = changed(left, right)
        if found is None:
            return False
        small, large = sorted(found, key=lambda force: (force.size, force.payroll))
        return (
            _no_pay_falls(small, large)
            and within_growth(small.size, large.size, growth)
            and _payroll_within(small, large, growth, cap)
        )


def _no_pay_falls(small: Workforce, large: Workforce) -> bool:
    """Whether the jobs of `small` are among those of `large`, kind by kind, none paid less there.

    Such an assignment exists if and only if the highest pay of `large` is at least the highest
    of `small`, the second highest at least the second, and so on.
    """
    for few, many in zip(small.pay or (), large.pay or (), strict=True):
        if len(few) > len(many):
            return False
        if any(before > after for before, after in zip(few[::-1], many[::-1], strict=False)):
            return False
    return True


def _payroll_within(small: Workforce, large: Workforce, alpha: Fraction, cap: int) -> bool:
    grown = large.payroll - small.payroll
    return grown <= alpha * small.payroll or grown <= cap


def _given_cap(name: str, database: Database) -> int:
    if database.cap is None:
        raise InvalidParameter(
            "cap",
            rule=f"must be given under the {name} policy, whose neighbours differ in pay",
            value="databases without pay",
            next_step="Give databases with the pay of every job.",
        )
    return database.cap
