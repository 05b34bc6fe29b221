"""Block: some rows of a published table, as numbers.

Codes become their positions in the certificate's lists, so that rows are searched, sorted and
compared as numbers. Columns are taken by position, never by name: an attribute may be called
`value`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from leeward.bundle import Bundle, CertifiedTable
from leeward.bundle.layout import ESTABLISHMENTS, MARGIN
from leeward.errors import Damaged, InvalidParameter, shown

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
LARGEST = 2**61
"""Maximum published number: the difference of two still fits into 64 bits."""


@dataclass(frozen=True)
class Block:
    """Rows in their order; `positions` has a column for each identifier.

    `margins` is 0 where `drawn` is false: there the table has no margin. `establishments` is None
    where the table does not count them.
    """

    positions: tuple[Integers, ...]
    values: Integers
    status: Integers
    margins: Integers
    drawn: Booleans
    establishments: Integers | None = None

    def __len__(self) -> int:
        return len(self.values)

    def take(self, chosen: Integers | Booleans) -> "Block":
        """The rows of these numbers, or those that are true."""
        positions = tuple(one[chosen] for one in self.positions)
        numbers = (self.values[chosen], self.status[chosen], self.margins[chosen])
        frame = None if self.establishments is None else self.establishments[chosen]
        return Block(positions, *numbers, self.drawn[chosen], frame)


def join(parts: list[Block]) -> Block:
    """The rows of all parts, one after the other."""
    columns = zip(*(part.positions for part in parts), strict=True)
    return Block(
        tuple(np.concatenate(column) for column in columns),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.status for part in parts]),
        np.concatenate([part.margins for part in parts]),
        np.concatenate([part.drawn for part in parts]),
        _joined_frame(parts),
    )


def _joined_frame(parts: list[Block]) -> Integers | None:
    counted = [part.establishments for part in parts if part.establishments is not None]
    return np.concatenate(counted) if counted else None


def certified(bundle: Bundle, name: str) -> CertifiedTable:
    """The certificate's entry of a table; an unknown name is refused."""
    found = bundle.certificate.table(name)
    if found is None:
        raise InvalidParameter(
            "table",
            rule="must be a table of the bundle",
            value=shown(name),
            next_step="Choose one that the certificate lists.",
        )
    return found


def read_blocks(bundle: Bundle, table: CertifiedTable, *, totals: bool) -> Iterator[Block]:
    """The rows of a table, a batch at a time; rows that contradict the certificate are refused."""
    codes = [pa.array(list(table.listed(name)), pa.string()) for name in table.identifiers]
    try:
        for batch in bundle.batches(table.name, totals=totals):
            yield _read(batch, codes, table)
    except (OSError, TypeError, ValueError, pa.ArrowException):
        raise _damaged(table, "must be readable") from None


def _read(batch: pa.RecordBatch, codes: list[pa.Array], table: CertifiedTable) -> Block:
    if tuple(batch.schema.names) != table.columns:
        raise _damaged(table, "must have the columns that the certificate lists")
    columns = [batch.column(number) for number in range(len(table.columns))]
    coded = zip(columns, codes, strict=False)
    positions = tuple(_positions(column, listed, table) for column, listed in coded)
    numbers = dict(zip(table.columns[len(codes) :], columns[len(codes) :], strict=True))
    margin = [numbers[MARGIN]] if MARGIN in numbers else []
    drawn = [one.is_valid().to_numpy(zero_copy_only=False) for one in margin]
    margins = [_numbers(one.fill_null(0), table) for one in margin]
    nothing = np.zeros(len(batch), np.int64)
    return Block(
        positions,
        _numbers(numbers["value"], table),
        _numbers(numbers["status"], table),
        margins[0] if margins else nothing,
        drawn[0] if drawn else nothing.astype(bool),
        _numbers(numbers[ESTABLISHMENTS], table) if ESTABLISHMENTS in numbers else None,
    )


def _positions(column: pa.Array, listed: pa.Array, table: CertifiedTable) -> Integers:
    if not pa.types.is_dictionary(column.type) or column.null_count:
        raise _damaged(table, "must have a code in every row")
    index: Integers = column.indices.to_numpy().astype(np.int64)
    if len(index) and not 0 <= index.min() <= index.max() < len(column.dictionary):
        raise _damaged(table, "must be readable")
    if column.dictionary.equals(listed):
        return index
    found = pc.index_in(column.dictionary.cast(pa.string()), value_set=listed)
    known: Integers = found.fill_null(-1).to_numpy().astype(np.int64)[index]
    if (known < 0).any():
        raise _damaged(table, "must hold the codes that the certificate lists")
    return known


def _numbers(column: pa.Array, table: CertifiedTable) -> Integers:
    if not pa.types.is_signed_integer(column.type) or column.null_count:
        raise _damaged(table, "must have a whole number in every row")
    numbers: Integers = column.to_numpy().astype(np.int64)
    if len(numbers) and (numbers.max() > LARGEST or numbers.min() < -LARGEST):
        raise _damaged(table, "must have numbers of at most 2^61")
    return numbers


def _damaged(table: CertifiedTable, rule: str) -> Damaged:
    return Damaged(
        "bundle",
        rule=f"the table {table.name} {rule}",
        value="something else",
        next_step="Ask for the bundle again, or see what `leeward verify` finds.",
    )
