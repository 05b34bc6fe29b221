"""Joint Pareto: all breakdowns of a workplace cell for one ε, with power tails.

Proof in joint_pareto.proof.md. n + (S/t)·Z on the space V of tables with one sum, where Z has the
density ∝ (1+N(z))^−(p+k), N the largest Σ|z| of a table and p the dimension of V.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from leeward.core.mechanisms.calibrated import Words
from leeward.core.mechanisms.joint import joint_design, public_draws
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.radial_product import RadialProduct
from leeward.core.mechanisms.vector_pareto import PowerTails, tail_and_step
from leeward.core.noise.design import Design
from leeward.core.noise.radial_law import RadialLaw, pareto_radius

if TYPE_CHECKING:
    from leeward.core.noise.public_draws import PublicDraws


@dataclass(frozen=True)
class JointPareto(PowerTails, RadialProduct):
    """Noise of scale S/t for all cells of all tables, of power tails k."""

    name: ClassVar[str] = "joint_pareto"
    words: ClassVar[Words] = Words(
        label="joint Pareto",
        noise="All tables of a workplace cell get their random numbers together, so that they "
        "still add up to one total; the numbers are in proportion to the largest establishment, "
        "zero on average, mostly small, and now and then large.",
    )

    parameters: Parameters
    design: Design
    radius: RadialLaw = field(repr=False)
    shape: Fraction
    step: Fraction

    @classmethod
    def calibrated(cls, parameters: Parameters, *, tables: tuple[int, ...] = ()) -> "JointPareto":
        """The k and t of smallest expected error among those that keep the guarantee."""
        parameters.only_tight(cls.name)
        design, of_all = joint_design(parameters, tables, "sum")
        shape, step = tail_and_step(of_all, design.dimension, whole=True)
        return cls(of_all, design, pareto_radius(design.dimension, shape), shape, step)

    @property
    def drawn(self) -> "PublicDraws":
        """Draws of the public law, for margins."""
        return public_draws(self.design, int(self.shape))
