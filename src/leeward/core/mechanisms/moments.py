"""Moments: the five sums of a regression of y on x, with noise, for every cell.

Proof in moments.proof.md. On the lattice a = u/G, b = v/G of [−1, 1] the sums are N, Σa, Σ(a²−½),
Σb and Σab. They are counted in the unit 2G², in which all five are whole. In L1 a row is at most
4.5 long, and two rows are at most 5 apart.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from leeward.core.exact import Number
from leeward.core.mechanisms.clipping import Clipping, NoisyMaximum
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.split import ErrorWeights, bound_for
from leeward.core.noise.law import laplace
from leeward.core.noise.noise_source import Noise, secret
from leeward.core.noise.scales import Integers, Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee, WorkerOnly

LATTICE = 1000
"""G, a public constant: values are counted in thousandths of half their range."""

UNIT = 2 * LATTICE**2
"""In this unit all five sums are whole numbers."""

SUMS = 5
RADIUS = Fraction(9, 2)
"""The L1 norm of one row at most."""

DIAMETER = Fraction(5)
"""The L1 distance of two rows at most."""

WEIGHTS = ErrorWeights(noise=float(DIAMETER), lost=1.0)
"""What the bound on establishments is chosen for: noise of 5·βθ/ε₂, rows that clipping takes."""

MIDDLE = 2**60
"""Added before the noise and taken off again: noise is added to whole numbers from 0 on."""


def lattice_points(values: Floats, low: Fraction, high: Fraction) -> Integers:
    """u = ⌊2G·(value−low)/(high−low) + ½⌋ − G in float64; what lies outside is moved to the end.

    A row's point depends on that row and on public numbers alone, so it does not matter for
    privacy that float64 rounds.
    """
    with np.errstate(over="ignore"):
        share = np.clip((values - float(low)) / float(high - low), 0.0, 1.0)
    share[np.isnan(share)] = 0.0  # such rows are in no sum
    points: Integers = np.floor(2 * LATTICE * share + 0.5).astype(np.int64) - LATTICE
    return points


def row_sums(u: Integers, v: Integers) -> Integers:
    """What each row adds to the five sums, in UNIT: 1, a, a²−½, b, ab."""
    g = LATTICE
    columns = (np.full_like(u, UNIT), 2 * g * u, 2 * u * u - g * g, 2 * g * v, 2 * u * v)
    return np.stack(columns, axis=-1)


@dataclass(frozen=True, repr=False)
class Points:
    """Rows on the lattice, and the number of the establishment of each. CONFIDENTIAL.

    Rows that are not `kept` are in no sum, but their establishments have them.
    """

    u: Integers
    v: Integers
    kept: NDArray[np.bool_]
    owner: Integers


@dataclass(frozen=True, repr=False)
class Establishments:
    """The five sums of each establishment, in UNIT, all its rows, and its cell. CONFIDENTIAL.

    `sizes` counts every row of an establishment, also those that are in no sum.
    """

    sums: Integers
    sizes: Integers
    cell: Integers
    cells: int

    @classmethod
    def of(cls, points: Points, cell: Integers, cells: int) -> "Establishments":
        """From rows; `cell` is that of each establishment, one of `cells`."""
        sums = np.zeros((len(cell), SUMS), dtype=np.int64)
        kept = points.kept
        np.add.at(sums, points.owner[kept], row_sums(points.u[kept], points.v[kept]))
        sizes = np.bincount(points.owner, minlength=len(cell)).astype(np.int64)
        return cls(sums, sizes, cell, cells)

    def total(self) -> Integers:
        """The sums of each cell (cells, 5)."""
        return self._by_cell(self.sums)

    def largest(self) -> Integers:
        """The largest establishment of each cell."""
        largest = np.zeros(self.cells, dtype=np.int64)
        np.maximum.at(largest, self.cell, self.sizes)
        return largest

    def clipped(self, theta: Integers, lattice: int) -> Integers:
        """The sums of each cell, establishments above θ scaled down to it.

        θ is in lattice points, `lattice` to a row. Products have more than 64 bits, so Python's
        whole numbers floor them.
        """
        sums, bound = self.sums.copy(), theta[self.cell]
        for i in np.flatnonzero(self.sizes * lattice > bound).tolist():
            above, below = int(bound[i]), lattice * int(self.sizes[i])
            sums[i] = [value * above // below for value in self.sums[i].tolist()]
        return self._by_cell(sums)

    def _by_cell(self, sums: Integers) -> Integers:
        added = np.zeros((self.cells, SUMS), dtype=np.int64)
        np.add.at(added, self.cell, sums)
        return added


@dataclass(frozen=True)
class NoisySums:
    """Released sums (cells, 5) in UNIT, and the standard deviation of their noise in each cell.

    Both are published. The deviation is that of N, in rows.
    """

    sums: Integers
    deviation: Floats


class MomentsMechanism(Protocol):
    """One of the two mechanisms below."""

    def guarantee(self) -> Guarantee:
        """What one release costs, all cells together."""

    def release(self, held: Establishments) -> NoisySums:
        """Noisy sums of each cell."""


@dataclass(frozen=True)
class Moments:
    """Protects single rows: Laplace noise of scale 4.5/ε on each sum."""

    name: ClassVar[str] = "moments"

    parameters: Parameters
    radius: Fraction = RADIUS

    @classmethod
    def calibrated(cls, epsilon: Number) -> "Moments":
        """The scale is an exact rational."""
        return cls(Parameters.read(None, epsilon, 0, 1, "tight"))

    def guarantee(self) -> Guarantee:
        """ε for a row, whatever the number of cells: a row lies in one at most."""
        return Guarantee(WorkerOnly(), None, self.parameters.epsilon)

    def release(self, held: Establishments) -> NoisySums:
        """The scale is public, and so is the deviation."""
        noisy = self._release(held, secret())
        return NoisySums(noisy, np.full(held.cells, self.deviation))

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise of N, in rows."""
        return sqrt(2) * float(self._scale / UNIT)

    def _release(self, establishments: Establishments, noise: Noise) -> Integers:
        """What is released, with this noise; the auditor runs it with its own."""
        sums = establishments.total()
        return _noisy(sums, Scales(np.ones(sums.size, np.int64), factor=self._scale), noise)

    @property
    def _scale(self) -> Fraction:
        return self.radius * UNIT / self.parameters.aimed


