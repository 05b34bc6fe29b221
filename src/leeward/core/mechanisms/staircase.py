"""Staircase: n + A·Z with a density of steps, for workplace tables. Proof in staircase.proof.md.

Between two steps the density is flat, and each step is as high as ε allows: joiners move a released
number by at most one step. Beyond the steps it falls as slowly as `slope` does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import ball, dyadic_down, dyadic_up, precision
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import Claims, Words
from leeward.core.mechanisms.parameters import MOST_EPSILON, Parameters
from leeward.core.mechanisms.stairs import (
    BITS,
    HALF,
    MOST_STEPS,
    NEGLIGIBLE,
    Stairs,
    StepNoise,
    _law,
)
from leeward.core.mechanisms.step_coverage import extremes_of_all, within_all
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.scales import Integers, LawByScale, Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import StrongAlpha, WeakAlpha

MOST_ALPHA = 2
"""Beyond it one step could pass the next on the left; staircase.proof.md, (L)."""


EDGES = np.arange(64, 4097) / 8192
"""Candidates for c_r; a smaller one would need more laws than it saves noise."""

EDGE_BITS = 32


@dataclass(frozen=True)
class Staircase(Additive):
    """Noise of steps whose size follows A = max(largest establishment, Δ/α)."""

    name: ClassVar[str] = "staircase"
    words: ClassVar[Words] = Words(
        label="staircase",
        noise="Each cell gets its own random number, in proportion to its largest establishment; "
        "most are small, larger ones are rarer in steps, and now and then one is large. Its mean "
        "is zero, within a few hundredths of a job.",
    )
    # As for slope: n and A are coupled only where every job is counted.
    claims: ClassVar[Claims] = {"workplace": (StrongAlpha(),), "worker": (WeakAlpha(),)}

    parameters: Parameters
    law: PiecewiseLaw = field(repr=False)
    stairs: Stairs = field(repr=False)

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "Staircase":
        """Constants for α and ε; refuses an ε at which the noise has no mean of zero."""
        parameters.only_tight(cls.name)
        only_small_alpha(parameters, cls.name)
        stairs = _stairs(parameters.growth, parameters.aimed / parameters.cells, parameters.least)
        if stairs is None:
            raise _too_small(parameters)
        return cls(parameters, stairs.law(stairs.large), stairs)

    @property
    def laws(self) -> LawByScale:
        """One law for large sizes; below, one for each size."""
        return LawByScale(self.stairs.large, self.law, partial(_law, self.stairs))

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """A = max(x, Δ/α)."""
        return Scales(largest, floor=self.stairs.least)

    def within(self, z: Floats) -> Floats:
        """P(|Z| ≤ z, or noise rounds to 0) at the size at which it is smallest."""
        return within_all(self.stairs, z)

    def extremes(self, tail: Fraction) -> tuple[float, float]:
        """The farthest over all sizes."""
        return extremes_of_all(self.stairs, tail)


def only_small_alpha(parameters: Parameters, name: str) -> None:
    """Reject an α at which a step could pass the next."""
    if parameters.growth > MOST_ALPHA:
        raise InvalidParameter(
            "alpha",
            rule=f"must be at most {MOST_ALPHA} for {name}",
            value=shown(parameters.growth),
            next_step="Take a smaller alpha, or use slope.",
        )


def smallest_that(works: Callable[[Fraction], bool], low: Fraction) -> Fraction:
    """The smallest ε above `low` at which there are constants, from above."""
    high = 2 * low
    while high < MOST_EPSILON and not works(high):
        low, high = high, 2 * high
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (low, middle) if works(middle) else (middle, high)
    return high


@lru_cache(maxsize=256)
def _stairs(growth: Fraction, epsilon: Fraction, plus: Fraction) -> Stairs | None:
    """The constants with the smallest error among unbiased ones; None where there are none."""
    with precision(256):
        aim, rate = ball(epsilon), ball(growth).log1p()
        if not aim > 3 * rate:
            return None
        steps = max(1, min(MOST_STEPS, int(NEGLIGIBLE / epsilon + HALF)))
        stairs = Stairs(
            growth,
            plus,
            epsilon,
            drop=dyadic_down(aim - rate, BITS),
            order=dyadic_down(aim / rate, BITS),
            reach=dyadic_up(ball(growth) / aim, BITS),
            up=steps,
            down=max(1, min(steps, int(2 / growth + HALF))),
        )
        edges = _edges(stairs)
    if edges is None:
        return None
    stairs = replace(stairs, left=edges[0], right=edges[1])
    return replace(stairs, steep=stairs.may_be_steep())


def _edges(stairs: Stairs) -> tuple[Fraction, Fraction] | None:
    """c_l and c_r of smallest E|Z| among those with E Z = 0, for large sizes, in float64.

    Any pair is private. In units of S: the moments of the right side for every candidate c_r, and
    the c_l whose left side has the same first moment, a root of a quadratic.
    """
    mass, first = right_side(stairs)
    tail, moment = stairs.tail_mass()
    if moment is None:
        return None
    steps = np.arange(stairs.down)
    heights = np.exp(-float(stairs.drop) * np.arange(stairs.down + 1))
    falls, low = -np.diff(heights), heights[-1]
    end = stairs.down + 0.5
    rest = falls @ steps**2 / 2 + low * (end**2 / 2 + float(moment)) - first
    slope, curve = falls @ steps, falls.sum()
    root = np.sqrt(np.maximum(slope**2 - 2 * curve * rest, 0.0))
    left = (root - slope) / curve
    error = first / (mass + curve * left + slope + low * (end + float(tail)))
    usable = (left >= EDGES[0]) & (left <= 0.5)
    if not usable.any():
        return None
    best = int(np.argmin(np.where(usable, error, np.inf)))
    scale = 1 << EDGE_BITS
    return Fraction(int(left[best] * scale), scale), Fraction(float(EDGES[best]))


def right_side(stairs: StepNoise) -> tuple[Floats, Floats]:
    """Mass and first moment right of zero for each candidate c_r, by parts."""
    alpha, r = float(stairs.growth), float(stairs.order)
    powers = [(1 + stairs.growth) ** i for i in range(stairs.up + 1)]
    grown = np.array([float(power) for power in powers])
    gone = np.array([float((power - 1) / stairs.growth) for power in powers])
    heights = np.exp(-float(stairs.epsilon) * np.arange(len(grown)))
    falls, low = -np.diff(heights), heights[-1]
    edges = gone[:-1] + EDGES[:, None] * grown[:-1]
    end = stairs.end(EDGES)
    base = 1 + alpha * end
    tail = base / ((r - 1) * alpha)
    mass = edges @ falls + low * (end + tail)
    first = edges**2 @ falls / 2 + low * (
        end**2 / 2 + end * tail + base**2 / ((r - 1) * (r - 2) * alpha**2)
    )
    return mass, first


def _too_small(parameters: Parameters) -> InvalidParameter:
    """The refusal, with the smallest ε at which there are constants."""
    growth, plus = parameters.growth, parameters.least
    with precision(64):
        low = dyadic_down(3 * parameters.log_growth(), 32)
    least = smallest_that(lambda each: _stairs(growth, each, plus) is not None, low)
    rule = "must be so large that the mean can be 0: at least 3·ln(1+alpha) for each worker cell"
    return parameters.refuse_epsilon(rule, least * parameters.cells)
