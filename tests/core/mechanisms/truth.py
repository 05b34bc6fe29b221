"""The laws of noise once more, slowly: densities as written on paper, integrated.

The paper is mathematics/slope.md 2 to 4 and mathematics/blocks.md 1. Nothing here comes from the
package. All are at α = 0.1 and ε = 1, in jobs, for 90 jobs of which the largest establishment holds
100; δ = 0.01 where there is one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import exp, inf, log, sqrt

from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar

ALPHA, EPSILON, DELTA = 0.1, 1.0, 0.01
COUNT, LARGEST = 90, 100
GROWTH = log(1 + ALPHA)
S = max(ALPHA * LARGEST, 1)
A = max(LARGEST, 1 / ALPHA)


def integral(f: Callable[[float], float], low: float, high: float) -> float:
    return float(quad(f, low, high, epsabs=0, epsrel=1e-10, limit=400)[0])


@dataclass(frozen=True)
class Density:
    """A density of Z up to a factor, smooth between its kinks, and the scale of its noise."""

    height: Callable[[float], float]
    kinks: tuple[float, ...]
    scale: float

    def weight(self, low: float, high: float, moment: int = 0) -> float:
        inner = [kink for kink in self.kinks if low < kink < high]
        ends = [low, *inner, high]
        return sum(integral(lambda z: z**moment * self.height(z), a, b) for a, b in pairwise(ends))

    def mass(self, low: float, high: float) -> float:
        """P(low < scale·Z < high)."""
        return self.weight(low / self.scale, high / self.scale) / self.weight(-inf, inf)


def slope_at(peak: float) -> Density:
    """The density that saturates both slope conditions, with its peak here."""
    r, b = EPSILON / GROWTH, ALPHA / EPSILON
    left, right, far = min(peak, (r - 1) * b - 1), max(peak, (r + 1) * b - 1), -1 - (r + 1) * b

    def height(z: float) -> float:
        if z >= right:
            return float(exp(-(right - peak) / b) * ((1 + z) / (1 + right)) ** -(r + 1))
        if z >= peak:
            return exp(-(z - peak) / b)
        if z >= left:
            return float(((1 + z) / (1 + peak)) ** (r - 1))
        low = ((1 + left) / (1 + peak)) ** (r - 1)
        if z >= far:
            return float(low * exp((z - left) / b))
        return float(low * exp((far - left) / b) * (abs(1 + z) / abs(1 + far)) ** -(r + 1))

    return Density(height, (far, left, peak, right), A)


@cache
def slope() -> Density:
    """The peak for which E Z = 0."""
    peak = brentq(lambda m: slope_at(m).weight(-inf, inf, 1), -0.5, 0.0, xtol=1e-14)
    return slope_at(float(peak))


def staircase_at(size: float, epsilon: float, left: float, right: float) -> Density:
    """Steps of mathematics/slope.md 4, in jobs, with last levels to (K + ½)S, (J + ½)S."""
    r, b, s, drop = epsilon / GROWTH, ALPHA / epsilon, ALPHA * size, epsilon - GROWTH
    ups = max(1, min(40, int(30 / epsilon + 0.5)))
    downs = max(1, min(ups, int(2 / ALPHA + 0.5)))
    first = max(drop, epsilon - log(size * ALPHA))  # where (*) holds
    rises = [((1 + ALPHA) ** i - 1) * size + max(0.5, right * s * (1 + ALPHA) ** i)
             for i in range(ups)]  # fmt: skip
    falls = [max(0.5, left * s) + j * s for j in range(downs)]
    end, start = ((1 + ALPHA) ** ups * (1 + ALPHA / 2) - 1) * size, (downs + 0.5) * s
    joint = (r - 1) * b

    def tail(w: float, top: float) -> float:
        """Relative to its height at w = top."""
        inner = min(top, joint)
        if w > inner:
            return float((w / top) ** (r - 1))
        low = (inner / top) ** (r - 1) if inner < top else 1.0
        far = min(inner, -joint)
        if w > far:
            return float(low * exp((w - inner) / b))
        return float(low * exp((far - inner) / b) * (abs(w) / abs(far)) ** (1 - r))

    def height(y: float) -> float:
        if y >= end:
            return float(exp(-epsilon * ups) * ((size + y) / (size + end)) ** -r)
        if y >= -falls[0]:
            return exp(-epsilon * sum(y > edge for edge in rises))
        level = exp(-first - drop * (sum(-y > edge for edge in falls) - 1))
        return level if y > -start else level * tail(1 + y / size, 1 - start / size)

    kinks = {*rises, end, *(-f for f in falls), -start, size * (joint - 1), size * (-joint - 1)}
    return Density(height, tuple(sorted(kinks)), 1.0)


@cache
def staircase() -> Density:
    """The left edge for which E Z = 0 beside a right edge of 1521/4096."""
    right = 1521 / 4096

    def mean(left: float) -> float:
        return staircase_at(A, EPSILON, left, right).weight(-inf, inf, 1)

    return staircase_at(A, EPSILON, float(brentq(mean, 0.3, 0.5, xtol=1e-11)), right)


@cache
def quartic(multiple: float) -> Density:
    return Density(lambda z: 1 / (1 + z**4), (-1.0, 0.0, 1.0), multiple * S)


def laplace(scale: float) -> Density:
    return Density(lambda z: exp(-abs(z)), (0.0,), scale)


def hockey_stick(u: float) -> float:
    """δ at ε between Laplace(u, 1+α) and Laplace(0, 1), the one above e^ε times the other."""
    rho = 1 + ALPHA

    def excess(z: float) -> float:
        wide = exp(-abs(z - u) / rho) / (2 * rho)
        return max(0.0, wide - exp(EPSILON) * exp(-abs(z)) / 2)

    ends = [-400.0, -60.0, -20.0, -10.0, 0.0, u, 10.0, 20.0, 60.0, 400.0]
    return sum(float(quad(excess, a, b, epsabs=1e-13, limit=400)[0]) for a, b in pairwise(ends))


@cache
def tight_smooth_laplace() -> Density:
    top = min(EPSILON, (1 + ALPHA) * (EPSILON - GROWTH))
    fits = hockey_stick(top) <= DELTA
    u = top if fits else float(brentq(lambda v: hockey_stick(v) - DELTA, 0.0, top))
    return laplace(S / u)


def pareto_step(k: float) -> float:
    """The largest t that the theorem of mathematics/blocks.md 1 allows for one cell."""
    shift = exp(EPSILON / (1 + k)) - 1
    both = (1 + ALPHA) * (exp((EPSILON - GROWTH) / (1 + k)) - 1)
    return min(shift, both)


@cache
def pareto() -> Density:
    """k and t with the smallest expected error S/(t(k−1))."""
    best = minimize_scalar(
        lambda k: -pareto_step(k) * (k - 1), bounds=(1.0, EPSILON / GROWTH), method="bounded"
    )
    k = max(float(best.x), EPSILON / GROWTH, key=lambda v: pareto_step(v) * (v - 1))
    return Density(lambda z: (1 + abs(z)) ** -(k + 1), (0.0,), S / pareto_step(k))


@cache
def radial() -> Density:
    """F rises by ε, before 1/α by no more than (r−1)/(1/α−ρ), and by (r+1)/(1/α+ρ) far out."""
    r, far = EPSILON / GROWTH, 1 / ALPHA
    first, second = far - (r - 1) / EPSILON, (r + 1) / EPSILON - far

    def height(z: float) -> float:
        radius = abs(z)
        fall = (r - 1) * log(1 - ALPHA * min(radius, first))
        fall -= EPSILON * (min(max(radius, first), second) - first)
        fall -= (r + 1) * log((far + max(radius, second)) / (far + second))
        return exp(fall)

    return Density(height, (-second, -first, 0.0, first, second), S)


@dataclass(frozen=True)
class LogLaplace:
    """⌊c·(n+1/α)·e^η − 1/α + ½⌋ − n with η Laplace of this scale."""

    s: float
    unbiased: bool

    def mass(self, low: float, high: float) -> float:
        (below, above), (low_below, low_above) = self.tails(high), self.tails(low)
        return low_above - above if low_above < low_below else below - low_below

    def tails(self, noise: float) -> tuple[float, float]:
        factor = 1 - self.s**2 if self.unbiased else 1.0
        grown = (COUNT + noise + 1 / ALPHA) / (factor * (COUNT + 1 / ALPHA))
        eta = log(grown) / self.s if grown > 0 else -inf
        near = exp(-abs(eta)) / 2
        return (1 - near, near) if eta > 0 else (near, 1 - near)


@dataclass(frozen=True)
class Geometric:
    """Discrete Laplace: P(j) ∝ exp(−|j|/scale)."""

    scale: float

    def mass(self, low: float, high: float) -> float:
        whole = range(round(low + 0.5), round(high + 0.5))
        q = exp(-1 / self.scale)
        return sum(q ** abs(j) for j in whole) * (1 - q) / (1 + q)


Truth = Density | LogLaplace | Geometric

TRUTHS: dict[str, Callable[[], Truth]] = {
    "slope": slope,
    "staircase": staircase,
    "log_laplace": lambda: LogLaplace(GROWTH / EPSILON, unbiased=True),
    "log_laplace published": lambda: LogLaplace(2 * GROWTH / EPSILON, unbiased=False),
    "smooth_gamma": lambda: quartic(27**0.25 / (EPSILON - 3 * GROWTH)),
    "smooth_gamma published": lambda: quartic(16 / EPSILON),
    "smooth_laplace": tight_smooth_laplace,
    "smooth_laplace published": lambda: laplace(S * 2 / EPSILON),
    "vector_pareto": pareto,
    "radial_slope": radial,
    "edge_laplace": lambda: Geometric(1 / EPSILON),
    "node_laplace": lambda: Geometric(200 / EPSILON),
    "scale": lambda: Geometric(32 / EPSILON),
}

ROOT_HALF = sqrt(0.5)
