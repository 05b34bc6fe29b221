"""Halves: the different rows of a coded file, whose copies fall by chance into two halves.

Which copies fall where follows from the row and a seed, so that equal files have equal halves
whatever the order of their rows. The database holds the rows; samples alone are read.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.publishing.engines.database import Column, Table, ibis
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.table_files import Files

COINS = 60
"""Copies of one row that are thrown singly; of more, all others are shared out evenly."""


BITS = 2**62 - 1
"""The bits of a hash that are used: the sign is none."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator] # Ibis ships no types
def bit_count(bits: int) -> int:
    """The number of ones."""
    raise NotImplementedError(bits)


@dataclass(frozen=True)
class Sample:
    """Different rows by positions, and how many times each stands in the sample."""

    rows: NDArray[np.int64]
    times: NDArray[np.float64]


@dataclass(frozen=True)
class Uniqueness:
    """Shares of rows that equal a row which is there once.

    `copied` is of synthetic rows and the whole real file; the other two compare with rows that are
    once in a half of the real file: synthetic rows, and those of the other half.
    """

    unique: float
    copied: float
    of_half: float
    by_holdout: float


class Halves:
    """The different rows of a coded table, and how many copies are in each half."""

    def __init__(self, files: Files, coded: Table, name: str, seed: int) -> None:
        self._files, self._seed = files, seed
        self._columns = list(coded.columns)
        query = self._split(coded.group_by(self._columns).aggregate(rows=coded.count()))
        self.table: Table = hiding_errors(lambda: files.hide(f"halves_{name}", query))

    def _split(self, rows: Table) -> Table:
        """Each copy of a row goes to the first half with a probability of one half."""
        thrown = ibis.least(rows["rows"], COINS + rows["rows"] % 2)
        coins = self._hash(rows, "half") & ((ibis.literal(1, "int64") << thrown) - 1)
        first = (rows["rows"] - thrown) // 2 + bit_count(coins)
        return rows.mutate(first=first, second=rows["rows"] - first)

    def _hash(self, rows: Table, purpose: str) -> Column:
        """Bits that depend on the row, the seed and the purpose."""
        salt = {"salt": ibis.literal(f"{purpose} {self._seed}")}
        held = ibis.struct({column: rows[column] for column in self._columns} | salt)
        return held.hash() & BITS

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The number of rows in each half, and in both."""
        table = self.table
        sums = {one: table[one].sum() for one in ("first", "second", "rows")}
        (found,) = hiding_errors(lambda: self._files.rows(table.aggregate(**sums)))
        return {name: int(value or 0) for name, value in found.items()}

    def sample(self, half: str, size: int) -> Sample:
        """About this many rows of a half; a row that is there often is so in the sample."""
        table = self.table
        part = min(1.0, size / max(self.sizes[half], 1))
        by_chance = self._hash(table, "sample") / (BITS + 1)
        times = (table[half] * part + by_chance).floor().cast("int64")
        chosen = table.mutate(times=times)
        query = chosen.filter(chosen["times"] > 0).select(*self._columns, "times")
        pieces = hiding_errors(lambda: list(self._files.stream(query.order_by(query.columns))))
        held = pa.Table.from_batches(pieces) if pieces else None
        return _sample(held, len(self._columns))


def _sample(held: Any, columns: int) -> Sample:  # noqa: ANN401 (a table of Arrow, which ships no types)
    if held is None:
        return Sample(np.zeros((0, columns), np.int64), np.zeros(0))
    *rows, times = (np.asarray(column) for column in held.columns)
    return Sample(np.stack(rows, axis=1).astype(np.int64), times.astype(np.float64))


def uniqueness(files: Files, real: Halves, synthetic: Halves) -> Uniqueness:
    """How often synthetic rows equal unique real ones, beside real rows that were held out."""
    ours, made = real.table, synthetic.table
    keys = [column for column in ours.columns if column.startswith("c")]
    both = ours.left_join(made.select(*keys, synthetic=made["rows"]), keys)
    found = both.select(*(both[one] for one in ("rows", "first", "second", "synthetic")))
    once, half_once = found["rows"] == 1, found["first"] == 1
    sums = {
        "unique": found["rows"].sum(where=once),
        "copied": found["synthetic"].sum(where=once),
        "of_half": found["synthetic"].sum(where=half_once),
        "by_holdout": found["second"].sum(where=half_once),
    }
    (held,) = hiding_errors(lambda: files.rows(found.aggregate(**sums)))
    of = {
        "unique": real.sizes["rows"],
        "copied": synthetic.sizes["rows"],
        "of_half": synthetic.sizes["rows"],
        "by_holdout": real.sizes["second"],
    }
    return Uniqueness(**{name: int(held[name] or 0) / max(of[name], 1) for name in sums})
