"""Rows: published cells as the columns of a table."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from leeward.core.codebook import Dimension, Flag, Marginal, Published
from leeward.core.codebook.cells import EMPTY
from leeward.core.codebook.marginal import BLOCK, BOUND, COUNTED, RELEASED, margin_columns
from leeward.core.codebook.totals import Family
from leeward.core.errors import Damaged
from leeward.publishing.bundle.bundle_files import ESTABLISHMENTS, MEASURES, table_columns

ROW_GROUP = 1 << 17
"""Rows of a Parquet row group: its borders are public row numbers, independent of batches."""

FLAGS = (Flag.OK, Flag.NO_ESTABLISHMENT)
"""The status flags of a table of counts; others may have NO_NUMBER too."""

NARROW = (*margin_columns(ends=False, block=False), *margin_columns(ends=True, block=False))
MARGINS = {*NARROW, *(BLOCK + name for name in NARROW), BOUND, RELEASED, COUNTED}
CODES = pa.dictionary(pa.int32(), pa.string())
"""The type of columns of codes, which are texts."""

NUMBERS = {
    **dict(zip(MEASURES, (pa.int64(), pa.int8()), strict=True)),
    **dict.fromkeys((*MARGINS, ESTABLISHMENTS), pa.int64()),
}
"""The types of columns that hold numbers."""

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class RowShape:
    """The columns that a table has."""

    marginal: Marginal
    margins: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The header."""
        marginal = self.marginal
        names = [dimension.name for dimension in marginal.dimensions]
        return table_columns(names, self.margins, establishments=marginal.establishments)

    @property
    def schema(self) -> pa.Schema:
        """The columns as they are published: codes as text from a dictionary."""
        return pa.schema([(name, NUMBERS.get(name, CODES)) for name in self.columns])

    def rules(self) -> "RowRules":
        """What its rows must keep to, from the first one on."""
        marginal = self.marginal
        sizes = {dimension.name: dimension.size for dimension in marginal.dimensions}
        return RowRules(
            sizes,
            len(marginal.worker),
            complete=marginal.complete,
            columns=self.columns,
            counts=marginal.statistic.counts,
        )

    def compact_rows(self, published: Published) -> pa.Table:
        """Every row of a batch, codes as numbers."""
        cells, each = published.values.shape
        workplace = self.marginal.workplace_positions(published.keys)
        worker = self.marginal.worker_positions()
        arrays = [pa.array(np.repeat(place.astype(np.int32), each)) for place in workplace]
        arrays += [pa.array(np.tile(place.astype(np.int32), cells)) for place in worker]
        arrays += [value_column(published), pa.array(row_flags(published).astype(np.int8))]
        arrays += [margin_column(published, name) for name in self.margins]
        if published.establishments is not None:
            arrays.append(pa.array(np.repeat(published.establishments, each)))
        compact = pa.schema([(name, NUMBERS.get(name, pa.int32())) for name in self.columns])
        return pa.Table.from_arrays(arrays, schema=compact)

    def compact_totals(self, family: Family, published: Published) -> pa.Table:
        """The rows of totals: the total code comes after all codes of its attribute."""
        rows = RowShape(family.marginal, self.margins).compact_rows(published)
        for at, dimension in enumerate(self.marginal.dimensions):
            if dimension.name in family.totals:
                column = pa.array(np.full(len(rows), dimension.size, np.int32))
                rows = rows.set_column(at, dimension.name, column)
        return rows

    def published_rows(self, compact: pa.Table, codes: list[pa.Array]) -> pa.Table:
        """The rows with their codes as text; one chunk, so that pages do not depend on batches."""
        whole = compact.combine_chunks()
        columns = [column.chunk(0) for column in whole.columns]
        named = zip(columns[: len(codes)], codes, strict=True)
        coded = [pa.DictionaryArray.from_arrays(index, texts) for index, texts in named]
        return pa.Table.from_arrays([*coded, *columns[len(codes) :]], schema=self.schema)


def column_types(identifiers: Iterable[str], columns: Iterable[str]) -> pa.Schema:
    """The columns of a published table: codes as text from a dictionary, whole numbers.

    An attribute of an older bundle may have a name that is reserved today.
    """
    types = NUMBERS | dict.fromkeys(identifiers, CODES)
    return pa.schema([(name, types[name]) for name in columns])


