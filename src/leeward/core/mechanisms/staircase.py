"""Staircase: n + A·Z with a density of steps, for workplace tables. Proof in staircase.proof.md.

Between two steps the density is flat, and each step is as high as ε allows: joiners move a released
number by at most one step. Beyond the steps it falls as slowly as `slope` does.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import ball, dyadic_down, dyadic_up, precision
from leeward.core.mechanisms.additive import Additive, extremes
from leeward.core.mechanisms.calibrated import Claims, Words
from leeward.core.mechanisms.parameters import MOST_EPSILON, Parameters
from leeward.core.mechanisms.stairs import BITS, HALF, MOST_STEPS, NEGLIGIBLE, Stairs, _law
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.scales import Integers, LawByScale, Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import StrongAlpha, WeakAlpha

MOST_ALPHA = 2
"""Beyond it one step could pass the next on the left; staircase.proof.md, (L)."""


EDGES = np.arange(64, 4097) / 8192
"""Candidates for c_r; a smaller one would need more laws than it saves noise."""

EDGE_BITS = 32
SIZES, REACHES = 48, np.geomspace(1e-4, 1e4, 1 << 14)
"""Where the coverage of margins is computed: at so many sizes, and reaches in units of S."""


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
        if parameters.growth > MOST_ALPHA:
            raise InvalidParameter(
                "alpha",
                rule=f"must be at most {MOST_ALPHA} for {cls.name}",
                value=shown(parameters.growth),
                next_step="Take a smaller alpha, or use slope.",
            )
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
        reached = np.searchsorted(REACHES, z / float(self.parameters.growth), side="right")
        covered: Floats = np.concatenate([[0.0], _envelope(self.stairs)])[reached]
        return covered

    def extremes(self, tail: Fraction) -> tuple[float, float]:
        """The farthest over all sizes."""
        laws = [self.law, *(_law(self.stairs, size) for size in _sizes(self.stairs))]
        low, high = zip(*(extremes(law, float(tail)) for law in laws), strict=True)
        return min(low), max(high)


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
    mass, first = _right_side(stairs)
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


def _right_side(stairs: Stairs) -> tuple[Floats, Floats]:
    """Mass and first moment right of zero for each candidate c_r, by parts."""
    alpha, r = float(stairs.growth), float(stairs.order)
    powers = [(1 + stairs.growth) ** i for i in range(stairs.up + 1)]
    grown = np.array([float(power) for power in powers])
    gone = np.array([float((power - 1) / stairs.growth) for power in powers])
    heights = np.exp(-float(stairs.epsilon) * np.arange(len(grown)))
    falls, low = -np.diff(heights), heights[-1]
    edges = gone[:-1] + EDGES[:, None] * grown[:-1]
    end = gone[-1] + grown[-1] / 2
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
    high = 2 * low
    while high < MOST_EPSILON and _stairs(growth, high, plus) is None:
        low, high = high, 2 * high
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if _stairs(growth, middle, plus) is None else (low, middle)
    rule = "must be so large that the mean can be 0: at least 3·ln(1+alpha) for each worker cell"
    return parameters.refuse_epsilon(rule, high * parameters.cells)


def _sizes(stairs: Stairs) -> list[Fraction]:
    """Sizes below that from which one law serves all."""
    first, last = int(stairs.least) + 1, int(stairs.large)
    between = np.unique(np.geomspace(first, max(first, last), SIZES).round())
    return [stairs.least, *(Fraction(int(x)) for x in between)]


@lru_cache(maxsize=64)
def _envelope(stairs: Stairs) -> Floats:
    """The smallest P(|Z| ≤ z) over sizes; half a job is within every margin, as J is then 0."""
    reaches = REACHES * float(stairs.growth)
    law = _law(stairs, stairs.large)
    tails = law.float_tails(-reaches)[0], law.float_tails(reaches)[1]
    smallest: Floats = 1 - tails[0] - tails[1]
    for x in _sizes(stairs):
        smallest = np.minimum(smallest, _covered(stairs, x, reaches, tails))
    return smallest


def _covered(stairs: Stairs, x: Fraction, reaches: Floats, tails: tuple[Floats, Floats]) -> Floats:
    """P(|Z| ≤ z) at A = x, z at least half a job: what `within` of the law at x is, in less time.

    Flat pieces are added up, in units of the height around zero. The tails are multiples of those
    at large sizes, which are given.
    """
    exact = (stairs.start, *stairs.edges_left(x), *stairs.edges_right(x))
    edges = np.array([float(edge) for edge in exact])
    rises = [float(stairs.drop)] * (stairs.down - 1) + [float(stairs.first_drop(x))]
    falls = np.cumsum([-sum(rises), *rises, *[-float(stairs.epsilon)] * stairs.up])
    heights = np.exp(falls)
    left, right = (
        mass * heights[at] for mass, at in zip(_tail_masses(stairs), (0, -1), strict=True)
    )
    sums = left + np.cumsum([0.0, *(heights * np.diff(edges))])
    whole = sums[-1] + right
    z = np.maximum(reaches, 0.5 / float(x))
    first, last = _law(stairs, stairs.large).float_tails(edges[[0, -1]])
    far_left, far_right = (
        tail * (own / whole / large if large else 0.0)  # nothing is left of tails below e^−700
        for tail, own, large in zip(tails, (left, right), (first[0], last[1]), strict=True)
    )
    below = np.where(z > -edges[0], far_left, np.interp(-z, edges, sums / whole))
    above = np.where(z > edges[-1], far_right, 1 - np.interp(z, edges, sums / whole))
    covered: Floats = 1 - below - above
    return covered


@lru_cache(maxsize=64)
def _tail_masses(stairs: Stairs) -> tuple[float, float]:
    """The mass of each tail in units of the height at which it starts."""
    with precision(128):
        left = float(stairs.tail_mass()[0]) * float(stairs.growth)
    end = float(stairs.edges_right(stairs.large)[-1])
    return left, (1 + end) / (float(stairs.order) - 1)
