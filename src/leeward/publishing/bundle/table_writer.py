"""Table writer: one table as CSV and as Parquet, a batch at a time.

CSV is UTF-8 with a header, line feeds, quotes only where a code needs them (RFC 4180), and plain
integers. It is joined by Arrow, whose own writer would quote every text.
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from leeward.core.codebook import Dimension, Marginal, Published
from leeward.core.codebook.totals import Family
from leeward.publishing.bundle.bundle_files import csv_path, parquet_path
from leeward.publishing.bundle.disk import new_file, writing
from leeward.publishing.bundle.rows import (
    ROW_GROUP,
    RowShape,
    check_batch,
    code_column,
    margin_column,
    unsound,
    value_column,
)
from leeward.publishing.bundle.table_statements import FrameStatement

SPECIAL = re.compile(r'[,"\r\n]')


class TableWriter:
    """Appends rows to both files. The same rows make the same bytes, however they were cut."""

    def __init__(self, folder: Path, marginal: Marginal, *, margins: tuple[str, ...]) -> None:
        self.rows = 0
        self.total_rows = 0
        self.finished = False
        self._folder = folder
        self._shape = RowShape(marginal, margins)
        self._lines = CsvRows(marginal, margins)
        self._codes = [code_column(dimension, marginal.totals) for dimension in marginal.dimensions]
        self._rules = self._shape.rules()
        self._gathered: list[pa.Table] = []
        self._last_key = -1
        self._checked = 0
        self._open = ExitStack()

    @property
    def columns(self) -> tuple[str, ...]:
        """The header."""
        return self._shape.columns

    def facts(self) -> dict[str, Any]:
        """What the certificate says about the rows: `CertifiedTable(**facts(), …)`."""
        marginal = self._shape.marginal
        return {
            "name": marginal.name,
            "kind": "workplace" if marginal.counts_every_job else "worker",
            "identifiers": tuple(dimension.name for dimension in marginal.dimensions),
            "worker_identifiers": tuple(dimension.name for dimension in marginal.worker),
            "codes": {dimension.name: dimension.labels for dimension in marginal.dimensions},
            "complete": marginal.complete,
            "rows": self.rows,
            "columns": self.columns,
            "establishments": FrameStatement() if marginal.establishments else None,
        }

    def require_whole(self) -> None:
        """Refuse a table whose last rows are missing."""
        for finding in self._shape.rules().count(self.rows - self.total_rows):
            raise unsound(self._shape.marginal.name, finding)

    def __enter__(self) -> Self:
        name = self._shape.marginal.name
        with writing(self._folder), ExitStack() as opened:
            self._csv = opened.enter_context(new_file(self._folder / csv_path(name)))
            sink = opened.enter_context(new_file(self._folder / parquet_path(name)))
            coded = [dimension.name for dimension in self._shape.marginal.dimensions]
            self._parquet = pq.ParquetWriter(
                sink,
                self._shape.schema,
                compression="zstd",
                use_dictionary=[*coded, "status"],
                version="2.6",
            )
            opened.callback(_give_up, self._parquet)
            self._csv.write((",".join(self.columns) + "\n").encode())
            self._open = opened.pop_all()
        return self

    def write(self, published: Published) -> None:
        """Append a batch of workplace cells, with all their worker cells."""
        check_batch(self._shape, published, self._last_key)
        with writing(self._folder):
            for piece in _pieces(published, self._shape):
                self.rows += piece.values.size
                self._csv.write(self._lines.text(piece))
                self._gather(self._shape.compact_rows(piece))
        if len(published.keys):
            self._last_key = int(published.keys[-1])

    def write_totals(self, family: Family, published: Published) -> None:
        """Append totals, after all cells, family by family."""
        lines = CsvRows(family.marginal, self._shape.margins)
        with writing(self._folder):
            for piece in _pieces(published, self._shape):
                self.rows += piece.values.size
                self.total_rows += piece.values.size
                self._csv.write(lines.text(piece))
                self._gather(self._shape.compact_totals(family, piece))

    def _gather(self, rows: pa.Table) -> None:
        """Write every row group that is full, keep the rest."""
        self._gathered.append(rows)
        if sum(map(len, self._gathered)) < ROW_GROUP:
            return
        waiting = pa.concat_tables(self._gathered)
        whole = len(waiting) - len(waiting) % ROW_GROUP
        for start in range(0, whole, ROW_GROUP):
            self._write_group(waiting.slice(start, ROW_GROUP))
        self._gathered = [waiting.slice(whole)]

    def _write_group(self, rows: pa.Table) -> None:
        marginal = self._shape.marginal
        # The first rows are cells, which have rules: totals come last.
        cells = rows.slice(0, min(len(rows), self.rows - self.total_rows - self._checked))
        self._checked += len(cells)
        places = {
            dimension.name: cells[dimension.name].to_numpy() for dimension in marginal.dimensions
        }
        for finding in self._rules.findings(places, cells):
            raise unsound(marginal.name, finding)
        coded = self._shape.published_rows(rows, self._codes)
        self._parquet.write_table(coded, row_group_size=ROW_GROUP)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            with suppress(OSError, pa.ArrowException):  # the first error is reported
                self._open.close()
            return
        with writing(self._folder), self._open:
            rest = pa.concat_tables(self._gathered) if self._gathered else ()
            if len(rest):
                self._write_group(rest)
            self._parquet.close()
        self.finished = True


def _pieces(published: Published, shape: RowShape) -> Iterator[Published]:
    """Parts of about a row group, so that memory does not grow with the batch."""
    cells, each = published.values.shape
    step = max(1, ROW_GROUP // max(each, 1))
    wanted = replace(
        published,
        margins={name: published.margins[name] for name in shape.margins},
        establishments=published.establishments if shape.marginal.establishments else None,
    )
    for start in range(0, cells, step):
        yield wanted.part(slice(start, start + step))


def _give_up(writer: pq.ParquetWriter) -> None:
    """Close a file that cannot be finished; else its writer would try again when collected."""
    try:
        writer.close()
    finally:
        writer.is_open = False


def quoted(code: str) -> str:
    """A code as a CSV field."""
    return '"' + code.replace('"', '""') + '"' if SPECIAL.search(code) else code


class CsvRows:
    """Rows as CSV; codes are joined once for each workplace and once for each kind of worker."""

    def __init__(self, marginal: Marginal, margins: tuple[str, ...]) -> None:
        self._marginal = marginal
        self._margins = margins
        self._fields = [_fields(dimension) for dimension in marginal.workplace]
        worker = zip(marginal.worker, marginal.worker_positions(), strict=True)
        self._worker = _joined(
            [_fields(dimension).take(pa.array(at)) for dimension, at in worker], 1
        )

    def text(self, published: Published) -> pa.Buffer:
        """Every row with its line end."""
        cells, each = published.values.shape
        cell = pa.array(np.repeat(np.arange(cells, dtype=np.int32), each))
        kind = pa.array(np.tile(np.arange(each, dtype=np.int32), cells))
        positions = self._marginal.workplace_positions(published.keys)
        placed = zip(self._fields, positions, strict=True)
        workplace = _joined([fields.take(pa.array(at)) for fields, at in placed], cells)
        parts = [workplace.take(cell), self._worker.take(kind)]
        flags = _digits(published.flags.ravel())
        parts += [value_column(published).cast(pa.string()), ","]
        parts += [flags.take(cell) if published.flags.ndim == 1 else flags]
        for name in self._margins:
            parts += [",", margin_column(published, name).cast(pa.string())]
        if published.establishments is not None:
            parts += [",", _digits(published.establishments).take(cell)]
        lines = pc.binary_join_element_wise(
            *parts, "\n", "", null_handling="replace", null_replacement=""
        )
        if len(lines) == 0:
            return pa.py_buffer(b"")
        # The array has the characters of all lines one after the other.
        ends = np.frombuffer(lines.buffers()[1], np.int32)
        return lines.buffers()[2].slice(0, int(ends[len(lines)]))


def _fields(dimension: Dimension) -> pa.Array:
    """Each code as a field with the comma that follows it."""
    return pa.array([quoted(code) + "," for code in dimension.codes], pa.string())


def _joined(columns: list[pa.Array], rows: int) -> pa.Array:
    if not columns:
        return pa.array([""] * rows, pa.string())
    return pc.binary_join_element_wise(*columns, "")


def _digits(numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> pa.Array:
    return pa.array(numbers).cast(pa.string())
