"""Feasibility: what published sums leave open of cells that are withheld, rounded or in classes.

Cells are whole numbers from 0, published sums are equations, rounding and size classes are boxes.
The least and the most that a cell can be, given all of them, is what an attacker knows for certain.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leeward.model.cells import Integers

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Margins:
    """Which of n cells each of r sums adds up: m pairs (row, cell), in the order of the rows."""

    row: Integers
    cell: Integers
    count: int

    @classmethod
    def of(
        cls, codes: Sequence[Integers], sets: Iterable[Sequence[int]] | None = None
    ) -> "Margins":
        """The margins of a table whose cells have these codes (n,) of each attribute.

        `sets` are the attributes of each margin; without them every margin that leaves one or
        more attributes out, the total of all cells last.
        """
        attributes = range(len(codes))
        if sets is None:
            sets = [by for k in reversed(attributes) for by in combinations(attributes, k)]
        rows, first = [np.zeros(0, dtype=np.int64)], 0
        for by in sets:
            row = _numbered([codes[one] for one in by], codes[0].size)
            rows.append(first + row)
            first += int(row.max(initial=-1)) + 1
        cells = [np.arange(one.size) for one in rows[1:]]
        return cls._sorted(np.concatenate(rows), np.concatenate([rows[0], *cells]), first)

    @classmethod
    def listed(cls, sums: Sequence[Sequence[int]]) -> "Margins":
        """Sums given by the cells that each adds up."""
        row = np.repeat(np.arange(len(sums)), [len(one) for one in sums])
        cell = np.array([cell for one in sums for cell in one], dtype=np.int64)
        return cls(row, cell, len(sums))

    @classmethod
    def _sorted(cls, row: Integers, cell: Integers, count: int) -> "Margins":
        order = np.argsort(row, kind="stable")
        return cls(row[order], cell[order], count)

    def totals(self, values: Integers) -> Integers:
        """The sums (r,) of values (n,), exactly."""
        return self.added(values[self.cell])

    def added(self, pairs: NDArray[Any]) -> Integers:
        """A value for each pair, added up to sums (r,) exactly."""
        found = np.zeros(self.count, dtype=np.int64)
        np.add.at(found, self.row, pairs)
        return found

    def kept(self, which: Mask) -> "Margins":
        """The sums of a mask (r,), numbered from 0."""
        number = np.cumsum(which) - 1
        pairs = which[self.row]
        return Margins(number[self.row[pairs]], self.cell[pairs], int(which.sum()))

    def subtracted(self, known: Mask) -> Mask:
        """The cells that are known by subtraction alone, those included that were known before.

        A sum with one unknown cell gives it away, and that may leave one in another sum.
        """
        found = known.copy()
        while True:
            open_pairs = ~found[self.cell]
            last = (self.added(open_pairs) == 1)[self.row] & open_pairs
            if not last.any():
                return found
            found[self.cell[last]] = True


def _numbered(codes: Sequence[Integers], cells: int) -> Integers:
    """The combinations of codes that occur, numbered from 0 in their order."""
    if not codes:
        return np.zeros(cells, dtype=np.int64)
    return np.unique(np.stack(codes), axis=1, return_inverse=True)[1].reshape(-1)
