"""Private file: a new Parquet file for its owner only, the same whichever database sends rows."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from leeward.core.errors import BadFile

GROUP = 1 << 20
"""Rows in a row group of the file, whatever pieces a database sends."""


def write_private(out: Path, pieces: Iterable[pa.RecordBatch], schema: pa.Schema) -> int:
    """Write the rows with mode 0600 from the first byte on; how many there are."""
    with _private(out) as file:
        return _write(file, _row_groups(pieces, schema), schema)


def new_private(path: Path) -> BinaryIO:
    """A new file, for its owner alone from the first byte on."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o600), "wb")


@contextmanager
def private_folder(folder: Path, inside: str) -> Iterator[Path]:
    """A new folder inside for private files; if they cannot all be written, nothing remains."""
    private = folder / inside
    try:
        private.mkdir(mode=0o700, parents=True)
    except OSError as error:
        raise BadFile(
            "--out",
            rule=f"must be a folder in which {inside} can be made ({error.strerror})",
            value=repr(str(folder)),
            next_step="Choose another folder.",
        ) from None
    try:
        yield private
    except BaseException:
        rmtree(private)
        raise


def require_new(out: Path) -> None:
    """Refuse a name that cannot become a new Parquet file, before any record is read."""
    rule = ""
    if out.suffix.lower() != ".parquet":
        rule = "must be the name of a file that ends in .parquet"
    elif os.path.lexists(out):
        rule = "must not exist: nothing is overwritten"
    elif not out.parent.is_dir():
        rule = "must lie in a folder that exists"
    if rule:
        raise BadFile(
            "--out",
            rule=rule,
            value=repr(str(out)),
            next_step="Choose a name such as jobs.parquet.",
        )


@contextmanager
def _private(out: Path) -> Iterator[BinaryIO]:
    """A file for its owner alone, which has its name when it is whole; else nothing remains."""
    hidden = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        with suppress(FileNotFoundError):
            hidden.unlink()  # of a process of this number that was killed
        with new_private(hidden) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        require_new(out)
        hidden.rename(out)
    except OSError as error:
        raise BadFile(
            "--out",
            rule=f"must be a file that can be written ({error.strerror})",
            value=repr(str(out)),
            next_step="Choose another folder, or make room.",
        ) from None
    finally:
        hidden.unlink(missing_ok=True)


def _write(file: BinaryIO, groups: Iterable[pa.Table], schema: pa.Schema) -> int:
    """Write the groups; how many rows they have."""
    rows = 0
    with pq.ParquetWriter(file, schema, compression="zstd", store_schema=False) as writer:
        for group in groups:
            writer.write_table(group, row_group_size=GROUP)
            rows += len(group)
    return rows


def _row_groups(pieces: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """The same rows in groups of one size, so that every database gives the same file."""
    rows = schema.empty_table()
    for piece in pieces:
        more = pa.Table.from_batches([piece]).select(schema.names).cast(schema)
        rows = pa.concat_tables([rows, more])
        while len(rows) >= GROUP:
            yield rows.slice(0, GROUP).combine_chunks()
            rows = rows.slice(GROUP)
    if len(rows):
        yield rows.combine_chunks()
