"""CSV lines: the rows of a table as text, made quickly.

UTF-8, a header, line feeds, quotes only where a code needs them (RFC 4180), integers plain.
"""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leeward.bundle.rows import margin_column
from leeward.model import Dimension, Marginal, Published

SPECIAL = re.compile(r'[,"\r\n]')


def quoted(code: str) -> str:
    """A code as a field."""
    return '"' + code.replace('"', '""') + '"' if SPECIAL.search(code) else code


class CsvLines:
    """The text of a workplace combination is made once for all its rows, that of a worker
    combination once for the whole table.
    """

    def __init__(self, marginal: Marginal) -> None:
        self._marginal = marginal
        self._fields = [_fields(one) for one in marginal.workplace]
        worker = zip(marginal.worker, marginal.worker_positions(), strict=True)
        self._worker = _joined([_fields(one).take(pa.array(at)) for one, at in worker], 1)

    def text(self, published: Published) -> pa.Buffer:
        """Every row with its line end."""
        cells, each = published.values.shape
        cell = pa.array(np.repeat(np.arange(cells, dtype=np.int32), each))
        kind = pa.array(np.tile(np.arange(each, dtype=np.int32), cells))
        parts = [self._workplace(published).take(cell), self._worker.take(kind)]
        parts += [_digits(published.values.ravel()), ",", _digits(published.flags).take(cell)]
        if published.margins is not None:
            parts += [",", margin_column(published).cast(pa.string())]
        return _characters(
            pc.binary_join_element_wise(
                *parts, "\n", "", null_handling="replace", null_replacement=""
            )
        )

    def _workplace(self, published: Published) -> pa.Array:
        positions = self._marginal.workplace_positions(published.keys)
        taken = zip(self._fields, positions, strict=True)
        columns = [fields.take(pa.array(index)) for fields, index in taken]
        return _joined(columns, len(published.keys))


def _fields(dimension: Dimension) -> pa.Array:
    """Each code as a field with the comma that follows it."""
    return pa.array([quoted(code) + "," for code in dimension.codes], pa.string())


def _joined(columns: list[pa.Array], rows: int) -> pa.Array:
    if not columns:
        return pa.array([""] * rows, pa.string())
    return pc.binary_join_element_wise(*columns, "")


def _digits(numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> pa.Array:
    return pa.array(numbers).cast(pa.string())


def _characters(lines: pa.Array) -> pa.Buffer:
    """All lines behind each other: the array already holds them so."""
    if len(lines) == 0:
        return pa.py_buffer(b"")
    ends = np.frombuffer(lines.buffers()[1], np.int32)
    return lines.buffers()[2].slice(0, int(ends[len(lines)]))
