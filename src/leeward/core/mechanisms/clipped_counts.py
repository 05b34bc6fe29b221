"""Measurements by clipping: tables by clipped.proof.md, products by joint_clipped.proof.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import ceil, log, sqrt
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.marginal import BOUND as BOUND_COLUMN
from leeward.core.codebook.marginal import margin_columns
from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.mechanisms.checked_columns import checked_entries
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.clipping import MISSED
from leeward.core.mechanisms.joint import JointTables, drawn_spread, with_total
from leeward.core.mechanisms.joint_clipped import JointClipped
from leeward.core.mechanisms.measurement import (
    COVERAGE,
    ByMechanism,
    CellLaw,
    Expected,
    Measured,
    Needs,
    PublicLaw,
    Spread,
)
from leeward.core.mechanisms.split import MOST_ESTABLISHMENTS, by_class
from leeward.core.noise.law import Normal, PiecewiseLaw, laplace
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import MOST, CellNoise, Clip, Integers
from leeward.core.noise.tabulated import Floats


@dataclass(frozen=True)
class ClippedCounts(ByMechanism[Clipped]):
    """The measurement of a table by clipping: its noise scale, hence its margins, are public."""

    needs: ClassVar[Needs] = Needs.ENTRIES
    deviations: ClassVar[None] = None

    def constants(self) -> dict[str, str]:
        """The exact constants; split, headroom and κ by the number of establishments of a cell."""
        return super().constants() | constants_by_class(self.mechanism, "split")

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """A whole block for one θ; a mechanism for one cell measures each by itself."""
        if isinstance(columns, Cells):
            raise TypeError("clipped measures entries of establishments, not cells")
        entries = checked_entries(columns, MOST // self.mechanism.clipping.lattice)
        w, d = columns.shape
        if d == self.parameters.cells:
            return self._measured(entries, noise)
        cells = self._measured(entries.by_worker_cell(), noise)
        margins = {name: column.reshape(d, w).T for name, column in cells.margins.items()}
        return Measured(cells.values.reshape(d, w).T, margins, cells.law)

    def _measured(self, entries: Entries, noise: Noise) -> Measured:
        """Each class of workplace cells by a mechanism of its own: disjoint cells, public m."""
        values, d = np.zeros(entries.shape, dtype=np.int64), self.parameters.cells
        scale = np.zeros(entries.shape[0])
        margins = {name: np.zeros_like(values) for name in self.margin_columns}
        for clipped, cells in self.by_class(entries):
            values[cells], theta = clipped._release(entries.part(cells), noise)
            scale[cells] = clipped.spreads(theta)
            if self.margins.coverage is not None:
                both = (clipped.interval(values[cells], theta, together) for together in (1, d))
                for name, end in zip(margins, chain(*both), strict=False):
                    margins[name][cells] = end
        variance = 2.0 if self.mechanism.noise == "laplace" else 1.0
        return Measured(values, margins, PublicLaw(variance, False, scale))

    def by_class(self, entries: Entries) -> Iterator[tuple[Clipped, Integers]]:
        """Mechanisms with the workplace cells that they measure."""
        return by_class(self.mechanism, self.mechanism.suited, entries)

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """The plan fixes them."""
        if self.margins.coverage is None:
            return ()
        return margin_columns(ends=True, block=self.parameters.cells > 1)

    def expected(self, columns: Cells | Entries) -> Expected:
        """No closed form: the bias of clipping depends on every establishment of a cell.

        Whether there is a mean or a variance depends on the noise of θ alone.
        """
        finite = self.mechanism.mean_abs_error(0) is not None
        return Expected(None, None, finite, steady=self.mechanism.std(0) is not None)

    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Of the noise, and what clipping takes at most: where all establishments are alike."""
        clipped = self.mechanism.for_cells_of(establishments)
        noise = _noise_error(clipped, size)
        if noise is None:
            return None
        return noise + _clipping_loss(clipped, size) * establishments / self.parameters.cells

    def noise_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Of the noise alone."""
        return _noise_error(self.mechanism.for_cells_of(establishments), size)

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """The noise of the interval of one establishment at the θ of a maximum without noise."""
        sides = self.expected_intervals(size, establishments)
        return None if sides is None else int(sides[0, 0])

    def expected_intervals(
        self, size: int, establishments: int = ESTABLISHMENTS
    ) -> Integers | None:
        """Noise and allowance of that interval."""
        if self.margins.coverage is None:
            return None
        clipped = self.mechanism.for_cells_of(establishments)
        count = np.array([[-(-size // self.parameters.cells)]])
        return clipped.expected_interval(count, clipped.usual_theta(size))

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """The spread is public and proportional to the lower side of the interval."""
        if self.margins.coverage is None:
            return None
        clipped, share = self.mechanism, 1 / self.mechanism.two_sided(float(1 - MISSED))
        law = laplace() if clipped.noise == "laplace" else None
        return CellNoise(law, share, least=share / 2, clips=clips(clipped))

    def cell_law(
        self, size: int, establishments: int = ESTABLISHMENTS, jobs: int | None = None
    ) -> CellLaw:
        """At the θ of a maximum without noise, with what clipping takes at most."""
        clipped, cells = self.mechanism.for_cells_of(establishments), self.parameters.cells
        count = -(-(size if jobs is None else jobs) // cells)
        lost = _clipping_loss(clipped, size) * establishments / cells
        scale = float(clipped.spreads(clipped.usual_theta(size))[0])
        return CellLaw(count, _unit_law(clipped), scale, min(lost, count))

    def spread(self, size: int) -> Spread:
        """The noise at the θ of a maximum without noise."""
        count, tail = -(-size // self.parameters.cells), (1 - COVERAGE) / 2
        clipped = self.mechanism.for_cells_of(ESTABLISHMENTS)
        low, high = (int(clipped.quantile(p, size)) for p in (tail, 1 - tail))
        scale = float(clipped.spreads(clipped.usual_theta(size))[0])
        return Spread(count, count + low, count + high, _unit_law(clipped), scale)


def every_class(clipped: Clipped) -> tuple[Clipped, ...]:
    """One for each class of workplace cells, by their public number of establishments."""
    return tuple(clipped.suited(2**k) for k in range(MOST_ESTABLISHMENTS.bit_length()))


def constants_by_class(clipped: Clipped, *fields: str) -> dict[str, str]:
    """These fields, headroom and κ of every class of workplace cells."""
    classes = every_class(clipped)
    names = ("establishments", *fields)
    columns = {name: [str(getattr(member, name)) for member in classes] for name in names}
    columns["headroom"] = [str(member.clipping.headroom) for member in classes]
    columns["kappa"] = [f"{member.maximum.kappa:.6g}" for member in classes]
    return {name: ", ".join(column) for name, column in columns.items()}


def clips(clipped: Clipped) -> tuple[Clip, ...]:
    """Of each class of workplace cells: the spread of its index, and ln h."""
    return tuple(
        Clip(member.establishments, member.maximum.spread, log(member.clipping.headroom))
        for member in every_class(clipped)
    )


def _unit_law(clipped: Clipped) -> PiecewiseLaw | Normal:
    return laplace() if clipped.noise == "laplace" else Normal()


@lru_cache(maxsize=1024)  # a profile has many cells of one size
def _clipping_loss(clipped: Clipped, size: int) -> float:
    return clipped.maximum.clipping_loss(size)


@lru_cache(maxsize=1024)
def _noise_error(clipped: Clipped, size: int) -> float | None:
    measure = clipped.mean_abs_error(size)
    return None if measure is None else float(measure)


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
            jobs = -(-theta // clipped.clipping.lattice)  # θ, rounded up
            margins[BOUND_COLUMN][cells] = np.broadcast_to(jobs[:, None], values[cells].shape)
            if self.margins.coverage is not None:
                both = (clipped.interval(values[cells], theta, together) for together in (1, 2))
                for name, end in zip(self.margin_columns, chain(*both), strict=False):
                    margins[name][cells] = end
        return Measured(values, margins, PublicLaw(None, True, scale))

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
