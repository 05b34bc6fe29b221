"""Saving: write a plan file beside the loaded one, and name the commands that use it."""

import os
import re
import shlex
import tempfile
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from shutil import copymode
from stat import S_ISREG

from leeward.core.errors import BadFile, InvalidParameter, shown
from leeward.interface.web.plan_form import load
from leeward.interface.web.site import Site
from leeward.publishing.plan.plan import read_plan
from leeward.publishing.plan.request import Request, written

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.ya?ml")
LEDGER = Path("ledger.sqlite")
"""The ledger of the suggested command if the page has none."""


def save(request: Request, loaded: Path, name: str, *, replace: bool) -> Path:
    """Write the plan, whole or not at all, and return its path."""
    target = _target(request, loaded, name)
    try:
        draft = _write(target.parent, written(request))
        try:
            if read_plan(draft).request != request:  # than the page showed
                raise BadFile(
                    "file",
                    rule="must read back as the plan that is shown",
                    value="a text that the file does not keep",
                    next_step="Use plain letters and digits in names.",
                )
            _claim(target, replace=replace)
            copymode(target, draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise BadFile(
            "file",
            rule=f"must be writable ({error.strerror or 'the system refused'})",
            value=repr(str(target)),
            next_step="Look at the folder, or start the page with a plan elsewhere.",
        ) from None
    return target


def _target(request: Request, loaded: Path, name: str) -> Path:
    """The file in the folder of the loaded plan; files that the plan reads from are refused."""
    if NAME.fullmatch(name) is None:
        raise InvalidParameter(
            "file",
            rule="must be a file name that ends in .yaml, of letters, digits, dots, _ and -",
            value=shown(name),
            next_step="Choose a name such as plan-2.yaml.",
        )
    target = loaded.parent / name
    named = (request.codebook, request.sizes, *dict(request.data).values())
    sources = [source for source in named if isinstance(source, str)]
    for source in filter(None, sources):
        same = target == loaded.parent / source
        with suppress(OSError, ValueError):  # where one is missing, names are compared
            same = target.samefile(loaded.parent / source)
        if same:
            raise InvalidParameter(
                "file",
                rule="must not be a file that the plan reads from",
                value=shown(name),
                next_step="Choose another name.",
            )
    return target


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


def _claim(target: Path, *, replace: bool) -> None:
    """Create the file; an existing one is accepted only with `replace`, and if it is a plan."""
    if os.path.lexists(target) and not S_ISREG(target.lstat().st_mode):
        raise BadFile(
            "file",
            rule="must be a plain file, not a link, a folder or a pipe",
            value=repr(str(target)),
            next_step="Choose another name.",
        )
    if replace and target.exists() and load(target).request is None:
        raise BadFile(
            "file",
            rule="must be a plan if it is replaced, not another file",
            value=target.name,
            next_step="Choose another name.",
        )
    try:
        target.touch(exist_ok=replace)
    except FileExistsError:
        raise BadFile(
            "file",
            rule="must be new, or the box ticked that lets it be replaced",
            value=f"{target.name}, which exists",
            next_step="Choose another name, or tick the box.",
        ) from None


def next_commands(plan: Path, site: Site) -> str:
    """The shell commands that check and release a plan into a new folder."""
    out = free_folder(site.releases, plan.stem)
    check = ("leeward", "check", str(plan))
    release = ("leeward", "release", str(plan), "--out", str(out))
    ledger = ("--ledger", str(site.ledger or LEDGER))
    return f"{shlex.join(check)}\n{shlex.join((*release, *ledger))}"


def free_folder(parent: Path, name: str) -> Path:
    """The first of `name`, `name-2`, `name-3` … that does not exist."""
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(path for path in (parent / folder for folder in names) if not os.path.lexists(path))
