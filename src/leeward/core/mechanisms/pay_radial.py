"""Pay radial slope: count and payroll of every worker cell for one ε, with the least radial noise.

Proof in pay_radial.proof.md. (n_i, P_i/B) + S·Z in the norm of pay_pareto, whose hexagon has every
change of an establishment's count and payroll. So a changed pay is one step.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self

from leeward.core.mechanisms.calibrated import Claims, Words
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay import PublishedPay, RadialPair, read_cap
from leeward.core.mechanisms.radial_slope import SlopeTails, radius_and_order
from leeward.core.noise.body import HEXAGON, Body
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.privacy import ProportionalAlpha, StrongAlpha


@dataclass(frozen=True)
class PayRadial(SlopeTails, RadialPair):
    """Noise of scale S for counts and B·S for payrolls, S = max(α·largest, Δ), B the cap.

    Options as of pay_pareto; `order` is r.
    """

    name: ClassVar[str] = "pay_radial"
    words: ClassVar[Words] = Words(
        label="pay radial slope",
        noise="Count and payroll of a workplace cell get their random numbers together, in "
        "proportion to its largest establishment, each job at the cap; they are zero on average, "
        "mostly small, and seldom large.",
    )
    claims: ClassVar[Claims] = {
        "pay": (StrongAlpha(), ProportionalAlpha()),
        "worker_pay": (StrongAlpha(), ProportionalAlpha()),
    }
    body: ClassVar[Body] = HEXAGON

    parameters: Parameters
    cap: int
    statistic: PublishedPay
    radius: RadialLaw = field(repr=False)
    order: Fraction

    @classmethod
    def calibrated(
        cls, parameters: Parameters, *, cap: int | None = None, statistic: str = "mean"
    ) -> Self:
        """The least noise of the theorem; rejects ε ≤ 2d·ln(1+α)."""
        parameters.only_tight(cls.name)
        most, published = read_cap(cap, statistic)
        law, order = radius_and_order(parameters, 2 * parameters.cells)
        return cls(parameters, most, published, law, order)
