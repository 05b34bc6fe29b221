"""Spill: the private folder into which a database puts what does not fit into memory.

It is removed when the database is closed. A process that was killed cannot do that, so the next
one removes what it left: a folder whose lock nobody holds any more belongs to nobody.
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

PREFIX = "leeward-spill-"
LOCK = "lock"
YOUNGEST = 60
"""Seconds after which a folder without a lock cannot be one that is just being made."""


class SpillFolder:
    """A folder for its owner alone (0700), locked as long as it is in use."""

    def __init__(self) -> None:
        remove_abandoned()
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = (folder / LOCK).open("wb")
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.path = folder
        self.remove = weakref.finalize(self, _remove, folder, lock)


def _remove(folder: Path, lock: BinaryIO) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    lock.close()


def remove_abandoned() -> None:
    """Remove the folders of this user's processes that ended without removing them."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            state = folder.lstat()
            ours = state.st_uid == os.geteuid() and stat.S_ISDIR(state.st_mode)
            if ours and time.time() - state.st_mtime > YOUNGEST:
                _remove_unlocked(folder)
        except OSError:
            continue  # somebody else removes it at this moment, or uses it


def _remove_unlocked(folder: Path) -> None:
    with (folder / LOCK).open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
