"""Joint clipped: all breakdowns of a workplace cell for one ε, noise of public scale.

Proof in joint_clipped.proof.md. As clipped, with two changes: an establishment that is scaled down
keeps one sum in all tables, and the noise has the density ∝ e^(−ε₂·N(z)/Δ) on the space V of tables
with one sum, N the largest positive or negative part of a table. So the total is good as well.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt, pi, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.exact import Number, root_up
from leeward.core.mechanisms.calibrated import Claims, JobLoss, MarginRule, Words
from leeward.core.mechanisms.clipped import Clipped, Ends
from leeward.core.mechanisms.clipping import MISSED
from leeward.core.mechanisms.joint import (
    JointClipping,
    joint_design,
    public_draws,
    required_sums,
    rounding_of,
)
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.one_job import part_of_squares, part_of_sums
from leeward.core.mechanisms.parameters import Parameters, rho_of, too_wide
from leeward.core.mechanisms.split import (
    MOST_ESTABLISHMENTS,
    Bound,
    ErrorWeights,
    Narrower,
    bound_for,
    establishment_class,
    given_split,
    paid_share,
)
from leeward.core.noise.design import Design, largest_remainders
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import WIDEST_GAUSSIAN, Integers, Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import StrongAlpha

if TYPE_CHECKING:
    from leeward.core.noise.public_draws import PublicDraws

HAIR = 1e-9
"""So that float error never makes a whole number of establishments one too few."""


class NoiseMoments(NamedTuple):
    """E|·| and E(·)² of the noise of the total, and of a cell of each table."""

    absolute: tuple[float, ...]
    squares: tuple[float, ...]


@lru_cache(maxsize=64)
def moments_of(design: Design, *, gaussian: bool) -> NoiseMoments:
    """In units of the scale of joint noise, or of the standard deviation of a Gaussian total.

    A fitted table of d cells has noise of precision w in what its cells differ by, and the best
    total spread evenly.
    """
    if not gaussian:
        first, second = design.total_moments
        return NoiseMoments((first, *design.absolute), (second, *design.squares))
    weights = [float(w) for w in precisions(design.tables)]
    sizes = design.tables
    total = 1 / (1 + sum(w / d for w, d in zip(weights, sizes, strict=True)))
    own = ((1 - 1 / d) / w if w else 0.0 for w, d in zip(weights, sizes, strict=True))
    squares = (total, *(number + total / d**2 for number, d in zip(own, sizes, strict=True)))
    return NoiseMoments(tuple(sqrt(2 / pi * square) for square in squares), squares)


@lru_cache(maxsize=64)
def precisions(tables: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Precision of the cells of each table, of sum 1, about in proportion to √(d−1).

    A table of one cell is its total. Any numbers keep the promise; these have the least error.
    """
    roots = [Fraction(isqrt((d - 1) << 32), 1 << 16) for d in tables]
    total = sum(roots, Fraction(0))
    return tuple(root / total for root in roots) if total else (Fraction(0),) * len(tables)


