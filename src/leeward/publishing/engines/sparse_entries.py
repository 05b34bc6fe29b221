"""Sparse entries: the establishments of a batch that have jobs, and their counts by worker cell.

Dense rows would be as many as a cell has establishments, each as long as the worker part.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from leeward.core.codebook import Batch, Breakdown, Confidential, Entries
from leeward.publishing.engines.code_classes import Integers
from leeward.publishing.engines.database import Columns


def joint_establishments(
    frame: Columns, sizes: Columns, tables: Iterable[Columns], breakdowns: tuple[Breakdown, ...]
) -> Batch[Entries]:
    """The cells of all tables of a product side by side, for each establishment with jobs."""
    counts, cell, row, start = [], [], [], 0
    for rows, breakdown in zip(tables, breakdowns, strict=True):
        places = _rows_of(sizes, rows)
        counts.append(rows["counts"])
        cell.append(rows["worker_cell"] + start)
        row.append(places)
        start += breakdown.cells
        if breakdown.rest:
            left = sizes["size"].copy()
            np.subtract.at(left, places, rows["counts"])
            some = np.flatnonzero(left)
            counts.append(left[some])
            cell.append(np.full(some.size, start - 1))
            row.append(some)
    return _entries(frame, sizes, tuple(map(np.concatenate, (counts, cell, row))), start)


def sparse_establishments(
    frame: Columns, sizes: Columns, rows: Columns, worker_cells: int
) -> Batch[Entries]:
    """Size and workplace cell of each establishment with jobs, and its counts by worker cell."""
    counted = rows["counts"], rows["worker_cell"], _rows_of(sizes, rows)
    return _entries(frame, sizes, counted, worker_cells, payroll=rows.get("payroll"))


def _entries(
    frame: Columns,
    sizes: Columns,
    counted: Sequence[Integers],
    worker_cells: int,
    *,
    payroll: Integers | None = None,
) -> Batch[Entries]:
    """Entries of establishments; of those that were counted, the counts, cells and rows."""
    counts, cell, row = counted
    owner = sizes.get("owner")
    entries = Entries(
        counts=counts,
        cell=cell,
        row=row,
        sizes=sizes["size"],
        workplace=sizes["cell_index"],
        shape=(frame["cell"].size, worker_cells),
        establishment=None if owner is None else sizes["unit"],
        employer=owner,
        in_frame=frame["in_frame"],
        payroll=payroll,
        payrolls=None if payroll is None else sizes["payroll"],
    )
    return Batch(frame["cell"], Confidential(entries))


def _rows_of(sizes: Columns, rows: Columns) -> Integers:
    """Where in `sizes` the unit of each row is.

    Numbers of units have 32 bits; an owner's part has the same one in several workplace cells.
    """
    units, places = sizes["unit"], np.arange(sizes["unit"].size)
    if not units.size:
        return places
    at = np.full(int(units.max()) + 1, -1)  # a unit without a size is refused where entries are
    at[units] = places
    if np.array_equal(at[units], places):  # each is in one workplace cell: a table will do
        return at[rows["unit"]]
    parts, counted = (table["cell_index"] << 32 | table["unit"] for table in (sizes, rows))
    order = np.argsort(parts)
    where: Integers = order[np.searchsorted(parts, counted, sorter=order)]
    return where
