"""Strata: cells by how many jobs their place has, the papers' four classes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leeward.lab.evaluate.point import ALL

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

BOUNDS = (100, 10_000, 100_000)
"""[H16] stratifies places by population; here by the jobs in a place."""

NAMES = ("under 100", "100 to 10,000", "10,000 to 100,000", "above 100,000")

FEWEST = 10
"""Least number of cells of a reported stratum: means of fewer would be single counts."""


def stratum(jobs: Integers) -> Integers:
    """The class of each place, by its jobs; a bound belongs to the class above it."""
    return np.searchsorted(np.array(BOUNDS), jobs, side="right").astype(np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class StratumGroups:
    """All cells, and the cells of each stratum that has any: what measures are averaged over.

    Cells are in the order of their strata, so that a stratum is a slice.
    """

    of_cell: Integers
    """The stratum of each cell, ascending."""
    present: tuple[int, ...]
    """The strata that are reported: those with enough cells in the whole table."""

    @classmethod
    def of(cls, of_cell: Integers) -> "StratumGroups":
        """The groups of a whole table."""
        cells = np.bincount(of_cell, minlength=len(NAMES))
        return cls(of_cell, tuple(int(number) for number in np.flatnonzero(cells >= FEWEST)))

    def among(self, of_cell: Integers) -> "StratumGroups":
        """The same groups for some of the cells."""
        return StratumGroups(of_cell, self.present)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All cells first, then the strata."""
        return ALL, *(NAMES[one] for one in self.present)

    @cached_property
    def cells(self) -> Floats:
        """How many cells each group has."""
        return self.sums(np.ones(self.of_cell.size))

    @cached_property
    def sizes(self) -> Integers:
        """How many cells each of all strata has here."""
        return np.bincount(self.of_cell, minlength=len(NAMES))

    @cached_property
    def starts(self) -> Integers:
        """Where each stratum that has cells here begins."""
        filled = self.sizes[self.sizes > 0]
        return np.cumsum(filled) - filled

    def sums(self, values: NDArray[np.generic]) -> Floats:
        """The sum over each group."""
        parts = np.zeros(len(NAMES))
        if values.size:
            parts[self.sizes > 0] = np.add.reduceat(values, self.starts, dtype=np.float64)
        return np.concatenate([[parts.sum()], parts[list(self.present)]])

    def means(self, values: NDArray[np.generic], where: NDArray[np.bool_] | None = None) -> Floats:
        """The mean over each group, or over the cells of it that count; NaN where none do."""
        with np.errstate(invalid="ignore"):
            if where is None:
                return self.sums(values) / self.cells
            return self.sums(values * where) / self.sums(where)
