"""Pay: raises as a relation of their own, and what the policies mean for pay, in numbers.

Under the strong policy jobs that stay keep their pay, so one changed pay is two steps: the job
leaves and joins again. Under `proportional`, and in a raise, it is one
(mathematics/policies.md 3).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from leeward.core.errors import InvalidParameter
from leeward.core.privacy.policy import given_alpha, within_growth
from leeward.core.privacy.steps import Growth, steps_from
from leeward.core.privacy.workforces import Database, changed


@dataclass(frozen=True, slots=True)
class RaiseAlpha:
    """Protects the pay of every job, and the payroll of an establishment within 1+α.

    Neighbours: the same jobs, no pay falls, and the payroll P grows by at most max(αP, cap).
    The presence of a job is not protected; no plan can choose this relation.
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
        return low.rises_to(high) and within_growth(low.payroll, high.payroll, growth, cap)


def _given_cap(name: str, database: Database) -> int:
    if database.cap is None:
        raise InvalidParameter.missing(
            "cap",
            next_step="Give databases with the pay of every job.",
            where=f"under the {name} policy, whose neighbours differ in pay",
            value="databases without pay",
        )
    return database.cap


def joiner_steps(step: Growth, size: int, cap: int) -> int:
    """Proportional steps between `size` jobs and these with as many joiners as a strong step has.

    All joiners are at the cap, which is `cap` mean pays (mathematics/policies.md 3, c). Every step
    lets the payroll grow to max((1+α)P, P + Δ·cap), in exact rationals; the joiners' size is
    within one step.
    """
    payroll, steps = Fraction(size), 0  # in mean pays
    goal = payroll + step.gain(size) * cap
    while payroll < goal:
        payroll += max(step.alpha * payroll, Fraction(step.plus * cap))
        steps += 1
    return steps


def raise_limit(step: Growth, pay: tuple[int, ...], cap: int) -> int:
    """The largest raise of the payroll within two strong steps, to those who see size and payroll.

    G jobs join and the G lowest paid ones leave: GB − the G lowest pays. `pay` has at least one
    job, of every one its pay (mathematics/policies.md 3, d).
    """
    replaced = min(step.gain(len(pay)), len(pay))
    return replaced * cap - sum(sorted(pay)[:replaced])


def replacement_steps(step: Growth, size: int, moved: int) -> int:
    """Strong steps between a workforce and one with `moved` of its jobs in other classes of pay.

    As many join in their new classes, then the old ones leave: twice the walk from the size to the
    size with the joiners. No path is shorter (mathematics/policies.md 3, e).
    """
    return 2 * steps_from(size, step, Growth(Fraction(moved, size)))
