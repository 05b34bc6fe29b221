"""Folder of releases: its bundles, listed, searched and opened.

A name in an address only chooses among the bundles that a scan of the folder found, so no address
leads out of it. Symlinks are not followed, and unfinished releases are not listed.
"""

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from threading import Lock

from leeward.core.errors import BadFile, LeewardError, shown
from leeward.core.show.numbers import losses, protected
from leeward.interface.web.site import page_number
from leeward.publishing.bundle import Bundle, Certificate, ReleaseGuarantee
from leeward.publishing.bundle.bundle_files import BUNDLE_NAME, CERTIFICATE, CHECKSUMS, NO_BUNDLE
from leeward.publishing.bundle.reader import damaged, read_certificate

MOST_BYTES = 64 << 20
"""Maximum certificate size in bytes."""

PER_PAGE = 100

READING = Lock()
"""One certificate is read at a time: further requests for a large one wait for the first."""

Stamp = tuple[int, int, int, int]
"""Inode, size, and both times of a file: they change when the file does."""


@dataclass(frozen=True)
class Listed:
    """One bundle as a line; `problem` says why it cannot be opened.

    `made_from` is the release that a tidy bundle follows from.
    """

    name: str
    path: Path
    problem: str = ""
    period: str = ""
    created: str = ""
    account: str = ""
    promise: str = ""
    tables: int = 0
    bytes: int = 0
    anchor: tuple[str, int, str] = ("", 0, "")
    made_from: str = ""

    @property
    def text(self) -> str:
        """The text that a search looks at."""
        return f"{self.name}\n{self.period}\n{self.account}".casefold()


@dataclass(frozen=True)
class Shown:
    """Some of the bundles: those with every word of `search`, a page at a time."""

    bundles: tuple[Listed, ...]
    search: str
    matches: int
    of: int
    page: int
    pages: int

    @classmethod
    def of_listing(cls, found: tuple[Listed, ...], search: str, page: str) -> "Shown":
        """The bundles that an address asks for."""
        words = search.casefold().split()
        chosen = [one for one in found if all(word in one.text for word in words)]
        pages = max(1, -(-len(chosen) // PER_PAGE))
        number = page_number(page, pages)
        start = (number - 1) * PER_PAGE
        shown_ones = tuple(chosen[start : start + PER_PAGE])
        return cls(shown_ones, search, len(chosen), len(found), number, pages)


def listing(folder: Path) -> tuple[Listed, ...]:
    """The bundles of a folder, the newest first; those with a problem last."""
    found = [_listed(name, path) for name, path in sorted(_folders(folder).items())]
    sound = sorted((one for one in found if not one.problem), key=_made, reverse=True)
    return (*sound, *(one for one in found if one.problem))


def _made(listed: Listed) -> str:
    return listed.created


def opened(folder: Path, name: str) -> Bundle:
    """The bundle of this name, if the folder has one."""
    path = _folders(folder).get(name)
    if path is None:
        raise BadFile(
            "bundle",
            rule="must be one of the folder of releases",
            value=shown(name),
            next_step="Choose one from the list under Releases.",
        )
    return Bundle(path, certificate(path))


def certificate(path: Path) -> Certificate:
    """The certificate of a bundle, read again only when the file changes."""
    return _held(path / CERTIFICATE, _stamp(path / CERTIFICATE))


def _folders(folder: Path) -> dict[str, Path]:
    """Every subfolder that looks like a bundle, by name."""
    try:
        with os.scandir(folder) as entries:
            found = [one for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError as error:
        raise BadFile(
            "releases",
            rule=f"must be a folder that can be read ({error.strerror})",
            value=shown(str(folder)),
            next_step="Give the folder of your bundles with --releases.",
        ) from None
    named = (one for one in found if re.fullmatch(BUNDLE_NAME, one.name))
    return {one.name: Path(one.path) for one in named if _looks_like_one(Path(one.path))}


def _looks_like_one(path: Path) -> bool:
    sealed = any(os.path.lexists(path / name) for name in (CERTIFICATE, CHECKSUMS))
    return sealed and not any(os.path.lexists(path / name) for name in NO_BUNDLE)


def _stamp(path: Path) -> Stamp:
    try:
        found = path.lstat()
    except FileNotFoundError:
        raise damaged(path, "must be there") from None
    except OSError:
        raise damaged(path, "must be readable") from None
    if not S_ISREG(found.st_mode):
        raise damaged(path, "must be a file, not a link")
    if found.st_size > MOST_BYTES:
        raise damaged(path, f"must have at most {MOST_BYTES >> 20} MB to be shown here")
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _listed(name: str, path: Path) -> Listed:
    try:
        return _summary(name, path, _stamp(path / CERTIFICATE))
    except LeewardError as refusal:
        return Listed(name, path, problem=refusal.rule)


@lru_cache(maxsize=1 << 15)  # lines, without certificates
def _summary(name: str, path: Path, stamp: Stamp) -> Listed:
    """The line of a bundle; a certificate that cannot be read is remembered like the others."""
    try:
        held = _held(path / CERTIFICATE, stamp)
    except LeewardError as refusal:
        return Listed(name, path, problem=refusal.rule)
    return Listed(
        name,
        path,
        period=held.period,
        created=held.created,
        account=held.account,
        promise=_promise(held.guarantee),
        tables=len(held.tables),
        bytes=sum(stated.bytes for stated in held.files.values()),
        anchor=held.anchor,
        made_from="" if held.made_from is None else held.made_from.name,
    )


def _promise(guarantee: ReleaseGuarantee) -> str:
    return f"{protected(guarantee)}, {losses(guarantee)}"


def _held(path: Path, stamp: Stamp) -> Certificate:
    with READING:
        return _certificate(path, stamp)


@lru_cache(maxsize=4)  # each page of a table asks for the same one
def _certificate(path: Path, _stamp: Stamp) -> Certificate:
    return read_certificate(path)
