"""Clipping to a public bound θ, on a lattice, in whole numbers: steps 1 and 2 of `clipped`.

`clipped.proof.md` covers both. Confidential numbers are read by `NoisyMaximum.released` (step 1),
which draws, and by `scaled`, `clip` and `sums` (step 2). All else here is a function of
released numbers and public constants, for intervals and predictions.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, sqrt

import numpy as np

from leeward.core.codebook import Entries
from leeward.core.exact import ball, exact_value, log_growth, precision
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.scale import STEPS, SizeGrid
from leeward.core.noise.error import GridWeights, gaussian_weights, laplace_weights
from leeward.core.noise.law import PiecewiseLaw, discrete_laplace
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers, Scales
from leeward.core.noise.tabulated import Floats

FINENESS = 1000
MOST_THETA = 2**30


@dataclass(frozen=True)
class Clipping:
    """How establishments of one workplace cell are scaled down to at most θ jobs.

    Bounds and clipped counts are in lattice points, `lattice` to a job. θ is `headroom` times the
    released maximum. `plus` is the Δ of the noise.
    """

    alpha: Fraction
    cells: int
    plus: Fraction = Fraction(1)
    headroom: Fraction = Fraction(1)

    @property
    def lattice(self) -> int:
        """A power of two, so fine that the allowance for flooring is below 1/1000 of Δ₁."""
        return 1 << (FINENESS * self.cells - 1).bit_length()

    @property
    def grid(self) -> SizeGrid:
        """The public grid on which the largest establishment is released."""
        return SizeGrid(self.alpha, self.plus)

    @cached_property
    def least(self) -> Fraction:
        """Δ(1/α + 1): below it Δ joiners could move a clipped cell by more than αθ/(1+α)."""
        return self.plus * (1 / self.alpha + 1)

    @cached_property
    def most(self) -> int:
        """The largest θ: a fixed bound beyond any establishment."""
        return max(MOST_THETA, _ceiling(self.least)) * self.lattice

    def theta(self, index: Integers) -> Integers:
        """θ of each released index: max(headroom·Ã, Δ(1/α + 1)), at most a fixed bound.

        It is rounded up to the lattice.
        """
        unique, inverse = np.unique(index, return_inverse=True)
        known, least, most = self._known, _ceiling(self.least * self.lattice), self.most
        with precision(192):
            step, end = log_growth(self.alpha) / (2 * STEPS), ball(most).log()
            unit = ball(self.headroom * self.lattice)
            for number in (number for number in unique.tolist() if number not in known):
                power = step * (2 * number + 1)
                if power > end:
                    known[number] = most
                else:
                    size = int(exact_value((unit * power.exp()).upper().ceil()))
                    known[number] = min(max(size, least), most)
        values = [known[number] for number in unique.tolist()]
        return np.array(values, dtype=np.int64)[inverse].reshape(index.shape)

    def theta_of(self, index: int) -> int:
        """That of one index."""
        return int(self.theta(np.array([index]))[0])

    @cached_property
    def _known(self) -> dict[int, int]:
        """θ by index: all workplace cells of all batches share one public grid."""
        return {}

    def float_theta(self, index: Integers) -> Floats:
        """θ in jobs and float64, for predictions."""
        with np.errstate(over="ignore"):
            sizes = self.grid.sizes(index) * float(self.headroom)
        return np.clip(sizes, float(self.least), max(MOST_THETA, float(self.least)))

    def sums(self, entries: Entries, theta: Integers) -> Integers:
        """Clipped lattice points (workplaces, cells), one θ a workplace cell.

        What a release adds noise to, and what the auditor examines: there is no other clipping.
        """
        place, sizes = entries.workplace[entries.row], entries.sizes[entries.row]
        clipped = self.clip(entries.counts[:, None], sizes, theta[place])[:, 0]
        sums = np.zeros((theta.size, self.cells), dtype=np.int64)
        np.add.at(sums, (place, entries.cell), clipped)
        return sums

    def clip(self, counts: Integers, sizes: Integers, theta: Integers) -> Integers:
        """⌊lattice·c·min(1, θ/|E|)⌋ for every cell of every establishment."""
        clipped = counts * self.lattice
        above = sizes * self.lattice > theta
        clipped[above] = scaled(counts[above], theta[above, None], sizes[above, None])[0]
        return clipped

    def reach(self, theta: int) -> Fraction:
        """αθ/(1+α): the most that any one cell can move before flooring."""
        return theta * self.alpha / (1 + self.alpha)

    def moved(self, theta: Integers) -> Integers:
        """Δ₁: 2αθ/(1+α) (once for a single cell), and one lattice point a cell for flooring."""
        unique, inverse = np.unique(theta, return_inverse=True)
        above, below = self.moved_share.numerator, self.moved_share.denominator
        values = [value * above // below + self.cells for value in unique.tolist()]
        return np.array(values, dtype=np.int64)[inverse].reshape(theta.shape)

    @property
    def moved_share(self) -> Fraction:
        """What of θ one step moves before flooring; a known-bad twin says less."""
        return min(self.cells, 2) * self.alpha / (1 + self.alpha)


def scaled(counts: Integers, theta: Integers, sizes: Integers) -> tuple[Integers, Integers]:
    """Quotient and remainder of c·θ/|E|, also where the product has more than 64 bits."""
    counts, theta, sizes = np.broadcast_arrays(counts, theta, sizes)
    # c ≤ |E| is not assumed: only that the product fits.
    short = counts < 2**62 // np.maximum(theta, 1)
    quotient, remainder = np.divmod(np.where(short, counts, 0) * theta, sizes)
    for at in zip(*np.nonzero(~short), strict=True):
        quotient[at], remainder[at] = divmod(int(counts[at]) * int(theta[at]), int(sizes[at]))
    return quotient, remainder


def _ceiling(number: Fraction) -> int:
    return -(-number.numerator // number.denominator)


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
