"""Shared radius: sums over many workplace cells whose worker cells share one radius.

Nothing here is private or needs to be exact: a reader of a bundle knows the law of the radius.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from leeward.core.exact import precision
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.tabulated import Floats
from leeward.core.randomness import SeededBits

POINTS, LEAST = 1 << 10, 1e-18
"""Points at which the law of the radius is tabulated, and the tail that ends them."""

SMOOTH, WIDTHS = 8, 1 << 9
"""Up to how many jobs in the mean a cell's square is added up by job, and at how many widths."""

BITS = 128


@dataclass(frozen=True, eq=False)
class SharedRadius:
    """1/ρ in the place of H: logarithms of radii in falling order, P(ρ above) and masses."""

    dimension: int
    logarithms: Floats
    above: Floats

    @classmethod
    @lru_cache(maxsize=16)
    def of(cls, law: RadialLaw) -> "SharedRadius":
        """From the radius that is hardly ever undercut to the one that is hardly ever exceeded."""
        with precision(BITS):
            ends = [float(law.rare(side, LEAST)) for side in (0, 1)]
            at = np.linspace(*np.log(ends), POINTS)
            above = np.array([float(law.tails(Fraction(radius))[1]) for radius in np.exp(at)])
        return cls(law.dimension, at, above)

    def below(self, h: Floats) -> Floats:
        """P(1/ρ < h)."""
        wanted = -np.log(h)
        tail = np.exp(np.interp(wanted, self.logarithms, np.log(self.above)))
        return np.where(wanted > self.logarithms[-1], 0.0, tail)

    def drawn_below(self, shares: Floats) -> Floats:
        """1/ρ where its distribution function has these values."""
        logs = np.log(np.maximum(shares, self.above[-1]))
        return np.asarray(np.exp(-np.interp(-logs, -np.log(self.above), self.logarithms)))

    def squares(self, scales: Floats, cut: float) -> Floats:
        """E J² where scale·ρ ≤ cut, and 0 beyond, of J = ⌊scale·ρ·D + ½⌋ with its sign.

        Job by job at nodes, and from SMOOTH·p on that of scale·ρ·D.
        """
        at, squares = _squares(self.dimension)
        middles = np.exp((self.logarithms[1:] + self.logarithms[:-1]) / 2)
        masses = self.above[:-1] - self.above[1:]
        wide = scales[:, None] * middles
        large = 2 * wide**2 / (self.dimension * (self.dimension + 1)) + 1 / 12
        each = np.where(wide > at[-1], large, np.interp(wide, at, squares))
        return np.asarray(np.where(wide <= cut, each, 0.0) @ masses)

    def sums(self, columns: int, cells: int, bits: SeededBits, count: int) -> Floats:
        """Sums of coordinates of directions, (columns, count): one direction for all columns."""
        generator = bits.generator
        positive = generator.binomial(cells, 0.5, size=(columns, count))
        up, down = generator.gamma(positive), generator.gamma(cells - positive)
        rest = generator.gamma(max(self.dimension - columns * cells, 0), size=count)
        return np.asarray((up - down) / ((up + down).sum(axis=0) + rest))


@lru_cache(maxsize=16)
def _squares(dimension: int) -> tuple[Floats, Floats]:
    """Σ (2j−1)·P(wide·D > j−½), P(D > t) = (1−t)^(p−1)."""
    at = np.linspace(0.5, SMOOTH * dimension, WIDTHS)
    jobs = np.arange(1, int(at[-1]) + 2)
    squares = np.zeros(WIDTHS)
    for start in range(0, len(jobs), WIDTHS):
        some = jobs[start : start + WIDTHS]
        left = np.maximum(1 - (some - 0.5) / at[:, None], 0.0)
        squares += np.where(left > 0, left ** (dimension - 1), 0.0) @ (2 * some - 1.0)
    return at, squares
