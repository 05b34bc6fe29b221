"""Digest: which data were read, as one number that two different sets of data do not share."""

import hashlib
import struct
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from threading import Event

from leeward.publishing.engines.database import Column, SqlDatabase, Table
from leeward.publishing.engines.recoding import as_text

MISSING, END = "-", ":"
"""In the text of a row: the sign for a null, and the end of the length before a value."""

WORDS = 8
HALF = 2**32
"""A SHA-256 is eight words below this, so that no sum of up to 2^31 of them leaves int64."""

PIECE = 1 << 20
"""Bytes of a file that are hashed at a time."""

HASH_64 = ("bigquery", "clickhouse", "duckdb", "snowflake")
"""Databases whose own hash has 64 bits; elsewhere it has 32, or there is none."""


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
        now = path.stat()
    except OSError:
        return None
    return FileState(now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino)


class FileDigest:
    """SHA-256 over the digests of files in order, computed beside what is done meanwhile.

    One thread does it: hashing takes one core, and the database has the others.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = tuple(paths)
        self.states = {path: state(path) for path in self._paths}
        self._stopped = Event()
        self._worker = ThreadPoolExecutor(1)
        self._found = self._worker.submit(self._hashed)
        self._worker.shutdown(wait=False)

    def _hashed(self) -> str:
        whole = hashlib.sha256()
        for path in self._paths:
            of_file = hashlib.sha256()
            with path.open("rb", buffering=0) as file:
                while (piece := file.read(PIECE)) and not self._stopped.is_set():
                    of_file.update(piece)
            whole.update(of_file.digest())
        return whole.hexdigest()

    def result(self) -> str:
        """The digest, as soon as it is there."""
        return self._found.result()

    def stop(self) -> None:
        """Read no further: the digest is not asked for."""
        self._stopped.set()


@dataclass(frozen=True)
class Sha256:
    """How a database computes SHA-256 of texts itself."""

    hashes: Callable[[Table], Table]
    """From a query with the column `row` to one with the column `hash`, computed once a row."""

    word: Callable[[Column, int], Column]
    """The word 0, 1, … 7 of a hash as a number from 0 to 2^32 - 1, the highest byte first."""


def digest_rows(
    database: SqlDatabase, tables: Mapping[str, Table], sha256: Sha256 | None = None
) -> str:
    """SHA-256 over names, types, number and summed hashes of the rows of each table.

    Independent of the order of rows. A database that knows SHA-256 adds up the words of the
    hashes itself and returns nine numbers. Some others do it with a hash of 64 bits, which is
    faster and may change with their version; from the rest the rows are read and hashed here.
    This distinguishes data that differ by accident; sums of hashes do not withstand someone
    who may fill a table with rows constructed for the purpose.
    """
    whole = hashlib.sha256()
    for name, table in tables.items():
        if sha256 is not None:
            sums = sums_there(database, table, sha256)
        elif table.get_backend().name in HASH_64:
            rows = row_texts(table)
            halves = rows.select(low=rows.row.hash() % HALF, high=rows.row.hash() // HALF)
            sums = _sums(database, halves, low=halves.low, high=halves.high)
        else:
            sums = sums_here(database, table)
        columns = [(column, str(kind)) for column, kind in table.schema().items()]
        whole.update(repr((name, columns, sums)).encode())
    return whole.hexdigest()


def row_texts(table: Table) -> Table:
    """Each row as one text, and different rows as different texts."""
    texts = [as_text(table[name]) for name in table.columns]
    parts = [(text.length().cast("string") + END + text).fill_null(MISSING) for text in texts]
    return table.select(row=reduce(lambda left, right: left + right, parts))


def sums_there(database: SqlDatabase, table: Table, sha256: Sha256) -> tuple[int, ...]:
    """The number of rows and the sums of the words of their hashes, from the database."""
    hashes = sha256.hashes(row_texts(table))
    words = {f"word_{k}": sha256.word(hashes.hash, k) for k in range(WORDS)}
    return _sums(database, hashes, **words)


def _sums(database: SqlDatabase, table: Table, **columns: Column) -> tuple[int, ...]:
    sums = {name: column.sum() for name, column in columns.items()}
    (row,) = database.rows(table.aggregate(rows=table.count(), **sums))
    return tuple(int(row[name] or 0) for name in ("rows", *sums))


def sums_here(database: SqlDatabase, table: Table) -> tuple[int, ...]:
    """The same from every row; slow, and the truth."""
    rows, sums = 0, [0] * WORDS
    for piece in database.stream(row_texts(table)):
        rows += piece.num_rows
        for text in piece.column("row").to_pylist():
            words = struct.unpack(f">{WORDS}I", hashlib.sha256(text.encode()).digest())
            sums = [total + word for total, word in zip(sums, words, strict=True)]
    return rows, *sums
