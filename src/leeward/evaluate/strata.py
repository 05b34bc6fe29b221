"""Strata: cells by how many jobs their place has, the papers' four classes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.evaluate.point import ALL

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

BOUNDS = (100, 10_000, 100_000)
"""[H16] stratifies places by population; here the jobs in a place stand for it."""

NAMES = ("under 100", "100 to 10,000", "10,000 to 100,000", "above 100,000")


def stratum(jobs: Integers) -> Integers:
    """The class of each place, by its jobs; a bound belongs to the class above it."""
    return np.searchsorted(np.array(BOUNDS), jobs, side="right").astype(np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """All cells, and the cells of each stratum that has any: what measures are averaged over."""

    of_cell: Integers
    """The stratum of each cell."""

    @property
    def present(self) -> tuple[int, ...]:
        """The strata that have cells."""
        return tuple(int(one) for one in np.flatnonzero(self._sizes))

    @property
    def names(self) -> tuple[str, ...]:
        """All cells first, then the strata."""
        return ALL, *(NAMES[one] for one in self.present)

    @property
    def cells(self) -> Floats:
        """How many cells each group has."""
        return self.sums(np.ones(self.of_cell.size))

    @property
    def _sizes(self) -> Integers:
        return np.bincount(self.of_cell, minlength=len(NAMES))

    def members(self) -> tuple[Integers, ...]:
        """The cells of each stratum that has any."""
        return tuple(np.flatnonzero(self.of_cell == one) for one in self.present)

    def sums(self, values: Floats) -> Floats:
        """The sum over each group."""
        parts = np.bincount(self.of_cell, weights=values, minlength=len(NAMES))
        return np.concatenate([[parts.sum()], parts[list(self.present)]])

    def means(self, values: Floats, where: NDArray[np.bool_] | None = None) -> Floats:
        """The mean over each group, or over the cells of it that count; NaN where none do."""
        counted = np.ones(self.of_cell.size) if where is None else where.astype(np.float64)
        with np.errstate(invalid="ignore"):
            return self.sums(values * counted) / self.sums(counted)
