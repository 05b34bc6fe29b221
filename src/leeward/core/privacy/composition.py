"""Composition: what several releases promise together (composition.proof.md)."""

from collections.abc import Iterable
from fractions import Fraction

from leeward.core.errors import CannotCompose
from leeward.core.privacy.guarantee import Guarantee
from leeward.core.privacy.policy import (
    Person,
    Policy,
    WeakAlpha,
    WorkerOnly,
    plus_of,
    unit_of,
    with_plus,
    with_unit,
)
from leeward.core.privacy.words import READING


def sequential(*guarantees: Guarantee) -> Guarantee:
    """Releases from the same data, also of several periods: every loss adds up (Theorem 1).

    ρ is read at the smallest of their δ.
    """
    policy, alpha = _common_policy(guarantees)
    delta = sum((each.delta for each in guarantees), Fraction(0))
    if delta >= 1:
        raise CannotCompose(
            "guarantees",
            rule="the sum of their delta must stay below 1",
            value=delta,
            next_step="Make fewer releases, or each with a smaller delta.",
        )
    epsilon = sum((each.epsilon for each in guarantees), Fraction(0))
    rho = sum((each.rho for each in guarantees), Fraction(0))
    return Guarantee(policy, alpha, epsilon, delta, rho, reading=_reading(guarantees))


def over_workplaces(*guarantees: Guarantee) -> Guarantee:
    """Disjoint workplace cells of the public frame, independent noise: the maximum (Theorem 2).

    One establishment lies in one cell. Each measure takes its own maximum, since the (ε, δ)
    parts of all cells are one part, and the zCDP parts of all cells another. A person may have
    rows in all cells: under the person policy the losses add up.
    """
    policy, alpha = _common_policy(guarantees)
    if isinstance(policy, Person):
        return sequential(*guarantees)
    return Guarantee(
        policy,
        alpha,
        max(each.epsilon for each in guarantees),
        max(each.delta for each in guarantees),
        max(each.rho for each in guarantees),
        reading=_reading(guarantees),
    )


def over_workers(*guarantees: Guarantee) -> Guarantee:
    """Disjoint worker cells of the same establishments: the sum (Theorem 3).

    Erratum: [H15] §5 and [H16] Theorem 7.5 let such cells compose in parallel. Counter-example:
    50 women and 50 men, α = 0.1; 55 and 55 is one step (110 ≤ 1.1·100), strong and weak, and
    each half alone is one full step as well. Only where one job differs is it the maximum.
    """
    policy, _ = _common_policy(guarantees)
    if isinstance(policy, WorkerOnly):
        return over_workplaces(*guarantees)  # one job lies in one worker cell
    return sequential(*guarantees)


def _reading(guarantees: tuple[Guarantee, ...]) -> Fraction:
    """Every reading of a ρ is true; the smallest δ has the largest factor."""
    return min((each.reading for each in guarantees if each.rho > 0), default=READING)


def _common_policy(guarantees: tuple[Guarantee, ...]) -> tuple[Policy, Fraction | None]:
    """The strongest policy and α that all of them imply without more loss."""
    if not guarantees:
        raise CannotCompose(
            "guarantees",
            rule="must be at least one",
            value="none",
            next_step="Give the guarantee of every release.",
        )
    alphas = [each.alpha for each in guarantees if each.alpha is not None]
    return _common(each.policy for each in guarantees), min(alphas, default=None)


def _common(policies: Iterable[Policy]) -> Policy:
    """Strong with weak is weak; the smallest Δ and unit are implied by all at the same loss."""
    found = tuple(policies)
    names = {each.name for each in found}
    if len(names) == 1 or names == {"strong", "weak"}:
        kept = found[0] if len(names) == 1 else WeakAlpha()
        least = [plus for each in found if (plus := plus_of(each)) is not None]
        units = {unit_of(each) for each in found}
        unit = units.pop() if len(units) == 1 else "establishment"
        return with_unit(with_plus(kept, min(least, default=None)), unit)
    raise CannotCompose(
        "guarantees",
        rule="must protect the same thing (strong with weak is weak)",
        value=", ".join(sorted(names)),
        next_step="Weaken each to one policy first, for instance guarantee.weaken('worker').",
    )
