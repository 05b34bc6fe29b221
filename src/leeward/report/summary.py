"""Summary: what a report tells about a table, from one pass over its rows.

Memory does not grow with the table: counts, the largest cells, and all cells only where they are
few enough to be drawn.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from leeward.bundle import Bundle, CertifiedTable
from leeward.bundle.layout import MARGIN
from leeward.model import Flag
from leeward.report.cell import Cell, LargestCells, cells
from leeward.report.margins import MarginCounter, Margins
from leeward.report.matrix import Matrix, layout, matrix

LARGEST = 25


@dataclass(frozen=True)
class TableSummary:
    """One table in numbers. `wide` counts the cells whose margin reaches down to zero."""

    table: CertifiedTable
    statuses: Mapping[int, int]
    negative: int
    wide: int
    margins: Margins | None
    largest: tuple[Cell, ...]
    matrix: Matrix | None

    @property
    def cells(self) -> int:
        """How many values carry noise."""
        return self.statuses.get(Flag.OK, 0)


def summarise(bundle: Bundle, table: CertifiedTable) -> TableSummary:
    """Read a table once."""
    reading = _Reading(table)
    for rows in bundle.batches(table.name):
        reading.add(rows)
    return reading.summary()


class _Reading:
    """What is known of a table after the rows so far."""

    def __init__(self, table: CertifiedTable) -> None:
        self._table = table
        self._statuses: Counter[int] = Counter()
        self._negative = self._wide = 0
        self._margins = MarginCounter()
        self._largest = LargestCells(LARGEST)
        self._layout = layout(table)
        self._drawn: list[Cell] = []

    def add(self, rows: pa.RecordBatch) -> None:
        status, value = rows["status"].to_numpy(), rows["value"].to_numpy()
        for flag in Flag:
            self._statuses[int(flag)] += int(np.count_nonzero(status == flag))
        self._negative += int(np.count_nonzero(value < 0))
        self._largest.add(rows)
        if self._layout is not None:
            self._drawn += cells(rows)
        if self._table.has_margins:
            noisy = pa.array(status == Flag.OK)
            margins = rows[MARGIN].filter(noisy).to_numpy()
            self._margins.add(margins)
            self._wide += int(np.count_nonzero(margins >= rows["value"].filter(noisy).to_numpy()))

    def summary(self) -> TableSummary:
        """Everything that was seen."""
        return TableSummary(
            table=self._table,
            statuses={int(flag): self._statuses[flag] for flag in reversed(Flag)},
            negative=self._negative,
            wide=self._wide,
            margins=self._margins.counted() if self._table.has_margins else None,
            largest=self._largest.found(),
            matrix=None if self._layout is None else matrix(self._layout, self._table, self._drawn),
        )
