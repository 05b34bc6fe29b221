"""Uncovered: tables that no mechanism is proved for under a policy, and what to do instead."""

from leeward.core.codebook import Marginal
from leeward.core.errors import NotCovered, shown
from leeward.core.mechanisms.calibrated import PAY
from leeward.core.privacy import Guarantee


def reads_pay(marginal: Marginal, guarantee: Guarantee) -> bool:
    """Whether a proportional step may move all jobs at once: a raise of all, into other classes."""
    return guarantee.policy.name == "proportional" and marginal.by_numbers


def gaussian_gains(marginal: Marginal, guarantee: Guarantee) -> bool:
    """Whether gains are to be paid in ρ, for which nothing is proved (gains.proof.md, 3)."""
    return marginal.kind == "gains" and guarantee.rho > 0


def no_mechanism(asked: Guarantee, marginal: Marginal) -> NotCovered:
    """The error for a policy under which no mechanism is proved."""
    if reads_pay(marginal, asked):
        return NotCovered(
            "policy",
            rule="proportional is for payroll, means, and counts that read no pay: one step of it "
            "may raise the pay of all, and move every job into another class",
            value=f"{shown(marginal.name)}, which reads a number of each job",
            next_step="Write a plan of its own under strong for this table.",
        )
    if gaussian_gains(marginal, asked):
        return NotCovered(
            "rho",
            rule="must be epsilon for gains: nothing is proved about them with Gaussian noise",
            value=f"rho for table {marginal.name}",
            next_step="Give epsilon in place of rho, or leave the table out.",
        )
    if marginal.kind in PAY:
        return NotCovered(
            "policy",
            rule="must be strong, proportional, worker or person, with epsilon, for payrolls and "
            "means: nothing is proved for another",
            value=f"'{asked.policy.name}'" + (" with rho" if asked.rho > 0 else ""),
            next_step="Use strong. Under proportional the error is smaller, and less is promised "
            "about who joins.",
        )
    if marginal.kind == "joint" and asked.policy.name == "worker":
        return NotCovered(
            "breakdowns",
            rule="must be tables of their own under the worker and person policies: no joint "
            "mechanism is proved for them",
            value=shown(marginal.name),
            next_step="Write a table for each breakdown, or use a policy with an alpha.",
        )
    if asked.rho > 0 and not asked.policy.uses_alpha:
        return NotCovered(
            "policy",
            rule="must have an alpha where the budget is given as rho: no mechanism with "
            "Gaussian noise is proved for another policy",
            value=f"'{asked.policy.name}'",
            next_step="Use strong, or give epsilon in place of rho.",
        )
    return NotCovered(
        "policy",
        rule="must be strong, weak, proportional, worker or person: whole establishments are "
        "protected by no table that is of use",
        value=f"'{asked.policy.name}'",
        next_step="Use strong, which hides sizes within a factor 1+alpha.",
    )