@dataclass(frozen=True)
class EmployerMoments:
    """Protects rows and establishments, which lie in one cell each.

    A part of ε, `split`, buys the largest establishment of each cell on the public grid, from which
    a bound θ follows. Establishments above θ count as θ rows in their own proportions. The rest of
    ε pays for Laplace noise of scale 5·αθ/(1+α) on each sum, which is public.
    """

    name: ClassVar[str] = "employer_moments"

    parameters: Parameters
    clipping: Clipping
    split: Fraction
    diameter: Fraction = DIAMETER

    @classmethod
    def calibrated(cls, alpha: Number, epsilon: Number) -> "EmployerMoments":
        """Split and headroom for cells with one large establishment: clipping keeps proportions."""
        parameters = Parameters.read(alpha, epsilon, 0, 1, "tight")
        split, headroom = bound_for(parameters, Fraction(0), 1, weights=WEIGHTS)
        return cls(parameters, Clipping(parameters.growth, 1, headroom=headroom), split)

    def guarantee(self) -> Guarantee:
        """ε for a step of an establishment, whatever the number of cells."""
        p = self.parameters
        return Guarantee(p.policy, p.growth, p.epsilon)

    def release(self, held: Establishments) -> NoisySums:
        """Sums of clipped establishments; the deviation follows from θ, which is released."""
        noisy, theta = self._release(held, secret())
        spread = self._moved(theta) / float(self._rest * UNIT)
        return NoisySums(noisy, np.asarray(sqrt(2) * spread))

    def _release(self, establishments: Establishments, noise: Noise) -> tuple[Integers, Integers]:
        """What is released, with this noise: sums, and the θ of each cell."""
        maximum = NoisyMaximum(self.clipping, self.split * self.parameters.aimed)
        theta = self.clipping.theta(maximum.released(establishments.largest(), noise))
        sums = establishments.clipped(theta, self.clipping.lattice)
        scales = Scales(np.repeat(self._moved(theta), SUMS), factor=1 / self._rest)
        return _noisy(sums, scales, noise), theta

    def _moved(self, theta: Integers) -> Integers:
        """⌊5·αθ/(1+α)⌋ in UNIT, and one point a sum for flooring."""
        alpha = self.parameters.growth
        share = self.diameter * UNIT * alpha / (1 + alpha) / self.clipping.lattice
        above, below = share.numerator, share.denominator
        return np.array(
            [number * above // below + SUMS for number in theta.tolist()], dtype=np.int64
        )

    @property
    def _rest(self) -> Fraction:
        """ε₂, what is left for the sums."""
        return (1 - self.split) * self.parameters.aimed


def _noisy(sums: Integers, scales: Scales, noise: Noise) -> Integers:
    """Laplace noise of these scales; it is added to numbers from 0 on, as draws ask."""
    return noise.rounded(sums.ravel() + MIDDLE, laplace(), scales).reshape(sums.shape) - MIDDLE
