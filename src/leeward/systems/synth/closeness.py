"""Closeness: how far tables of two files are apart, column by column, in pairs and in triples.

Empty cells take no room: a table of any width is as large as the rows that it counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.scales import Integers
from leeward.core.randomness import SeededBits
from leeward.systems.synth.counting import FileCounts
from leeward.systems.synth.domain import Domain

Shares = NDArray[np.float64]

TRIPLES = 20
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
        means = self.shares * rows
        few = np.minimum(means, LARGE)
        whole = np.floor(few).astype(int)
        logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, LARGE + 1)))])
        with np.errstate(divide="ignore"):
            exact = 2 * np.exp((whole + 1) * np.log(few) - few - logs[whole])
        deviations = np.where(means < LARGE, exact, np.sqrt(2 * means / np.pi))
        apart = np.sqrt(np.maximum(1 - self.shares, 0)) * deviations
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


@dataclass(frozen=True)
class Apart:
    """How far two tables of some columns are apart, beside two yardsticks.

    `resampled` is the distance of as many rows drawn anew from the real ones, `independent` that
    of the real table from one whose columns are independent.
    """

    columns: tuple[str, ...]
    distance: float
    resampled: float
    independent: float


@dataclass(frozen=True)
class ColumnPair(Apart):
    """Two columns, with the mutual information of real and of synthetic rows from 0 to 1."""

    real_information: float
    synthetic_information: float


@dataclass(frozen=True)
class OneColumn(Apart):
    """One column, with the rows of each of its values; numbers have classes in order."""

    values: tuple[str | None, ...]
    real: tuple[int, ...]
    synthetic: tuple[int, ...]
    ordered: bool


@dataclass(frozen=True)
class Both:
    """The counts of both files."""

    domain: Domain
    real: FileCounts
    synthetic: FileCounts

    def tables(self, columns: Sequence[int]) -> tuple[CellTable, CellTable]:
        """Real and synthetic shares of the cells of some columns."""
        return CellTable.of(self.real, columns), CellTable.of(self.synthetic, columns)

    def apart(self, columns: Sequence[int]) -> Apart:
        """How far they are apart in these columns."""
        return self._apart(columns, *self.tables(columns))

    def _apart(self, columns: Sequence[int], real: CellTable, table: CellTable) -> Apart:
        return Apart(
            tuple(self.domain.names[at] for at in columns),
            distance(real, table),
            real.resampled(table.rows),
            real.from_independent,
        )

    def columns(self) -> Iterator[OneColumn]:
        """Every column alone."""
        groups = [np.arange(size) for size in self.domain.sizes]
        for at, column in enumerate(self.domain.columns):
            real, synthetic = (counts.of((at,), groups) for counts in (self.real, self.synthetic))
            codes = [value for value in column.values if value is not None]
            numbers = all(code.isascii() and code.isdigit() for code in codes)
            ascending = numbers and all(one < two for one, two in pairwise(map(int, codes)))
            yield OneColumn(
                **vars(self.apart((at,))),
                values=column.values,
                real=tuple(map(int, real)),
                synthetic=tuple(map(int, synthetic)),
                ordered=column.edges is not None or ascending,
            )

    def pairs(self) -> Iterator[ColumnPair]:
        """Every pair of columns."""
        for columns in combinations(range(len(self.domain.columns)), 2):
            real, table = self.tables(columns)
            yield ColumnPair(
                **vars(self._apart(columns, real, table)),
                real_information=real.mutual_information,
                synthetic_information=table.mutual_information,
            )

    def triples(self, seed: int) -> Iterator[Apart]:
        """All triples of a few columns, or some of them, chosen by the seed."""
        columns = len(self.domain.columns)
        if comb(columns, 3) <= TRIPLES:
            return map(self.apart, combinations(range(columns), 3))
        generator, chosen = SeededBits(seed).generator, set[tuple[int, ...]]()
        while len(chosen) < TRIPLES:
            chosen.add(tuple(sorted(map(int, generator.choice(columns, 3, replace=False)))))
        return map(self.apart, sorted(chosen))


def mean_apart(tables: Sequence[Apart]) -> Apart:
    """The means of several."""
    parts = ([getattr(table, name) for table in tables] for name in ("distance", "resampled",
             "independent"))  # fmt: skip
    return Apart((), *(fmean(part) if part else 0.0 for part in parts))
