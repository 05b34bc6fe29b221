"""Private files: for their owner only; a Parquet file of rows, and the folder that spills.

A Parquet file is the same whichever database sends its rows.
"""

import errno
import fcntl
import os
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from leeward.core.errors import BadFile

GROUP = 1 << 20
"""Rows in a row group of the file, whatever pieces a database sends."""

PREFIX = "leeward-spill-"
MAKING = "leeward-making-"
LOCK = "lock"
LONGEST = 60
"""Seconds that creating a folder may take; it is empty until then."""

FULL = (errno.ENOSPC, errno.EDQUOT)


def write_private(out: Path, pieces: Iterable[pa.RecordBatch], schema: pa.Schema) -> int:
    """Write the rows with mode 0600 from the first byte on; how many there are."""
    rows = 0
    with (
        _private(out) as file,
        pq.ParquetWriter(file, schema, compression="zstd", store_schema=False) as writer,
    ):
        for group in _row_groups(pieces, schema):
            writer.write_table(group, row_group_size=GROUP)
            rows += len(group)
    return rows


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
        shutil.rmtree(private)
        raise


def require_new(out: Path) -> None:
    """Reject a name that cannot become a new Parquet file, before any record is read."""
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


class SpillFolder:
    """The private folder for what does not fit into a database's memory, locked while in use.

    It is removed when the database is closed. A process that was killed cannot do that, so the
    next one removes its folder: no process has the lock any more. Only its owner may read it.
    """

    def __init__(self, inside: Path | None = None) -> None:
        usual = Path(tempfile.gettempdir())
        home = inside or usual
        for folder in {usual, home}:
            remove_abandoned(folder)
        # Where anyone may rename files, a rename could make us remove any file.
        if home.is_dir() and home.stat().st_mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH:
            raise BadFile(
                "temporary folder",
                rule="must not be a folder in which everyone may rename everything",
                value=repr(str(home)),
                next_step="Set its sticky bit (chmod +t), or name another with `spill` or --spill.",
            )
        try:
            making = Path(tempfile.mkdtemp(prefix=MAKING, dir=home))
            lock = (making / LOCK).open("wb")
            fcntl.flock(lock, fcntl.LOCK_EX)
            # It has its lock before it has its name.
            self.path = making.replace(home / making.name.replace(MAKING, PREFIX))
        except OSError as error:
            raise BadFile(
                "temporary folder",
                rule=f"must be a folder in which folders can be made ({error.strerror})",
                value=repr(str(home)),
                next_step="Name another with `spill` in the plan or --spill.",
            ) from None
        self.remove = weakref.finalize(self, _remove, self.path, lock)


def _remove(folder: Path, lock: BinaryIO) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    lock.close()


def remove_abandoned(home: Path) -> None:
    """Remove the folders of this user's processes that ended without removing them."""
    for folder in (*home.glob(f"{PREFIX}*"), *home.glob(f"{MAKING}*")):
        try:
            state = folder.lstat()
            ours = state.st_uid == os.geteuid() and stat.S_ISDIR(state.st_mode)
            named = folder.name.startswith(PREFIX)
            if ours and (named or time.time() - state.st_mtime > LONGEST):
                # A folder gets its final name after its lock: without a lock it is not ours.
                with (folder / LOCK).open("r+b" if named else "ab") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # in use, or being removed by another process


@contextmanager
def spilled_file(out: Path) -> Iterator[BinaryIO]:
    """A new private file in the spill folder, which may be full."""
    try:
        with new_private(out) as file:
            yield file
        return
    except OSError as error:
        if error.errno not in FULL:
            raise
    raise no_room(out.parent)


def no_room(folder: Path) -> BadFile:
    """The error for a temporary folder that is full."""
    return BadFile(
        "temporary folder",
        rule="must have room for files that are converted, code lists and intermediate results",
        value=repr(str(folder)),
        next_step="Free some space there, or name another with `spill` or --spill.",
    )
