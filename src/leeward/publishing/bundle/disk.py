"""Disk: durable files, and refusals in fixed words where they cannot be written."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from leeward.core.errors import BadFile

PARAMETER = "--out"
SPACE = "Free some space, or choose another folder, and release again."
CHOOSE = "Choose another folder."

WORDS = {
    errno.ENOSPC: ("no space is left on the device", SPACE),
    errno.EDQUOT: ("the disk quota is used up", SPACE),
    errno.EFBIG: ("a file became larger than the system allows", SPACE),
    errno.EROFS: ("the file system is read-only", CHOOSE),
    errno.EACCES: ("writing is not permitted there", CHOOSE),
    errno.EPERM: ("writing is not permitted there", CHOOSE),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter name."),
    errno.EEXIST: ("it exists already", "Choose a name that is free."),
    errno.ENOTEMPTY: ("it exists already", "Choose a name that is free."),
    errno.ENOTDIR: ("it exists already, or lies in no folder", "Choose a name that is free."),
    errno.EIO: ("the device reports an error", "Look at the device."),
}
UNKNOWN = ("the system refused to write it", "Look at the folder and the device.")


def refused(path: Path, rule: str, next_step: str) -> BadFile:
    """The refusal to write there."""
    return BadFile(PARAMETER, rule=rule, value=repr(str(path)), next_step=next_step)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn errors of the system while writing into refusals in fixed words."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        reason, next_step = WORDS.get(getattr(error, "errno", None) or 0, UNKNOWN)
        raise refused(path, f"must be writable: {reason}", next_step) from None


def new_file(path: Path, mode: int = 0o644) -> BinaryIO:
    """Create a file of this mode, less the umask; it must not exist."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, mode), "wb")


def write_file(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write a small file."""
    with new_file(path, mode) as file:
        file.write(content)


def flush(path: Path) -> None:
    """Sync a file or a folder to the device."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def new_hidden(target: Path, kind: str, make: Callable[[Path], None]) -> Path:
    """Make a hidden file or folder beside the target; what killed processes left is skipped."""
    names = (f".{target.name}.{kind}-{os.getpid()}-{number}" for number in count())
    for path in map(target.with_name, names):
        try:
            make(path)
        except FileExistsError:
            continue
        return path
    raise AssertionError("count never ends")


def write_new(target: Path, content: bytes, mode: int = 0o644) -> None:
    """Let a file appear whole, with this mode less the umask; nothing is overwritten."""
    with writing(target):
        hidden = new_hidden(target, "partial", lambda path: new_file(path, mode).close())
        try:
            hidden.write_bytes(content)
            flush(hidden)
            os.link(hidden, target)
            flush(target.parent)
        finally:
            hidden.unlink()


class HiddenFolder:
    """A folder beside the target, closed to other users until it appears there complete."""

    def __init__(self, target: Path, mode: int = 0o755) -> None:
        self._target = target
        self._outer = new_hidden(target, "partial", lambda path: path.mkdir(mode=0o700))
        self.path = self._outer / target.name
        self.path.mkdir(mode=mode)

    def appear(self) -> None:
        """Rename it onto the target, which must not exist."""
        if os.path.lexists(self._target):
            raise refused(self._target, "must not exist", "Choose a name that is free.")
        # A rename onto a file or a folder with contents fails; onto an empty folder made since the
        # check it succeeds, and nothing is lost.
        self.path.rename(self._target)
        flush(self._target.parent)

    def discard(self) -> None:
        """Remove what has not appeared."""
        shutil.rmtree(self._outer, ignore_errors=True)


@contextmanager
def appearing(target: Path, mode: int = 0o755) -> Iterator[Path]:
    """A hidden folder beside the target, renamed when its content is complete."""
    with writing(target):
        hidden = HiddenFolder(target, mode)
        try:
            yield hidden.path
            hidden.appear()
        finally:
            hidden.discard()
