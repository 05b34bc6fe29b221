"""Payroll radial slope: payrolls of all worker cells for one ε, without counts.

Proof in payroll_radial.proof.md. P_i + S_P·Z_i with Z of radial_slope and S_P of payroll_pareto.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from leeward.core.mechanisms.calibrated import Words
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay import PublishedPay, read_cap
from leeward.core.mechanisms.payroll_pareto import RadialPayroll, payroll_alone
from leeward.core.mechanisms.radial_slope import SlopeTails, radius_and_order
from leeward.core.noise.radial_law import RadialLaw


@dataclass(frozen=True)
class PayrollRadial(SlopeTails, RadialPayroll):
    """Noise of scale S_P; `order` is r."""

    name: ClassVar[str] = "payroll_radial"
    words: ClassVar[Words] = Words(
        label="payroll radial slope",
        noise="The payrolls of all worker cells of a workplace cell get their random numbers "
        "together, in proportion to the largest establishment; they are zero on average, mostly "
        "small, and seldom large. Counts are not released.",
    )

    parameters: Parameters
    cap: int
    statistic: PublishedPay
    radius: RadialLaw = field(repr=False)
    order: Fraction
    by_payroll: bool = False

    @classmethod
    def calibrated(
        cls,
        parameters: Parameters,
        *,
        cap: int | None = None,
        statistic: str = "payroll",
        by_payroll: bool = False,
    ) -> "PayrollRadial":
        """The least noise of the theorem; rejects ε ≤ d·ln(1+α)."""
        parameters.only_tight(cls.name)
        most, published = read_cap(cap, statistic)
        payroll_alone(cls.name, published)
        radius, order = radius_and_order(parameters, parameters.cells)
        return cls(parameters, most, published, radius, order, by_payroll)
