"""Smooth Gamma: n + c·S·Z with density ∝ 1/(1+z⁴). Proof in smooth_gamma.proof.md."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from flint import arb

from leeward.core.exact import at_most, dyadic_up, precision
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import Claims, JobLoss, Origin, Words
from leeward.core.mechanisms.one_job import by_quartic
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.quartic import QuarticLaw
from leeward.core.noise.scales import Integers, Scales
from leeward.core.privacy import StrongAlpha, WeakAlpha

BITS = 96


@dataclass(frozen=True)
class SmoothGamma(Additive):
    """Noise of scale c·S whose tails fall as z⁻⁴, heavy enough to survive dilation."""

    name: ClassVar[str] = "smooth_gamma"
    words: ClassVar[Words] = Words(
        label="Smooth Gamma",
        noise="Each cell gets its own random number, in proportion to its largest establishment; "
        "it is zero on average and now and then large.",
    )
    origin: ClassVar[Origin] = "paper"
    claims: ClassVar[Claims] = {"workplace": (StrongAlpha(),), "worker": (WeakAlpha(),)}

    parameters: Parameters
    law: QuarticLaw = field(repr=False)
    multiple: Fraction

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "SmoothGamma":
        """As published c = 16/ε with ε ≥ 4λ; tight c = 3^(3/4)/(ε−3λ) with ε > 3λ."""
        if parameters.published:
            _at_least(parameters, 4, "must be at least 4·ln(1+alpha) for each worker cell")
            return cls(parameters, QuarticLaw(), 16 / parameters.share)
        _at_least(parameters, 3, "must be above 3·ln(1+alpha) for each worker cell")
        with precision(256):
            left = parameters.aim() - 3 * parameters.log_growth()
            return cls(parameters, QuarticLaw(), dyadic_up(steepest() / left, BITS))

    def one_job(self) -> JobLoss:
        """Of one worker cell."""
        return by_quartic(self.parameters, steepest(), self.multiple), Fraction(0)

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """c·S with S = max(αx, Δ)."""
        alpha = self.parameters.growth
        return Scales(largest, floor=self.parameters.floor, factor=alpha * self.multiple)


def steepest() -> arb:
    """3^(3/4), the largest slope of ln(1+z⁴)."""
    return arb(27).root(4)


def _at_least(parameters: Parameters, times: int, rule: str) -> None:
    """Refuse a share of ε below times·λ."""
    if not at_most(lambda: times * parameters.log_growth(), parameters.aim):
        with precision(256):
            least = times * parameters.log_growth() * parameters.cells
        raise parameters.refuse_epsilon(rule, least)
