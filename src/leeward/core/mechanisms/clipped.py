"""Clipped: a sanitised maximum, clipping, and noise of public scale.

Proof in clipped.proof.md. Per workplace cell: (1) the grid index of the largest establishment is
released with noise; (2) a public bound θ follows from it, and every establishment's vector of
worker cells is multiplied by min(1, θ/|E|) and floored to a lattice; (3) Laplace noise rounded
to the lattice, or discrete Gaussian noise, whose scale depends on θ alone, is added.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from math import log, pi, sqrt
from statistics import NormalDist
from typing import ClassVar, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.codebook import Entries
from leeward.core.exact import Number, probability, root_up
from leeward.core.mechanisms.additive import Measure
from leeward.core.mechanisms.calibrated import Claims, JobLoss, MarginRule, Mechanism, Words
from leeward.core.mechanisms.checked_columns import establishment_rows, numbered, whole_numbers
from leeward.core.mechanisms.clipping import MISSED, Clipping, NoisyMaximum
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.one_job import by_clipping, part_of_squares, part_of_sums
from leeward.core.mechanisms.parameters import Parameters, rho_of, too_wide
from leeward.core.mechanisms.scale import part_of_grid
from leeward.core.mechanisms.split import (
    MOST_ESTABLISHMENTS,
    Bound,
    bound_for,
    establishment_class,
    given_split,
)
from leeward.core.noise.law import laplace
from leeward.core.noise.noise_source import Noise, secret
from leeward.core.noise.scales import BOUND, MOST, WIDEST_GAUSSIAN, Integers, Scales, whole_margins
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee, StrongAlpha

Ends: TypeAlias = tuple[Integers, Integers]


@dataclass(frozen=True)
class Clipped(Mechanism):
    """Blocks of any number of worker cells, noise scale public, a bias where θ came out low.

    `release(counts, sizes, workplace)` takes one row an establishment: its worker cells, all its
    jobs, and the number of its workplace cell. The three steps are also methods of their own, so
    that clipping can be done where the data live. Options: `establishments`, the public number of
    establishments of a workplace cell (left out, the largest class), from which split and headroom
    follow; `split`, the share of the budget for the maximum (left out, chosen for the smallest
    expected error); `noise`, 'laplace' (pure ε) or 'gaussian' (ρ-zCDP: the given ρ, or the largest
    one that implies ε at the given δ).
    """

    name: ClassVar[str] = "clipped"
    words: ClassVar[Words] = Words(
        label="clipped",
        noise="Establishments above a noisy bound are scaled down to it; then each cell gets a "
        "random number whose size is public.",
        bias="Establishments above a public bound are scaled down to it, so some cells come out "
        "low.",
        allowance="The interval from low to high allows for that and has the true number in at "
        "least 90 % of cases. The noise is value − low on either side; what high is farther "
        "from the value is the allowance for clipping.",
    )
    free_margins: ClassVar[bool] = True
    gaussian: ClassVar[bool] = True
    claims: ClassVar[Claims] = {kind: (StrongAlpha(),) for kind in ("workplace", "worker", "gains")}
    usual_table: ClassVar[str] = "worker"

    parameters: Parameters
    clipping: Clipping
    split: Fraction
    noise: str = "laplace"
    rho: Fraction = Fraction(0)
    establishments: int = MOST_ESTABLISHMENTS
    fixed: Bound | None = None
    """Split and headroom for all classes; None chooses them for each."""

    @classmethod
    def calibrated(
        cls,
        parameters: Parameters,
        *,
        split: Number | None = None,
        noise: str = "laplace",
        establishments: int = MOST_ESTABLISHMENTS,
    ) -> "Clipped":
        """Read the options; all noise scales are exact rationals of them."""
        parameters.only_tight(cls.name)
        given, number = split and given_split(split), establishment_class(establishments)
        gaussian, rho = noise == "gaussian", rho_of(parameters, noise)
        share, headroom = bound_for(parameters, rho, number, given or None)
        clipping = Clipping(parameters.growth, parameters.cells, parameters.least, headroom)
        mechanism = cls(parameters, clipping, share, noise, rho, number)
        if gaussian and (rho == 0 or mechanism.sum_variance(clipping.most) > WIDEST_GAUSSIAN**2):
            raise too_wide(parameters)
        return mechanism

    def suited(self, establishments: int) -> Self:
        """The same for workplace cells of this class, with a split and a headroom of their own."""
        suited: Self = _suited(self, establishments)
        return suited

    def for_cells_of(self, establishments: int) -> Self:
        """That of the class of workplace cells with this many establishments."""
        return self.suited(establishment_class(establishments))

    def usual_theta(self, largest: int) -> Integers:
        """The θ of a maximum without noise."""
        return self.clipping.theta(self.clipping.grid.index(np.array([largest])))

    def _bound(self, establishments: int) -> Bound:
        return self.fixed or bound_for(self.parameters, self.rho, establishments)

    def with_bound(self, fixed: Bound) -> "Clipped":
        """The same with this split and headroom for all classes of workplace cells."""
        clipping = replace(self.clipping, headroom=fixed.headroom)
        return replace(self, split=fixed.split, clipping=clipping, fixed=fixed)

    def price(self) -> Guarantee:
        """ε, or ρ for Gaussian noise, of the whole block; strong, hence also weak."""
        epsilon = Fraction(0) if self.noise == "gaussian" else self.parameters.epsilon
        return Guarantee(self.parameters.policy, self.parameters.growth, epsilon, 0, self.rho)

    def one_job(self) -> JobLoss:
        """The index moves by ⌈32j⌉ at most, each sum by the lattice points of one job."""
        p, lattice, d = self.parameters, self.clipping.lattice, self.parameters.cells
        if self.noise == "gaussian":
            return self._job(part_of_squares(min(d, 2), d, p.least, lattice))
        return self._job(part_of_sums(min(d, 2), d, p.least, lattice))

    def _job(self, moved: Fraction) -> JobLoss:
        """Where one job moves the sums by this part of what their noise is for."""
        whole = Fraction(0) if self.rho else self.parameters.epsilon
        if self.parameters.least == 1:
            return whole, self.rho
        index, power = part_of_grid(self.parameters), 2 if self.rho else 1
        part = by_clipping(index**power, moved**power, self.splits)
        return whole * part, self.rho * part

    @property
    def splits(self) -> set[Fraction]:
        """Those of all classes of workplace cells."""
        classes = (2**k for k in range(MOST_ESTABLISHMENTS.bit_length()))
        return {self.split, *(self._bound(number).split for number in classes)}

    @property
    def proved(self) -> Claims:
        """Two nets of opposite sign are farther apart in L2 than two cells: no Gaussian gains."""
        if self.noise == "laplace":
            return self.claims
        return {kind: proofs for kind, proofs in self.claims.items() if kind != "gains"}

    def measurement(self, *, by_cell: bool, margins: MarginRule) -> Measurement:
        """This mechanism on a table; whole blocks share one θ whatever `by_cell` says."""
        from leeward.core.mechanisms.clipped_counts import ClippedCounts  # noqa: PLC0415 (it needs this)

        return ClippedCounts(self, margins)

    def release(
        self,
        counts: ArrayLike,
        sizes: ArrayLike,
        workplace: ArrayLike,
        *,
        workplaces: int | None = None,
    ) -> Integers:
        """Noisy counts (workplaces, cells) from one row an establishment.

        `workplaces` is the number of workplace cells in the public frame; left out, it is one
        more than the largest number named, so establishments without jobs belong in the rows.
        """
        most = MOST // self.clipping.lattice
        rows, jobs, place = establishment_rows(
            (counts, sizes, workplace), self.parameters.cells, most
        )
        row, cell = np.nonzero(rows)
        shape = numbered(place, workplaces), self.parameters.cells
        entries = Entries(rows[row, cell], cell, row, jobs, place, shape)
        return self.release_entries(entries)[0]

    def release_entries(self, entries: Entries) -> tuple[Integers, Integers]:
        """The same from checked sparse entries, and the θ of each workplace cell."""
        return self._release(entries, secret())

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        """What is released, with this noise; the auditor runs it with its own."""
        theta = self.clipping.theta(self._maximum(entries.largest(), noise))
        return self._sums(self.clipping.sums(entries, theta), theta, noise), theta

    def release_maximum(self, largest: ArrayLike) -> Integers:
        """Step 1: noisy grid indices of the largest establishment of each workplace cell."""
        return self._maximum(whole_numbers(largest, "largest"), secret())

    def _maximum(self, largest: Integers, noise: Noise) -> Integers:
        return self.maximum.released(largest, noise)

    @property
    def maximum(self) -> NoisyMaximum:
        """What step 1 releases, for the share `split` of ε or ρ."""
        epsilon, rho = self.split * self.parameters.aimed, self.split * self.rho
        return NoisyMaximum(self.clipping, epsilon, rho)

    def release_sums(self, sums: Integers, theta: Integers) -> Integers:
        """Step 3: noise on sums of clipped vectors (in lattice points), then whole jobs."""
        return self._sums(whole_numbers(sums, "sums"), theta, secret())

    def _sums(self, sums: Integers, theta: Integers, noise: Noise) -> Integers:
        if self.noise == "gaussian":
            noisy = np.empty_like(sums)
            for value in np.unique(theta):
                rows = np.flatnonzero(theta == value)
                noisy[rows] = noise.gaussian(sums[rows], self.sum_variance(int(value)))
        else:
            noisy = self._laplace(sums, theta, noise)
        return (noisy + self.clipping.lattice // 2) // self.clipping.lattice

    def _laplace(self, sums: Integers, theta: Integers, noise: Noise) -> Integers:
        """Laplace of scale Δ₁/ε₂, which is rounded to the lattice; one law for all θ."""
        moved = np.repeat(self.clipping.moved(theta), sums.shape[1])
        scales = Scales(moved, factor=1 / self._rest)
        return noise.rounded(sums.ravel(), laplace(), scales).reshape(sums.shape)

    @property
    def _rest(self) -> Fraction:
        """ε₂, what is left for the sums."""
        return (1 - self.split) * self.parameters.aimed

    def sum_variance(self, theta: int) -> Fraction:
        """Δ₂²/(2ρ₂) with Δ₂ = √2·αθ/(1+α) (once for a single cell) + √d, rounded up."""
        d = self.parameters.cells
        moved = _root(min(d, 2)) * self.clipping.reach(theta) + _root(d)
        return moved**2 / (2 * (1 - self.split) * self.rho)

    def spread(self, theta: int) -> float:
        """The scale of the noise in jobs: Δ₁/ε₂, or σ."""
        return float(self.spreads(np.array([theta]))[0])

    def spreads(self, theta: Integers) -> Floats:
        if self.noise == "gaussian":
            bounds, at = np.unique(theta, return_inverse=True)
            widths = np.array([sqrt(self.sum_variance(bound)) for bound in bounds.tolist()])
            return widths[at].reshape(theta.shape) / self.clipping.lattice
        return self.clipping.moved(theta) / float(self._rest * self.clipping.lattice)

    def margin(self, theta: Integers, coverage: str | float | Fraction = "9/10") -> Floats:
        """The margin of each workplace cell's noise: public, and silent about clipping bias."""
        return self.spreads(theta) * self.two_sided(float(probability(coverage))) + 0.5

    def interval(self, values: Integers, theta: Integers, cells: int = 1) -> Ends:
        """[v−q, v+q+a]: it has the truth with a probability of 1−η₁−η₂ at least.

        a is what clipping took at most. For `cells` worker cells together, each may miss so many
        times more seldom.
        """
        q = self.margin(theta, 1 - MISSED / cells).reshape(-1, 1)
        return self._ends(values, q, self.allowance(values + q, theta))

    def _ends(self, values: Integers, q: Floats, allowance: Floats) -> Ends:
        steps = whole_margins(q)
        high = np.maximum(values + steps, whole_margins(values + q + allowance))
        return np.maximum(values - steps, -BOUND), np.minimum(high, BOUND)

    def allowance(self, most: Floats, theta: Integers) -> Floats:
        """What clipping took at most of cells in which it left at most so many jobs.

        It took at most κ−1 times what it left of an establishment; flooring to the lattice took
        less than κ points of each.
        """
        kappa = self.maximum.kappa
        lost = kappa * self.establishments / self.clipping.lattice
        allowance: Floats = (kappa - 1) * np.maximum(most, 0) + lost
        return allowance if kappa > 1 else np.zeros_like(allowance)

    def expected_interval(self, values: Integers, theta: Integers) -> Integers:
        """How far the interval of such values (1, c) reaches down, and at most farther up."""
        noise = values - self.interval(values, theta)[0]
        allowance = Clipped.allowance(self, (values + noise).astype(np.float64), theta)
        return np.concatenate([noise, whole_margins(allowance)])

    def mean_abs_error(self, largest: ArrayLike, counts: ArrayLike | None = None) -> Measure:
        """E|noise| in jobs, over θ too; the clipping bias depends on the data and is left out."""
        mean = self._expected_theta(largest, 1)
        unit = sqrt(2 / pi) if self.noise == "gaussian" else 1.0
        return None if mean is None else mean * unit

    def std(self, largest: ArrayLike, counts: ArrayLike | None = None) -> Measure:
        """The standard deviation of the noise in jobs, over θ too; None where infinite."""
        square = self._expected_theta(largest, 2)
        unit = 1.0 if self.noise == "gaussian" else 2.0
        return None if square is None else (square * unit) ** 0.5

    def quantile(
        self, p: str | float | Fraction, largest: ArrayLike, counts: ArrayLike | None = None
    ) -> int | Integers:
        """The p-quantile of the noise in whole jobs, at the θ of a maximum without noise."""
        share, x = float(probability(p)), whole_numbers(largest, "largest")
        theta = self.clipping.theta(self.clipping.grid.index(x))
        spread = self.spreads(theta.ravel())
        signed = np.copysign(self.two_sided(abs(2 * share - 1)), share - 0.5)
        jobs = np.ceil(spread * signed - 0.5).astype(np.int64)
        return int(jobs[0]) if x.ndim == 0 else jobs.reshape(x.shape)

    def two_sided(self, coverage: float) -> float:
        """The multiple of the spread that covers so much of the noise."""
        if self.noise == "gaussian":
            return NormalDist().inv_cdf((1 + coverage) / 2)
        return -log(1 - coverage)

    def _expected_theta(self, largest: ArrayLike, power: int) -> Measure:
        """E spread(θ)^power over the noise of the maximum, in float64."""
        x = whole_numbers(largest, "largest")
        if not self.maximum.has_moment(power):
            return None
        most, lattice = self.clipping.most, self.clipping.lattice
        unit = self.spread(most) / most * lattice  # of one job; Δ₁ of a small θ would be floored
        values = self.maximum.expected_theta(x, unit, power)
        return float(values) if x.ndim == 0 else values


C = TypeVar("C", bound=Clipped)


@lru_cache(maxsize=256)  # the classes of a table, in every batch
def _suited(mechanism: C, establishments: int) -> C:
    if establishments == mechanism.establishments:
        return mechanism
    split, headroom = mechanism._bound(establishments)
    clipping = replace(mechanism.clipping, headroom=headroom)
    return replace(mechanism, split=split, clipping=clipping, establishments=establishments)


_root = cache(root_up)
