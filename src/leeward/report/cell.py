"""Cell: one row of a published table, and the largest ones of many, found in one pass."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.bundle.layout import MARGIN
from leeward.model import Flag


@dataclass(frozen=True)
class Cell:
    """The codes of a cell, its value, and its margin if it has one."""

    codes: tuple[str, ...]
    value: int
    status: int
    margin: int | None


def cells(rows: pa.RecordBatch) -> list[Cell]:
    """Rows as values; for few of them."""
    codes = [name for name in rows.schema.names if name not in {"value", "status", MARGIN}]
    return [
        Cell(tuple(row[name] for name in codes), row["value"], row["status"], row.get(MARGIN))
        for row in rows.to_pylist()
    ]


class LargestCells:
    """Keeps the cells of largest value; of two alike, the one that comes first in the table."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[Cell] = []

    def add(self, rows: pa.RecordBatch) -> None:
        """Look at these rows too. Cells without an establishment are no cells of a ranking."""
        value = rows["value"].to_numpy()
        counted = rows["status"].to_numpy() == Flag.OK
        if len(self._kept) == self._most:
            counted &= value > self._kept[-1].value
        chosen = _first(value, np.flatnonzero(counted), self._most)
        both = [*self._kept, *cells(rows.take(pa.array(chosen)))]
        # Sorting is stable, so what came first stays before what is as large.
        self._kept = sorted(both, key=lambda cell: -cell.value)[: self._most]

    def found(self) -> tuple[Cell, ...]:
        """The largest of all, in order."""
        return tuple(self._kept)


def _first(value: NDArray[np.int64], among: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """The rows of the `most` largest values, in the order of the rows; the first of equals."""
    if len(among) <= most:
        return among
    values = value[among]
    border = np.partition(values, len(values) - most)[len(values) - most]
    above, equal = among[values > border], among[values == border]
    return np.sort(np.concatenate([above, equal[: most - len(above)]]))
