"""CountsWithNoise: the measurement of a table of counts by a mechanism of `additive`."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.marginal import margin_columns
from leeward.core.codebook.size_profile import ESTABLISHMENTS
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
from leeward.core.noise.law import Law
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import CellNoise, Integers, law_at
from leeward.core.noise.tabulated import Floats

if TYPE_CHECKING:
    from leeward.core.mechanisms.additive import Additive, Measure


@dataclass(frozen=True)
class CountsWithNoise(ByMechanism["Additive"]):
    """The measurement of a table's counts: a whole block at once, or cell by cell.

    With `by_cell` the noise of a worker cell follows its own largest establishment rather than
    the largest of its workplace cell.
    """

    by_cell: bool = False  # type: ignore[misc] # a choice here, of each table
    deviations: ClassVar[None] = None

    @property
    def needs(self) -> Needs:
        """The noise of a block follows all jobs of an establishment, that of a cell its own.

        The wrong one of the two would break the promise.
        """
        own = self.by_cell and self.mechanism.follows == "largest"
        return Needs.OWN_LARGEST if own else Needs.CELLS

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """Counts with noise, and their margins."""
        counts, largest = self._columns(columns)
        # An engine that counts jobs of no establishment would get too little noise: stop.
        jobs = counts if largest.ndim == counts.ndim else counts.sum(axis=1)
        if (counts < 0).any() or ((jobs > 0) & (largest <= 0)).any():
            raise ArithmeticError("counts and largest establishments do not belong together")
        values = self.mechanism._release(counts, self._followed(largest), noise)
        margins = self.margins.released(self.mechanism, values, largest, noise)
        return Measured(values, margins, self._law(counts.shape[0]))

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """As the rule for margins says; with several worker cells also for all together."""
        if self.margins.coverage is None:
            return ()
        return margin_columns(ends=self.margins.ends, block=self.parameters.cells > 1)

    def expected(self, columns: Cells | Entries) -> Expected:
        """The mechanism's own formulas."""
        counts, largest = self._columns(columns)
        error = self.mechanism.errors(self._followed(largest), counts)
        return Expected(
            _for_cells(error.absolute, counts.shape),
            _for_cells(error.mean, counts.shape),
            finite=error.absolute is not None,
            steady=error.square is not None,
            square=_for_cells(error.square, counts.shape),
        )

    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Mean absolute error, in jobs."""
        return _expected_error(self.mechanism, self._own(size), self.by_cell)

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """As the rule for margins says."""
        return self.margins.typical(self.mechanism, self._own(size))

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """As the rule for margins says."""
        return self.margins.noise(self.mechanism)

    def cell_law(
        self, size: int, establishments: int = ESTABLISHMENTS, jobs: int | None = None
    ) -> CellLaw:
        """At the scale of the largest establishment, or of the count where noise follows that."""
        count = -(-(size if jobs is None else jobs) // self.parameters.cells)
        counted = count if self.mechanism.follows_counts else 0
        return CellLaw(count, *_law_and_scale(self.mechanism, counted, self._own(size)))

    def spread(self, size: int) -> Spread:
        """At the scale of one establishment, whose workers are spread over the worker cells."""
        count = -(-size // self.parameters.cells)
        return _spread(self.mechanism, count, count if self.by_cell else size)

    def _own(self, size: int) -> int:
        return -(-size // self.parameters.cells) if self.by_cell else size

    def _followed(self, largest: Integers) -> Integers | None:
        return largest if self.mechanism.follows == "largest" else None

    def _columns(self, columns: Cells | Entries) -> tuple[Integers, Integers]:
        """Counts (w, d), and what the noise follows: (w, d), or (w,) for a block."""
        if isinstance(columns, Entries):
            columns = columns.as_cells()
        counts = columns.counts
        own = self.needs is Needs.OWN_LARGEST
        largest = columns.own_largest() if own else columns.largest
        if largest.ndim < counts.ndim and self.parameters.cells == 1:
            largest = np.broadcast_to(largest[:, None], counts.shape)
        return counts, largest

    def _law(self, workplaces: int) -> PublicLaw:
        mean, square = self.mechanism.law.moment(1), self.mechanism.law.moment(2)
        variance = None if square is None or mean is None else square - mean**2
        joint = self.mechanism.joint and self.parameters.cells > 1
        if self.mechanism.follows != "either":
            return PublicLaw(variance, joint, None)
        scale = float(self.mechanism.scale(0, None))
        return PublicLaw(variance, joint, np.full(workplaces, scale))


@lru_cache(maxsize=1024)  # asked when mechanisms are compared, and again when they are shown
def _expected_error(mechanism: "Additive", size: int, by_cell: bool) -> float | None:
    cells = mechanism.parameters.cells
    if mechanism.follows_counts:
        return _number(mechanism.mean_abs_error(size, size))
    if cells > 1 and by_cell:
        return _number(mechanism.mean_abs_error([size] * cells))
    return _number(mechanism.mean_abs_error(size))


def _number(measure: "Measure") -> float | None:
    return measure if measure is None or isinstance(measure, float) else float(measure[0])


@lru_cache(maxsize=1024)  # a profile has many cells of one size
def _law_and_scale(mechanism: "Additive", count: int, largest: int) -> tuple[Law, float]:
    scale = mechanism.scale(count, largest)
    law = law_at(mechanism.laws, scale)
    return mechanism.public_law if law == mechanism.law else law, float(scale)


@lru_cache(maxsize=1024)  # frozen values, shown again with every change of something else
def _spread(mechanism: "Additive", count: int, largest: int) -> Spread:
    tail = (1 - COVERAGE) / 2
    low, high = (int(np.asarray(mechanism.quantile(p, largest, count))) for p in (tail, 1 - tail))
    return Spread(count, count + low, count + high, *_law_and_scale(mechanism, count, largest))


def _for_cells(measure: Floats | None, shape: tuple[int, ...]) -> Floats | None:
    """A measure of every cell; that of a block holds for each of its cells."""
    if measure is None:
        return None
    cells = measure.reshape(shape) if measure.size == shape[0] * shape[1] else measure[:, None]
    return np.broadcast_to(cells, shape)