@dataclass(frozen=True)
class JointClipped(Clipped):
    """Tables of one product; noise scale and bound θ are public.

    `release_entries` takes the cells of all tables side by side: each job lies in one cell of every
    table. Options: `tables`, the numbers of cells; `split`, the share of the budget for the
    maximum, the same for all workplace cells; `establishments` and `noise` as for clipped;
    `margins`, what the plan gives for narrower intervals of the total. Gaussian
    noise is drawn for each cell and for the total, which costs nothing more, and then fitted.
    """

    name: ClassVar[str] = "joint_clipped"
    words: ClassVar[Words] = Words(
        label="joint clipped",
        noise="Establishments above a noisy bound are scaled down to it; then all tables of a "
        "workplace cell get their random numbers together, so that they still add up to one "
        "total. The size of these numbers is public.",
        bias=Clipped.words.bias,
        allowance=Clipped.words.allowance,
    )
    claims: ClassVar[Claims] = {"joint": (StrongAlpha(),)}
    usual_table: ClassVar[str] = "joint"

    paid: Fraction = Fraction(0)
    """For narrower intervals of the total: in cells of `ESTABLISHMENTS` errors are up to 1/(1−paid)
    times the smallest, in others up to as much given the split of these."""

    @classmethod
    def calibrated(
        cls,
        parameters: Parameters,
        *,
        tables: tuple[int, ...] = (),
        split: Number | None = None,
        noise: str = "laplace",
        establishments: int = MOST_ESTABLISHMENTS,
        margins: Number = Fraction(0),
    ) -> "JointClipped":
        """Read the options; all noise scales are exact rationals of them."""
        parameters.only_tight(cls.name)
        design, held = joint_design(parameters, tables, "side")
        number, given = establishment_class(establishments), split and given_split(split)
        rho = rho_of(held, noise)
        weights, paid = _weights(design, gaussian=rho > 0), paid_share(margins)
        narrower = _narrower(design, paid, gaussian=rho > 0)
        if not given:  # one split for all classes, so that one number tells the size of the noise
            typical = establishment_class(ESTABLISHMENTS)
            given = bound_for(held, rho, typical, None, weights, narrower).split
        headroom = bound_for(held, rho, number, given, weights, narrower).headroom
        clipping = JointClipping(held.growth, held.cells, held.least, headroom, design.tables)
        mechanism = cls(held, clipping, given, noise, rho, number, paid=paid)
        if rho and max(mechanism.variances(clipping.most)) > WIDEST_GAUSSIAN**2:
            raise too_wide(held)
        return mechanism

    def one_job(self) -> JobLoss:
        """A part of a table moves by less than a job and half a point more than its cells."""
        both = self.parameters.least, self.clipping.lattice
        if self.rho:
            return self._job(part_of_squares(2, self._rounding, *both))
        return self._job(part_of_sums(1, self._clipping.allowance, *both))

    def _bound(self, establishments: int) -> Bound:
        gaussian = self.rho > 0
        weights = _weights(self.design, gaussian=gaussian)
        narrower = _narrower(self.design, self.paid, gaussian=gaussian)
        return bound_for(self.parameters, self.rho, establishments, self.split, weights, narrower)

    @property
    def moments(self) -> NoiseMoments:
        """Of the noise of the total and of a cell of each table, in units of its spread."""
        return moments_of(self.design, gaussian=self.rho > 0)

    @property
    def design(self) -> Design:
        """The tables, and the norm of their noise."""
        return Design(self._clipping.tables, "side")

    @property
    def _clipping(self) -> JointClipping:
        if not isinstance(self.clipping, JointClipping):
            raise TypeError("tables of a product are clipped together")
        return self.clipping

    def measurement(self, *, by_cell: bool, margins: MarginRule) -> Measurement:
        """This mechanism on the tables of a product."""
        from leeward.core.mechanisms.clipped_counts import JointClippedCounts  # noqa: PLC0415 (it needs this)

        return JointClippedCounts(self, margins)

    def sum_variance(self, theta: int) -> Fraction:
        """σ² of the total: (√2·αθ/(1+α) + what rounding adds)²/(2ρ₂), rounded up.

        Table j has σ²/w_j in each cell, w_j the precisions of the tables, of sum 1.
        """
        moved = root_up(2) * self.clipping.reach(theta) + root_up(self._rounding)
        return moved**2 / (2 * (1 - self.split) * self.rho)

    @property
    def _rounding(self) -> int:
        tables = self.design.tables
        four = sum(4 * d * w for d, w in zip(tables, precisions(tables), strict=True))
        return ceil(four) + 1

    def variances(self, theta: int) -> tuple[Fraction, ...]:
        """Of the total, and of a cell of each table that has noise of its own."""
        total = self.sum_variance(theta)
        return (total, *(total / w for w in precisions(self.design.tables) if w))

    def _sums(self, sums: Integers, theta: Integers, noise: Noise) -> Integers:
        """Joint noise on lattice points, then whole jobs of which all tables have one sum."""
        required_sums(sums, self.design)
        if self.rho:
            return self._fitted(sums, theta, noise)
        scales = Scales(self.clipping.moved(theta), factor=1 / self._rest)
        noisy = noise.joint(sums, scales, self.design, None)
        jobs, lattice = np.empty_like(noisy), self.clipping.lattice
        for cells in self.design.slices():
            floors, rest = np.divmod(noisy[:, cells], lattice)
            whole = (noisy[:, cells].sum(axis=1) + lattice // 2) // lattice
            jobs[:, cells] = floors + largest_remainders(rest, whole - floors.sum(axis=1))[0]
        return jobs

    def _fitted(self, sums: Integers, theta: Integers, noise: Noise) -> Integers:
        """Gaussian noise on every cell and on the total; then the tables are made to agree.

        The best total is a mean of its own number and of the sums of the tables, by precision; each
        table is moved to it evenly. Floats will do: what was drawn is released.
        """
        tables, weights = self.design.slices(), precisions(self.design.tables)
        total = np.zeros(len(sums), dtype=np.int64)
        noisy = np.zeros_like(sums)
        for value in np.unique(theta):
            rows = np.flatnonzero(theta == value)
            variance = self.sum_variance(int(value))
            total[rows] = noise.gaussian(sums[rows][:, tables[0]].sum(axis=1), variance)
            for cells, weight in zip(tables, weights, strict=True):
                if weight:
                    noisy[rows, cells] = noise.gaussian(sums[rows, cells], variance / weight)
        own = [float(w / d) for w, d in zip(weights, self.design.tables, strict=True)]
        added = [noisy[:, cells].sum(axis=1).astype(np.float64) for cells in tables]
        best = (total + sum(a * s for a, s in zip(own, added, strict=True))) / (1 + sum(own))
        jobs, lattice = np.empty_like(sums), self.clipping.lattice
        whole = np.floor(best / lattice + 0.5).astype(np.int64)
        for cells, size, sum_ in zip(tables, self.design.tables, added, strict=True):
            fitted = (noisy[:, cells] + ((best - sum_) / size)[:, None]) / lattice
            floors = np.floor(fitted).astype(np.int64)
            short = whole - floors.sum(axis=1)
            jobs[:, cells] = floors + largest_remainders(fitted - floors, short)[0]
        return jobs

    def interval(self, values: Integers, theta: Integers, cells: int = 1) -> Ends:
        """As for clipped, of values (w, 1 + D); `cells` above 1 is for all cells of a table."""
        reach = [
            self.reach(j, block=cells > 1 and j > 0) for j in range(len(self.design.tables) + 1)
        ]
        wide = self.spreads(theta)[:, None] * np.repeat(reach, (1, *self.design.tables))
        q = wide + rounding_of(self.design)
        return self._ends(values, q, self.allowance(values + q, theta))

    def allowance(self, most: Floats, theta: Integers) -> Floats:
        """Of the total, which counts every job, clipping left θ of each establishment it clipped.

        So these are at most as many as θ goes into the total.
        """
        allowance, bound = super().allowance(most, theta), theta / self.clipping.lattice
        clipped = np.floor(np.maximum(most[:, 0], 0) / bound + HAIR)
        allowance[:, 0] = (self.maximum.kappa - 1) * clipped * bound
        return allowance

    def reach(self, table: int, *, block: bool = False) -> float:
        """What noise keeps to with probability 1−η₂, in units of its spread."""
        if not self.rho:
            return self.drawn.reach(table, float(1 - MISSED), block=block)
        cells = self.design.tables[table - 1] if block else 1
        two_sided = NormalDist().inv_cdf(1 - float(MISSED) / (2 * cells))
        return two_sided * sqrt(self.moments.squares[table])

    @property
    def drawn(self) -> "PublicDraws":
        """Draws of the public law, for margins."""
        return public_draws(self.design)

    def mean_abs_errors(self, largest: int) -> Floats | None:
        """E|noise| in jobs: of the total, and of a cell of each table; None without a mean."""
        spread = self._expected_theta(largest, 1)
        return None if spread is None else float(spread) * np.array(self.moments.absolute)

    @property
    def deviations(self) -> tuple[float, ...]:
        """Standard deviations for each job of θ: of the total, and of a cell of each table."""
        least = self._clipping.theta_of(0)
        unit = self.spread(least) * self.clipping.lattice / least
        return tuple(unit * sqrt(square) for square in self.moments.squares)


def _narrower(design: Design, paid: Fraction, *, gaussian: bool) -> Narrower | None:
    """Narrower intervals of the total: those of worker cells are nearly all noise."""
    if not paid:
        return None
    noise = moments_of(design, gaussian=gaussian).absolute[0]
    return Narrower(paid, ErrorWeights(noise * (sqrt(2) if gaussian else 1), 1.0))


def _weights(design: Design, *, gaussian: bool) -> ErrorWeights:
    """The mean over all cells; Gaussian noise moves √2 as far."""
    absolute = moments_of(design, gaussian=gaussian).absolute[1:]
    noise = float(np.average(absolute, weights=design.tables))
    return ErrorWeights(noise * (sqrt(2) if gaussian else 1), len(design.tables) / design.cells)
