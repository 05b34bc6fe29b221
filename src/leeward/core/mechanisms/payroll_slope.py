"""Payroll slope: P + A·Z with A = max(P_max, ΔB/α), for all jobs of a workplace cell.

Proof in payroll_slope.proof.md: the theorem of slope word for word, as under the proportional
policy payroll and largest payroll grow together. Under the strong policy they do not: joiners may
earn nothing.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.mechanisms.calibrated import Claims, JobLoss, Words
from leeward.core.mechanisms.one_job import by_slope
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay import (
    Pairs,
    PayMechanism,
    PublishedPay,
    as_cells,
    payroll_of,
    payroll_scales,
    read_cap,
    refuse_worker_cells,
)
from leeward.core.mechanisms.payroll_pareto import payroll_alone
from leeward.core.mechanisms.slope import Slope
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers, Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import ProportionalAlpha


@dataclass(frozen=True)
class PayrollSlope(PayMechanism):
    """Noise whose size follows A = max(largest payroll, ΔB/α). Option: `cap`."""

    name: ClassVar[str] = "payroll_slope"
    words: ClassVar[Words] = Words(
        label="payroll slope",
        noise="Each payroll gets its own random number, in proportion to the largest payroll of "
        "an establishment; it is zero on average, mostly small, and now and then large. Counts "
        "are not released.",
    )
    claims: ClassVar[Claims] = {"pay": (ProportionalAlpha(),)}
    with_count: ClassVar[bool] = False
    by_payroll = True

    parameters: Parameters
    cap: int
    statistic: PublishedPay
    slope: Slope

    @classmethod
    def calibrated(
        cls, parameters: Parameters, *, cap: int | None = None, statistic: str = "payroll"
    ) -> "PayrollSlope":
        """The law of slope at these numbers."""
        most, published = read_cap(cap, statistic)
        payroll_alone(cls.name, published)
        refuse_worker_cells(cls.name, parameters)
        return cls(parameters, most, published, Slope.calibrated(parameters))

    def one_job(self) -> JobLoss:
        """ε·j."""
        return by_slope(self.parameters), Fraction(0)

    @property
    def law(self) -> PiecewiseLaw:
        """The law of Z."""
        return self.slope.law

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        """What is released, with this noise; the auditor runs it with its own."""
        true = payroll_of(cells, self.cap)
        return noise.rounded(true[:, 0], self.law, self.scales(cells))[:, None]

    def _measured(self, columns: Cells | Entries, noise: Noise) -> tuple[Pairs, None]:
        payroll = self._release(as_cells(columns), noise)
        return Pairs(np.zeros_like(payroll), payroll), None

    def scales(self, cells: Cells) -> Scales:
        """A."""
        return payroll_scales(self, cells, Fraction(1))

    def error(self, cells: Cells, count: float, payroll: float) -> Floats | None:
        """A·E|Z|."""
        mean = self.law.moment(1, absolute=True)
        return None if mean is None else self.scales(cells).floats * (abs(payroll) * mean)

    @property
    def steady(self) -> bool:
        """Whether Z has a variance."""
        return self.law.moment(2) is not None

    def beyond(self, ratio: float, reach: Floats) -> Floats:
        """Both tails of Z, whose unit is A = S_P/α."""
        z = reach * float(self.parameters.growth)
        return self.law.float_tails(-z)[0] + self.law.float_tails(z)[1]
