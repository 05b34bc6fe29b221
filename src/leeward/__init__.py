"""Employment statistics that provably protect every worker and every employer."""

from leeward.errors import CannotCompose, InvalidParameter, LeewardError, NotCovered
from leeward.mechanisms import mechanism
from leeward.privacy import EstablishmentRemoval, Guarantee, StrongAlpha, WeakAlpha, WorkerOnly

__version__ = "0.4.0"

__all__ = [
    "CannotCompose",
    "EstablishmentRemoval",
    "Guarantee",
    "InvalidParameter",
    "LeewardError",
    "NotCovered",
    "StrongAlpha",
    "WeakAlpha",
    "WorkerOnly",
    "__version__",
    "mechanism",
]
