"""Payroll Pareto: payrolls of all worker cells for one ε, without counts.

Proof in payroll_pareto.proof.md. P_i + (S_P/t)·L_i/H as vector_pareto, where S_P bounds what one
step moves all payrolls of a workplace cell together: B·S with S = max(αX, Δ), or under the
proportional policy max(α·P_max, ΔB).
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.errors import NotCovered
from leeward.core.mechanisms.calibrated import Claims, Words
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay import (
    Pairs,
    PayMechanism,
    PublishedPay,
    as_cells,
    payroll_of,
    payroll_scales,
    read_cap,
)
from leeward.core.mechanisms.vector_pareto import PowerTails, tail_and_step
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.radial_cell import PublicTail, stated_cell
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from leeward.core.noise.scales import Integers, Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import ProportionalAlpha, StrongAlpha


def payroll_alone(name: str, statistic: object) -> None:
    """Refuse a mean where no count is released."""
    if statistic == "mean":
        raise NotCovered(
            "mechanism",
            rule=f"must release counts for a mean: {name} releases payrolls alone",
            value=f"'{name}' for statistic mean",
            next_step="Use pay_centred or pay_pareto, or leave mechanism out for auto.",
        )


class RadialPayroll(PayMechanism):
    """Payrolls of all worker cells with one radius, without counts.

    Options: `cap`; `by_payroll`, whether S_P follows the largest payroll. That is covered under
    the proportional policy only.
    """

    claims: ClassVar[Claims] = {
        "pay": (StrongAlpha(), ProportionalAlpha()),
        "worker_pay": (StrongAlpha(), ProportionalAlpha()),
    }
    with_count: ClassVar[bool] = False

    radius: RadialLaw

    @property
    def unit(self) -> Fraction:
        """The unit of the radius, in units of S_P."""
        return Fraction(1)

    @property
    def proved(self) -> Claims:
        """The largest payroll bounds only proportional steps."""
        if not self.by_payroll:
            return self.claims
        return dict.fromkeys(self.claims, (ProportionalAlpha(),))

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        """What is released, with this noise; the auditor runs it with its own."""
        true, scales = payroll_of(cells, self.cap), self.scales(cells)
        if self.parameters.cells > 1:
            return noise.block(true, scales, self.radius)
        return noise.rounded(true[:, 0], stated_cell(self.radius), scales)[:, None]

    def _measured(self, columns: Cells | Entries, noise: Noise) -> tuple[Pairs, None]:
        payroll = self._release(as_cells(columns), noise)
        return Pairs(np.zeros_like(payroll), payroll), None

    def scales(self, cells: Cells) -> Scales:
        """Units of S_P."""
        return payroll_scales(self, cells, self.parameters.growth * self.unit)

    def error(self, cells: Cells, count: float, payroll: float) -> Floats | None:
        """E|Z| of one of p cells is a p-th of that of the radius."""
        radius = self.radius.moment(1)
        if radius is None:
            return None
        return self.scales(cells).floats * abs(payroll) * radius / self.radius.dimension

    @property
    def steady(self) -> bool:
        """Whether the radius has a variance."""
        return self.radius.moment(2) is not None

    def beyond(self, ratio: float, reach: Floats) -> Floats:
        """P(|Z| > z) of one cell."""
        return PublicTail(self.radius).tail(reach / float(self.unit))


@dataclass(frozen=True)
class PayrollPareto(PowerTails, RadialPayroll):
    """Noise of scale S_P/t, of power tails k."""

    name: ClassVar[str] = "payroll_pareto"
    words: ClassVar[Words] = Words(
        label="payroll Pareto",
        noise="The payrolls of all worker cells of a workplace cell get their random numbers "
        "together, in proportion to the largest establishment; they are zero on average, mostly "
        "small, and now and then large. Counts are not released.",
    )

    parameters: Parameters
    cap: int
    statistic: PublishedPay
    radius: RadialLaw = field(repr=False)
    shape: Fraction
    step: Fraction
    by_payroll: bool = False

    @classmethod
    def calibrated(
        cls,
        parameters: Parameters,
        *,
        cap: int | None = None,
        statistic: str = "payroll",
        by_payroll: bool = False,
    ) -> "PayrollPareto":
        """The k and t of smallest expected error among those that keep the promise."""
        parameters.only_tight(cls.name)
        most, published = read_cap(cap, statistic)
        payroll_alone(cls.name, published)
        shape, step = tail_and_step(parameters, parameters.cells)
        radius = pareto_radius(parameters.cells, shape)
        return cls(parameters, most, published, radius, shape, step, by_payroll)
