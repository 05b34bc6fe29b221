"""Frame table: true cells, and what is known of them where some are withheld or rounded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leeward.core.codebook import Marginal
from leeward.core.codebook.cells import Integers
from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.exact import positive
from leeward.core.mechanisms.choice import choose
from leeward.core.mechanisms.parameters import AUTO
from leeward.core.privacy import Guarantee
from leeward.lab.baselines.feasibility import UNBOUNDED, Equations, Feasible
from leeward.lab.evaluate.truth import Truth

CLASSES = (0, 5, 10, 20, 50, 100, 250, 500, 1000)
"""The least size of each employment size class of the Quarterly Census of Employment and Wages
(U.S. Bureau of Labor Statistics)."""


@dataclass(frozen=True, eq=False, repr=False)
class FrameTable:
    """True cells by workplace attributes, and how many establishments the frame has in each."""

    counts: Integers
    in_frame: Integers
    codes: tuple[Integers, ...]

    @classmethod
    def of(cls, truth: Truth, marginal: Marginal) -> "FrameTable":
        """A table of a world; the frame is public."""
        if truth.cells.in_frame is None:
            raise TypeError("the cells were tabulated without a frame")
        codes = marginal.workplace_positions(truth.numbered())
        return cls(truth.counts[:, 0], truth.cells.in_frame, codes)

    def by(self, attributes: Sequence[int]) -> "FrameTable":
        """The margin by some of the attributes as a table of its own."""
        equations = Equations.of(self.codes, [attributes])
        first = np.searchsorted(equations.row, np.arange(equations.count))
        codes = tuple(self.codes[attribute][equations.cell[first]] for attribute in attributes)
        return FrameTable(equations.totals(self.counts), equations.totals(self.in_frame), codes)

    @property
    def single(self) -> Integers:
        """The cells that are one establishment with jobs: their count is its size."""
        return np.flatnonzero((self.in_frame == 1) & (self.counts > 0))

    def withheld(self, fewest: int, sets: Iterable[Sequence[int]] | None = None) -> Feasible:
        """Cells and margins with fewer establishments are withheld, all others are exact."""
        equations = Equations.of(self.codes, sets)
        equations = equations.kept(equations.totals(self.in_frame) >= fewest)
        hidden, sums = self.in_frame < fewest, equations.totals(self.counts)
        low = np.where(hidden, 0, self.counts)
        return Feasible(equations, low, np.where(hidden, UNBOUNDED, self.counts), sums, sums)

    def classed(self, fewest: int) -> Feasible:
        """The same, and a size class stands in place of each cell that is withheld."""
        hidden, plain = self.in_frame < fewest, self.withheld(fewest)
        ends = np.array((*CLASSES, UNBOUNDED + 1))
        number = np.searchsorted(ends, self.counts, side="right") - 1
        low = np.where(hidden, ends[number], self.counts)
        high = np.where(hidden, ends[number + 1] - 1, self.counts)
        return Feasible(plain.equations, low, high, plain.least, plain.most)

    def rounded(self, base: int) -> Feasible:
        """Every cell and margin to the nearest multiple; how ties are rounded is not known."""
        equations = Equations.of(self.codes)
        sums = equations.totals(self.counts)
        (low, high), (least, most) = (_box(values, base) for values in (self.counts, sums))
        return Feasible(equations, low, high, least, most)


def _box(values: Integers, base: int) -> tuple[Integers, Integers]:
    rounded = (values + base // 2) // base * base
    return np.maximum(rounded - base // 2, 0), rounded + base // 2


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedIntervals:
    """Released values with the ends of their 90 % intervals, all (w,)."""

    values: Integers
    low: Integers
    high: Integers


def released_intervals(
    truth: Truth, marginal: Marginal, alpha: Fraction, epsilon: str
) -> ReleasedIntervals:
    """The same table by the code that a release calls, with the system's bits."""
    budget = Guarantee("strong", alpha, positive(epsilon, "epsilon"))
    measurement, _ = choose(marginal, budget, AUTO, SizeProfile())
    drawn = measurement.measure(truth.columns(measurement))
    values, ends = drawn.values[:, 0], [column[:, 0] for column in drawn.margins.values()]
    match ends:
        case [margin]:
            return ReleasedIntervals(values, np.maximum(values - margin, 0), values + margin)
        case [low, high]:
            return ReleasedIntervals(values, low, high)
    return ReleasedIntervals(values, np.zeros_like(values), values)
