"""UnitTails: the tails of an error in units of its released width, rounded up."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from leeward.core.noise.law import Normal
from leeward.core.noise.scales import CellNoise
from leeward.core.noise.tabulated import Floats

OCTAVES, EACH = (-24, 64), 32
"""First and last power of two of the points of a table of tails, and their number in an octave."""


HAIR = 1e-3
"""What lines between points may err, as a share of a tail."""


LEAST = 1e-280
"""Smallest tail that is told from 0."""


WIDTHS = np.linspace(-40.0, 40.0, 1601)
"""Points of the logarithm of a noisy width, in units of its spread."""


FINE, HALVES = 4, 40
"""Points of an error for each halving of its tail, and the halvings."""


@dataclass(frozen=True)
class NoisyWidth:
    """A width that was released with noise of its own: ln(true/released) is at most
    spread·L + step, L Laplace."""

    spread: float
    step: float


@dataclass(frozen=True, eq=False)
class UnitTails:
    """P(X ≤ −x) and P(X ≥ x) of an error in units of its released width, at points x ≥ 0."""

    points: Floats
    logarithms: Floats

    @classmethod
    def of(cls, tails: Floats) -> "UnitTails":
        """Of tails (2, points) at the usual points."""
        return cls(_points(), np.log(np.clip(tails * (1 + HAIR), LEAST, 1.0)))

    def beyond(self, x: Floats, *, upper: bool) -> Floats:
        """P(X ≥ x), or P(−X ≥ x); of any sign."""
        near = np.interp(np.maximum(x, 0.0), self.points, self.logarithms[int(upper)])
        other = np.interp(np.maximum(-x, 0.0), self.points, self.logarithms[1 - int(upper)])
        # A table that is rounded up is rounded down where it is taken from 1.
        rest = 1 - np.exp(other) / (1 + HAIR) ** 2
        return np.asarray(np.where(x > 0, np.exp(near), rest))

    def quantiles(self, shares: Floats, *, upper: bool) -> Floats:
        """x ≥ 0 whose tail is at most about these shares."""
        tails = self.logarithms[int(upper)][::-1]
        return np.asarray(np.interp(np.log(shares), tails, self.points[::-1]))

    def parts(self, coarse: int, *, upper: bool) -> tuple[Floats, Floats]:
        """Points of X, or −X, and the chance of each: every error counts as the point above it.

        The last point is without end.
        """
        shares = np.exp2(-np.arange(FINE, FINE * HALVES, coarse) / FINE)
        below = -self.quantiles(shares[shares > 2.0**-10][::-1], upper=not upper)
        points = np.unique(np.concatenate([below, self.quantiles(shares, upper=upper)]))
        above = self.beyond(points, upper=upper)
        return np.append(points, np.inf), -np.diff(np.concatenate([[1.0], above, [0.0]]))


@lru_cache(maxsize=1)
def _points() -> Floats:
    low, high = OCTAVES
    return np.concatenate([[0.0], np.exp2(np.arange(low * EACH, high * EACH + 1) / EACH)])


@lru_cache(maxsize=32)
def unit_tails(noise: CellNoise, noisy: NoisyWidth | None) -> UnitTails:
    """Of Z, of ln(1+Z) where noise is relative, and of Z times e^(spread·L + step)."""
    law, x = Normal() if noise.law is None else noise.law, _points()
    low, high = (np.expm1(-x), np.expm1(np.minimum(x, 600.0))) if noise.relative else (-x, x)
    with np.errstate(divide="ignore", over="ignore"):
        own = UnitTails.of(np.stack([law.float_tails(low)[0], law.float_tails(high)[1]]))
    if noisy is None or not noisy.spread:
        return own
    grown = np.exp(noisy.spread * WIDTHS[1:] + noisy.step)
    half = np.exp(-np.abs(WIDTHS)) / 2
    above = np.where(WIDTHS < 0, 1 - half, half)
    chances = -np.diff(np.append(above, 0.0))
    chances[0] += 1 - above[0]
    factors = np.append(grown, np.inf)
    tails = np.zeros((2, len(x)))
    for side in (0, 1):
        for factor, chance in zip(factors, chances, strict=True):
            tails[side] += chance * own.beyond(x / factor, upper=bool(side))
    return UnitTails.of(tails)
