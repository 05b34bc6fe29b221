"""Digest: which data were read, as one number that two different sets of data do not share."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from leeward.engines.recoding import as_text
from leeward.engines.relations import Column, Table, ibis

if TYPE_CHECKING:
    from leeward.engines.database import Database

MISSING, END = "\x1f", "\x1e"
"""What stands for a null, and what ends a value, in the text of a row."""

HALF = 2**31


@dataclass(frozen=True)
class FileState:
    """What changes when a file is written again."""

    size: int
    changed: int
    inode: int


def state(path: Path) -> FileState | None:
    """The present state of a file; None if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return FileState(found.st_size, found.st_mtime_ns, found.st_ino)


def digest_files(paths: Iterable[Path]) -> str:
    """SHA-256 over the digests of the files in order."""
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


def digest_rows(database: "Database", tables: Mapping[str, Table]) -> str:
    """SHA-256 over names, types, number and summed 64-bit hashes of the rows of each table.

    Independent of the order of rows, and computed where the data live. It tells data apart that
    differ by accident; it does not withstand someone who constructs rows with the same sum, and
    the hash may be another in another version of the database.
    """
    whole = hashlib.sha256()
    for name, table in tables.items():
        (found,) = database.rows(_sums(table))
        whole.update(repr((name, table.schema().items(), sorted(found.items()))).encode())
    return whole.hexdigest()


def _sums(table: Table) -> Table:
    parts = [as_text(table[name]).fill_null(MISSING) + END for name in table.columns]
    row: Column = reduce(lambda left, right: left + right, parts)
    # Halves, so that no sum of up to 2^32 rows leaves int64.
    halves = table.select(low=row.hash() % HALF, high=row.hash() // HALF)
    return halves.aggregate(rows=ibis._.count(), low=ibis._.low.sum(), high=ibis._.high.sum())
