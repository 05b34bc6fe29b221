"""The self-test: NumPy's functions on the running machine against balls, before the first draw.

The error bounds of the fast path assume NumPy to be accurate to 2^-42 relative, hundreds of times
its documented error (assumption (N) of sampling.proof.md). A machine on which that does not hold
draws nothing.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
from flint import arb

from leeward.core.errors import UntrustedMachine
from leeward.core.exact import precision
from leeward.core.noise.tabulated import Floats

ASSUMED = 2.0**-42
POINTS = 1000

Function = Callable[[Floats], Floats]
Truth = Callable[[arb], arb]

FUNCTIONS: Mapping[str, tuple[Function, Truth]] = {
    "log": (np.log, arb.log),
    "exp": (np.exp, arb.exp),
    "expm1": (np.expm1, arb.expm1),
    "arctan": (np.arctan, arb.atan),
    "power": (lambda x: x**-4, lambda x: x**-4),
}


def points(name: str) -> Floats:
    """Fixed points of all magnitudes, and near the one where the function is zero or one."""
    tiny = np.geomspace(1e-30, 0.5, POINTS // 4)
    around = np.concatenate([-tiny, tiny])
    wide = np.linspace(-690.0, 690.0, POINTS // 2) * (1 + 1e-9)
    if name == "log":
        return np.concatenate([np.exp(wide), 1 + around])
    if name == "power":
        return np.concatenate([np.exp(wide / 10), 1 + around])
    return np.concatenate([np.sinh(wide / 20) if name == "arctan" else wide, around])


def worst(name: str, function: Function | None = None) -> float:
    """The largest relative error of a function, or of another in its place."""
    numeric, exact = FUNCTIONS[name]
    at = points(name)
    values = (function or numeric)(at)
    with precision(128):
        truths = [exact(arb(float(x))) for x in at]
        errors = [
            abs(float((arb(float(v)) - t) / t))
            for v, t in zip(values, truths, strict=True)
            if t != 0
        ]
    return max(errors)


@lru_cache(maxsize=1)
def require_accuracy() -> None:
    """Refuse a machine whose NumPy is worse than assumed; tried once in a process."""
    for name in FUNCTIONS:
        error = worst(name)
        if not error <= ASSUMED:
            raise UntrustedMachine(
                "numpy",
                rule=f"{name} must be accurate to 2^-42 on this machine",
                value=f"a relative error of {error:.2g}",
                next_step="Install another build of NumPy, or use another machine.",
            )
