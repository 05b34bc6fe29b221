"""Log-Laplace: noise on the logarithm of n + Δ/α. Proof in log_laplace.proof.md.

Released is ⌊c·(n+Δ/α)·e^η − Δ/α + ½⌋ with η Laplace, which is n + ⌊(n+Δ/α)·Z + ½⌋ for
Z = c·e^η − 1: a law of two powers around −1.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, log
from typing import ClassVar

import numpy as np

from leeward.core.exact import dyadic_down, precision
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import Claims, JobLoss, Origin, Words
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.one_job import by_slope
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.piece import Piece
from leeward.core.noise.scales import CellNoise, Integers, Scales, whole_margins
from leeward.core.privacy import StrongAlpha, WeakAlpha

BITS = 96


@dataclass(frozen=True)
class LogLaplace(Additive):
    """Noise that grows with the count: tight and unbiased, or biased as published."""

    name: ClassVar[str] = "log_laplace"
    words: ClassVar[Words] = Words(
        label="Log-Laplace",
        noise="Each count is multiplied by a random factor, so that large counts move more than "
        "small ones; on average it is right.",
    )
    origin: ClassVar[Origin] = "paper"
    free_margins: ClassVar[bool] = True
    follows_counts: ClassVar[bool] = True
    # A filtered count can grow from almost nothing within one strong step: weak only there.
    claims: ClassVar[Claims] = {"workplace": (StrongAlpha(),), "worker": (WeakAlpha(),)}
    follows: ClassVar[str] = "counts"

    parameters: Parameters
    law: PiecewiseLaw = field(repr=False)

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

    def one_job(self) -> JobLoss:
        """ε·j of one worker cell; half where the scale is twice as large."""
        return by_slope(self.parameters) / (2 if self.parameters.published else 1), Fraction(0)

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """n + Δ/α."""
        return Scales(counts, shift=self.parameters.floor)

    def public_margins(self, values: Integers, coverage: Fraction) -> Integers:
        """q·(released + Δ/α), q the quantile of |1 − e^−η/c|: a function of what is published."""
        offset = float(self.parameters.floor)
        return whole_margins(self._quantile(coverage) * (np.abs(values) + offset + 0.5) + 0.5)

    def public_noise(self) -> CellNoise:
        """The noise is a share 1 − e^−η/c = Z/(1+Z) of released + Δ/α."""
        share = 1 / self._quantile(COVERAGE)
        return CellNoise(self.law, share, least=0.0, relative=True, lean=self.lean)

    def _quantile(self, share: Fraction) -> float:
        """The q with P(c(1−q) ≤ e^−η ≤ c(1+q)) = share for Laplace η, by bisection."""
        coverage = float(share)
        scale = 1 / float(self.law.pieces[0].rate + 1)
        factor = float(self.law.pieces[0].high or 0) + 1  # the law's peak is at c − 1

        def below(bound: float) -> float:
            if bound <= 0:
                return 0.0
            x = log(bound) / scale
            return 0.5 * exp(x) if x < 0 else 1 - 0.5 * exp(-x)

        def covered(q: float) -> float:
            return below(factor * (1 + q)) - below(factor * (1 - q))

        low, high = 0.0, 1.0
        while covered(high) < coverage:
            low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if covered(middle) < coverage else (low, middle)
        return high


def log_laplace_law(rate: Fraction, factor: Fraction) -> PiecewiseLaw:
    """factor·e^η − 1 with η Laplace of scale 1/rate."""
    centre, peak = Fraction(-1), factor - 1
    return PiecewiseLaw(
        pieces=(Piece(centre, peak, rate - 1, centre), Piece(peak, None, -(rate + 1), centre)),
        jumps=(Fraction(0),),
    )
