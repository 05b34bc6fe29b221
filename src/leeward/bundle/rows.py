"""Rows: published cells as the columns of a table."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.bundle.layout import MARGIN, MEASURES
from leeward.model import Dimension, Flag, Marginal, Published

ROW_GROUP = 1 << 17
"""Rows of a Parquet row group: borders lie at public row numbers, however batches were cut."""

FLAGS = tuple(int(flag) for flag in Flag)


@dataclass(frozen=True)
class RowShape:
    """The columns that a table has."""

    marginal: Marginal
    margins: bool

    @property
    def schema(self) -> pa.Schema:
        """The columns as they are published: codes as text from a dictionary."""
        code = pa.dictionary(pa.int32(), pa.string())
        return self._with_codes(code)

    @property
    def compact(self) -> pa.Schema:
        """The same columns while rows are gathered: codes as numbers."""
        return self._with_codes(pa.int32())

    def _with_codes(self, code: pa.DataType) -> pa.Schema:
        names = [one.name for one in self.marginal.dimensions]
        fields = [(name, code) for name in names]
        fields += zip(MEASURES, (pa.int64(), pa.int8()), strict=True)
        return pa.schema(fields + ([(MARGIN, pa.int64())] if self.margins else []))

    def compact_rows(self, published: Published) -> pa.Table:
        """Every row of a batch, codes as numbers."""
        each = published.values.shape[1]
        status = np.repeat(published.flags.astype(np.int8), each)
        columns = [*self._codes(published), published.values.ravel(), status]
        arrays = [pa.array(column) for column in columns]
        if self.margins:
            arrays.append(margin_column(published))
        return pa.Table.from_arrays(arrays, schema=self.compact)

    def _codes(self, published: Published) -> list[NDArray[np.int32]]:
        cells, each = published.values.shape
        workplace = self.marginal.workplace_positions(published.keys)
        worker = self.marginal.worker_positions()
        return [
            *(np.repeat(one.astype(np.int32), each) for one in workplace),
            *(np.tile(one.astype(np.int32), cells) for one in worker),
        ]

    def published_rows(self, compact: pa.Table, codes: list[pa.Array]) -> pa.Table:
        """The rows with their codes as text; one chunk, so that pages do not depend on batches."""
        whole = compact.combine_chunks()
        columns = [column.chunk(0) for column in whole.columns]
        named = zip(columns[: len(codes)], codes, strict=True)
        coded = [pa.DictionaryArray.from_arrays(index, texts) for index, texts in named]
        return pa.Table.from_arrays([*coded, *columns[len(codes) :]], schema=self.schema)


def column_types(columns: Iterable[str]) -> pa.Schema:
    """The columns of a published table: codes as text from a dictionary, whole numbers."""
    code = pa.dictionary(pa.int32(), pa.string())
    numbers = {"value": pa.int64(), "status": pa.int8(), MARGIN: pa.int64()}
    return pa.schema([(name, numbers.get(name, code)) for name in columns])


def code_column(dimension: Dimension) -> pa.Array:
    """The codes of an attribute as the dictionary of its column."""
    return pa.array(dimension.codes, pa.string())


def margin_column(published: Published) -> pa.Array:
    """Margins row by row; null where nothing was drawn."""
    exact = published.flags == Flag.NO_ESTABLISHMENT
    margins = np.zeros_like(published.values) if published.margins is None else published.margins
    return pa.array(margins.ravel(), mask=np.repeat(exact, margins.shape[1]))


def check_batch(shape: RowShape, published: Published, after: int) -> None:
    """Refuse a batch that is not the next rows of this table: the fault lies in the program."""
    keys, flags = published.keys, published.flags
    exact = flags == Flag.NO_ESTABLISHMENT
    rules = {
        "every worker cell": published.values.shape[1] == shape.marginal.worker_cells,
        "keys of the table": bool(np.all(keys < shape.marginal.workplace_cells)),
        "keys in ascending order": bool(np.all(np.diff(keys, prepend=after) > 0)),
        "known flags": bool(np.isin(flags, FLAGS).all()),
        "zeros where there is no establishment": not published.values[exact].any(),
        "empty cells only in complete tables": shape.marginal.complete or not exact.any(),
        "margins if the table has them": published.margins is not None or not shape.margins,
    }
    broken = [rule for rule, kept in rules.items() if not kept]
    if broken:
        raise ValueError(f"a batch must have {broken[0]}")
