"""Which protection contains which: how many steps of one policy make one step of another."""

from fractions import Fraction

from leeward.privacy.group import group_steps, weak_group_steps
from leeward.privacy.policy import EstablishmentRemoval, Policy, StrongAlpha, WeakAlpha, WorkerOnly


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
