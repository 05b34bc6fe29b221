"""Radial controls: radial slopes with one number of their theorem wrong.

F' of the genuine law is the smallest of ε, (r−p)/(1/α−ρ) before 1/α and (r+p)/(1/α+ρ): its pieces
are formed here once more, each with numbers that a slip in the program would give.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from leeward.core.mechanisms.joint_radial import JointRadial
from leeward.core.mechanisms.pay_radial import PayRadial
from leeward.core.mechanisms.radial_slope import RadialSlope
from leeward.core.noise.piece import Piece
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import Integers, Scales
from leeward.core.privacy import StrongAlpha
from leeward.lab.audit.audit_line import CAP, FOUR, Control
from leeward.lab.audit.exams import block
from leeward.lab.audit.joint_exam import joint_loss
from leeward.lab.audit.loss import PrivacyLoss
from leeward.lab.audit.neighbours import Depth
from leeward.lab.audit.pay_exam import pay_loss, steps_of
from leeward.lab.audit.twins import CUT, STRONG, sound, twin

((_, LARGE),) = FOUR
EPSILON = Fraction(LARGE)
CELLS = 8
R = TypeVar("R", RadialSlope, JointRadial, PayRadial)


@dataclass(frozen=True)
class SlopeNumbers:
    """The numbers in F'(ρ) = min(top, inner/(reach−ρ), outer/(reach+ρ))."""

    dimension: int
    top: Fraction
    inner: Fraction
    outer: Fraction
    reach: Fraction

    @classmethod
    def of(cls, genuine: R) -> "SlopeNumbers":
        """Those of the theorem."""
        p, r = genuine.radius.dimension, genuine.order
        return cls(p, genuine.parameters.aimed, r - p, r + p, 1 / genuine.parameters.growth)

    @property
    def radius(self) -> RadialLaw:
        """Its law. If both powers meet below the top, nothing falls exponentially."""
        near = max(self.reach - self.inner / self.top, Fraction(0))
        far = self.outer / self.top - self.reach
        if near > far:
            near = far = self.reach * (self.outer - self.inner) / (self.outer + self.inner)
        pieces = []
        if near:
            pieces.append(Piece(Fraction(0), near, self.inner, self.reach))
        if near < far:
            pieces.append(Piece(near, far, -self.top))
        return RadialLaw(self.dimension, (*pieces, Piece(far, None, -self.outer, -self.reach)))


Slip = Callable[[SlopeNumbers], RadialLaw]


def taken_for_one(numbers: SlopeNumbers) -> RadialLaw:
    """r−1 and r+1 for r−p and r+p."""
    more = numbers.dimension - 1
    return replace(numbers, inner=numbers.inner + more, outer=numbers.outer - more).radius


def forgotten(numbers: SlopeNumbers) -> RadialLaw:
    """r for r−p and r+p."""
    p = numbers.dimension
    return replace(numbers, inner=numbers.inner + p, outer=numbers.outer - p).radius


def thin_tail(numbers: SlopeNumbers) -> RadialLaw:
    """The tail of e^−F taken for that of the radius, which has ρ^(p−1) more: r+p−1 for r."""
    *first, last = numbers.radius.pieces
    thin = replace(last, rate=last.rate - (numbers.dimension - 1))
    return RadialLaw(numbers.dimension, (*first, thin))


def steeper(numbers: SlopeNumbers) -> RadialLaw:
    """F' up to 1.05 ε."""
    return replace(numbers, top=numbers.top * Fraction(21, 20)).radius


def steep_at_once(numbers: SlopeNumbers) -> RadialLaw:
    """e^−ερ from 0 on."""
    *_, falling, last = numbers.radius.pieces
    return RadialLaw(numbers.dimension, (replace(falling, low=Fraction(0)), last))


