"""Closeness: how far two tables of the same columns are apart, from the cells that have rows.

Empty cells take no room: a table of any width is as large as the rows that it counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.scales import Integers
from leeward.systems.synth.counting import FileCounts

Shares = NDArray[np.float64]

LARGE = 50
"""Expected rows of a cell from which their mean deviation is that of the normal law."""


@dataclass(frozen=True)
class CellTable:
    """Shares of rows in the cells of some columns; `at` has the position of each in each column."""

    at: tuple[Integers, ...]
    shares: Shares
    rows: int

    @classmethod
    def of(cls, counts: FileCounts, columns: Sequence[int]) -> "CellTable":
        """The table of these columns of a file."""
        at, rows = counts.cells(columns)
        total = int(rows.sum())
        return cls(at, rows / max(total, 1), total)

    def margin(self, column: int) -> Shares:
        """Shares by one of the columns."""
        added: Shares = np.bincount(self.at[column], self.shares).astype(np.float64)
        return added

    @property
    def product(self) -> Shares:
        """What each cell would have if the columns were independent."""
        held: Shares = np.prod([self.margin(at)[part] for at, part in enumerate(self.at)], axis=0)
        return held

    @property
    def from_independent(self) -> float:
        """The distance from independent columns with the same margins."""
        product = self.product
        return float(np.abs(self.shares - product).sum() + 1 - product.sum()) / 2

    @property
    def mutual_information(self) -> float:
        """Of two columns, divided by the mean of their entropies: from 0 to 1."""
        entropies = entropy(self.margin(0)) + entropy(self.margin(1))
        shared = entropies - entropy(self.shares)
        return float(np.clip(2 * shared / entropies, 0, 1)) if entropies > 0 else 0.0

    def resampled(self, rows: int) -> float:
        """The mean distance of as many rows drawn at random from these, nearly.

        Rows of a cell are binomial: nearly Poisson, narrower by √(1−p). Poisson variables have a
        mean deviation of 2 e^(−λ) λ^(k+1) / k! at k = ⌊λ⌋ (de Moivre).
        """
        apart = np.sqrt(np.maximum(1 - self.shares, 0)) * _deviations(self.shares * rows)
        return float(apart.sum() / (2 * rows)) if rows else 0.0


def distance(first: CellTable, second: CellTable) -> float:
    """Total variation distance: half the sum of the differences of all shares."""
    places = np.concatenate([np.stack(table.at, axis=1) for table in (first, second)])
    _, cell = np.unique(places, axis=0, return_inverse=True)
    differences = np.bincount(cell.ravel(), np.concatenate([first.shares, -second.shares]))
    return float(np.abs(differences).sum()) / 2


def entropy(shares: Shares) -> float:
    """In natural units."""
    held = shares[shares > 0]
    return float(-(held * np.log(held)).sum())


def _deviations(means: NDArray[Any]) -> Shares:
    """The mean absolute deviation of Poisson variables."""
    few = np.minimum(means, LARGE)
    whole = np.floor(few).astype(int)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, LARGE + 1)))])
    with np.errstate(divide="ignore"):
        exact = 2 * np.exp((whole + 1) * np.log(few) - few - logs[whole])
    return np.where(means < LARGE, exact, np.sqrt(2 * means / np.pi))
