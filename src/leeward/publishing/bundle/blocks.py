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

from leeward.core.codebook import Flag
from leeward.core.codebook.cells import EMPTY, Margins, ends
from leeward.core.codebook.marginal import BOUND, COUNTED, RELEASED
from leeward.core.errors import Damaged, InvalidParameter, shown
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.bundle_files import ESTABLISHMENTS

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
LARGEST = 2**61
"""Maximum published number: the difference of two still fits into 64 bits."""


@dataclass(frozen=True)
class Block:
    """Rows in their order; `positions` has a column for each identifier.

    `margins` are 0 where `drawn` is false: there the table has none. `establishments` is None where
    the table does not count them, `released` where values are as released, and `bound` where no
    bound is published. Of a table of pay the count is among the margins, and what is not there is
    EMPTY.
    """

    positions: tuple[Integers, ...]
    values: Integers
    status: Integers
    margins: Margins
    drawn: Booleans
    establishments: Integers | None = None
    released: Integers | None = None
    bound: Integers | None = None

    @property
    def noisy(self) -> Integers:
        """The numbers with noise, also where values are tidy: margins are around these."""
        return self.values if self.released is None else self.released

    @property
    def ends(self) -> tuple[Integers, Integers]:
        """The lowest and the highest number that each released value may stand for."""
        if {*self.margins} <= {COUNTED}:
            return (self.noisy, self.noisy)
        return ends(self.noisy, self.margins)

    def __len__(self) -> int:
        return len(self.values)

    def take(self, chosen: Integers | Booleans) -> "Block":
        """The rows of these numbers, or those that are true."""
        positions = tuple(position[chosen] for position in self.positions)
        margins = {name: margin[chosen] for name, margin in self.margins.items()}
        numbers = (self.values[chosen], self.status[chosen], margins)
        columns = (self.establishments, self.released, self.bound)
        rest = (None if column is None else column[chosen] for column in columns)
        return Block(positions, *numbers, self.drawn[chosen], *rest)


def join(parts: list[Block]) -> Block:
    """The rows of all parts, one after the other."""
    columns = zip(*(part.positions for part in parts), strict=True)
    return Block(
        tuple(np.concatenate(column) for column in columns),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.status for part in parts]),
        {name: np.concatenate([part.margins[name] for part in parts]) for name in parts[0].margins},
        np.concatenate([part.drawn for part in parts]),
        _joined([part.establishments for part in parts]),
        _joined([part.released for part in parts]),
        _joined([part.bound for part in parts]),
    )


def _joined(columns: list[Integers | None]) -> Integers | None:
    """A column that a table may lack."""
    there = [column for column in columns if column is not None]
    return np.concatenate(there) if there else None


def certified(bundle: Bundle, name: str) -> CertifiedTable:
    """The certificate's entry of a table; an unknown name is refused."""
    table = bundle.certificate.table(name)
    if table is None:
        raise InvalidParameter(
            "table",
            rule="must be a table of the bundle",
            value=shown(name),
            next_step="Choose one that the certificate lists.",
        )
    return table


def read_blocks(bundle: Bundle, table: CertifiedTable, *, totals: bool) -> Iterator[Block]:
    """The rows of a table, a batch at a time; rows that contradict the certificate are refused."""
    return (block for _, block in read_batches(bundle, table, totals=totals))


def read_batches(
    bundle: Bundle, table: CertifiedTable, *, totals: bool
) -> Iterator[tuple[pa.RecordBatch, Block]]:
    """The same, each batch as it was published beside its numbers."""
    codes = [pa.array(list(table.listed(name)), pa.string()) for name in table.identifiers]
    try:
        for batch in bundle.batches(table.name, totals=totals):
            yield batch, _read(batch, codes, table)
    except (OSError, TypeError, ValueError, pa.ArrowException):
        raise _damaged(table, "must be readable") from None


def _read(batch: pa.RecordBatch, codes: list[pa.Array], table: CertifiedTable) -> Block:
    if tuple(batch.schema.names) != table.columns:
        raise _damaged(table, "must have the columns that the certificate lists")
    columns = [batch.column(number) for number in range(len(table.columns))]
    coded = zip(columns, codes, strict=False)
    positions = tuple(_positions(column, listed, table) for column, listed in coded)
    numbers = dict(zip(table.columns[len(codes) :], columns[len(codes) :], strict=True))
    wide = {name: numbers[name] for name in (*table.margin_columns, *table.count_columns)}
    absent = 0 if table.counts else EMPTY
    status = _numbers(numbers["status"], table)
    drawn = np.zeros(len(batch), bool)
    if wide and table.counts:
        drawn = next(iter(wide.values())).is_valid().to_numpy(zero_copy_only=False)
    elif wide:  # of a table of pay: which rows have noise
        drawn = np.asarray(status != Flag.NO_ESTABLISHMENT)
    return Block(
        positions,
        _numbers(numbers["value"], table, None if table.counts else EMPTY),
        status,
        {name: _numbers(column, table, absent) for name, column in wide.items()},
        drawn,
        _numbers(numbers[ESTABLISHMENTS], table) if ESTABLISHMENTS in numbers else None,
        _numbers(numbers[RELEASED], table, 0) if RELEASED in numbers else None,
        _numbers(numbers[BOUND], table, EMPTY) if BOUND in numbers else None,
    )


def _positions(column: pa.Array, listed: pa.Array, table: CertifiedTable) -> Integers:
    if not pa.types.is_dictionary(column.type) or column.null_count:
        raise _damaged(table, "must have a code in every row")
    index: Integers = column.indices.to_numpy().astype(np.int64)
    if len(index) and not 0 <= index.min() <= index.max() < len(column.dictionary):
        raise _damaged(table, "must be readable")
    if column.dictionary.equals(listed):
        return index
    places = pc.index_in(column.dictionary.cast(pa.string()), value_set=listed)
    known: Integers = places.fill_null(-1).to_numpy().astype(np.int64)[index]
    if (known < 0).any():
        raise _damaged(table, "must hold the codes that the certificate lists")
    return known


def _numbers(column: pa.Array, table: CertifiedTable, absent: int | None = None) -> Integers:
    """Whole numbers; `absent` stands for an empty field, where there may be one."""
    if not pa.types.is_signed_integer(column.type) or (absent is None and column.null_count):
        raise _damaged(table, "must have a whole number in every row")
    there = column.drop_null().to_numpy()
    if len(there) and (there.max() > LARGEST or there.min() < -LARGEST):
        raise _damaged(table, "must have numbers of at most 2^61")
    filled = column if absent is None else column.fill_null(absent)
    numbers: Integers = filled.to_numpy().astype(np.int64)
    return numbers


def _damaged(table: CertifiedTable, rule: str) -> Damaged:
    return Damaged(
        "bundle",
        rule=f"the table {table.name} {rule}",
        value="something else",
        next_step="Ask for the bundle again, or see what `leeward verify` finds.",
    )
