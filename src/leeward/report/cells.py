"""Cells of a table that a report draws: the largest ones, and all cells of a small table.

A matrix has each cell in its own square. Nothing is added up: a sum would carry the noise of its
parts, and would be a number that was not released.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.bundle import CertifiedTable
from leeward.bundle.layout import MARGIN, MEASURES

Integers = NDArray[np.int64]

Key = tuple[str, ...]
"""Codes of some identifiers."""

MOST_ROWS, MOST_COLUMNS = 40, 25
"""Maximum size of a matrix."""


@dataclass(frozen=True)
class Cell:
    """The codes of a cell, its value, its status, and its margin if it has one."""

    codes: tuple[str, ...]
    value: int
    status: int
    margin: int | None


def cells(rows: pa.Table) -> tuple[Cell, ...]:
    """Rows as cells; for small tables."""
    codes = [name for name in rows.column_names if name not in {*MEASURES, MARGIN}]
    return tuple(
        Cell(tuple(row[name] for name in codes), row["value"], row["status"], row.get(MARGIN))
        for row in rows.to_pylist()
    )


class LargestRows:
    """Row numbers of the largest values; of equal values the first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values = np.zeros(0, np.int64)
        self._numbers = np.zeros(0, np.int64)

    def add(self, values: Integers, numbers: Integers) -> None:
        """Add a batch; its row numbers are above all earlier ones."""
        if len(self._values) == self._most:
            larger = values > self._values[-1]
            values, numbers = values[larger], numbers[larger]
        if len(values) > self._most:
            border = np.partition(values, -self._most)[-self._most]
            values, numbers = values[values >= border], numbers[values >= border]
        both = np.concatenate([self._values, values])
        # A stable sort keeps the first of equal values first.
        order = np.argsort(~both, kind="stable")[: self._most]
        self._values = both[order]
        self._numbers = np.concatenate([self._numbers, numbers])[order]

    def found(self) -> list[int]:
        """The row numbers, largest value first."""
        return [int(number) for number in self._numbers]


@dataclass(frozen=True)
class Layout:
    """Which identifiers go down and which go across."""

    down: tuple[str, ...]
    across: tuple[str, ...]


@dataclass(frozen=True)
class Matrix:
    """The cells of a table in squares; one without an establishment is None.

    `whole` says whether every code has its row or column.
    """

    layout: Layout
    rows: tuple[Key, ...]
    columns: tuple[Key, ...]
    squares: tuple[tuple[Cell | None, ...], ...]
    whole: bool

    @property
    def size(self) -> int:
        """How many squares there are."""
        return len(self.rows) * len(self.columns)


def layout(table: CertifiedTable) -> Layout | None:
    """The identifiers split in two so that both sides fit; None if no split does.

    Workers' attributes go across if they can. The side with more codes goes down.
    """
    border = len(table.workplace_identifiers)
    places = [border, *range(1, len(table.identifiers))]
    for place in places:
        sides = table.identifiers[:place], table.identifiers[place:]
        across, down = sorted(sides, key=lambda side: _size(table, side))
        fits = _size(table, down) <= MOST_ROWS and _size(table, across) <= MOST_COLUMNS
        if all(sides) and fits:
            return Layout(down, across)
    return None


def matrix(chosen: Layout, table: CertifiedTable, cells: Iterable[Cell]) -> Matrix:
    """Every cell in its square. Rows and columns without any establishment are left out."""
    found = {_split(chosen, table, cell.codes): cell for cell in cells if cell.status == 1}
    rows = _used(table, chosen.down, {row for row, _ in found})
    columns = _used(table, chosen.across, {column for _, column in found})
    squares = tuple(tuple(found.get((row, column)) for column in columns) for row in rows)
    full = _size(table, chosen.down) * _size(table, chosen.across)
    return Matrix(chosen, rows, columns, squares, len(rows) * len(columns) == full)


def _split(chosen: Layout, table: CertifiedTable, codes: Key) -> tuple[Key, Key]:
    at: Mapping[str, str] = dict(zip(table.identifiers, codes, strict=True))
    return tuple(at[name] for name in chosen.down), tuple(at[name] for name in chosen.across)


def _used(table: CertifiedTable, names: tuple[str, ...], used: set[Key]) -> tuple[Key, ...]:
    return tuple(key for key in product(*(table.codes[name] for name in names)) if key in used)


def _size(table: CertifiedTable, names: tuple[str, ...]) -> int:
    return prod(len(table.codes[name]) for name in names)