def code_column(dimension: Dimension, totals: Iterable[str] = ()) -> pa.Array:
    """The codes of an attribute as the dictionary of its column, the total code last."""
    total = (dimension.attribute.total,) if dimension.name in totals else ()
    return pa.array((*dimension.codes, *total), pa.string())


def row_flags(published: Published) -> Integers:
    """The status of every row."""
    cells = published.flags.reshape(len(published.keys), -1)
    return np.broadcast_to(cells, published.values.shape).ravel()


def value_column(published: Published) -> pa.Array:
    """The values row by row; null where there is no number."""
    values = published.values.ravel()
    absent = values == EMPTY
    return pa.array(values, mask=absent if absent.any() else None)


def margin_column(published: Published, name: str) -> pa.Array:
    """A column of margins row by row; null where nothing was drawn, or there is no number."""
    margins = published.margins[name].ravel()
    exact = row_flags(published) == Flag.NO_ESTABLISHMENT
    return pa.array(margins, mask=exact | (margins == EMPTY))


def check_batch(shape: RowShape, published: Published, after: int) -> None:
    """Refuse a batch that does not continue this table: an error of the program."""
    keys, flags = published.keys, published.flags
    exact = flags == Flag.NO_ESTABLISHMENT
    rules = {
        "every worker cell": published.values.shape[1] == shape.marginal.worker_cells,
        "keys of the table": bool(np.all(keys < shape.marginal.workplace_cells)),
        "keys in ascending order": bool(np.all(np.diff(keys, prepend=after) > 0)),
        "known flags": bool(np.isin(flags, tuple(Flag)).all()),
        "zeros where there is no establishment": not published.values[exact].any(),
        "empty cells only in complete tables": shape.marginal.complete or not exact.any(),
        "the table's columns of margins": set(shape.margins) <= set(published.margins),
        "establishments if the table has them": published.establishments is not None
        or not shape.marginal.establishments,
    }
    broken = [rule for rule, kept in rules.items() if not kept]
    if broken:
        raise ValueError(f"a batch must have {broken[0]}")


