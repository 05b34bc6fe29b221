"""Slope: n + A·Z, the default for workplace tables. Proof in slope.proof.md.

Z has the density that saturates both slope conditions |φ'| ≤ ε/α and |1 − (1+z)φ'| ≤ ε/λ,
with its peak placed so that the noise is unbiased.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from flint import arb

from leeward.core.exact import ball, dyadic_down, dyadic_up, precision
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import Claims, JobLoss, Words
from leeward.core.mechanisms.one_job import between_sizes, by_slope
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.piece import Piece
from leeward.core.noise.scales import Integers, Scales
from leeward.core.privacy import StrongAlpha, WeakAlpha

BITS, PRECISION = 96, 256
STEP = Fraction(1, 1 << BITS)

MOST_SECANTS = 16
"""Half of these suffice; a peak that they do not find is found by bisection."""


@dataclass(frozen=True)
class Slope(Additive):
    """Noise whose size follows A = max(largest establishment, Δ/α)."""

    name: ClassVar[str] = "slope"
    words: ClassVar[Words] = Words(
        label="slope",
        noise="Each cell gets its own random number, in proportion to its largest establishment; "
        "it is zero on average, mostly small, and now and then large.",
    )
    # The coupling of n and A holds only where every job is counted, hence no strong claim for
    # worker tables; under the weak policy a worker cell's own jobs are "every job".
    claims: ClassVar[Claims] = {"workplace": (StrongAlpha(),), "worker": (WeakAlpha(),)}

    parameters: Parameters
    law: PiecewiseLaw = field(repr=False)

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "Slope":
        """Constants for α and ε; refuses ε ≤ d·ln(1+α), where no density satisfies both slopes."""
        parameters.only_tight(cls.name)
        with precision(PRECISION):
            r = dyadic_down(parameters.aim() / parameters.log_growth(), BITS)
            b = dyadic_up(ball(parameters.growth) / parameters.aim(), BITS)
            least = parameters.log_growth() * parameters.cells
        if r <= 1:
            raise parameters.refuse_epsilon("must be above ln(1+alpha) for each worker cell", least)
        return cls(parameters, unbiased(r, b))

    def one_job(self) -> JobLoss:
        """ε·j of one worker cell."""
        return by_slope(self.parameters), Fraction(0)

    def loss(self, small: int, large: int) -> Fraction:
        """Also a potential, where the establishment is counted whole."""
        least = super().loss(small, large)
        if self.parameters.cells > 1:
            return least
        return min(least, between_sizes(self.parameters, small, large))

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """A = max(x, Δ/α)."""
        return Scales(largest, floor=self.parameters.floor)


def slope_law(r: Fraction, b: Fraction, peak: Fraction) -> PiecewiseLaw:
    """Left power tail, left exponential, rising power, right exponential, right power tail."""
    right_joint = max(peak, (r + 1) * b - 1)
    left_joint = min(peak, (r - 1) * b - 1)
    far_left = -1 - (r + 1) * b
    centre = Fraction(-1)
    candidates = (
        Piece(None, far_left, -(r + 1), centre),
        Piece(far_left, left_joint, 1 / b),
        Piece(left_joint, peak, r - 1, centre),
        Piece(peak, right_joint, -1 / b),
        Piece(right_joint, None, -(r + 1), centre),
    )
    pieces = tuple(p for p in candidates if p.low is None or p.low != p.high)
    return PiecewiseLaw(pieces, jumps=(Fraction(0),) * (len(pieces) - 1))


@lru_cache(maxsize=256)
def unbiased(r: Fraction, b: Fraction) -> PiecewiseLaw:
    """The law with its peak where E Z = 0, rounded up to a multiple of 2^-BITS."""
    low, high = _guess(r, b)
    if not _is_negative(_mean(r, b, low)) or _is_negative(_mean(r, b, high)):
        low, high = Fraction(-1), Fraction(0)
    while high - low > STEP:
        middle = (low + high) / 2
        low, high = (middle, high) if _is_negative(_mean(r, b, middle)) else (low, middle)
    return slope_law(r, b, high)


def _guess(r: Fraction, b: Fraction) -> tuple[Fraction, Fraction]:
    """Two neighbouring multiples of STEP with the peak between them, by secants; to be checked."""
    last, peak = Fraction(-1, 2), Fraction(-1, 4)
    before, mean = _mean(r, b, last), _mean(r, b, peak)
    for _ in range(MOST_SECANTS):
        with precision(PRECISION):
            rise = (mean - before) / ball(peak - last)
            if not rise > 0:
                break
            found = dyadic_down(ball(peak) - mean / rise, BITS)
        found = min(max(found, STEP - 1), -STEP)
        if found == peak:
            break
        last, before, peak, mean = peak, mean, found, _mean(r, b, found)
    return peak, peak + STEP


def _mean(r: Fraction, b: Fraction, peak: Fraction) -> arb:
    """E Z, which is finite for r > 1."""
    with precision(PRECISION):
        mean = slope_law(r, b, peak).moment_ball(1)
    if mean is None:
        raise ArithmeticError("r must be above 1")
    return mean


def _is_negative(mean: arb) -> bool:
    return bool(mean < 0)
