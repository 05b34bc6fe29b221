"""Row counts: rows of one table by the codes of some columns, for several sets of columns.

Proof in row_counts.proof.md. One row more is one more in one cell of every set, so the sets share
the price. Nothing else is protected: no employer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import pi, sqrt
from typing import ClassVar

import numpy as np

from leeward.core.exact import SLACK
from leeward.core.noise.law import laplace
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers, Scales
from leeward.core.privacy import Guarantee

LAPLACE, GAUSSIAN = "rounded Laplace", "discrete Gaussian"
FINE = 10**6
"""Shares are whole numbers over their sum; the largest one is about this number."""


def shares(weights: Sequence[float]) -> tuple[Fraction, ...]:
    """Exact parts of one that are proportional to public weights, to six digits."""
    most = max(weights, default=1.0)
    whole = [max(1, round(FINE * weight / most)) for weight in weights]
    return tuple(Fraction(number, sum(whole)) for number in whole)


@dataclass(frozen=True)
class RowCounts:
    """Noisy counts of several sets of columns; `parts` are what each has of the price.

    The price is an ε, paid for by Laplace noise, or a ρ, paid for by Gaussian noise.
    """

    name: ClassVar[str] = "row_counts"

    price: Guarantee
    parts: tuple[Fraction, ...]

    @classmethod
    def calibrated(cls, price: Guarantee, cells: Sequence[int]) -> "RowCounts":
        """Parts for the least sum of absolute errors over all cells.

        That is Σ cells·σ, σ ∝ 1/ε or 1/√ρ: ε ∝ cells^½ and ρ ∝ cells^⅔ (Lagrange).
        """
        power = 1 / 2 if price.measure == "pure" else 2 / 3
        return cls(price, shares([cell**power for cell in cells]))

    @property
    def law(self) -> str:
        """The law of the noise in words."""
        return LAPLACE if self.price.measure == "pure" else GAUSSIAN

    @property
    def scales(self) -> tuple[Fraction, ...]:
        """Of each set: the scale 1/ε of Laplace noise, or the variance 1/2ρ of Gaussian noise."""
        loss = self.price.amount * (1 - SLACK)
        factor = 1 if self.law == LAPLACE else 2
        return tuple(1 / (factor * loss * part) for part in self.parts)

    @property
    def deviations(self) -> tuple[float, ...]:
        """The standard deviation of the noise of each set; public."""
        if self.law == LAPLACE:
            return tuple(sqrt(2) * float(scale) for scale in self.scales)
        return tuple(sqrt(scale) for scale in self.scales)

    @property
    def errors(self) -> tuple[float, ...]:
        """The mean absolute noise of a cell of each set; public."""
        factor = 1 / sqrt(2) if self.law == LAPLACE else sqrt(2 / pi)
        return tuple(factor * deviation for deviation in self.deviations)

    def release(self, counts: Sequence[Integers], noise: Noise) -> tuple[Integers, ...]:
        """Noisy counts of every set, in the shape of the counts."""
        noisy = []
        for table, scale in zip(counts, self.scales, strict=True):
            if self.law == GAUSSIAN:
                noisy.append(noise.gaussian(table, scale))
            else:
                ones = Scales(np.ones(table.size, np.int64), factor=scale)
                noisy.append(noise.rounded(table.ravel(), laplace(), ones).reshape(table.shape))
        return tuple(noisy)
