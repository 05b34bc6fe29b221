"""Privacy: what is protected, how strongly, and what several releases promise together."""

from leeward.core.privacy.guarantee import Guarantee, over_workers, over_workplaces, sequential
from leeward.core.privacy.policy import (
    EstablishmentRemoval,
    Person,
    Policy,
    ProportionalAlpha,
    StrongAlpha,
    WeakAlpha,
    WorkerOnly,
    policy,
)
from leeward.core.privacy.steps import group_steps

__all__ = [
    "EstablishmentRemoval",
    "Guarantee",
    "Person",
    "Policy",
    "ProportionalAlpha",
    "StrongAlpha",
    "WeakAlpha",
    "WorkerOnly",
    "group_steps",
    "over_workers",
    "over_workplaces",
    "policy",
    "sequential",
]
