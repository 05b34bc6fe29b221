"""Steps: how many steps of one policy, or of one α, Δ and unit, make one step of another.

The proofs are in composition.proof.md. Under the strong policy jobs that stay keep their pay, so
one changed pay is two steps: the job leaves and joins again. Under `proportional`, and in a raise,
it is one (mathematics/policies.md 3).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf
from typing import ClassVar

from leeward.core.errors import InvalidParameter
from leeward.core.exact import Number, ball, dyadic_down, dyadic_up, log_growth, positive, precision
from leeward.core.privacy.policy import (
    EstablishmentRemoval,
    Person,
    Policy,
    ProportionalAlpha,
    StrongAlpha,
    WeakAlpha,
    WorkerOnly,
    given_alpha,
    plus_of,
    unit_of,
    within_growth,
)
from leeward.core.privacy.workforces import Database, changed

LARGEST_SIZE = 10**6
"""Sizes computed one by one; where the exact answer needs more, the proven bound is given."""

BITS = 192


def steps_between(
    policy: Policy, alpha: Fraction | None, wanted: Policy, wanted_alpha: Fraction | None
) -> int | None:
    """Steps of the first policy that join every pair of the wanted one; None where none is offered.

    That no number does is proved, but for two cases: from strong to proportional, and between two
    proportional policies, a number would be too large to be of use, or is not proved (Lemma P).
    """
    if unit_of(wanted) == "employer" and unit_of(policy) != "employer":
        return None  # a part has any number of establishments; the reverse is one step of a part
    if isinstance(wanted, Person):
        return 1 if wanted == policy else None  # a person may have any number of rows
    if isinstance(policy, EstablishmentRemoval):
        # One step out and one step in: E → ∅ → E' joins any two workforces, for every α.
        return 1 if wanted == policy else 2
    if isinstance(wanted, WorkerOnly):
        return 1  # one job more is within max(·, |E|+Δ), for every union φ, and P+B for payrolls
    if alpha is None or wanted_alpha is None:
        return None  # worker only, or wanted establishment removal: sizes are unbounded
    return _between_growths(policy, alpha, wanted, wanted_alpha)


def _between_growths(
    policy: Policy, alpha: Fraction, wanted: Policy, wanted_alpha: Fraction
) -> int | None:
    plus, wanted_plus = plus_of(policy) or 1, plus_of(wanted) or 1
    if isinstance(policy, ProportionalAlpha) or isinstance(wanted, ProportionalAlpha):
        same = isinstance(policy, ProportionalAlpha) and isinstance(wanted, ProportionalAlpha)
        return 1 if same and wanted_alpha <= alpha and wanted_plus <= plus else None
    if isinstance(policy, StrongAlpha):  # weak pairs are strong pairs (φ = all kinds)
        return group_steps(alpha, wanted_alpha, plus, wanted_plus)
    weak = isinstance(wanted, WeakAlpha)
    return weak_group_steps(alpha, wanted_alpha, plus, wanted_plus) if weak else None


def why_not(policy: Policy, wanted: Policy) -> str:
    """The rule that a refused implication breaks."""
    if unit_of(wanted) == "employer" and unit_of(policy) != "employer":
        return (
            "unit establishment does not imply unit employer: an employer may have any number of "
            "establishments in a cell, and each of them is a step"
        )
    if isinstance(wanted, Person):
        return (
            f"{policy.name} does not imply person: a person may have rows at any number of "
            "establishments and in any number of periods, and each of them is a step"
        )
    if isinstance(wanted, EstablishmentRemoval):
        return f"{policy.name} does not imply establishment: it bounds the change, not its absence"
    if isinstance(policy, WorkerOnly | Person):
        what = "one job" if isinstance(policy, WorkerOnly) else "one person"
        return (
            f"{policy.name} does not imply {wanted.name}: it protects {what}, never a share of a "
            "size"
        )
    return _why_not_growth(policy, wanted)


def _why_not_growth(policy: Policy, wanted: Policy) -> str:
    """The same of two policies that have an α."""
    paid, wanted_paid = (isinstance(each, ProportionalAlpha) for each in (policy, wanted))
    if paid and wanted_paid:
        return "proportional implies proportional only at the same or a smaller alpha and plus"
    if paid:
        return (
            f"proportional does not imply {wanted.name}: many joiners at the cap are one "
            f"{wanted.name} step, and any number of proportional ones"
        )
    if wanted_paid:
        return (
            f"{policy.name} does not imply proportional: it has no step in which all who stay get "
            "more pay"
        )
    if isinstance(wanted, StrongAlpha):
        return (
            "weak does not imply strong: newcomers may all be of a kind that was absent, and then "
            "every single one is a step"
        )
    return (
        "weak does not imply weak at this larger alpha: many kinds of a few workers each, all "
        "gaining one, are a single step there, while here each kind is a step of its own"
    )


def group_steps(alpha: Number, alpha_prime: Number, plus: int = 1, plus_prime: int = 1) -> int:
    """k: every strong (α', Δ')-pair is joined by at most k strong (α, Δ)-steps.

    The largest number, over all sizes x, of steps x → max(⌊(1+α)x⌋, x+Δ) that reach
    max(⌊(1+α')x⌋, x+Δ') (composition.proof.md). Where that cannot be computed, the bound
    max(⌈2α'/α⌉, ⌈Δ'/Δ⌉) is returned.
    """
    small, large = positive(alpha, "alpha"), positive(alpha_prime, "alpha_prime")
    return _group_steps(Growth(small, plus), Growth(large, plus_prime))


def weak_group_steps(
    alpha: Number, alpha_prime: Number, plus: int = 1, plus_prime: int = 1
) -> int | None:
    """A number of weak (α, Δ)-steps that joins every weak (α', Δ')-pair; None where none does.

    None does when some integer x has αx < 1 ≤ α'x: many kinds of x workers, all gaining one, are
    a single α'-step, while one α-step can let only Δ of these kinds gain. Otherwise all kinds
    move together as in the strong policy, and ⌈Δ'/Δ⌉ more steps pay for the kinds that gained by
    the "+Δ'" (Proposition 5).
    """
    small, large = positive(alpha, "alpha"), positive(alpha_prime, "alpha_prime")
    if large <= small and plus_prime <= plus:
        return 1
    if large > small and ceil(1 / small) != ceil(1 / large):
        return None
    return _group_steps(Growth(small), Growth(large)) + -(-plus_prime // plus)


@dataclass(frozen=True, slots=True)
class Growth:
    """The largest step from a size x: to max(⌊(1+α)x⌋, x+Δ)."""

    alpha: Fraction
    plus: int = 1

    def gain(self, size: int) -> int:
        """Jobs that a step from this size adds at most."""
        return max(self.plus, self.alpha.numerator * size // self.alpha.denominator)


@lru_cache(maxsize=1024)
def _group_steps(step: Growth, wanted: Growth) -> int:
    if wanted.alpha <= step.alpha:
        # The gain of a step grows with the size, so that the smallest size needs most steps.
        return 1 if wanted.plus <= step.plus else steps_from(0, step, wanted)
    return _most_steps(step, wanted)


def _most_steps(step: Growth, wanted: Growth) -> int:
    """Count upwards through the sizes until no larger size can need more steps."""
    # Proposition 4 (c)
    bound = max(ceil(2 * wanted.alpha / step.alpha), -(-wanted.plus // step.plus))
    most, size = _steps_of_large(step.alpha, wanted.alpha), 0
    enough = _enough_from(most, step, wanted)
    last = LARGEST_SIZE if _enough_from(bound, step, wanted) <= LARGEST_SIZE else -1
    while size < enough:
        if size > last:
            return bound
        needed = steps_from(size, step, wanted)
        if needed > most:
            most = needed
            enough = _enough_from(most, step, wanted)
        size += 1
    return most


def steps_from(size: int, step: Growth, wanted: Growth) -> int:
    """Steps from this size to its largest neighbour in the wanted sense."""
    goal = size + wanted.gain(size)
    numerator, denominator = step.alpha.numerator, step.alpha.denominator
    steps = 0
    while size < goal:
        gain = step.gain(size)
        # The gain stays the same until α·size reaches gain + 1: take those steps in one go.
        until = min(goal, -(-(gain + 1) * denominator // numerator))
        jump = -(-(until - size) // gain)
        size += jump * gain
        steps += jump
    return steps


def _enough_from(steps: int, step: Growth, wanted: Growth) -> float:
    """A size from which `steps` steps certainly suffice; infinite where this cannot be shown."""
    additive = ceil(wanted.plus / wanted.alpha)  # from here on the wanted gain is a share of x
    lossless = step.alpha.denominator == 1 and (1 + step.alpha) ** steps >= 1 + wanted.alpha
    if lossless:  # no step rounds
        return additive
    with precision(BITS):
        growth = (log_growth(step.alpha) * steps).expm1()
        gap = growth - ball(wanted.alpha)
        if not gap > 0:
            return inf
        # composition.proof.md: x ≥ ((1+α)^k − 1) / (α((1+α)^k − 1 − α')).
        return max(additive, ceil(dyadic_up(growth / (ball(step.alpha) * gap), 0)))


def _steps_of_large(alpha: Fraction, alpha_prime: Fraction) -> int:
    """k₀, which arbitrarily large sizes need: the least k with (1+α)^k > 1+α'.

    With a whole number α no step rounds, and (1+α)^k = 1+α' is enough.
    """
    with precision(BITS):
        steps = log_growth(alpha_prime) / log_growth(alpha)
        whole = round(float(steps.mid()))
        if not steps.contains(whole):
            return floor(dyadic_down(steps, 0)) + 1
    reached = (1 + alpha) ** whole
    if alpha.denominator == 1 and reached == 1 + alpha_prime:
        return whole
    return whole if reached > 1 + alpha_prime else whole + 1


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
        growth = given_alpha(self.name, alpha)
        if left.cap is None:
            raise InvalidParameter.missing(
                "cap",
                next_step="Give databases with the pay of every job.",
                where=f"under the {self.name} policy, whose neighbours differ in pay",
                value="databases without pay",
            )
        forces = changed(left, right)
        if forces is None or forces[0].jobs != forces[1].jobs:
            return False
        low, high = sorted(forces, key=lambda force: force.payroll)
        return low.rises_to(high) and within_growth(low.payroll, high.payroll, growth, left.cap)


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
