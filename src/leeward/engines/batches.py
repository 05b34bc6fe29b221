"""Batches: ordered rows from a database become arrays, some workplace cells at a time.

Where a batch ends depends on the public frame alone. At most one batch and one piece of each
stream are in memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.errors import BadData
from leeward.model import Batch, Cells, Confidential, Entries

Integers = NDArray[np.int64]
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
        held: list[Columns] = []
        start = 0
        for piece in self.pieces:
            rest = {name: _integers(piece.column(name)) for name in self.names}
            while rest["cell_index"].size and rest["cell_index"][-1] >= start + batch:
                end = int(np.searchsorted(rest["cell_index"], start + batch))
                held.append({name: column[:end] for name, column in rest.items()})
                yield self._joined(held, start)
                held, start = [], start + batch
                rest = {name: column[end:] for name, column in rest.items()}
            held.append(rest)
        for begin in range(start, cells, batch):
            yield self._joined(held, begin)
            held = []

    def _joined(self, held: list[Columns], start: int) -> Columns:
        nothing = np.zeros(0, dtype=np.int64)
        columns = {
            name: np.concatenate([one[name] for one in held] or [nothing]) for name in self.names
        }
        columns["cell_index"] = columns["cell_index"] - start
        return columns


def _integers(column: pa.Array) -> Integers:
    values: Integers = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return values


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
    """Counts (w, d) and the largest establishment of each workplace cell."""
    dense: Columns = {}
    for name in rows.keys() & {"counts", "cell_largest"}:
        dense[name] = np.zeros((frame["cell"].size, worker_cells), dtype=np.int64)
        dense[name][rows["cell_index"], rows["worker_cell"]] = rows[name]
    cells = Cells(dense["counts"], frame["largest"], dense.get("cell_largest"))
    return Batch(frame["cell"], Confidential(cells))


def sparse_establishments(
    frame: Columns, sizes: Columns, rows: Columns, worker_cells: int
) -> Batch[Entries]:
    """Size and workplace cell of each establishment with jobs, and its counts by worker cell.

    Dense rows would be as many as a cell has establishments, each as long as the worker part.
    """
    order = np.argsort(sizes["unit"])
    owner = sizes.get("owner")
    entries = Entries(
        counts=rows["counts"],
        cell=rows["worker_cell"],
        row=order[np.searchsorted(sizes["unit"], rows["unit"], sorter=order)],
        sizes=sizes["size"],
        workplace=sizes["cell_index"],
        shape=(frame["cell"].size, worker_cells),
        establishment=None if owner is None else sizes["unit"],
        employer=owner,
    )
    return Batch(frame["cell"], Confidential(entries))
