"""What is protected: which two databases of one workplace cell a release must not tell apart.

Two databases are neighbours in both directions; equal ones are not neighbours. Where databases
have pay, jobs that are in both keep it: joiners and leavers may have any pay.

`steps_between` counts the steps of one policy, or of one α, Δ and unit, that make one step of
another (composition.proof.md).
"""

from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, floor, inf
from typing import ClassVar, Literal, Protocol, TypeAlias, cast, get_args

from leeward.errors import InvalidParameter, shown
from leeward.exact import (
    Number,
    ball,
    dyadic_down,
    dyadic_up,
    log_growth,
    positive,
    precision,
    rational,
)
from leeward.privacy.database import Counts, Database, contained

Unit: TypeAlias = Literal["establishment", "employer"]
"""What a policy with an α protects: one establishment, or an employer's part.

An employer's part in a workplace cell is all its establishments there. Databases of that unit have
one workforce for each part.
"""

UNITS: tuple[Unit, ...] = get_args(Unit)


class Neighbours(Protocol):
    """A symmetric relation between databases: a policy of plans, one for pay, or a policy graph."""

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether the two databases are neighbours."""


@dataclass(frozen=True, slots=True)
class WorkerOnly:
    """Protects one job: whether this person works here (edge differential privacy).

    Neighbours: exactly one job differs. The size of a large establishment is not protected.

    Examples
    --------
    >>> leeward.Guarantee("worker", None, 1).policy
    WorkerOnly()
    """

    name: ClassVar[str] = "worker"
    uses_alpha: ClassVar[bool] = False

    def admits(
        self,
        left: Database,
        right: Database,
        alpha: Fraction | None = None,  # not used: one call for all policies
    ) -> bool:
        """Whether one job was added or removed."""
        pair = contained(left, right)
        return pair is not None and pair[1].size == pair[0].size + 1


@dataclass(frozen=True, slots=True)
class EstablishmentRemoval:
    """Protects a whole establishment: whether it has any workers (node differential privacy).

    Neighbours: one of the two workforces is empty, whatever the size of the other.

    Examples
    --------
    >>> leeward.Guarantee("establishment", None, 1).policy
    EstablishmentRemoval()
    """

    name: ClassVar[str] = "establishment"
    uses_alpha: ClassVar[bool] = False

    def admits(
        self,
        left: Database,
        right: Database,
        alpha: Fraction | None = None,  # not used: one call for all policies
    ) -> bool:
        """Whether one workforce is empty and the other is not."""
        pair = contained(left, right)
        return pair is not None and pair[0].size == 0


@dataclass(frozen=True, slots=True)
class StrongAlpha:
    """Protects every job, and the size of an establishment within 1+α, whoever joins or leaves.

    Neighbours ([H16] Def 7.1, where Δ is 1): E ⊆ E' and |E'| ≤ max((1+α)|E|, |E|+Δ).

    Parameters
    ----------
    plus
        Δ, the number of jobs within which a small establishment is hidden.
    unit
        What E is: ``"establishment"``, or ``"employer"``, its establishments in one cell together.

    Examples
    --------
    >>> strong = leeward.Guarantee("strong", "0.1", 1)
    >>> strong.policy
    StrongAlpha(plus=1, unit='establishment')
    >>> strong.implies(leeward.Guarantee("worker", None, 1))
    True
    """

    name: ClassVar[str] = "strong"
    uses_alpha: ClassVar[bool] = True

    plus: int = 1
    unit: Unit = "establishment"

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one contains the other and is larger by at most α or Δ jobs."""
        growth = given_alpha(self.name, alpha)
        pair = contained(left, right)
        return pair is not None and within_growth(pair[0].size, pair[1].size, growth, self.plus)


