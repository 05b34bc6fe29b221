"""Radial slope: a whole block of worker cells for one ε, with the least noise of its kind.

Proof in radial_slope.proof.md. n + S·Z, the density of Z ∝ e^−F(Σ|z|), and F rises as fast as a
step of the policy allows: no faster than ε, than (r−p)/(1/α−ρ) before 1/α, and than (r+p)/(1/α+ρ).
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from flint import arb

from leeward.core.exact import at_most, ball, dyadic_down, precision
from leeward.core.mechanisms.calibrated import JobLoss, Words
from leeward.core.mechanisms.one_job import between_sizes, of_growth
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.radial_block import RadialBlock
from leeward.core.noise.piece import Piece
from leeward.core.noise.radial_law import RadialLaw

BITS, PRECISION = 96, 256


class SlopeTails:
    """A radius whose law has the order r of its tails."""

    parameters: Parameters
    order: Fraction

    def one_job(self) -> JobLoss:
        """ε·j: a job has norm 1 (one_job.proof.md)."""
        return self.parameters.epsilon * of_growth(self.parameters), Fraction(0)

    def loss(self, small: int, large: int) -> Fraction:
        """The potential of Theorem H, where the scale follows jobs."""
        steps: Fraction = super().loss(small, large)  # type: ignore[misc] # of the mechanism
        if getattr(self, "by_payroll", False):
            return steps
        return min(steps, between_sizes(self.parameters, small, large))


@dataclass(frozen=True)
class RadialSlope(SlopeTails, RadialBlock):
    """Joint noise of scale S = max(α·largest total size, Δ); `order` is r of the tails."""

    name: ClassVar[str] = "radial_slope"
    words: ClassVar[Words] = Words(
        label="radial slope",
        noise="All worker cells of a workplace cell get their random numbers together, in "
        "proportion to the largest establishment; they are zero on average, mostly small, and "
        "seldom large.",
    )

    parameters: Parameters
    radius: RadialLaw = field(repr=False)
    order: Fraction

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "RadialSlope":
        """The least noise of the theorem; rejects ε ≤ d·ln(1+α)."""
        parameters.only_tight(cls.name)
        return cls(parameters, *radius_and_order(parameters, parameters.cells))


def radius_and_order(parameters: Parameters, dimension: int) -> tuple[RadialLaw, Fraction]:
    """The law of the radius in any norm of this dimension, and r, rounded down once for all."""
    alpha, epsilon = parameters.growth, parameters.aimed
    with precision(PRECISION):
        growth = parameters.log_growth()
        order = dyadic_down(ball(epsilon) / growth, BITS)
        least = growth * dimension
    if order <= dimension:
        number = "cells" if parameters.cells == dimension else "dimension"
        raise parameters.refuse_epsilon(f"must be above {number}·ln(1+alpha)", least)

    def paid() -> arb:
        return ball(order) * parameters.log_growth()

    # Below ε/α the two powers would meet before F' reaches ε, and the pieces be other ones.
    if order < epsilon / alpha or not at_most(paid, lambda: ball(epsilon)):
        raise ArithmeticError("a radial slope does not meet its own conditions")
    near = 1 / alpha - (order - dimension) / epsilon
    far = (order + dimension) / epsilon - 1 / alpha
    start = max(near, Fraction(0))
    inner = [Piece(Fraction(0), start, order - dimension, 1 / alpha)] if near > 0 else []
    outer = [Piece(start, far, -epsilon), Piece(far, None, -(order + dimension), -1 / alpha)]
    return RadialLaw(dimension, (*inner, *outer)), order
