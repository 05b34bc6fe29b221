"""JointClippedCounts: the measurement of a product by clipping; proof in joint_clipped.proof.md."""

from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.cells import Margins
from leeward.core.codebook.marginal import BOUND as BOUND_COLUMN
from leeward.core.codebook.marginal import margin_columns
from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.mechanisms.clipped_counts import clips, constants_by_class
from leeward.core.mechanisms.clipping import checked_entries
from leeward.core.mechanisms.joint import JointTables, drawn_spread, with_total
from leeward.core.mechanisms.joint_clipped import JointClipped
from leeward.core.mechanisms.measurement import (
    CellLaw,
    Expected,
    Measured,
    Needs,
    PublicLaw,
    Spread,
)
from leeward.core.mechanisms.noisy_maximum import MISSED
from leeward.core.mechanisms.split import by_class
from leeward.core.noise.law import Normal
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import MOST, CellNoise, Integers
from leeward.core.noise.tabulated import Floats


@dataclass(frozen=True)
class JointClippedCounts(JointTables[JointClipped]):
    """The measurement of a product's tables; values (w, 1 + D) begin with the total."""

    needs: ClassVar[Needs] = Needs.ENTRIES

    def constants(self) -> dict[str, str]:
        """The exact constants; headroom and κ by the number of establishments of a cell."""
        constants = super().constants() | constants_by_class(self.mechanism)
        constants |= {"margins": str(self.mechanism.paid)} if self.mechanism.paid else {}
        return constants | self.shape_of_product()

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """Each class of workplace cells with a headroom of its own: disjoint cells, public m."""
        if isinstance(columns, Cells):
            raise TypeError("joint_clipped measures entries of establishments, not cells")
        most = MOST // self.mechanism.clipping.lattice
        entries = checked_entries(columns, most, len(self.design.tables))
        shape = entries.shape[0], entries.shape[1] + 1
        values, scale = np.zeros(shape, dtype=np.int64), np.zeros(shape[0])
        margins = {name: np.zeros_like(values) for name in self.margin_columns}
        for clipped, cells in by_class(self.mechanism, self.mechanism.suited, entries):
            counts, theta = clipped._release(entries.part(cells), noise)
            values[cells] = with_total(counts, clipped.design)
            scale[cells] = clipped.spreads(theta)
            for name, column in self._published(clipped, values[cells], theta).items():
                margins[name][cells] = column
        return Measured(values, margins, PublicLaw(None, True, scale))

    def _published(self, clipped: JointClipped, values: Integers, theta: Integers) -> Margins:
        """The intervals, and θ in jobs, rounded up."""
        jobs = -(-theta // clipped.clipping.lattice)
        bound = {BOUND_COLUMN: np.broadcast_to(jobs[:, None], values.shape)}
        if self.margins.coverage is None:
            return bound
        ends = [end for cells in (1, 2) for end in clipped.interval(values, theta, cells)]
        return dict(zip(self.margin_columns, ends, strict=False)) | bound

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """The plan fixes them; the bound θ is always published."""
        if self.margins.coverage is None:
            return (BOUND_COLUMN,)
        return (*margin_columns(ends=True, block=True), BOUND_COLUMN)

    @property
    def deviations(self) -> tuple[str, tuple[float, ...]] | None:
        """In units of the bound."""
        return BOUND_COLUMN, self.mechanism.deviations

    def expected(self, columns: Cells | Entries) -> Expected:
        """No closed form: the bias of clipping depends on every establishment of a cell."""
        finite = self.mechanism.mean_abs_errors(0) is not None
        return Expected(None, None, finite, steady=self.mechanism.std(0) is not None)

    def expected_errors(self, size: int, establishments: int = ESTABLISHMENTS) -> Floats | None:
        """Of the total and of a cell of each table: noise, and what clipping takes at most."""
        clipped = self.mechanism.for_cells_of(establishments)
        errors = clipped.mean_abs_errors(size)
        if errors is None:
            return None
        lost = clipped.maximum.clipping_loss(size) * establishments
        return np.asarray(errors + lost / np.array((1, *self.design.tables)))

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """The mean over all cells of all tables, of the noise."""
        sides = self.expected_intervals(size, establishments)
        if sides is None:
            return None
        return ceil(np.average(sides[0, 1:], weights=self.design.tables))

    def expected_intervals(
        self, size: int, establishments: int = ESTABLISHMENTS
    ) -> Integers | None:
        """Of the total and of a cell of each table, of one establishment at its θ without noise."""
        if self.margins.coverage is None:
            return None
        clipped, tables = self.mechanism.for_cells_of(establishments), self.design.tables
        counts = np.repeat(np.array([size, *(-(-size // d) for d in tables)]), (1, *tables))[None]
        first = np.cumsum([0, 1, *tables[:-1]])  # cells of a table are alike
        return clipped.expected_interval(counts, clipped.usual_theta(size))[:, first]

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """The spread is public and proportional to the lower side of the interval."""
        if self.margins.coverage is None:
            return None
        clipped = self.mechanism
        law = None if clipped.rho else clipped.drawn.law(table)
        deviation = sqrt(clipped.moments.squares[table]) if clipped.rho else 1.0
        share = deviation / clipped.reach(table)
        return CellNoise(law, share, least=share / 2, clips=clips(clipped))

    def cell_law(
        self, size: int, establishments: int = ESTABLISHMENTS, jobs: int | None = None
    ) -> CellLaw:
        """A cell of the first table, with what clipping takes at most."""
        clipped = self.mechanism.for_cells_of(establishments)
        cells = clipped.design.tables[0]
        scale = float(clipped.spreads(clipped.usual_theta(size))[0])
        count = -(-(size if jobs is None else jobs) // cells)
        lost = min(clipped.maximum.clipping_loss(size) * establishments / cells, count)
        if clipped.rho:
            return CellLaw(count, Normal(), scale * sqrt(clipped.moments.squares[1]), lost)
        return CellLaw(count, clipped.drawn.law(1), scale, lost)

    def spread(self, size: int) -> Spread:
        """A cell of the first table, at the θ of a maximum without noise."""
        clipped = self.mechanism.for_cells_of(ESTABLISHMENTS)
        scale = float(clipped.spreads(clipped.usual_theta(size))[0])
        if not clipped.rho:
            return drawn_spread(clipped.drawn, size, scale)
        scale *= sqrt(clipped.moments.squares[1])
        count, reach = -(-size // clipped.design.tables[0]), NormalDist().inv_cdf(1 - float(MISSED))
        wide = ceil(reach * scale - 0.5)
        return Spread(count, count - wide, count + wide, Normal(), scale)
