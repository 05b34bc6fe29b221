"""State: files of this user alone, in the folder where programs keep what is not published."""

import os
import stat
from pathlib import Path

from leeward.core.randomness import SecretBits

NAME_BITS = 128
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


def state_folder() -> Path:
    """Where this user's programs keep what they may lose: XDG_STATE_HOME, or in the home folder."""
    given = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".local" / "state") / "leeward"


def require_own(folder: Path) -> None:
    """A folder of this user's, in which nobody else can add or take away files."""
    status = folder.stat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(1, "others may write into the folder")


def read_own(path: Path, most_bytes: int) -> bytes:
    """A file of this user's, which nobody else can read or write, and no link."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        status = os.fstat(file.fileno())
        own = status.st_uid == os.geteuid() and not status.st_mode & 0o077
        if not stat.S_ISREG(status.st_mode) or not own:
            raise PermissionError(1, "others may read or write it")
        return file.read(most_bytes)


def create_own(path: Path, content: bytes) -> None:
    """Let a file appear whole, unless there is one (FileExistsError)."""
    written = _temporary(path, content)
    try:
        os.link(written, path)
    finally:
        written.unlink()


def replace_own(path: Path, content: bytes) -> None:
    """Let a file appear whole in the place of an older one; a link is replaced, not followed."""
    written = _temporary(path, content)
    try:
        written.replace(path)
    except OSError:
        written.unlink()
        raise


def _temporary(path: Path, content: bytes) -> Path:
    """A file of a name that no other program has, on no machine that shares the folder."""
    written = path.with_name(f".{path.name}.{SecretBits().word(NAME_BITS):032x}")
    with os.fdopen(os.open(written, NEW, 0o600), "wb") as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            written.unlink()
            raise
    return written
