"""NoisyMaximum: the released grid index of the largest establishment of a workplace cell.

Step 1 of `clipped`, whose proof covers it. A public bound θ follows from the index; all else
here is a function of public numbers, for intervals and predictions.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, sqrt

import numpy as np

from leeward.core.exact import log_growth, precision
from leeward.core.mechanisms.clipping import Clipping
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.size_grid import STEPS
from leeward.core.noise.error import GridWeights, gaussian_weights, laplace_weights
from leeward.core.noise.law import PiecewiseLaw, discrete_laplace
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers, Scales
from leeward.core.noise.tabulated import Floats

MISSED = (1 - COVERAGE) / 2
"""η₁ = η₂: how often the maximum comes out too low, and how often the noise of a sum is larger."""

LARGEST_LOG = 100.0


@dataclass(frozen=True)
class NoisyMaximum:
    """Discrete Laplace noise for `epsilon`, or discrete Gaussian noise where `rho` is above 0."""

    clipping: Clipping
    epsilon: Fraction
    rho: Fraction = Fraction(0)

    def released(self, largest: Integers, noise: Noise) -> Integers:
        """Noisy indices, in the shape of the largest establishments."""
        index = self.clipping.grid.index(largest)
        if self.rho:
            return noise.gaussian(index, self.variance)
        flat = index.ravel()
        return noise.rounded(flat, self.law, Scales(np.ones_like(flat))).reshape(index.shape)

    @property
    def law(self) -> PiecewiseLaw:
        """Noise of indices, which move by at most STEPS between neighbours: rate ε₁/STEPS."""
        return discrete_laplace(STEPS / self.epsilon)

    @property
    def variance(self) -> Fraction:
        """σ² = STEPS²/(2ρ₁)."""
        return STEPS**2 / (2 * self.rho)

    @property
    def kappa(self) -> float:
        """κ: with probability 1−η₁ each establishment keeps at least 1/κ of its jobs.

        With that probability the index is at most t steps too low, and X ≤ Ã·(1+α)^((t+½)/STEPS).
        """
        noise, chance, stride = self._weights()
        lowest = noise[np.flatnonzero(np.cumsum(chance) <= float(MISSED))[-1]]
        grown = exp(min((stride - 1.5 - float(lowest)) * self._step, LARGEST_LOG))
        return max(1.0, grown / float(self.clipping.headroom))

    @property
    def spread(self) -> float:
        """The scale of the noise of ln Ã, a standard deviation where it is Gaussian."""
        steps = sqrt(self.variance) if self.rho else 1 / self.law.pieces[0].rate
        return abs(float(steps)) * self._step

    def has_moment(self, power: int) -> bool:
        """Whether θ to this power has a mean."""
        return bool(self.rho) or float(1 / self.law.pieces[0].rate) * self._step * power < 1

    def expected_theta(self, largest: Integers, unit: float, power: int) -> Floats:
        """E (unit·θ)^power over the noise, in float64."""
        noise, weights, _ = self._weights()
        index, inverse = np.unique(self.clipping.grid.index(largest), return_inverse=True)
        expected = [
            float(weights @ (self.clipping.float_theta(i + noise) * unit) ** power) for i in index
        ]
        return np.array(expected)[inverse].reshape(largest.shape)

    def clipping_loss(self, largest: int) -> float:
        """E(X−θ)⁺ in jobs: what clipping takes from an establishment as large as the largest."""
        index = self.clipping.grid.index(np.array([largest]))
        noise, weights, _ = self._weights()
        return float(weights @ np.maximum(largest - self.clipping.float_theta(index + noise), 0))

    def _weights(self) -> GridWeights:
        if self.rho:
            return gaussian_weights(float(self.variance))
        return laplace_weights(float(self.law.pieces[0].rate))

    @property
    def _step(self) -> float:
        """ln(1+α)/STEPS: how much ln Ã grows from one index to the next."""
        with precision(128):
            return float(log_growth(self.clipping.alpha)) / STEPS