@dataclass(frozen=True, slots=True)
class WeakAlpha:
    """Protects every job, and an establishment whose kinds of workers all grow within 1+α.

    Neighbours ([H16] Def 7.3, corrected): E ⊆ E' and, for every union φ of cells of the
    declared worker attributes, φ(E') ≤ max((1+α)φ(E), φ(E)+Δ).

    Parameters
    ----------
    plus
        Δ, the number of jobs within which a small establishment is hidden.
    unit
        What E is: ``"establishment"``, or ``"employer"``, its establishments in one cell together.

    Examples
    --------
    >>> weak = leeward.Guarantee("weak", "0.1", 1)
    >>> weak.policy
    WeakAlpha(plus=1, unit='establishment')
    >>> weak.implies(leeward.Guarantee("strong", "0.1", 1))
    False
    """

    name: ClassVar[str] = "weak"
    uses_alpha: ClassVar[bool] = True

    plus: int = 1
    unit: Unit = "establishment"

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one contains the other and every union of kinds is within α or Δ jobs."""
        growth = given_alpha(self.name, alpha)
        if left.cap is not None:
            raise _no_pay(self.name)
        pair = contained(left, right)
        if pair is None:
            return False
        small, large = pair[0].jobs, pair[1].jobs
        # All 2^d unions (the empty one is always within): kinds of workers, never identities,
        # which would collapse the policy to one job (composition.proof.md).
        chosen = product((False, True), repeat=len(small))
        sizes = ((_jobs(small, phi), _jobs(large, phi)) for phi in chosen)
        return all(within_growth(few, many, growth, self.plus) for few, many in sizes)


Policy: TypeAlias = WorkerOnly | EstablishmentRemoval | StrongAlpha | WeakAlpha

POLICIES: dict[str, Policy] = {
    known.name: known
    for known in (WorkerOnly(), EstablishmentRemoval(), StrongAlpha(), WeakAlpha())
}


def policy(wanted: str | Policy) -> Policy:
    """The policy of this name; a policy stays as it is."""
    if isinstance(wanted, Policy):
        return wanted
    written = wanted.lower() if isinstance(cast(object, wanted), str) else ""
    if written and wanted in POLICIES:
        return POLICIES[wanted]
    nearest = get_close_matches(written, POLICIES, n=1, cutoff=0.4)
    hint = f"Did you mean {nearest[0]!r}?" if nearest else "Write one of these names."
    raise InvalidParameter(
        "policy", rule=f"must be one of {', '.join(POLICIES)}", value=shown(wanted), next_step=hint
    )


def read_alpha(wanted: Policy, alpha: Number | None) -> Fraction | None:
    """α as an exact number where the policy has one; refused where it has none."""
    if wanted.uses_alpha:
        return given_alpha(wanted.name, alpha)
    if alpha is not None:
        raise InvalidParameter(
            "alpha",
            rule=f"has no meaning under the {wanted.name} policy",
            value=alpha,
            next_step="Leave alpha out, or choose the strong or the weak policy.",
        )
    return None


def given_alpha(name: str, alpha: Number | None) -> Fraction:
    """α as an exact number; refused where the policy of this name lacks it."""
    if alpha is None:
        raise InvalidParameter(
            "alpha",
            rule=f"must be given under the {name} policy",
            value=alpha,
            next_step="Give the protected growth of an establishment, such as alpha='0.1'.",
        )
    return positive(alpha, "alpha")


def with_plus(wanted: Policy, plus: Number | None) -> Policy:
    """The policy with this Δ; None leaves it as it is. Refused where the policy has none."""
    if plus is None:
        return wanted
    growing = _growing(wanted, "plus", plus)
    jobs = rational(plus, "plus")
    if jobs.denominator != 1 or not 1 <= jobs <= MOST_PLUS:
        raise InvalidParameter(
            "plus",
            rule=f"must be a whole number of jobs from 1 to {MOST_PLUS}",
            value=shown(plus),
            next_step="Give the number of jobs within which small establishments are hidden, "
            "such as 5.",
        )
    return replace(growing, plus=int(jobs))


def with_unit(wanted: Policy, unit: str | None) -> Policy:
    """The policy with this unit; None leaves it as it is. Refused where the policy has none."""
    if unit is None:
        return wanted
    growing = _growing(wanted, "unit", unit)
    for known in UNITS:
        if unit == known:
            return replace(growing, unit=known)
    raise InvalidParameter(
        "unit",
        rule=f"must be {' or '.join(UNITS)}",
        value=shown(unit),
        next_step="Write employer to protect all establishments of an employer in a workplace "
        "cell as one, or leave unit out.",
    )


def _growing(wanted: Policy, parameter: str, value: object) -> StrongAlpha | WeakAlpha:
    if isinstance(wanted, (StrongAlpha, WeakAlpha)):
        return wanted
    raise InvalidParameter(
        parameter,
        rule=f"has no meaning under the {wanted.name} policy",
        value=shown(value),
        next_step=f"Leave {parameter} out, or choose the strong or the weak policy.",
    )


def plus_of(protected: Policy) -> int | None:
    """Δ, or None under a policy that has none."""
    return protected.plus if isinstance(protected, (StrongAlpha, WeakAlpha)) else None


def unit_of(protected: Policy) -> Unit | None:
    """The unit, or None under a policy that has none."""
    return protected.unit if isinstance(protected, (StrongAlpha, WeakAlpha)) else None


def _jobs(jobs: Counts, phi: tuple[bool, ...]) -> int:
    return sum(count for count, inside in zip(jobs, phi, strict=True) if inside)


def within_growth(small: int, large: int, alpha: Fraction, plus: int = 1) -> bool:
    """large ≤ max((1+α)·small, small + Δ)."""
    # Erratum of [H16] Def 7.3: printed as max((1+α)φ, 1); with φ ≥ 1 and αφ < 1 no worker could
    # join.
    return large <= (1 + alpha) * small or large <= small + plus


def _no_pay(name: str) -> InvalidParameter:
    return InvalidParameter(
        "cap",
        rule=f"has no meaning under the {name} policy, which is not defined for pay",
        value="databases with pay",
        next_step="Leave pay out, or choose the strong policy.",
    )


MOST_PLUS = 10_000
"""Maximum of Δ in jobs."""

LARGEST_SIZE = 10**6
"""Sizes computed one by one; where the exact answer needs more, the proven bound is given."""

BITS = 192


def steps_between(
    policy: Policy, alpha: Fraction | None, wanted: Policy, wanted_alpha: Fraction | None
) -> int | None:
    """Steps of the first policy that join every pair of the wanted one; None if no number does."""
    if unit_of(wanted) == "employer" and unit_of(policy) != "employer":
        return None  # a part has any number of establishments; the reverse is one step of a part
    if isinstance(policy, EstablishmentRemoval):
        # One step out and one step in: E → ∅ → E' joins any two workforces, for every α.
        return 1 if wanted == policy else 2
    if isinstance(wanted, WorkerOnly):
        return 1  # one job more is within max(·, |E|+Δ), and within it for every union φ
    if alpha is None or wanted_alpha is None:
        return None  # worker only, or wanted establishment removal: sizes are unbounded
    plus, wanted_plus = plus_of(policy) or 1, plus_of(wanted) or 1
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
    if isinstance(wanted, EstablishmentRemoval):
        return f"{policy.name} does not imply establishment: it bounds the change, not its absence"
    if isinstance(policy, WorkerOnly):
        return f"worker does not imply {wanted.name}: it protects one job, never a share of a size"
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
