"""Pay, clipped: count and payroll with establishments above a public bound scaled down to it.

Proof in pay_clipped.proof.md. The bound θ follows from a noisy maximum, as in `clipped`; counts and
payrolls of an establishment are multiplied by min(1, θ/|E|), and each pair gets noise of density
e^−‖z‖ in the norm of the hexagon, whose scale depends on θ alone.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.mechanisms.calibrated import Claims, JobLoss, Words
from leeward.core.mechanisms.checked_columns import (
    checked_entries,
    establishment_rows,
    numbered,
    whole_numbers,
)
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.clipping import MISSED, scaled
from leeward.core.mechanisms.measurement import COVERAGE, Needs
from leeward.core.mechanisms.one_job import by_clipping
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay import (
    USUAL_SHARE,
    Ends,
    Pairs,
    PayMechanism,
    PublishedPay,
    check_payroll,
    payroll_of,
    read_cap,
)
from leeward.core.mechanisms.pay_margins import mean_interval, reach
from leeward.core.mechanisms.scale import part_of_grid
from leeward.core.mechanisms.split import by_class, establishment_class
from leeward.core.noise.body import HEXAGON
from leeward.core.noise.noise_source import Noise, secret
from leeward.core.noise.scales import MOST, Integers, Scales, TwoScales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import ProportionalAlpha, StrongAlpha

LARGEST_END = 2.0**62
MEAN_SPLIT = Fraction(1, 10)
"""The share of ε for the maximum where a mean is published (`python -m benchmarks.earnings`)."""

MEAN_HEADROOM = Fraction(29, 25)
"""e^0.15: θ over the noisy maximum where a mean is published."""


@dataclass(frozen=True)
class PayClipped(PayMechanism):
    """Pairs of any number of worker cells; the scale of the noise is public.

    `bounds` is the mechanism of the noisy maximum, with its split of ε and its headroom. Options:
    `cap`, `statistic`.
    """

    name: ClassVar[str] = "pay_clipped"
    words: ClassVar[Words] = Words(
        label="pay, clipped",
        noise="Establishments above a noisy bound are scaled down to it; then count and payroll "
        "get random numbers together, whose size is public.",
        bias="Establishments above a public bound count for less than all their jobs and pay, so "
        "payrolls and counts may come out low, and means lean towards smaller establishments.",
        allowance="The interval of a payroll allows for that, the interval of a mean does not.",
    )
    claims: ClassVar[Claims] = {
        "pay": (StrongAlpha(), ProportionalAlpha()),
        "worker_pay": (StrongAlpha(),),
    }
    free_margins: ClassVar[bool] = True
    needs: ClassVar[Needs] = Needs.ENTRIES

    parameters: Parameters
    cap: int
    statistic: PublishedPay
    bounds: Clipped

    @classmethod
    def calibrated(
        cls, parameters: Parameters, *, cap: int | None = None, statistic: str = "mean"
    ) -> "PayClipped":
        """For payrolls the split of ε and the headroom of `clipped`, for means their own.

        Clipping takes from count and payroll alike, so that a mean needs less headroom.
        """
        parameters.only_tight(cls.name)
        most, published = read_cap(cap, statistic)
        bounds = Clipped.calibrated(parameters)
        if published == "mean":
            tight = replace(bounds.clipping, headroom=MEAN_HEADROOM)
            bounds = replace(bounds, split=MEAN_SPLIT, clipping=tight)
        return cls(parameters, most, published, bounds)

    def one_job(self) -> JobLoss:
        """The index moves by ⌈32j⌉ at most, pairs by (m+η)/(mΔ+η) of what their noise is for."""
        p, d = self.parameters, self.parameters.cells
        if p.least == 1:
            return p.epsilon, Fraction(0)
        m, flooring = min(d, 2), d * (Fraction(1, self._lattice) + Fraction(1, self.cap))
        moved = (m + flooring) / (m * p.least + flooring)
        splits = {self.bounds.split} if self.statistic == "mean" else self.bounds.splits
        return p.epsilon * by_clipping(part_of_grid(p), moved, splits), Fraction(0)

    def suited(self, establishments: int) -> "PayClipped":
        """The same for workplace cells of this class of establishments; for means it is one."""
        if self.statistic == "mean":
            return self
        return replace(self, bounds=self.bounds.suited(establishments))

    def release(  # type: ignore[override] # rows of establishments in place of cells
        self, counts: ArrayLike, payroll: ArrayLike, sizes: ArrayLike, workplace: ArrayLike
    ) -> Integers:
        """Noisy pairs (workplaces, cells, 2) from one row an establishment.

        `sizes` counts all its jobs, `workplace` numbers its workplace cell.
        """
        columns = (counts, sizes, workplace)
        rows, jobs, place = establishment_rows(
            columns, self.parameters.cells, MOST // self._lattice
        )
        row, cell = np.nonzero(rows)
        pay = whole_numbers(payroll, "payroll").reshape(rows.shape)
        entries = Entries(
            *(rows[row, cell], cell, row, jobs, place, (numbered(place, None), rows.shape[1])),
            payroll=pay[row, cell],
        )
        return np.stack(self._measured(entries, secret())[0], axis=-1)

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        """Pairs (w, d, 2) and θ in lattice points; the auditor runs it with its own noise."""
        clipping = self.bounds.clipping
        theta = clipping.theta(self.bounds._maximum(entries.largest(), noise))
        noisy = noise.pairs(self.sums(entries, theta), self.scales(theta), HEXAGON, None)
        noisy[:, :, 0] = (noisy[:, :, 0] + clipping.lattice // 2) // clipping.lattice
        return noisy, theta

    def sums(self, entries: Entries, theta: Integers) -> Integers:
        """Clipped counts in lattice points and payrolls in whole units, (w, d, 2)."""
        if entries.payroll is None:
            raise TypeError("the entries were tabulated without payroll")
        check_payroll(entries.payroll, entries.counts, self.cap)
        clipping, place = self.bounds.clipping, entries.workplace[entries.row]
        sizes, bound = entries.sizes[entries.row], theta[place]
        payroll = entries.payroll.copy()
        above = sizes * clipping.lattice > bound
        whole = sizes[above] * clipping.lattice
        payroll[above] = scaled(entries.payroll[above], bound[above], whole)[0]
        sums = np.zeros((*entries.shape, 2), dtype=np.int64)
        sums[:, :, 0] = clipping.sums(entries, theta)
        np.add.at(sums[:, :, 1], (place, entries.cell), payroll)
        return sums

    def scales(self, theta: Integers) -> TwoScales:
        """Δ/ε₂ in lattice points, and in units of pay, Δ = min(d, 2)·αθ/(1+α) + d(1/lattice + 1/B).

        The second term is for flooring.
        """
        alpha, d, lattice = self.parameters.growth, self.parameters.cells, self._lattice
        share = min(d, 2) * alpha / (1 + alpha)
        shift = d * (1 + Fraction(lattice, self.cap)) / share
        factor = share / self.bounds._rest
        pay = factor * self.cap / lattice
        return Scales(theta, factor=factor, shift=shift), Scales(theta, factor=pay, shift=shift)

    @property
    def _lattice(self) -> int:
        return self.bounds.clipping.lattice

    def _measured(self, columns: Cells | Entries, noise: Noise) -> tuple[Pairs, Ends]:
        """Each class of workplace cells by a mechanism of its own: disjoint cells, public m."""
        if isinstance(columns, Cells):
            raise TypeError("pay_clipped measures entries of establishments, not cells")
        entries = checked_entries(columns, MOST // self._lattice)
        pairs = np.zeros((*entries.shape, 2), dtype=np.int64)
        low, high = np.zeros(entries.shape), np.zeros(entries.shape)
        for clipped, cells in by_class(self, self.suited, entries):
            pairs[cells], theta = clipped._release(entries.part(cells), noise)
            found = Pairs(pairs[cells, :, 0], pairs[cells, :, 1])
            low[cells], high[cells] = clipped.interval(found, theta)
        return Pairs(pairs[:, :, 0], pairs[:, :, 1]), (low, high)

    def interval(self, found: Pairs, theta: Integers) -> Ends:
        """[v−q, κ(v+q)] of payrolls, clipping included; of means, that of the noise alone."""
        pay = self.scales(theta)[1].floats[:, None]
        if self.statistic == "mean":
            wide = max(reach(HEXAGON, -ratio, 1.0, COVERAGE) for ratio in (0.0, 0.5, 1.0))
            return mean_interval(found, np.zeros_like(pay), pay * wide)
        q = pay * reach(HEXAGON, 0.0, 1.0, 1 - MISSED) + 0.5
        lost = self.bounds.establishments * self.parameters.cells
        high = found.payroll + q
        if self.bounds.maximum.kappa > 1:
            high = np.maximum(high, (high + lost) * self.bounds.maximum.kappa)
        return found.payroll - q, np.minimum(high, LARGEST_END)

    def typical_ends(self, cells: Cells, establishments: int) -> Ends:
        """At the θ of a maximum without noise."""
        clipped = self.suited(establishment_class(establishments))
        theta = clipped.bounds.clipping.theta(clipped.bounds.clipping.grid.index(cells.largest))
        return clipped.interval(Pairs(cells.counts, payroll_of(cells, self.cap)), theta)

    def lost(self, cells: Cells, establishments: int) -> float:
        """E(X−θ)⁺ jobs of each establishment at the usual pay; a mean loses nothing at once."""
        if self.statistic == "mean":
            return 0.0
        clipped = self.suited(establishment_class(establishments)).bounds
        jobs = clipped.maximum.clipping_loss(int(cells.largest[0])) * establishments
        return jobs * self.cap * USUAL_SHARE / self.parameters.cells

    def error(self, cells: Cells, count: float, payroll: float) -> Floats | None:
        """Of the noise, over θ too, in the usual class; what clipping takes is left out."""
        clipped = self.suited(establishment_class(ESTABLISHMENTS)).bounds
        spread = clipped.mean_abs_error(cells.largest)  # E of a Laplace scale in jobs
        if spread is None:
            return None
        return np.asarray(spread) * HEXAGON.absolute(count, payroll * self.cap)

    @property
    def steady(self) -> bool:
        """Whether the noise of θ leaves the noise a variance."""
        return self.bounds.std(0) is not None
