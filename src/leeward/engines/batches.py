"""Batches: ordered rows from a database become dense arrays, some workplace cells at a time.

Where a batch ends depends on the public frame alone. At most one batch and one piece of the
stream are in memory.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.errors import BadData
from leeward.model import Batch, Confidential

Integers = NDArray[np.int64]
Columns = dict[str, Integers]


def by_place(pieces: Iterator[pa.RecordBatch], cells: int, batch: int) -> Iterator[Columns]:
    """Rows in the order of `place`, cut after every `batch` places; places count from 0 again."""
    held: list[Columns] = []
    start = 0
    for piece in pieces:
        rest = {name: _integers(piece.column(name)) for name in piece.schema.names}
        while rest["place"].size and rest["place"][-1] >= start + batch:
            cut = int(np.searchsorted(rest["place"], start + batch))
            held.append({name: column[:cut] for name, column in rest.items()})
            yield _joined(held, start, batch)
            held, start = [], start + batch
            rest = {name: column[cut:] for name, column in rest.items()}
        held.append(rest)
    if start < cells:
        yield _joined(held, start, cells - start)


def _integers(column: pa.Array) -> Integers:
    values: Integers = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return values


def _joined(held: list[Columns], start: int, places: int) -> Columns:
    names = held[0] if held else ("place",)
    columns = {name: np.concatenate([one[name] for one in held]) for name in names}
    columns["place"] = columns["place"] - start
    seen = np.zeros(places, dtype=bool)
    seen[columns["place"]] = True
    if not seen.all():
        raise BadData(
            "data",
            rule="must not change while they are tabulated",
            value="workplace cells that were there before and are not now",
            next_step="Tabulate again from data at rest.",
        )
    return columns


def dense_cells(rows: Columns, worker_cells: int) -> Batch:
    """Counts (w, d) and the largest establishment of each workplace cell."""
    place, worker = rows["place"], rows["worker"]
    number = int(place[-1]) + 1
    known = worker >= 0
    dense = {"counts": rows["jobs"], "cell_largest": rows.get("cell_largest")}
    columns: Columns = {}
    for name, values in dense.items():
        if values is not None:
            columns[name] = np.zeros((number, worker_cells), dtype=np.int64)
            columns[name][place[known], worker[known]] = values[known]
    return Batch(
        _placed(rows, "cell", number),
        Confidential(largest=_placed(rows, "largest", number), **columns),
    )


def dense_establishments(rows: Columns, worker_cells: int) -> Batch:
    """One row of counts (e, d) for each establishment with jobs, its size and its cell."""
    keys = _placed(rows, "cell", int(rows["place"][-1]) + 1)
    held = {name: column[rows["spot"] >= 0] for name, column in rows.items()}
    new = np.diff(held["spot"], prepend=-1) != 0
    row = np.cumsum(new) - 1
    counts = np.zeros((int(new.sum()), worker_cells), dtype=np.int64)
    known = held["worker"] >= 0
    counts[row[known], held["worker"][known]] = held["jobs"][known]
    sizes, workplace = held["size"][new], held["place"][new]
    return Batch(keys, Confidential(counts=counts, sizes=sizes, workplace=workplace))


def _placed(rows: Columns, name: str, number: int) -> Integers:
    """A column that has one value a place."""
    values = np.zeros(number, dtype=np.int64)
    values[rows["place"]] = rows[name]
    return values
