"""Edge pay: count and payroll with noise that hides one job of any pay up to the cap.

Proof in edge_pay.proof.md. (n, P/B) + Z/ε, Z of density e^−‖z‖ in the norm |b| + |a−b| of
pay_centred, in which every job is one long: the part y/B that it is paid and the part that it is
not add up to one. The scale is a public constant, so margins cost nothing.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.mechanisms.calibrated import Claims, Origin, Words
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay import (
    Ends,
    Pairs,
    PayMechanism,
    PublishedPay,
    as_cells,
    payroll_of,
    read_cap,
    true_pairs,
)
from leeward.core.mechanisms.pay_margins import RATIOS, mean_interval, reach
from leeward.core.noise.body import CENTRED, Body
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers, Scales, TwoScales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee, WorkerOnly

NARROWINGS = 3
"""How often the interval of a mean is made narrower by the means that are left."""


@dataclass(frozen=True)
class EdgePay(PayMechanism):
    """Protects single jobs only: a large establishment's size and payroll show through.

    `release(counts, payroll, largest)`; `spread` is the scale of counts in jobs, and of payrolls
    in caps. Options: `cap`; `statistic`, "payroll" or "mean".
    """

    name: ClassVar[str] = "edge_pay"
    words: ClassVar[Words] = Words(
        label="edge DP of pay (workers only)",
        noise="Count and payroll of each cell get their random numbers together, of the size that "
        "hides one job of any pay up to the cap; large establishments are not hidden by them.",
    )
    origin: ClassVar[Origin] = "baseline"
    free_margins: ClassVar[bool] = True
    # One job lies in at most one cell, so all cells together cost ε in either kind of table.
    claims: ClassVar[Claims] = {"pay": (WorkerOnly(),), "worker_pay": (WorkerOnly(),)}
    body: ClassVar[Body] = CENTRED

    parameters: Parameters
    cap: int
    statistic: PublishedPay
    spread: Fraction

    @classmethod
    def calibrated(
        cls, parameters: Parameters, *, cap: int | None = None, statistic: str = "mean"
    ) -> "EdgePay":
        """The scale 1/ε is an exact rational."""
        parameters.only_tight(cls.name)
        return cls(parameters, *read_cap(cap, statistic), 1 / parameters.aimed)

    def price(self) -> Guarantee:
        """ε for a job."""
        return Guarantee(WorkerOnly(), None, self.parameters.epsilon)

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        """What is released, with this noise; the auditor runs it with its own."""
        return noise.pairs(true_pairs(cells, self.cap), self.scales(cells), self.body, None)

    def scales(self, cells: Cells) -> TwoScales:
        """The same for every cell."""
        one = np.ones_like(cells.largest)
        return Scales(one, factor=self.spread), Scales(one, factor=self.cap * self.spread)

    def _measured(self, columns: Cells | Entries, noise: Noise) -> tuple[Pairs, Ends]:
        drawn = self._release(as_cells(columns), noise)
        pairs = Pairs(drawn[:, :, 0], drawn[:, :, 1])
        return pairs, self.interval(pairs)

    def interval(self, found: Pairs) -> Ends:
        """Of a payroll v ± q; of a mean that of Fieller, with the noise that each mean has.

        The set {m : |P̃ − mñ| ≤ q(m/B)·B/ε + ½(1+m)} is inside the interval for the largest q, hence
        inside the one for the largest q of the means in that interval, and so on.
        """
        scale = self.cap * float(self.spread)
        if self.statistic == "payroll":
            half, payroll = (
                scale * reach(self.body, 0.0, 1.0, COVERAGE),
                found.payroll.astype(float),
            )
            return payroll - half - 0.5, payroll + half + 0.5
        none = np.zeros(found.jobs.shape)
        reaches = mean_reaches(self.body)
        low, high = mean_interval(found, none, none + scale * reaches.max())
        for _ in range(NARROWINGS):
            first, last = (
                np.clip(number / self.cap, 0, 1) * (len(RATIOS) - 1) for number in (low, high)
            )
            ends = reaches[np.floor(first).astype(int)], reaches[np.ceil(last).astype(int)]
            low, high = mean_interval(found, none, scale * np.maximum(*ends))
        return low, high

    def typical_ends(self, cells: Cells, establishments: int) -> Ends:
        """If nothing had noise."""
        return self.interval(Pairs(cells.counts, payroll_of(cells, self.cap)))

    def error(self, cells: Cells, count: float, payroll: float) -> Floats:
        """By the closed form of the body; rounding is left out."""
        one = self.body.absolute(count, payroll * self.cap) * float(self.spread)
        return np.full(len(cells.largest), one)

    @property
    def steady(self) -> bool:
        """Exponential tails have every moment."""
        return True


@lru_cache(maxsize=4)
def mean_reaches(body: Body) -> Floats:
    """Within which Z₂ − ratio·Z₁, the noise of a mean, stays nine times of ten, at RATIOS."""
    return np.array([reach(body, -ratio, 1.0, COVERAGE) for ratio in RATIOS.tolist()])
