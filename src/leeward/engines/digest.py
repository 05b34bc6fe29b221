"""Digest: which data were read, as one number that two different sets of data do not share."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from leeward.engines.recoding import as_text
from leeward.engines.relations import Column, Table, can

if TYPE_CHECKING:
    from leeward.engines.database import Database

MISSING, END = "\x1f", "\x1e"
"""What stands for a null, and what ends a value, in the text of a row."""

HALF = 2**32
WHOLE = 2**256


@dataclass(frozen=True)
class FileState:
    """What changes when a file is written again, also by one who puts the old time back."""

    size: int
    written: int
    changed: int
    inode: int


def state(path: Path) -> FileState | None:
    """The present state of a file; None if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return FileState(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def digest_files(paths: Iterable[Path]) -> str:
    """SHA-256 over the digests of the files in order."""
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


def digest_rows(database: "Database", tables: Mapping[str, Table]) -> str:
    """SHA-256 over names, types, number and summed hashes of the rows of each table.

    Independent of the order of rows. Databases that can hash compute it where the data live, in
    64 bits: that tells data apart that differ by accident, does not withstand someone who
    constructs rows with the same sum, and may change with the version of the database. From
    other databases the rows are read and hashed here.
    """
    whole = hashlib.sha256()
    for name, table in tables.items():
        found = _sums_there(database, table) if can(table, "Hash") else _sums_here(database, table)
        columns = [(column, str(kind)) for column, kind in table.schema().items()]
        whole.update(repr((name, columns, found)).encode())
    return whole.hexdigest()


def _row(table: Table) -> Column:
    parts = [as_text(table[name]).fill_null(MISSING) + END for name in table.columns]
    return reduce(lambda left, right: left + right, parts)


def _sums_there(database: "Database", table: Table) -> tuple[int, ...]:
    row = _row(table)
    # Halves, so that no sum of up to 2^31 rows leaves int64.
    halves = table.select(low=row.hash() % HALF, high=row.hash() // HALF)
    (found,) = database.rows(
        halves.aggregate(rows=halves.count(), low=halves.low.sum(), high=halves.high.sum())
    )
    return tuple(int(found[name] or 0) for name in ("rows", "low", "high"))


def _sums_here(database: "Database", table: Table) -> tuple[int, ...]:
    rows = total = 0
    for piece in database.stream(table.select(row=_row(table))):
        rows += piece.num_rows
        for text in piece.column("row").to_pylist():
            hashed = hashlib.sha256(text.encode()).digest()
            total = (total + int.from_bytes(hashed)) % WHOLE
    return rows, total
