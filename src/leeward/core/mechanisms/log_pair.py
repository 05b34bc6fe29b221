"""Log pair: ln(n+Δ/α) and ln(P+ΔB/α) on a public grid, with noise of one hexagon.

Proof in log_pair.proof.md. Under the proportional policy either logarithm moves by at most
ln(1+α), and both in the same direction. The noise is a share of the numbers themselves, so it is
for cells that are one establishment.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.exact import precision
from leeward.core.mechanisms.calibrated import Claims, JobLoss, Words
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay import (
    Ends,
    Pairs,
    PayMechanism,
    PublishedPay,
    as_cells,
    noisy_indices,
    payroll_of,
    read_cap,
    refuse_worker_cells,
)
from leeward.core.mechanisms.pay_margins import reach
from leeward.core.mechanisms.scale import STEPS, SizeGrid, part_of_grid, smallest
from leeward.core.noise.body import HEXAGON
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import BOUND, Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import ProportionalAlpha

ROUNDING = 1.0
"""Grid steps by which a released index may be off beside its noise: floor, and rounded noise."""

NODES = 48
"""Points of each exponential in a mean over the noise."""


@dataclass(frozen=True)
class LogPair(PayMechanism):
    """Count and payroll of all jobs of a workplace cell. Options: `cap`, `statistic`."""

    name: ClassVar[str] = "log_pair"
    words: ClassVar[Words] = Words(
        label="log pair",
        noise="Count and payroll of a workplace cell are multiplied by random factors, which are "
        "as often above one as below; on average the numbers come out too high.",
    )
    claims: ClassVar[Claims] = {"pay": (ProportionalAlpha(),)}
    free_margins: ClassVar[bool] = True

    parameters: Parameters
    cap: int
    statistic: PublishedPay

    @classmethod
    def calibrated(
        cls, parameters: Parameters, *, cap: int | None = None, statistic: str = "mean"
    ) -> "LogPair":
        """The noise is STEPS/ε steps of the grid."""
        parameters.only_tight(cls.name)
        most, published = read_cap(cap, statistic)
        refuse_worker_cells(cls.name, parameters)
        return cls(parameters, most, published)

    def one_job(self) -> JobLoss:
        """ε·i: both indices move by ⌈32j⌉ at most, in one direction."""
        return self.parameters.epsilon * part_of_grid(self.parameters), Fraction(0)

    @property
    def grids(self) -> tuple[SizeGrid, SizeGrid]:
        """Of jobs and of pay; their floors are the offsets Δ/α and ΔB/α."""
        p = self.parameters
        return SizeGrid(p.growth, p.least), SizeGrid(p.growth, p.least * self.cap)

    @property
    def spread(self) -> Fraction:
        """The scale of the noise in grid steps."""
        return STEPS / self.parameters.aimed

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        """Noisy grid indices (w, 1, 2); the auditor runs it with its own noise."""
        jobs, pay = self.grids
        index = [
            jobs.index_above(cells.counts[:, 0]),
            pay.index_above(payroll_of(cells, self.cap)[:, 0]),
        ]
        return noisy_indices(np.stack(index, axis=-1)[:, None, :], self.spread, noise)

    def _at(self, index: Integers, number: int, off: float = 0.0) -> Floats:
        """The count or payroll in the middle of a grid step, or so many steps beyond it."""
        with np.errstate(over="ignore"):
            sizes: Floats = np.exp((index[:, :, number] + (0.5 + off)) * self._step)
        return sizes - float(self.grids[number].floor)

    @property
    def _step(self) -> float:
        with precision(128):
            return float(self.parameters.log_growth() / STEPS)

    def _measured(self, columns: Cells | Entries, noise: Noise) -> tuple[Pairs, Ends]:
        index = self._release(as_cells(columns), noise)
        # The whole numbers in the middle of released grid steps.
        jobs, pay = (
            np.rint(np.clip(self._at(index, at), -BOUND, BOUND)).astype(np.int64) for at in (0, 1)
        )
        return Pairs(jobs, pay), self.interval(index)

    def interval(self, index: Integers) -> Ends:
        """The ends of what the released indices allow: functions of what is published."""
        if self.statistic == "payroll":
            wide = float(self.spread) * reach(HEXAGON, 0.0, 1.0, COVERAGE) + ROUNDING
            ends = [self._at(index, 1, way * wide) for way in (-1, 1)]
            return ends[0] - 1, ends[1] + 1
        # Both numbers may be off by ROUNDING in opposite directions: twice that in the norm.
        norm = smallest(lambda z: float(1 - (1 + z) * np.exp(-z)), COVERAGE)  # of the noise
        wide = float(self.spread) * norm + 2 * ROUNDING
        corners = [self._mean(index, a * wide, b * wide) for a, b in HEXAGON.vertices]
        return np.minimum.reduce(corners), np.maximum.reduce(corners)

    def _mean(self, index: Integers, jobs: float, pay: float) -> Floats:
        """The mean if the indices were off by so much; infinite without a job."""
        n, p = self._at(index, 0, jobs), self._at(index, 1, pay)
        with np.errstate(all="ignore"):
            return np.where(n > 0.5, np.maximum(p, 0) / n, np.inf)

    def typical_ends(self, cells: Cells, establishments: int) -> Ends:
        """If the indices had no noise."""
        jobs, pay = self.grids
        index = [jobs.index_above(cells.counts), pay.index_above(payroll_of(cells, self.cap))]
        return self.interval(np.stack(index, axis=-1))

    def error(self, cells: Cells, count: float, payroll: float) -> Floats | None:
        """By a mean over points of the noise; None where ε is at most ln(1+α)."""
        share = float(self.spread) * self._step
        if share >= 1:
            return None
        # Points of the pair of density e^−‖z‖, equally likely.
        middle = -np.log1p(-(np.arange(NODES) + 0.5) / NODES)
        first, second = (axis.ravel() for axis in np.meshgrid(middle, middle))
        points = HEXAGON.cones[:, :, :1] * first + HEXAGON.cones[:, :, 1:] * second
        jobs, pay = (np.expm1(share * points[:, number].ravel()) for number in (0, 1))
        numbers = np.stack([cells.counts[:, 0], payroll_of(cells, self.cap)[:, 0]], axis=-1)
        unique, at = np.unique(numbers, axis=0, return_inverse=True)
        n, p = (unique[:, i] + float(grid.floor) for i, grid in enumerate(self.grids))
        found = [
            np.abs(count * a * jobs + payroll * b * pay).mean() for a, b in zip(n, p, strict=True)
        ]
        return np.array(found)[at.ravel()]

    @property
    def steady(self) -> bool:
        """A variance needs ε above 2·ln(1+α)."""
        return float(self.spread) * self._step < 0.5
