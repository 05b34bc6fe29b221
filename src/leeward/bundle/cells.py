"""Cell: one row of a published table, and which rows hold the largest values."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.bundle.layout import MARGIN, MEASURES

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Cell:
    """The codes of a cell, its value, its status, and its margin if it has one."""

    codes: tuple[str, ...]
    value: int
    status: int
    margin: int | None


def cells(rows: pa.Table) -> tuple[Cell, ...]:
    """Rows as values; for few of them."""
    codes = [name for name in rows.column_names if name not in {*MEASURES, MARGIN}]
    return tuple(
        Cell(tuple(row[name] for name in codes), row["value"], row["status"], row.get(MARGIN))
        for row in rows.to_pylist()
    )


class LargestRows:
    """Keeps the numbers of the rows with the largest values; the first of those that are equal."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values = np.zeros(0, np.int64)
        self._numbers = np.zeros(0, np.int64)

    def add(self, values: Integers, numbers: Integers) -> None:
        """Look at these too; their numbers are above all before."""
        if len(self._values) == self._most:
            larger = values > self._values[-1]
            values, numbers = values[larger], numbers[larger]
        if len(values) > self._most:
            border = np.partition(values, -self._most)[-self._most]
            values, numbers = values[values >= border], numbers[values >= border]
        both = np.concatenate([self._values, values])
        # The order must be stable: what came first stays before what is as large.
        order = np.argsort(~both, kind="stable")[: self._most]
        self._values = both[order]
        self._numbers = np.concatenate([self._numbers, numbers])[order]

    def found(self) -> list[int]:
        """The numbers of the rows, that with the largest value first."""
        return [int(number) for number in self._numbers]
