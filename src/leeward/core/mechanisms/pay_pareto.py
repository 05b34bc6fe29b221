"""Pay Pareto: count and payroll of every worker cell for one ε, on one scale.

Proof in pay_pareto.proof.md. (n_i, P_i/B) + (S/t)·Z, Z of density ∝ (1+Σ‖z_i‖)^−(2d+k) in the norm
of the hexagon |a| ≤ 1, |b| ≤ 1, |a−b| ≤ 1, which holds every change of an establishment's count
and payroll: joiners of any pay, and raises. So a changed pay is one step.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from leeward.core.mechanisms.calibrated import Claims, Words
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay import PublishedPay, RadialPair, read_cap
from leeward.core.mechanisms.vector_pareto import PowerTails, tail_and_step
from leeward.core.noise.body import HEXAGON, Body
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from leeward.core.privacy import ProportionalAlpha, StrongAlpha


@dataclass(frozen=True)
class PayPareto(PowerTails, RadialPair):
    """Noise of scale S/t for counts and B·S/t for payrolls, S = max(α·largest, Δ), B the cap.

    `release(counts, payroll, largest)`: payroll has pay from 0 to `cap` a job, `largest` counts an
    establishment with all its jobs. Options: `cap`; `statistic`, what is published beside the
    count, "payroll" or "mean".
    """

    name: ClassVar[str] = "pay_pareto"
    words: ClassVar[Words] = Words(
        label="pay Pareto",
        noise="Count and payroll of a workplace cell get their random numbers together, in "
        "proportion to its largest establishment, each job at the cap; they are zero on average, "
        "mostly small, and now and then large.",
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
    shape: Fraction
    step: Fraction

    @classmethod
    def calibrated(
        cls, parameters: Parameters, *, cap: int | None = None, statistic: str = "mean"
    ) -> "PayPareto":
        """The k and t of smallest expected error among those that keep the promise."""
        parameters.only_tight(cls.name)
        most, published = read_cap(cap, statistic)
        dimension = 2 * parameters.cells
        shape, step = tail_and_step(parameters, dimension, whole=True)
        return cls(parameters, most, published, pareto_radius(dimension, shape), shape, step)
