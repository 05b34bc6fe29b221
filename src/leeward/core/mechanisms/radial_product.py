"""Radial product: all breakdowns of a workplace cell for one ε, in tables that add up.

n + (S/t)·Z on the space V of tables with one sum. The density of Z is a function of N(z), the
largest Σ|z| of a table; p is the dimension of V.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.cells import Margins
from leeward.core.codebook.marginal import BLOCK, margin_columns
from leeward.core.codebook.size_profile import ESTABLISHMENTS, MOST_JOBS
from leeward.core.errors import InvalidParameter, shown
from leeward.core.mechanisms.calibrated import Claims, MarginMethod, MarginRule, Mechanism
from leeward.core.mechanisms.checked_columns import block_shape, whole_numbers
from leeward.core.mechanisms.joint import (
    MOST_DRAWN,
    JointTables,
    drawn_spread,
    public_draws,
    required_sums,
    rounding_of,
    with_total,
)
from leeward.core.mechanisms.margin_cost import PaidScale
from leeward.core.mechanisms.measurement import (
    COVERAGE,
    CellLaw,
    Expected,
    Measured,
    Measurement,
    Needs,
    PublicLaw,
    Spread,
)
from leeward.core.mechanisms.parameters import LEAST_EPSILON, Parameters
from leeward.core.mechanisms.scale import Scale, smallest
from leeward.core.noise.design import Design
from leeward.core.noise.noise_source import Noise, secret
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import BOUND, CellNoise, Integers, Scales, whole_margins
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import StrongAlpha

if TYPE_CHECKING:
    from leeward.core.noise.public_draws import PublicDraws


class RadialProduct(Mechanism):
    """Tables of one product, drawn together; the scale follows the largest establishment.

    `release(counts, largest)` takes the cells of all tables side by side, (workplaces, D): each
    job is in one cell of every table, so that all tables of a workplace cell have one sum.
    `largest` counts an establishment with all its jobs. Option: `tables`, the numbers of cells.
    """

    claims: ClassVar[Claims] = {"joint": (StrongAlpha(),)}
    usual_table: ClassVar[str] = "joint"

    parameters: Parameters
    design: Design
    radius: RadialLaw

    @property
    def unit(self) -> Fraction:
        """The unit of the radius, in units of S."""
        return Fraction(1)

    def measurement(self, *, by_cell: bool, margins: MarginRule) -> Measurement:
        """This mechanism on the tables of a product."""
        return JointCounts(self, margins)

    def release(self, counts: ArrayLike, largest: ArrayLike) -> Integers:
        """Noisy counts (workplaces, D)."""
        return self._release(counts, largest, secret())

    def _release(self, counts: ArrayLike, largest: ArrayLike, noise: Noise) -> Integers:
        """What is released, with this noise; the auditor runs it with its own."""
        n, x = whole_numbers(counts, "counts"), whole_numbers(largest, "largest")
        block_shape(n, x, self.design.cells)
        required_sums(n, self.design)
        return noise.joint(n, self.scales(x), self.design, self.radius)

    def scales(self, largest: Integers) -> Scales:
        """Units of S = max(αX, Δ)."""
        factor = self.parameters.growth * self.unit
        return Scales(largest, floor=self.parameters.floor, factor=factor)

    def mean_abs_errors(self, largest: ArrayLike) -> Floats | None:
        """E|noise| in jobs: of the total, and of a cell of each table (…, 1 + m)."""
        radius = self.radius.moment(1)
        if radius is None:
            return None
        unit = np.array([self.design.total_moments[0], *self.design.absolute])
        scales = self.scales(np.atleast_1d(whole_numbers(largest, "largest"))).floats
        return np.asarray(scales[:, None] * unit * radius / self.design.dimension)

    @property
    def deviations(self) -> tuple[float, ...] | None:
        """Standard deviations in units of S: of the total, of a cell of each table.

        None where there is no variance.
        """
        square, p = self.radius.moment(2), self.design.dimension
        if square is None:
            return None
        squares = (self.design.total_moments[1], *self.design.squares)
        unit = square / (p * (p + 1))
        return tuple(sqrt(number * unit) * float(self.unit) for number in squares)

    @property
    def drawn(self) -> "PublicDraws":
        """Draws of the public law, for margins."""
        return public_draws(self.design, radius=self.radius)


@dataclass(frozen=True)
class ScaleMargins(PaidScale):
    """Part of the budget pays for a noisy scale S̃; a table's margins are a multiple of S̃."""

    scale: Scale
    mechanism: RadialProduct
    method: ClassVar[MarginMethod] = "spent"
    note: ClassVar[str] = (
        "Part of the budget of all tables together pays for a noisy scale, from which the margins "
        "follow. "
    ) + MOST_DRAWN
    coverage: ClassVar[Fraction] = COVERAGE
    ends: ClassVar[bool] = False

    @property
    def epsilon(self) -> Fraction:
        """What the scale costs."""
        return self.scale.parameters.epsilon

    def released(
        self, mechanism: object, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """Margins of one noisy scale for each workplace cell, (w, 1 + D)."""
        smooth = self.scale.smooth(self.scale._release(None, largest, noise))
        return {
            name: self._margins(smooth, block=name.startswith(BLOCK))
            for name in margin_columns(ends=False, block=True)
        }

    def _margins(self, smooth: Floats, *, block: bool) -> Integers:
        design = self.mechanism.design
        factors = [self.factor(j, block=block) for j in range(len(design.tables) + 1)]
        least = float(self.mechanism.parameters.least)  # S is never below Δ
        each = np.repeat(factors, (1, *design.tables))
        with np.errstate(over="ignore"):
            wide = np.maximum(smooth, least)[:, None] * each
        return whole_margins(wide + rounding_of(design))

    def factor(self, table: int, *, block: bool = False) -> float:
        """The margin in units of S̃, allowing for its noise; `table` 0 is the total."""
        return _factor(self.scale, self.mechanism, table, block and table > 0)

    def typical(self, mechanism: object, size: int) -> int:
        """The mean margin of a cell at the scale's true grid index."""
        smooth = self.scale.smooth(self.scale.grid.index(np.array([size])))
        return int(np.ceil(self._margins(smooth, block=False)[0, 1:].mean()))

    def noise(self, mechanism: object) -> CellNoise | None:
        """Tables of a product have no totals but their own."""
        return None


@lru_cache(maxsize=256)
def _factor(scale: Scale, mechanism: RadialProduct, table: int, block: bool) -> float:
    weights, shrink = scale.shrinkage()
    unit = float(mechanism.unit)

    def covered(q: float) -> float:
        return float(
            (weights * mechanism.drawn.within(table, q * shrink / unit, block=block)).sum()
        )

    if covered(float(BOUND)) < float(COVERAGE):
        return float(BOUND)
    return smallest(covered, COVERAGE)


def paid_margins(mechanism: RadialProduct, epsilon: Fraction) -> ScaleMargins:
    """Margins for ε; rejects an ε that buys nothing."""
    parameters = mechanism.parameters
    if epsilon >= LEAST_EPSILON:
        rule = ScaleMargins(Scale.calibrated(parameters.of_scale(epsilon)), mechanism)
        widest = max(rule.factor(j, block=True) for j in range(len(mechanism.design.tables) + 1))
        if widest * float(parameters.growth) * MOST_JOBS < BOUND:
            return rule
    raise InvalidParameter(
        "margins",
        rule="must be paid with enough epsilon for margins of 64 bits, for establishments of up to "
        f"{MOST_JOBS} jobs",
        value=f"epsilon {shown(epsilon)} for margins of {mechanism.name}",
        next_step="Give margins a larger share, use joint_clipped, or write margins: none.",
    )


@dataclass(frozen=True)
class JointCounts(JointTables[RadialProduct]):
    """The measurement of a product's tables; values (w, 1 + D) begin with the total."""

    needs: ClassVar[Needs] = Needs.CELLS

    def constants(self) -> dict[str, str]:
        """The exact constants, and the tables."""
        return super().constants() | self.shape_of_product()

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """All tables with noise, and their margins."""
        cells = columns.as_cells() if isinstance(columns, Entries) else columns
        values = self.mechanism._release(cells.counts, cells.largest, noise)
        values = with_total(values, self.mechanism.design)
        margins = self.margins.released(self.mechanism, values, cells.largest, noise)  # type: ignore[arg-type] # its own rule
        return Measured(values, margins, PublicLaw(None, True, None))

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """The plan fixes them."""
        if self.margins.coverage is None:
            return ()
        return margin_columns(ends=False, block=True)

    @property
    def deviations(self) -> tuple[str, tuple[float, ...]] | None:
        """In units of a cell's margin: that is at least q·S."""
        found, rule = self.mechanism.deviations, self.margins
        if found is None or not isinstance(rule, ScaleMargins):
            return None
        factors = [rule.factor(j) for j in range(len(found))]
        return "margin", tuple(number / q for number, q in zip(found, factors, strict=True))

    def expected(self, columns: Cells | Entries) -> Expected:
        """Of the total, and of each cell, (w, 1 + D)."""
        cells = columns.as_cells() if isinstance(columns, Entries) else columns
        errors = self.mechanism.mean_abs_errors(cells.largest)
        if errors is None:
            return Expected(None, None, finite=False, steady=False)
        wide = np.repeat(errors, (1, *self.mechanism.design.tables), axis=1)
        return Expected(
            wide, np.zeros_like(wide), finite=True, steady=self.mechanism.deviations is not None
        )

    def expected_errors(self, size: int, establishments: int = ESTABLISHMENTS) -> Floats | None:
        """Of the total and of a cell of each table."""
        errors = self.mechanism.mean_abs_errors(size)
        return None if errors is None else np.asarray(errors[0])

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """As the rule for margins says."""
        return self.margins.typical(self.mechanism, size)  # type: ignore[arg-type] # its own rule

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """The scale at which a cell's margin is just wide enough; cells are taken one by one."""
        if self.margins.coverage is None:
            return None
        mechanism = self.mechanism
        share = 1 / mechanism.drawn.reach(table, float(COVERAGE))
        least = float(mechanism.scales(np.array([0])).exact(0))
        return CellNoise(mechanism.drawn.law(table), share, least)

    def cell_law(
        self, size: int, establishments: int = ESTABLISHMENTS, jobs: int | None = None
    ) -> CellLaw:
        """A cell of the first table."""
        mechanism = self.mechanism
        count = -(-(size if jobs is None else jobs) // mechanism.design.tables[0])
        return CellLaw(
            count, mechanism.drawn.law(1), float(mechanism.scales(np.array([size])).exact(0))
        )

    def spread(self, size: int) -> Spread:
        """A cell of the first table."""
        scale = float(self.mechanism.scales(np.array([size])).exact(0))
        return drawn_spread(self.mechanism.drawn, size, scale)
