"""Contrast: the public law of a weighted sum of noise, some cells with one weight and some with
another, from which ends of percentiles and margins of flows follow. In float64, no draws.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, lgamma, log, sqrt
from statistics import NormalDist

import numpy as np

from leeward.core.noise.tabulated import Floats

POINTS = 1 << 14
"""Points of a table of tails; it ends where exp(−FAR) is left."""

FAR = 60.0
HAIR = 1e-5
"""What tables and interpolation may err: added to the level of every test."""

NODES = 201
"""Points of the integral over ln H, whose integrand falls off faster than exponentially."""

BINS = 1 << 12
WIDEST = 1e30
"""Largest critical value that is looked for."""


@dataclass(frozen=True)
class Contrast:
    """a·(Z_1 + … + Z_m) − b·(Z'_1 + … + Z'_n): the noise of m cells against that of n others."""

    a: float
    m: int
    b: float
    n: int

    @property
    def deviation(self) -> float:
        """The standard deviation where each Z has the variance 1."""
        return sqrt(self.m * self.a**2 + self.n * self.b**2)

    @property
    def weight(self) -> float:
        """The sum of all weights without signs: what an error of 1 in each cell adds at most."""
        return self.m * self.a + self.n * self.b

    @property
    def whole(self) -> bool:
        """Whether all weights are 1, so that it is whole where the noise of each cell is."""
        return (self.a == 1 or not self.m) and (self.b == 1 or not self.n)

    def geometric(self, tail: float, rate: float) -> float:
        """What it is above with at most this probability where Z is ∝ e^(−rate·|j|), whole.

        By masses on a circle on which nothing is left of their tails; the weights must be 1.
        """
        cells = self.m + self.n
        reach = ceil((FAR + 5 * cells) / rate)
        size = 1 << (2 * reach + 1).bit_length()
        at = np.arange(size)
        one = np.exp(-rate * np.minimum(at, size - at))
        masses = np.fft.irfft(np.fft.rfft(one / one.sum()) ** cells, size)
        above = np.cumsum(masses[reach:0:-1])[::-1]  # P(V > j) at j = 0, 1, …
        return float(np.argmax(above <= tail - HAIR))

    def normal(self, tail: float) -> float:
        """What it is above with this probability where the noise is standard normal."""
        return self.deviation * NormalDist().inv_cdf(1 - tail)

    def laplace(self, tail: float, rates: "Rates | None" = None) -> float:
        """What it is above with at most this probability where Z = L/G, one G for all cells.

        L are independent Laplace draws; without `rates` G is 1. Infinite where no number will do.
        """
        at, tails = _laplace_tails(self)
        factors, chances = (np.ones(1), np.ones(1)) if rates is None else (rates.at, rates.chances)

        def missed(c: float) -> float:
            return float(chances @ np.interp(c * factors, at, tails, right=0.0))

        low, high = 0.0, self.deviation
        while missed(high) > tail - HAIR:
            low, high = high, 2 * high
            if high > WIDEST:
                return np.inf
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if missed(middle) <= tail - HAIR else (middle, high)
        return high


@lru_cache(maxsize=4096)
def _laplace_tails(contrast: Contrast) -> tuple[Floats, Floats]:
    """P(V > v) of V = a·ΣL − b·ΣL' at the points of a table, by its characteristic function.

    The Fourier series of the law wrapped around a circle on which nothing is left of its tails.
    """
    a, b = contrast.a, contrast.b
    reach = FAR * max(a, b) + 10 * contrast.deviation
    k = np.arange(1, POINTS // 2)
    u = np.pi * k / reach
    power = np.exp(-contrast.m * np.log1p((a * u) ** 2) - contrast.n * np.log1p((b * u) ** 2))
    terms = np.zeros(POINTS)
    terms[1 : POINTS // 2] = power / k
    at = 2 * reach * np.arange(POINTS // 2) / POINTS
    below = at / (2 * reach) - np.fft.rfft(terms).imag[: POINTS // 2] / np.pi
    return at, np.clip(0.5 - below, 0.0, 0.5)


@dataclass(frozen=True, eq=False)
class Rates:
    """Values that G takes, with their chances; each stands for itself and what is just above."""

    at: Floats
    chances: Floats

    @classmethod
    def gamma(
        cls, shape: int, chances: Floats | None = None, times: Floats | None = None
    ) -> "Rates":
        """G = H·R with H ~ Gamma(shape) and R one of `times` with these chances; without them 1.

        The trapezoidal rule in ln H, as in the margins of a block.
        """
        wide = 12 / sqrt(shape)
        t = np.linspace(log(shape) - wide - 45 / shape, log(shape) + wide, NODES)
        weight = np.exp(shape * t - np.exp(t) - lgamma(shape))
        weight /= weight.sum()
        logs = np.zeros(1) if times is None else np.log(times)
        held = np.ones(1) if chances is None else chances
        both = t[:, None] + logs
        least = both.min()
        step = max((both.max() - least) / BINS, 1e-12)
        places = ((both - least) / step).astype(np.int64)
        found = np.bincount(places.ravel(), np.outer(weight, held).ravel(), minlength=BINS)
        kept = np.flatnonzero(found)
        at = np.exp(np.minimum(least + kept * step, 300.0))
        return cls(at, found[kept].astype(np.float64))
