"""Steps between policies: how many steps of one make one step of another (composition.proof.md).

`group_steps` is the price of a larger α, `steps_between` that of another policy.
"""

from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf

from leeward.exact import Number, ball, dyadic_down, dyadic_up, log_growth, positive, precision
from leeward.privacy.policy import EstablishmentRemoval, Policy, StrongAlpha, WeakAlpha, WorkerOnly

LARGEST_SIZE = 10**6
"""Sizes computed one by one; where the exact answer needs more, the proven bound is given."""

BITS = 192


def steps_between(
    policy: Policy, alpha: Fraction | None, wanted: Policy, wanted_alpha: Fraction | None
) -> int | None:
    """Steps of the first policy that join every pair of the wanted one; None if no number does."""
    if isinstance(policy, EstablishmentRemoval):
        # One step out and one step in: E → ∅ → E' joins any two workforces, for every α.
        return 1 if wanted == policy else 2
    if isinstance(wanted, WorkerOnly):
        return 1  # one job more is within max(·, |E|+1), and within it for every union φ
    if alpha is None or wanted_alpha is None:
        return None  # worker only, or wanted establishment removal: sizes are unbounded
    if isinstance(policy, StrongAlpha):
        return group_steps(alpha, wanted_alpha)  # weak pairs are strong pairs (φ = all kinds)
    if isinstance(wanted, WeakAlpha):
        return weak_group_steps(alpha, wanted_alpha)
    return None


def why_not(policy: Policy, wanted: Policy) -> str:
    """The rule that a refused implication breaks."""
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


def group_steps(alpha: Number, alpha_prime: Number) -> int:
    """k: every strong α'-pair is joined by at most k strong α-steps (composition.proof.md).

    The largest number, over all sizes x, of steps x → max(⌊(1+α)x⌋, x+1) that reach
    max(⌊(1+α')x⌋, x+1). Where that cannot be computed, the bound ⌈2α'/α⌉ is returned.
    """
    return _group_steps(positive(alpha, "alpha"), positive(alpha_prime, "alpha_prime"))


def weak_group_steps(alpha: Number, alpha_prime: Number) -> int | None:
    """A number of weak α-steps that joins every weak α'-pair; None where no number does.

    No number does when some integer x has αx < 1 ≤ α'x: many kinds of x workers, all gaining
    one, are a single α'-step, while one α-step can let only one of these kinds gain.
    Otherwise all kinds move together as in the strong policy, and one more step pays for the
    single kind that gained by the "+1" (Proposition 5).
    """
    small, large = positive(alpha, "alpha"), positive(alpha_prime, "alpha_prime")
    if large <= small:
        return 1
    if ceil(1 / small) != ceil(1 / large):
        return None
    return _group_steps(small, large) + 1


@lru_cache(maxsize=1024)
def _group_steps(alpha: Fraction, alpha_prime: Fraction) -> int:
    if alpha_prime <= alpha:
        return 1
    lossless = _lossless_steps(alpha, alpha_prime)
    return lossless if lossless is not None else _most_steps(alpha, alpha_prime)


def _most_steps(alpha: Fraction, alpha_prime: Fraction) -> int:
    """Count upwards through the sizes until no larger size can need more steps."""
    bound = ceil(2 * alpha_prime / alpha)  # Proposition 4 (c)
    most, size = _steps_of_large(alpha, alpha_prime), 1
    enough = _enough_from(most, alpha, alpha_prime)
    last = LARGEST_SIZE if _enough_from(bound, alpha, alpha_prime) <= LARGEST_SIZE else 0
    while size < enough:
        if size > last:
            return bound
        needed = steps_from(size, alpha, alpha_prime)
        if needed > most:
            most = needed
            enough = _enough_from(most, alpha, alpha_prime)
        size += 1
    return most


def steps_from(size: int, alpha: Fraction, alpha_prime: Fraction) -> int:
    """Steps of α from this size to the largest α'-neighbour."""
    goal = max(int((1 + alpha_prime) * size), size + 1)
    numerator, denominator = alpha.numerator, alpha.denominator
    steps = 0
    while size < goal:
        gain = max(1, numerator * size // denominator)
        # The gain stays the same until α·size reaches gain + 1: take those steps in one go.
        until = min(goal, -(-(gain + 1) * denominator // numerator))
        jump = -(-(until - size) // gain)
        size += jump * gain
        steps += jump
    return steps


def _enough_from(steps: int, alpha: Fraction, alpha_prime: Fraction) -> float:
    """A size from which `steps` steps certainly suffice; infinite where this cannot be shown."""
    with precision(BITS):
        growth = (log_growth(alpha) * steps).expm1()
        gap = growth - ball(alpha_prime)
        if not gap > 0:
            return inf
        # composition.proof.md: x ≥ ((1+α)^k − 1) / (α((1+α)^k − 1 − α')).
        return ceil(dyadic_up(growth / (ball(alpha) * gap), 0))


def _steps_of_large(alpha: Fraction, alpha_prime: Fraction) -> int:
    """k₀: the least k with (1+α)^k > 1+α', which arbitrarily large sizes need."""
    with precision(BITS):
        steps = log_growth(alpha_prime) / log_growth(alpha)
        whole = round(float(steps.mid()))
        if not steps.contains(whole):
            return floor(dyadic_down(steps, 0)) + 1
    return whole if (1 + alpha) ** whole > 1 + alpha_prime else whole + 1


def _lossless_steps(alpha: Fraction, alpha_prime: Fraction) -> int | None:
    """k if (1+α)^k = 1+α' with a whole number α: no step rounds, so k₀ would be one too many."""
    if alpha.denominator != 1:
        return None
    steps = _steps_of_large(alpha, alpha_prime) - 1
    return steps if (1 + alpha) ** steps == 1 + alpha_prime else None
