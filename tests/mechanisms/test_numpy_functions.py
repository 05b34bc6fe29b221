"""NumPy's functions on this machine against balls: within the error that the bounds assume."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from flint import arb

from leeward.exact import precision
from leeward.mechanisms.table import FUNCTION, Floats
from leeward.randomness import SeededBits

POINTS = 10_000
Function = Callable[[Floats], Floats]

FUNCTIONS: dict[str, tuple[Function, Callable[[arb], arb]]] = {
    "log": (np.log, arb.log),
    "exp": (np.exp, arb.exp),
    "expm1": (np.expm1, arb.expm1),
    "log1p": (np.log1p, arb.log1p),
    "arctan": (np.arctan, arb.atan),
}


def points(name: str) -> Floats:
    """Half of all magnitudes, half near the point where the function vanishes or is one."""
    draw = SeededBits(4).generator.uniform
    signs = np.sign(draw(-1, 1, POINTS // 2))
    tiny = signs * np.exp(draw(-80, -1, POINTS // 2))
    if name == "log":
        return np.concatenate([np.exp(draw(-700, 700, POINTS // 2)), 1 + tiny])
    if name == "log1p":
        return np.concatenate([np.expm1(draw(-30, 700, POINTS // 2)), tiny])
    wide = draw(-700, 700, POINTS // 2)
    return np.concatenate([wide if name != "arctan" else np.sinh(wide / 20), tiny])


def worst(values: Iterable[float], truths: list[arb]) -> float:
    """The largest relative error."""
    with precision(128):
        pairs = zip(values, truths, strict=True)
        return max(float(abs(arb(float(v)) - t)) / abs(float(t)) for v, t in pairs if t != 0)


def truths(name: str, at: Floats) -> list[arb]:
    with precision(128):
        return [FUNCTIONS[name][1](arb(float(x))) for x in at]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_as_accurate_as_assumed(name: str) -> None:
    at = points(name)
    assert worst(FUNCTIONS[name][0](at), truths(name, at)) < FUNCTION


@pytest.mark.parametrize("name", FUNCTIONS)
def test_single_precision_would_be_rejected(name: str) -> None:
    at = points(name)[np.abs(points(name)) < 80][:1000]
    rough = FUNCTIONS[name][0](at).astype(np.float32).astype(np.float64)
    assert worst(rough, truths(name, at)) > FUNCTION
