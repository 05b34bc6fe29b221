"""Log-Laplace: noise on the logarithm of n + 1/α. Proof in log_laplace.proof.md.

Released is ⌊c·(n+1/α)·e^η − 1/α + ½⌋ with η Laplace, which is n + ⌊(n+1/α)·Z + ½⌋ for
Z = c·e^η − 1: a law of two powers around −1.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from leeward.exact import dyadic_down, precision
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.claims import Claims
from leeward.mechanisms.parameters import Parameters
from leeward.noise.law import PiecewiseLaw
from leeward.noise.piece import Piece
from leeward.noise.sampling import Integers, Scales
from leeward.privacy import StrongAlpha, WeakAlpha

BITS = 96


@dataclass(frozen=True)
class LogLaplace(Additive):
    """Noise that grows with the count: tight and unbiased, or biased as published."""

    name: ClassVar[str] = "log_laplace"
    # A filtered count can grow from almost nothing within one strong step: weak only there.
    claims: ClassVar[Claims] = {"workplace": (StrongAlpha(),), "worker": (WeakAlpha(),)}
    needs: ClassVar[str] = "counts"

    parameters: Parameters
    law: PiecewiseLaw

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "LogLaplace":
        """Scale λ/ε and c = 1 − (λ/ε)²; as published scale 2λ/ε and c = 1."""
        loose = 2 if parameters.published else 1
        with precision(256):
            rate = dyadic_down(parameters.aim() / parameters.log_growth() / loose, BITS)
            least = parameters.log_growth() * parameters.cells
        if parameters.published and rate > 0:
            return cls(parameters, log_laplace_law(rate, Fraction(1)))
        if rate <= 1:
            raise parameters.refuse_epsilon(
                "must be above ln(1+alpha) for each worker cell, or the noise has no mean", least
            )
        # E e^η = 1/(1−s²), s = λ/ε ([H15] Theorem 5.3 prints 1−λ/2: erratum).
        unbiasing = round((1 - 1 / rate**2) * 2**BITS)
        return cls(parameters, log_laplace_law(rate, Fraction(unbiasing, 2**BITS)))

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """n + 1/α."""
        return Scales(counts, shift=1 / self.parameters.growth)


def log_laplace_law(rate: Fraction, factor: Fraction) -> PiecewiseLaw:
    """factor·e^η − 1 with η Laplace of scale 1/rate."""
    centre, peak = Fraction(-1), factor - 1
    return PiecewiseLaw(
        pieces=(Piece(centre, peak, rate - 1, centre), Piece(peak, None, -(rate + 1), centre)),
        jumps=(Fraction(0),),
    )