def half_paid(numbers: SlopeNumbers) -> RadialLaw:
    """λ·|p − ρF'|/2 + F'·λ/α ≤ ε."""
    p, order = numbers.dimension, (numbers.inner + numbers.outer) / 2
    twice = replace(numbers, inner=2 * order - p, outer=2 * order + p, reach=2 * numbers.reach)
    return twice.radius


def spoilt_block(slip: Slip, plus: int = 1) -> Callable[[Depth], PrivacyLoss]:
    """A block of eight cells."""

    def examine(depth: Depth) -> PrivacyLoss:
        genuine = sound(RadialSlope, epsilon=EPSILON, cells=CELLS, plus=plus)
        spoilt = replace(genuine, radius=slip(SlopeNumbers.of(genuine)))
        return block(spoilt, StrongAlpha(plus), depth)

    return examine


def spoilt_product(slip: Slip) -> Callable[[Depth], PrivacyLoss]:
    """Three tables."""

    def examine(depth: Depth) -> PrivacyLoss:
        genuine = sound(JointRadial, epsilon=EPSILON, tables=(2, 3, 2))
        return joint_loss(replace(genuine, radius=slip(SlopeNumbers.of(genuine))), STRONG, depth)

    return examine


def spoilt_pay(slip: Slip) -> Callable[[Depth], PrivacyLoss]:
    """Count and payroll."""

    def examine(depth: Depth) -> PrivacyLoss:
        genuine = sound(PayRadial, cap=CAP[1])
        spoilt = replace(genuine, radius=slip(SlopeNumbers.of(genuine)))
        return pay_loss(spoilt, replace(steps_of(genuine, "strong"), kinds=(1,)), depth)

    return examine


class CutSlope(RadialSlope):
    """A tenth less noise."""

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        genuine = super().scales(counts, largest)
        return replace(genuine, factor=genuine.factor * CUT)


class CutTables(JointRadial):
    """A tenth less noise."""

    def scales(self, largest: Integers) -> Scales:
        genuine = super().scales(largest)
        return replace(genuine, factor=genuine.factor * CUT)


def cut_block(depth: Depth) -> PrivacyLoss:
    """A tenth less noise on a block."""
    genuine = sound(RadialSlope, epsilon=EPSILON, cells=CELLS)
    return block(twin(CutSlope, genuine), STRONG, depth)


def cut_product(depth: Depth) -> PrivacyLoss:
    """A tenth less noise on tables."""
    return joint_loss(twin(CutTables, sound(JointRadial, epsilon=EPSILON, tables=(2, 3, 2))),
                      STRONG, depth)  # fmt: skip


SLIPS: dict[str, Slip] = {
    "the dimension p taken for 1": taken_for_one,
    "the dimension p forgotten": forgotten,
    "the tail of e^−F for that of the radius": thin_tail,
    "the first piece left out": steep_at_once,
    "dilation half paid": half_paid,
}

WIDE = 100
"""A Δ at which n moves by S and S stays. Noise of a few jobs is rounded more than a twentieth."""

RADIAL_CONTROLS: tuple[Control, ...] = (
    *(
        Control(defect, "radial_slope", spoilt_block(slip), epsilon=EPSILON)
        for defect, slip in SLIPS.items()
    ),
    Control(
        "F' up to 1.05 ε",
        "radial_slope",
        spoilt_block(steeper, WIDE),
        epsilon=EPSILON,
        detail=f"plus {WIDE}",
    ),
    Control("scale cut by 10 %", "radial_slope", cut_block, epsilon=EPSILON),
    *(
        Control(defect, "joint_radial", spoilt_product(SLIPS[defect]), epsilon=EPSILON)
        for defect in ("the dimension p forgotten", "the first piece left out")
    ),
    Control("scale cut by 10 %", "joint_radial", cut_product, epsilon=EPSILON),
    *(
        Control(defect, "pay_radial", spoilt_pay(SLIPS[defect]))
        for defect in ("the dimension p forgotten", "the first piece left out")
    ),
)
