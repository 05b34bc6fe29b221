"""Saving: a plan file beside the loaded one, whole or not at all."""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import copymode
from stat import S_ISREG

from leeward.errors import BadFile, InvalidParameter, shown
from leeward.publishing.plan import read_plan
from leeward.publishing.request import Request, written
from leeward.web.loaded import load

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.ya?ml")


def save(request: Request, loaded: Path, name: str, *, replace: bool) -> Path:
    """Write a plan that is accepted when it is read again; where it was written."""
    target = _target(request, loaded, name)
    with _refusing(target):
        draft = _write(target.parent, written(request))
        try:
            _refuse_another(request, draft)
            _claim(target, replace=replace)
            copymode(target, draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    return target


def _target(request: Request, loaded: Path, name: str) -> Path:
    """The file, in the folder of the loaded plan, and none that the plan reads from."""
    if NAME.fullmatch(name) is None:
        raise InvalidParameter(
            "file",
            rule="must be a file name that ends in .yaml, of letters, digits, dots, _ and -",
            value=shown(name),
            next_step="Choose a name such as plan-2.yaml.",
        )
    target = loaded.parent / name
    sources = (request.codebook, request.sizes, *dict(request.data).values())
    if any(_same(target, loaded.parent / source) for source in sources if source):
        raise InvalidParameter(
            "file",
            rule="must not be a file that the plan reads from",
            value=shown(name),
            next_step="Choose another name.",
        )
    return target


def _same(one: Path, other: Path) -> bool:
    with suppress(OSError, ValueError):
        return one.samefile(other)
    return one == other


def _write(folder: Path, text: str) -> Path:
    handle, name = tempfile.mkstemp(prefix=".plan-", suffix=".partial", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _refuse_another(request: Request, draft: Path) -> None:
    """What the file says must be what the page showed."""
    if read_plan(draft).request != request:
        raise BadFile(
            "file",
            rule="must read back as the plan that is shown",
            value="a text that the file does not keep",
            next_step="Use plain letters and digits in names.",
        )


def _claim(target: Path, *, replace: bool) -> None:
    """Take a name that is free, or a file that may be written; nothing is replaced unasked."""
    _refuse_strange(target)
    if replace and target.exists() and load(target).request is None:
        raise BadFile(
            "file",
            rule="must be a plan if it is replaced, not another file",
            value=target.name,
            next_step="Choose another name.",
        )
    # Without waiting: a pipe that has just come there would keep us for ever.
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        os.close(os.open(target, flags if replace else flags | os.O_EXCL, 0o666))
    except FileExistsError:
        raise BadFile(
            "file",
            rule="must be new, or the box ticked that lets it be replaced",
            value=f"{target.name}, which exists",
            next_step="Choose another name, or tick the box.",
        ) from None


def _refuse_strange(target: Path) -> None:
    if os.path.lexists(target) and not S_ISREG(target.lstat().st_mode):
        raise BadFile(
            "file",
            rule="must be a plain file, not a link, a folder or a pipe",
            value=repr(str(target)),
            next_step="Choose another name.",
        )


@contextmanager
def _refusing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadFile(
            "file",
            rule=f"must be writable ({error.strerror or 'the system refused'})",
            value=repr(str(target)),
            next_step="Look at the folder, or start the page with a plan elsewhere.",
        ) from None
