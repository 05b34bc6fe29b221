"""Slope: n + A·Z, the default for workplace tables. Proof in slope.proof.md.

Z has the density that saturates both slope conditions |φ'| ≤ ε/α and |1 − (1+z)φ'| ≤ ε/λ,
with its peak placed so that the noise is unbiased.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from leeward.exact import ball, dyadic_down, dyadic_up, precision
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.measurement import Claims, Words
from leeward.mechanisms.parameters import Parameters
from leeward.noise.law import PiecewiseLaw
from leeward.noise.piece import Piece
from leeward.noise.scales import Integers, Scales
from leeward.privacy import StrongAlpha, WeakAlpha

BITS = 96


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
        with precision(256):
            r = dyadic_down(parameters.aim() / parameters.log_growth(), BITS)
            b = dyadic_up(ball(parameters.growth) / parameters.aim(), BITS)
            least = parameters.log_growth() * parameters.cells
        if r <= 1:
            raise parameters.refuse_epsilon("must be above ln(1+alpha) for each worker cell", least)
        return cls(parameters, unbiased(r, b))

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
    """The law with its peak where E Z = 0, by bisection between −1 and 0."""
    low, high = Fraction(-1), Fraction(0)
    for _ in range(BITS):
        middle = (low + high) / 2
        with precision(256):
            mean = slope_law(r, b, middle).moment_ball(1)
        low, high = (middle, high) if mean is not None and mean < 0 else (low, middle)
    return slope_law(r, b, high)
