"""Batches: rows of queries as arrays, the cells or entries of some workplace cells at a time.

Where a batch ends depends on the public frame only. Cells are dense. Entries are the
establishments that have jobs: dense rows would be as many as a cell has establishments, each as
long as the worker part.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from leeward.core.codebook import Batch, Breakdown, Cells, Confidential, Entries
from leeward.core.errors import BadData
from leeward.publishing.engines.code_classes import Integers

Columns = dict[str, Integers]


@dataclass(frozen=True)
class Stream:
    """Rows in the order of their column `cell_index`, and the names of all their columns."""

    names: tuple[str, ...]
    pieces: Iterator[pa.RecordBatch]

    def cut(self, cells: int, batch: int) -> Iterator[Columns]:
        """The rows of `batch` workplace cells at a time, of `cells`; each cut has indices from 0.

        The number of cuts depends on the frame alone; some may have no rows.
        """
        parts: list[Columns] = []
        start = 0
        for piece in self.pieces:
            rest: Columns = {
                name: piece.column(name).cast(pa.int64()).to_numpy(zero_copy_only=False)
                for name in self.names
            }
            while rest["cell_index"].size and rest["cell_index"][-1] >= start + batch:
                end = int(np.searchsorted(rest["cell_index"], start + batch))
                parts.append({name: column[:end] for name, column in rest.items()})
                yield self._joined(parts, start)
                parts, start = [], start + batch
                rest = {name: column[end:] for name, column in rest.items()}
            parts.append(rest)
        for begin in range(start, cells, batch):
            yield self._joined(parts, begin)
            parts = []

    def _joined(self, parts: list[Columns], start: int) -> Columns:
        nothing = np.zeros(0, dtype=np.int64)
        columns = {
            name: np.concatenate([part[name] for part in parts] or [nothing]) for name in self.names
        }
        columns["cell_index"] = columns["cell_index"] - start
        return columns


def cut_frame(stream: Stream, cells: int, batch: int) -> Iterator[Columns]:
    """The frame itself, in which every index must occur once."""
    for begin, frame in zip(range(0, cells, batch), stream.cut(cells, batch), strict=True):
        if not np.array_equal(frame["cell_index"], np.arange(min(batch, cells - begin))):
            raise BadData(
                "data",
                rule="must not change while they are tabulated",
                value="other workplace cells than there were before",
                next_step="Tabulate again from data at rest.",
            )
        yield frame


def dense_cells(frame: Columns, rows: Columns, worker_cells: int) -> Batch[Cells]:
    """Counts (w, d) and the largest establishment of each workplace cell; payrolls likewise."""
    dense: Columns = {}
    for name in rows.keys() & {"counts", "cell_largest", "payroll"}:
        dense[name] = np.zeros((frame["cell"].size, worker_cells), dtype=np.int64)
        dense[name][rows["cell_index"], rows["worker_cell"]] = rows[name]
    cells = Cells(
        dense["counts"],
        frame["largest"],
        dense.get("cell_largest"),
        in_frame=frame["in_frame"],
        payroll=dense.get("payroll"),
        largest_payroll=frame.get("largest_payroll"),
    )
    return Batch(frame["cell"], Confidential(cells))


def frame_cells(frame: Columns, *, cell_largest: bool) -> Batch[Cells]:
    """The cells of a table in which every job of a workplace cell counts in its one worker cell."""
    every = np.zeros_like(frame["cell_index"])
    rows = {"cell_index": frame["cell_index"], "worker_cell": every, "counts": frame["jobs"]}
    rows |= {"cell_largest": frame["largest"]} if cell_largest else {}
    rows |= {"payroll": frame["payroll"]} if "payroll" in frame else {}
    return dense_cells(frame, rows, 1)


def joint_cells(
    frame: Columns, tables: Iterable[Columns], breakdowns: tuple[Breakdown, ...]
) -> Batch[Cells]:
    """The cells of all tables of a product side by side; what a table leaves out has its cell."""
    parts = []
    for rows, breakdown in zip(tables, breakdowns, strict=True):
        counts = np.zeros((frame["cell"].size, breakdown.cells), dtype=np.int64)
        counts[rows["cell_index"], rows["worker_cell"]] = rows["counts"]
        if breakdown.rest:
            counts[:, -1] = frame["jobs"] - counts.sum(axis=1)
        parts.append(counts)
    cells = Cells(np.concatenate(parts, axis=1), frame["largest"], in_frame=frame["in_frame"])
    return Batch(frame["cell"], Confidential(cells))


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
