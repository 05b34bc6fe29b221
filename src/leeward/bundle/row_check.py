"""Row check: whether the rows of a table are those that its certificate announces.

Rows are rendered again from the Parquet file, field by field, and must be the CSV file byte
for byte: a plain truth beside the quick way in which they were written.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from leeward.bundle.certificate import CertifiedTable
from leeward.bundle.csv_lines import quoted
from leeward.bundle.layout import MARGIN, csv_path, parquet_path
from leeward.bundle.rows import ROW_GROUP, Integers, RowRules, column_types
from leeward.bundle.unfolding import fits

LARGEST = 2**62


def table_findings(folder: Path, table: CertifiedTable) -> Iterator[str]:
    """What is wrong with a table, in plain words; the first broken part of rows ends the search."""
    name = f"the table {table.name}"
    try:
        with (folder / csv_path(table.name)).open("rb") as text:
            file = pq.ParquetFile(folder / parquet_path(table.name))
            problems = [*_shape(file, table)] or [*_size(file, table)]
            problems = problems or [*_RowCheck(table, text).run(file)]
        yield from (f"{name} {problem}" for problem in problems)
    except (OSError, ValueError, pa.ArrowException, MemoryError):
        yield f"{name} cannot be read"


def _shape(file: pq.ParquetFile, table: CertifiedTable) -> Iterator[str]:
    if table.workplace_cells * table.worker_cells > LARGEST:
        yield "has more combinations of codes than can be counted"
    if file.schema_arrow.names != list(table.columns):
        yield "has other columns in Parquet than the certificate says"
    elif file.schema_arrow.remove_metadata() != column_types(table.columns):
        yield "has columns of other types than text and whole numbers"
    if file.metadata.num_rows != table.rows:
        yield "has another number of rows than the certificate says"
    yield from _rules(table).count(table.rows)


def _size(file: pq.ParquetFile, table: CertifiedTable) -> Iterator[str]:
    if not fits(file.metadata, table):
        yield "has parts that are too large to be read"


def _rules(table: CertifiedTable) -> RowRules:
    sizes = {name: len(codes) for name, codes in table.codes.items()}
    worker = len(table.worker_identifiers)
    return RowRules(sizes, worker, complete=table.complete, margins=table.has_margins)


class _RowCheck:
    """Walks through both files at once."""

    def __init__(self, table: CertifiedTable, text: BinaryIO) -> None:
        self._table = table
        self._text = text
        self._codes = {name: pa.array(codes, pa.string()) for name, codes in table.codes.items()}
        self._rules = _rules(table)

    def run(self, file: pq.ParquetFile) -> Iterator[str]:
        header = (",".join(self._table.columns) + "\n").encode()
        if self._text.read(len(header)) != header:
            yield "has another header in CSV than the certificate says"
            return
        for batch in file.iter_batches(batch_size=ROW_GROUP):
            found = list(self._batch(pa.Table.from_batches([batch]).combine_chunks()))
            if found:
                yield from found
                return
        if self._text.read(1):
            yield "has other rows in CSV than in Parquet"

    def _batch(self, rows: pa.Table) -> Iterator[str]:
        required = [name for name in rows.column_names if name != MARGIN]
        if any(rows[name].null_count for name in required):
            yield "has rows with an empty field"
            return
        positions = {name: self._positions(rows, name) for name in self._codes}
        if any(one is None for one in positions.values()):
            yield "has codes that the certificate does not list"
            return
        known = {name: one for name, one in positions.items() if one is not None}
        yield from self._rules.findings(known, rows)
        expected = self._lines(rows)
        if self._text.read(len(expected)) != expected:
            yield "has other rows in CSV than in Parquet"

    def _positions(self, rows: pa.Table, name: str) -> Integers | None:
        """Where each row's code stands in the list; None if one does not."""
        texts = rows[name].combine_chunks().cast(pa.string())
        found = pc.index_in(texts, self._codes[name])
        return None if found.null_count else found.to_numpy().astype(np.int64)

    def _lines(self, rows: pa.Table) -> bytes:
        fields = [self._field(rows[name].combine_chunks()) for name in rows.column_names]
        lines = pc.binary_join_element_wise(
            *fields, ",", null_handling="replace", null_replacement=""
        )
        return ("\n".join(lines.to_pylist()) + "\n").encode() if len(lines) else b""

    def _field(self, column: pa.Array) -> pa.Array:
        if not pa.types.is_dictionary(column.type):
            return column.cast(pa.string())
        texts = [quoted(code) for code in column.dictionary.to_pylist()]
        return pa.array(texts, pa.string()).take(column.indices)
