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

from starlette.requests import Request

from leeward.core.errors import BadFile, LeewardError, shown
from leeward.core.show.numbers import losses, protected
from leeward.interface.web.site import one_page, site_of
from leeward.publishing.bundle import Bundle, Certificate
from leeward.publishing.bundle.bundle_files import (
    BUNDLE_NAME,
    CERTIFICATE,
    CHECKSUMS,
    NO_BUNDLE,
    sha256,
)
from leeward.publishing.bundle.certificate import damaged, read_certificate
from leeward.publishing.bundle.statements import FileStatement

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
class ShownBundles:
    """Some of the bundles: those with every word of `search`, a page at a time."""

    bundles: tuple[Listed, ...]
    search: str
    matches: int
    of: int
    page: int
    pages: int

    @classmethod
    def of_listing(cls, listed: tuple[Listed, ...], search: str, page: str) -> "ShownBundles":
        """The bundles that an address asks for."""
        words = search.casefold().split()
        chosen = [bundle for bundle in listed if all(word in bundle.text for word in words)]
        bundles, number, pages = one_page(chosen, page, PER_PAGE)
        return cls(tuple(bundles), search, len(chosen), len(listed), number, pages)


def listing(folder: Path) -> tuple[Listed, ...]:
    """The bundles of a folder, the newest first; those with a problem last."""
    bundles = []
    for name, path in sorted(_folders(folder).items()):
        try:
            bundles.append(_line(name, path, _stamp(path / CERTIFICATE)))
        except LeewardError as refusal:
            bundles.append(Listed(name, path, problem=refusal.rule))
    sound = [bundle for bundle in bundles if not bundle.problem]
    newest = sorted(sound, key=lambda bundle: bundle.created, reverse=True)
    return (*newest, *(bundle for bundle in bundles if bundle.problem))


def bundle_of(request: Request) -> Bundle:
    """The bundle that an address names."""
    return opened(site_of(request).releases, request.path_params["name"])


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


def unchanged(path: Path, stamp: FileStatement) -> Path:
    """A file of a bundle or an output, if it is the one that the certificate states."""
    plain = os.path.lexists(path) and S_ISREG(path.lstat().st_mode)
    linked = path.parent.is_symlink()
    if linked or not plain or path.stat().st_size != stamp.bytes or sha256(path) != stamp.sha256:
        raise damaged(path, "must be the file that was published")
    return path


def certificate(path: Path) -> Certificate:
    """The certificate of a bundle, read again only when the file changes."""
    return _read(path / CERTIFICATE, _stamp(path / CERTIFICATE))


def _folders(folder: Path) -> dict[str, Path]:
    """Every subfolder that looks like a bundle, by name."""
    try:
        with os.scandir(folder) as entries:
            folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError as error:
        raise BadFile(
            "releases",
            rule=f"must be a folder that can be read ({error.strerror})",
            value=shown(str(folder)),
            next_step="Give the folder of your bundles with --releases.",
        ) from None
    bundles = {}
    for entry in folders:
        path = Path(entry.path)
        sealed = any(os.path.lexists(path / name) for name in (CERTIFICATE, CHECKSUMS))
        other = any(os.path.lexists(path / name) for name in NO_BUNDLE)
        if re.fullmatch(BUNDLE_NAME, entry.name) and sealed and not other:
            bundles[entry.name] = path
    return bundles


def _stamp(path: Path) -> Stamp:
    try:
        status = path.lstat()
    except FileNotFoundError:
        raise damaged(path, "must be there") from None
    except OSError:
        raise damaged(path, "must be readable") from None
    if not S_ISREG(status.st_mode):
        raise damaged(path, "must be a file, not a link")
    if status.st_size > MOST_BYTES:
        raise damaged(path, f"must have at most {MOST_BYTES >> 20} MB to be shown here")
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@lru_cache(maxsize=1 << 15)  # lines, without certificates
def _line(name: str, path: Path, stamp: Stamp) -> Listed:
    """The line of a bundle; a certificate that cannot be read is remembered like the others."""
    try:
        written = _read(path / CERTIFICATE, stamp)
    except LeewardError as refusal:
        return Listed(name, path, problem=refusal.rule)
    return Listed(
        name,
        path,
        period=written.period,
        created=written.created,
        account=written.account,
        promise=f"{protected(written.guarantee)}, {losses(written.guarantee)}",
        tables=len(written.tables),
        bytes=sum(stated.bytes for stated in written.files.values()),
        anchor=written.anchor,
        made_from="" if written.made_from is None else written.made_from.name,
    )


def _read(path: Path, stamp: Stamp) -> Certificate:
    with READING:
        return _certificate(path, stamp)


@lru_cache(maxsize=4)  # each page of a table asks for the same one
def _certificate(path: Path, _stamp: Stamp) -> Certificate:
    return read_certificate(path)
