"""Joint radial slope: all breakdowns of a workplace cell for one ε, with the least radial noise.

Proof in joint_radial.proof.md. n + S·Z on the space V of tables with one sum, where Z has the
density ∝ e^−F(N(z)) of radial_slope, N the largest Σ|z| of a table and p the dimension of V.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from leeward.core.mechanisms.calibrated import Words
from leeward.core.mechanisms.joint import joint_design
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.radial_product import RadialProduct
from leeward.core.mechanisms.radial_slope import SlopeTails, radius_and_order
from leeward.core.noise.design import Design
from leeward.core.noise.radial_law import RadialLaw


@dataclass(frozen=True)
class JointRadial(SlopeTails, RadialProduct):
    """Noise of scale S = max(α·largest, Δ) for all cells of all tables; `order` is r."""

    name: ClassVar[str] = "joint_radial"
    words: ClassVar[Words] = Words(
        label="joint radial slope",
        noise="All tables of a workplace cell get their random numbers together, so that they "
        "still add up to one total; the numbers are in proportion to the largest establishment, "
        "zero on average, mostly small, and seldom large.",
    )

    parameters: Parameters
    design: Design
    radius: RadialLaw = field(repr=False)
    order: Fraction

    @classmethod
    def calibrated(cls, parameters: Parameters, *, tables: tuple[int, ...] = ()) -> "JointRadial":
        """The least noise of the theorem; rejects ε ≤ p·ln(1+α)."""
        parameters.only_tight(cls.name)
        design, of_all = joint_design(parameters, tables, "sum")
        return cls(of_all, design, *radius_and_order(of_all, design.dimension))
