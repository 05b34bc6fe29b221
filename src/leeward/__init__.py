"""Employment statistics that provably protect every worker and every employer.

From a plan and three confidential tables to a folder that may be published:

>>> import leeward
>>> plan = leeward.read_plan("plan.yaml")  # doctest: +SKIP
>>> leeward.predict(plan)  # doctest: +SKIP
>>> bundle = leeward.release(plan, out="bundle", ledger="ledger.sqlite")  # doctest: +SKIP
>>> bundle["place_industry"].to_pandas(labels=True)  # doctest: +SKIP
>>> leeward.verify("bundle", ledger="ledger.sqlite").sound  # doctest: +SKIP

The main job: `read_plan`, `Plan`, `predict`, `check`, `release`, `verify`, `read_bundle`, `Ledger`.
Jobs from wage records: `find_jobs`.
One mechanism by itself: `mechanism`, the policies, and `Guarantee`. Everything that is refused is a
`LeewardError`, which names the parameter, the rule, the value and the next step.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leeward.api import check, find_jobs, predict, release, verify
    from leeward.core.errors import CannotCompose, InvalidParameter, LeewardError, NotCovered
    from leeward.core.mechanisms import mechanism
    from leeward.core.privacy import (
        EstablishmentRemoval,
        Guarantee,
        Person,
        ProportionalAlpha,
        StrongAlpha,
        WeakAlpha,
        WorkerOnly,
    )
    from leeward.derived.derive.derived import Derived, derive
    from leeward.derived.settle.tidying import tidy
    from leeward.publishing.bundle.reader import Bundle, read_bundle
    from leeward.publishing.ledger import Ledger
    from leeward.publishing.plan.plan import Plan, read_plan

__version__ = "0.5.0"

HOMES = {
    "leeward.derived.derive.derived": ("Derived", "derive"),
    "leeward.derived.settle.tidying": ("tidy",),
    "leeward.publishing.bundle.reader": ("Bundle", "read_bundle"),
    "leeward.core.errors": ("CannotCompose", "InvalidParameter", "LeewardError", "NotCovered"),
    "leeward.api": ("check", "find_jobs", "predict", "release", "verify"),
    "leeward.publishing.ledger": ("Ledger",),
    "leeward.core.mechanisms": ("mechanism",),
    "leeward.core.privacy": (
        *("EstablishmentRemoval", "Guarantee", "Person", "ProportionalAlpha", "StrongAlpha"),
        *("WeakAlpha", "WorkerOnly"),
    ),
    "leeward.publishing.plan.plan": ("Plan", "read_plan"),
}
"""The module of each public name; it is loaded when the name is first used."""

__all__ = [
    "Bundle",
    "CannotCompose",
    "Derived",
    "EstablishmentRemoval",
    "Guarantee",
    "InvalidParameter",
    "Ledger",
    "LeewardError",
    "NotCovered",
    "Person",
    "Plan",
    "ProportionalAlpha",
    "StrongAlpha",
    "WeakAlpha",
    "WorkerOnly",
    "__version__",
    "check",
    "derive",
    "find_jobs",
    "mechanism",
    "predict",
    "read_bundle",
    "read_plan",
    "release",
    "tidy",
    "verify",
]


def __getattr__(name: str) -> object:
    for home, names in HOMES.items():
        if name in names:
            value = getattr(import_module(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