class RowRules:
    """The rules for rows of a table, used when they are written and when they are verified.

    Rows come in order, a batch at a time; the last row of the batch before is kept.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        worker: int,
        *,
        complete: bool,
        columns: Iterable[str],
        counts: bool,
    ) -> None:
        """`sizes` are the numbers of codes; the last `worker` of the identifiers are of workers.

        Only tables that do not count jobs may lack numbers (`counts`).
        """
        header = tuple(columns)
        names = tuple(sizes)
        self._sizes = sizes
        self._workplace = names[: len(names) - worker]
        self._worker = names[len(names) - worker :]
        self._each = prod(sizes[name] for name in self._worker)
        self._complete = complete
        self._counts = counts
        self._margins = tuple(name for name in header if name in MARGINS)
        self._establishments = ESTABLISHMENTS in header
        self._row = 0
        self._key = -1
        self._before = dict.fromkeys(("status", ESTABLISHMENTS), 0)

    def count(self, rows: int) -> Iterator[str]:
        """What is wrong with the number of rows."""
        full = prod(self._sizes.values())
        if rows % self._each or (self._complete and rows != full):
            yield "has a number of rows that cannot hold every combination of codes"

    def findings(self, positions: Mapping[str, Integers], rows: pa.Table) -> Iterator[str]:
        """What is wrong with the next rows; positions say where their codes stand in the lists."""
        kind = (self._row + np.arange(len(rows))) % self._each
        within = kind != 0
        # Worker cells follow each other in full; workplace cells ascend.
        keys = self._numbered(positions, self._workplace, len(rows))
        whole = np.array_equal(self._numbered(positions, self._worker, len(rows)), kind)
        step = np.diff(keys, prepend=self._key)
        if not whole or (step[~within] <= 0).any() or step[within].any():
            yield "has rows that are missing, repeated or not in the order of the codes"
        self._key = int(keys[-1]) if len(keys) else self._key
        # A workplace cell is in the frame with all its rows, or with none of them.
        words = {"status": "flags", ESTABLISHMENTS: "numbers of establishments"}
        for name in words if self._establishments else ("status",):
            column = rows[name].to_numpy().astype(np.int64)
            if name == "status":  # a number may be lacking in some rows of a workplace cell alone
                column = (column == Flag.NO_ESTABLISHMENT).astype(np.int64)
            if np.diff(column, prepend=self._before[name])[within].any():
                yield f"has different {words[name]} in one workplace combination"
            self._before[name] = int(column[-1]) if len(column) else self._before[name]
        yield from self._measures(rows)
        self._row += len(rows)

    def _numbered(
        self, positions: Mapping[str, Integers], names: tuple[str, ...], rows: int
    ) -> Integers:
        number = np.zeros(rows, np.int64)
        for name in names:
            number = number * self._sizes[name] + positions[name]
        return number

    def _measures(self, rows: pa.Table) -> Iterator[str]:
        status, value = rows["status"].to_numpy(), rows["value"].fill_null(0).to_numpy()
        exact = status == Flag.NO_ESTABLISHMENT
        if not np.isin(status, FLAGS if self._counts else tuple(Flag)).all():
            yield f"has status flags other than {'1' if self._counts else '1, -1'} and -2"
        if not np.array_equal(rows["value"].is_null().to_numpy(), status == Flag.NO_NUMBER):
            yield "has a value where status is -1, or none where it is not"
        if exact.any() and not self._complete:
            yield "has rows without an establishment, though it is not complete"
        if value[exact].any():
            yield "has a value other than 0 where there is no establishment"
        if self._establishments and not np.array_equal(rows[ESTABLISHMENTS].to_numpy() > 0, ~exact):
            yield "has establishments where status is -2, or none where it is 1"
        of_margins = margin_findings if self._counts else pay_findings
        yield from of_margins(self._margins, rows, exact)


def margin_findings(
    names: Iterable[str], rows: pa.Table, exact: NDArray[np.bool_]
) -> Iterator[str]:
    """They are there where noise is, hold the value, and a block's are at least as wide.

    Beside a tidy value, which is not negative, they hold the released one.
    """
    columns = {name: rows[name] for name in names}
    if any(not np.array_equal(column.is_null().to_numpy(), exact) for column in columns.values()):
        yield "has margins where status is -2, or lacks them where it is 1"
        return
    value = rows["value"].to_numpy()[~exact]
    at = {name: column.drop_null().to_numpy() for name, column in columns.items()}
    if RELEASED in at and (value < 0).any():
        yield "is tidied and has negative values"
    value = at.get(RELEASED, value)
    if "low" in at and ((at["low"] > value) | (value > at["high"])).any():
        yield "has values that are not between low and high"
    if "margin" in at and (at["margin"] < 0).any():
        yield "has margins below 0"
    if BOUND in at and (at[BOUND] < 1).any():
        yield "has bounds below 1"
    # Compared, never subtracted: the numbers of a stranger may be as far apart as 64 bits go.
    for name in NARROW:
        if name in at and BLOCK + name in at:
            block, own = at[BLOCK + name], at[name]
            if (block > own if name == "low" else block < own).any():
                yield "has margins of a block that are narrower than those of its cells"
                return


def pay_findings(names: Iterable[str], rows: pa.Table, exact: NDArray[np.bool_]) -> Iterator[str]:
    """Ends that are there hold the value; beside a cell without an establishment there are none."""
    columns = {name: rows[name] for name in names}
    if any(column.is_valid().to_numpy()[exact].any() for column in columns.values()):
        yield "has low, high or count where status is -2"
    if "low" in columns:
        low, high, value = columns["low"], columns["high"], rows["value"]
        # A comparison with an empty field is empty, which `any` leaves out.
        pairs = ((low, value), (value, high), (low, high))
        if any(pc.any(pc.greater(lower, upper)).as_py() for lower, upper in pairs):
            yield "has values that are not between low and high"


def unsound(table: str, finding: str) -> Damaged:
    """The refusal to publish what `verify` would not accept: an error of the program."""
    return Damaged(
        "bundle",
        rule="must be sound by the rules of `leeward verify` before it is sealed",
        value=f"the table {table}, which {finding}",
        next_step="Report it; this is a fault of the program.",
    )
