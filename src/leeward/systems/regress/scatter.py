"""Scatter: the people of a cell as points, their least-squares line, and what one point does to it.

Formulas are proved in mose.proof.md.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import inf, nan, sqrt

import numpy as np
from numpy.polynomial import Polynomial

from leeward.core.codebook.cells import Floats
from leeward.core.errors import InvalidParameter, shown


@dataclass(frozen=True)
class Estimand:
    """level · intercept + rank · slope of a line; in nature between `low` and `high`."""

    name: str
    level: float
    rank: float
    low: float
    high: float


def prediction(rank: float) -> Estimand:
    """The height of the line at a rank: p25 at 0.25."""
    if not 0 <= rank <= 1:
        raise InvalidParameter(
            "rank",
            rule="must be a share from 0 to 1",
            value=shown(rank),
            next_step="Give for example 0.25.",
        )
    return Estimand(f"p{100 * rank:g}", 1.0, rank, 0.0, 1.0)


SLOPE = Estimand("slope", 0.0, 1.0, -1.0, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class ScaledPoints:
    """Points with x in [0, 1] and y in [low, high]; winsorising narrows the range of y."""

    x: Floats
    y: Floats
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        inside = np.all((self.x >= 0) & (self.x <= 1)) and np.all(
            (self.y >= self.low) & (self.y <= self.high)
        )
        if self.x.shape != self.y.shape or self.x.ndim != 1 or not inside:
            raise InvalidParameter(
                "x, y",
                rule=f"must be as many, x from 0 to 1 and y from {self.low:g} to {self.high:g}",
                value="other arrays (not shown)",
                next_step="Give ranks as shares, or move values outside to the ends.",
            )

    @cached_property
    def fit(self) -> "LeastSquares":
        """The least-squares line, in floats; without two different x it has no slope."""
        n = self.x.size
        mean, level = (float(one.mean()) if n else nan for one in (self.x, self.y))
        across, up = self.x - mean, self.y - level
        spread = float(across @ across)
        slope = float(across @ up) / spread if spread > 0 else nan
        rest = up - slope * across
        return LeastSquares(
            n, mean, spread, level, slope, float(rest @ rest) / (n - 2) if n > 2 else nan
        )

    def winsorised(self, low: float, high: float) -> "ScaledPoints":
        """The same with y moved into [low, high], as a person who is added would be."""
        return replace(self, y=np.clip(self.y, low, high), low=low, high=high)

    def corner_sensitivity(self, of: Estimand) -> float:
        """The largest change that a point added at a corner of [0, 1] × [low, high] makes.

        Not the local sensitivity: a removal, or a point inside, may do more.
        """
        corners = product((0.0, 1.0), (self.low, self.high))
        return max(abs(self.fit.added(of, x, y)) for x, y in corners)

    def local_sensitivity(self, of: Estimand) -> float:
        """The largest change that adding any point or removing one makes; inf if no line is left.

        The change by (x, y) is linear in y, so y is at an end; in x it is a quotient of quadratic
        polynomials, whose stationary points are the roots of a polynomial.
        """
        if not self.fit.exists:
            return nan
        fit = self.fit
        across = self.x - fit.mean
        rest = self.y - fit.level - fit.slope * across
        weight = of.level / fit.count + (of.rank - of.level * fit.mean) * across / fit.spread
        left = 1 - 1 / fit.count - across**2 / fit.spread
        alone = left < 1e-12  # all others lie at one x
        removed = np.where(alone, inf, -rest * weight / np.where(alone, 1, left))
        return max(self._added(of), float(np.max(np.abs(removed))))

    def _added(self, of: Estimand) -> float:
        fit, across = self.fit, Polynomial([0, 1])
        weight = of.level / fit.count + (of.rank - of.level * fit.mean) / fit.spread * across
        grown = 1 + 1 / fit.count + across**2 / fit.spread
        largest = 0.0
        for y in (self.low, self.high):
            change = (y - fit.level - fit.slope * across) * weight
            roots = (change.deriv() * grown - change * grown.deriv()).roots()
            inside = [float(root.real) + fit.mean for root in roots if abs(root.imag) < 1e-12]
            places = (0.0, 1.0, *(x for x in inside if 0 < x < 1))
            largest = max(largest, *(abs(fit.added(of, x, y)) for x in places))
        return largest


@dataclass(frozen=True)
class LeastSquares:
    """A least-squares line: N, mean and Σ(x−mean)² of x, mean of y, slope, residual variance."""

    count: int
    mean: float
    spread: float
    level: float
    slope: float
    residual: float

    @property
    def exists(self) -> bool:
        """Whether there are two different x."""
        return self.spread > 0

    def estimate(self, of: Estimand) -> float:
        """The estimand on this line."""
        return of.level * self.level + (of.rank - of.level * self.mean) * self.slope

    def standard_error(self, of: Estimand) -> float:
        """The usual one of least squares; nan with fewer than three points."""
        if not self.exists:
            return nan
        height = of.level**2 / self.count + (of.rank - of.level * self.mean) ** 2 / self.spread
        return sqrt(self.residual * height)

    def added(self, of: Estimand, x: float, y: float) -> float:
        """How much the estimand changes if the point (x, y) is added: residual · weight/(1+h)."""
        if not self.exists:
            return nan
        across = x - self.mean
        weight = of.level / self.count + (of.rank - of.level * self.mean) * across / self.spread
        leverage = 1 / self.count + across**2 / self.spread
        return (y - self.level - self.slope * across) * weight / (1 + leverage)

    def envelope_bound(self, of: Estimand, reach: float) -> float:
        """N times the corner sensitivity is at most this, whatever y in a range of `reach` is.

        reach · max|N·weight| · (1 + √c)/2, both maxima at x = 0 or 1, with c = N·leverage. It
        reads x alone, and through mean and variance only: N itself falls out.
        """
        if not self.exists:
            return nan
        variance, tilt = self.spread / self.count, of.rank - of.level * self.mean
        ends = (-self.mean, 1 - self.mean)
        weight = max(abs(of.level + tilt * end / variance) for end in ends)
        leverage = 1 + max(end**2 for end in ends) / variance
        return reach * weight * (1 + sqrt(leverage)) / 2
