"""Summary: what a report tells about a table, from one pass over its rows.

Memory does not grow with the table: counts, the largest cells, and all cells only where they are
few enough to be drawn. Codes take longest to read, so only those of drawn cells are.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from leeward.bundle import Bundle, CertifiedTable
from leeward.bundle.cells import Cell, LargestRows, cells
from leeward.bundle.layout import MARGIN
from leeward.model import Flag
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
    for rows in bundle.batches(table.name, table.columns[len(table.identifiers) :]):
        reading.add(rows)
    largest, squares = reading.rows()
    found = cells(bundle.rows(table.name, sorted({*largest, *squares})))
    cell = dict(zip(sorted({*largest, *squares}), found, strict=True))
    return reading.summary([cell[at] for at in largest], [cell[at] for at in squares])


class _Reading:
    """What is known of a table after the rows so far."""

    def __init__(self, table: CertifiedTable) -> None:
        self._table = table
        self._statuses: Counter[int] = Counter()
        self._negative = self._wide = 0
        self._margins = MarginCounter()
        self._largest = LargestRows(LARGEST)
        self._layout = layout(table)
        self._seen = 0

    def add(self, rows: pa.RecordBatch) -> None:
        status, value = rows["status"].to_numpy(), rows["value"].to_numpy()
        for flag in Flag:
            self._statuses[int(flag)] += int(np.count_nonzero(status == flag))
        self._negative += int(np.count_nonzero(value < 0))
        noisy = np.flatnonzero(status == Flag.OK)
        self._largest.add(value[noisy], noisy + self._seen)
        self._seen += len(value)
        if self._table.has_margins:
            margins = rows[MARGIN].fill_null(0).to_numpy()[noisy]
            self._margins.add(margins)
            self._wide += int(np.count_nonzero(margins >= value[noisy]))

    def rows(self) -> tuple[list[int], range]:
        """The numbers of the rows with the largest values, and of those that are drawn."""
        return self._largest.found(), range(0 if self._layout is None else self._seen)

    def summary(self, largest: Sequence[Cell], squares: Sequence[Cell]) -> TableSummary:
        """Everything that was seen, with the cells of these rows."""
        return TableSummary(
            table=self._table,
            statuses={int(flag): self._statuses[flag] for flag in reversed(Flag)},
            negative=self._negative,
            wide=self._wide,
            margins=self._margins.counted() if self._table.has_margins else None,
            largest=tuple(largest),
            matrix=None if self._layout is None else matrix(self._layout, self._table, squares),
        )
