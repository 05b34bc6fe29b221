"""Spill folder: the private folder for what does not fit into a database's memory.

It is removed when the database is closed. A process that was killed cannot do that, so the next
one removes its folder: no process holds the lock any more.
"""

import fcntl
import os
import shutil
import stat
import tempfile
import time
import weakref
from pathlib import Path
from typing import BinaryIO

from leeward.core.errors import BadFile

PREFIX = "leeward-spill-"
MAKING = "leeward-making-"
LOCK = "lock"
LONGEST = 60
"""Seconds that creating a folder may take; it is empty until then."""


class SpillFolder:
    """A folder for its owner alone (0700), locked as long as it is in use."""

    def __init__(self, inside: Path | None = None) -> None:
        usual = Path(tempfile.gettempdir())
        for home in {usual, inside or usual}:
            remove_abandoned(home)
        self.path, lock = _made(inside or usual)
        self.remove = weakref.finalize(self, _remove, self.path, lock)


def _made(home: Path) -> tuple[Path, BinaryIO]:
    """A folder that had its lock before it had its name."""
    _refuse_open_to_all(home)
    try:
        making = Path(tempfile.mkdtemp(prefix=MAKING, dir=home))
        lock = (making / LOCK).open("wb")
        fcntl.flock(lock, fcntl.LOCK_EX)
        return making.replace(home / making.name.replace(MAKING, PREFIX)), lock
    except OSError as error:
        raise BadFile(
            "temporary folder",
            rule=f"must be a folder in which folders can be made ({error.strerror})",
            value=repr(str(home)),
            next_step="Name another with `spill` in the plan or --spill.",
        ) from None


def _refuse_open_to_all(home: Path) -> None:
    """Refuse a folder where anyone may rename files: a rename could make us remove any file."""
    if home.is_dir() and home.stat().st_mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH:
        raise BadFile(
            "temporary folder",
            rule="must not be a folder in which everyone may rename everything",
            value=repr(str(home)),
            next_step="Set its sticky bit (chmod +t), or name another with `spill` or --spill.",
        )


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


def no_room(folder: Path) -> BadFile:
    """The refusal of a temporary folder that is full."""
    return BadFile(
        "temporary folder",
        rule="must have room for files that are converted, code lists and intermediate results",
        value=repr(str(folder)),
        next_step="Free some space there, or name another with `spill` or --spill.",
    )
