"""The law with density (√2/π)/(1+z⁴): E|Z| = 1/√2 and Var Z = 1 ([H15] App. G prints 2.2, 2.2²)."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb

from leeward.core.exact import ball
from leeward.core.noise.tabulated import FUNCTION, ROUNDING, Floats, Words

NORM = np.sqrt(2.0) / np.pi
FAR = 4.0
"""From here on the upper tail is summed as a series in z⁻⁴."""


@dataclass(frozen=True)
class QuarticLaw:
    """Density ∝ 1/(1+z⁴); its distribution function is closed-form, its quantile is not."""

    def tails(self, z: Fraction) -> tuple[arb, arb]:
        """P(Z < z) and P(Z > z)."""
        half = _integral(z) * arb(2).sqrt() / arb.pi()
        return arb(1) / 2 + half, arb(1) / 2 - half

    def between(self, low: Fraction, high: Fraction) -> arb:
        """P(low < Z < high)."""
        return (_integral(high) - _integral(low)) * arb(2).sqrt() / arb.pi()

    def float_tails(self, z: Floats) -> tuple[Floats, Floats]:
        """The tails in float64."""
        upper = upper_tail(np.abs(z))
        return np.where(z < 0, upper, 1 - upper), np.where(z < 0, 1 - upper, upper)

    def moment(self, order: int, *, absolute: bool = False) -> float | None:
        """E|Z| = 1/√2, E Z² = 1; higher ones are infinite or not needed."""
        if order == 1:
            return float(np.sqrt(0.5)) if absolute else 0.0
        return 1.0 if order == 2 else None

    def approximate(self, words: Words) -> tuple[Floats, Floats]:
        """Newton steps from a table; the last residual bounds the error."""
        negative = words < np.uint64(1 << 63)
        distance = np.where(negative, words, ~words).astype(np.float64)
        share = (distance + 0.5) * 2.0**-64
        tails, points = _start()
        z = np.exp(np.interp(np.log(share), tails, points)) - 1
        for _ in range(3):
            z = np.maximum(z + (upper_tail(z) - share) / _density(z), 0.0)
        tail = upper_tail(z)
        slip = np.where(z < FAR, FUNCTION, FUNCTION * tail) + ROUNDING * share + 2.0**-64
        error = 2 * (np.abs(tail - share) + slip) / _density(z)
        # |ln f| has slope below 2.3, so within 0.05 the density f keeps half its value.
        return np.where(negative, -z, z), np.where(error < 0.05, error, np.inf)


def _density(z: Floats) -> Floats:
    density: Floats = NORM / (1 + z**4)
    return density


def upper_tail(z: Floats) -> Floats:
    """P(Z > z) for z ≥ 0 in float64: closed form near, series far."""
    x, root = np.minimum(z, FAR), np.sqrt(2.0)
    log = np.log((x * x + root * x + 1) / (x * x - root * x + 1))
    turn = np.arctan(root * x + 1) + np.arctan(root * x - 1)
    near = 0.5 - NORM * (log / (4 * root) + turn / (2 * root))
    far = np.maximum(z, FAR)
    step = far**-4
    series = np.zeros_like(far)
    for k in reversed(range(10)):
        series = (1 / (4 * k + 3)) - step * series
    tail: Floats = np.where(z < FAR, near, NORM * series * far**-3)
    return tail


def _integral(z: Fraction) -> arb:
    """∫₀ᶻ dx/(1+x⁴)."""
    x, root = ball(z), arb(2).sqrt()
    log = ((x * x + root * x + 1) / (x * x - root * x + 1)).log()
    turn = (root * x + 1).atan() + (root * x - 1).atan()
    return log / (4 * root) + turn / (2 * root)


@lru_cache(maxsize=1)
def _start() -> tuple[Floats, Floats]:
    """ln(tail) against ln(1+z), both increasing in their order, as first guesses."""
    points = np.linspace(0.0, 60.0, 20001)
    tails = np.log(upper_tail(np.expm1(points)))
    return tails[::-1].copy(), points[::-1].copy()
