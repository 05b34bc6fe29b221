"""Pay on two scales: the noise of payroll follows the largest payroll (proportional policy).

Proof in pay_two_scales.proof.md. (n, P) + (S·Z₁, S_P·Z₂)/t with S = max(αX, Δ),
S_P = max(α·P_max, ΔB) and Z of density ∝ (1+‖z‖)^−(2+k) in the norm of the hexagon. The scales grow
apart, which the calibration pays for.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from leeward.core.exact import at_most, ball, dyadic_down, precision
from leeward.core.mechanisms.calibrated import Claims, JobLoss, Words
from leeward.core.mechanisms.one_job import by_two_scales
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay import PublishedPay, RadialPair, read_cap, refuse_worker_cells
from leeward.core.mechanisms.vector_pareto import PowerTails
from leeward.core.noise.body import HEXAGON, Body
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from leeward.core.privacy import ProportionalAlpha

BITS = 96
MOST_SHAPE = 64
"""The largest k: H is a sum of k exponentials."""


@dataclass(frozen=True)
class PayTwoScales(PowerTails, RadialPair):
    """One pair a workplace cell; `largest_payroll` is that of the establishment that pays most.

    It counts all jobs of an establishment, whatever the filter of a table. Options as of
    pay_pareto.
    """

    name: ClassVar[str] = "pay_two_scales"
    words: ClassVar[Words] = Words(
        label="pay on two scales",
        noise="Count and payroll of a workplace cell get their random numbers together, the count "
        "in proportion to its largest establishment, the payroll to its largest payroll; they are "
        "zero on average, mostly small, and now and then large.",
    )
    claims: ClassVar[Claims] = {
        "pay": (ProportionalAlpha(),),
        "worker_pay": (ProportionalAlpha(),),
    }
    body: ClassVar[Body] = HEXAGON
    by_payroll = True

    parameters: Parameters
    cap: int
    statistic: PublishedPay
    radius: RadialLaw = field(repr=False)
    shape: Fraction
    step: Fraction

    @classmethod
    def calibrated(
        cls, parameters: Parameters, *, cap: int | None = None, statistic: str = "mean"
    ) -> "PayTwoScales":
        """The k and t of smallest expected error among those that keep the promise."""
        parameters.only_tight(cls.name)
        most, published = read_cap(cap, statistic)
        refuse_worker_cells(cls.name, parameters)
        with precision(256):
            growth, total = parameters.log_growth(), ball(parameters.aimed)
            top = int(dyadic_down(total / growth, 32)) - 1
            if not total > 2 * growth or top < 2:
                raise parameters.refuse_epsilon("must be at least 3·ln(1+alpha)", 3 * growth)
            shapes = [Fraction(k) for k in range(2, min(top, MOST_SHAPE) + 1)]
            shape = max(shapes, key=lambda k: _step(parameters, k) * (k - 1))
            step = _step(parameters, shape)
        _certify(parameters, shape, step)
        return cls(parameters, most, published, pareto_radius(2, shape), shape, step)

    def one_job(self) -> JobLoss:
        """By the three conditions of the theorem."""
        return by_two_scales(self.parameters, self.shape, self.step), Fraction(0)


def _step(parameters: Parameters, shape: Fraction) -> Fraction:
    """The largest t, rounded down, that the first two conditions allow."""
    epsilon, growth, order = ball(parameters.aimed), parameters.log_growth(), ball(shape + 2)
    one_moves = ((epsilon - growth) / order).expm1()
    both_move = growth.exp() * ((epsilon - 2 * growth) / order).expm1()
    return min(dyadic_down(one_moves, BITS), dyadic_down(both_move, BITS))


def _certify(parameters: Parameters, shape: Fraction, step: Fraction) -> None:
    """All three conditions of the theorem, checked once more in ball arithmetic."""
    growth = parameters.log_growth
    conditions = (
        lambda: growth() + ball(shape + 2) * ball(step).log1p(),
        lambda: 2 * growth() + ball(shape + 2) * (ball(step) * (-growth()).exp()).log1p(),
        lambda: ball(shape + 1) * growth(),
    )
    kept = all(at_most(condition, lambda: ball(parameters.epsilon)) for condition in conditions)
    if step <= 0 or not kept:
        raise ArithmeticError("a calibration on two scales does not meet its own conditions")
