"""Bundle writer: a folder that appears complete or not at all."""

import os
import re
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from leeward.core.codebook import Marginal
from leeward.core.errors import LeewardError, raise_all
from leeward.publishing.bundle.bundle_files import (
    BUNDLE_NAME,
    CERTIFICATE,
    CHECKSUMS,
    README,
    SCHEMA,
    TABLE_NAME,
    TABLES,
    checksum_list,
    metadata_path,
    sha256,
    version_path,
)
from leeward.publishing.bundle.certificate import Certificate, published_schema
from leeward.publishing.bundle.csvw import metadata
from leeward.publishing.bundle.disk import (
    CHOOSE,
    SPACE,
    flush,
    new_hidden,
    refused,
    write_file,
    writing,
)
from leeward.publishing.bundle.readme import readme, version_line
from leeward.publishing.bundle.statements import FileStatement
from leeward.publishing.bundle.table_writer import TableWriter


class BundleWriter:
    """Writes into a hidden folder beside the target and renames it when everything is on disk.

    The hidden folder is closed to other users; the bundle in it has the permissions that it
    will keep. Leaving without `seal` removes it; a killed process leaves it behind, and
    `verify` refuses it.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        raise_all(self.check_target(target))
        self._hidden: Path | None = None
        self._tables: dict[str, TableWriter] = {}

    @staticmethod
    def check_target(target: Path) -> tuple[LeewardError, ...]:
        """Why a bundle cannot be written to this folder; nothing is written."""
        return _target_problems(target)

    def open(self) -> Self:
        """Make the hidden folder; a second call changes nothing."""
        if self._hidden is None:
            with writing(self.target):
                self._hidden = new_hidden(self.target, "partial", _make_private)
                self._folder.mkdir(mode=0o755)
                (self._folder / TABLES).mkdir(mode=0o755)
        return self

    @property
    def _folder(self) -> Path:
        if self._hidden is None:
            raise ValueError("the bundle is not open")
        return self._hidden / self.target.name

    def table(self, marginal: Marginal, *, margins: tuple[str, ...]) -> TableWriter:
        """A table of the bundle; each name once."""
        if marginal.name in self._tables or not re.fullmatch(TABLE_NAME, marginal.name):
            raise ValueError("a table must have a plain name that no other table has")
        self.open()
        writer = TableWriter(self._folder, marginal, margins=margins)
        self._tables[marginal.name] = writer
        return writer

    def seal(self, certificate: Certificate) -> str:
        """Write the other files and rename the folder; returns the certificate's checksum."""
        self._check(certificate)
        with writing(self.target):
            sums = self._write_texts(certificate)
            moment = datetime.fromisoformat(certificate.created).timestamp()
            for path in (*sums, CHECKSUMS, TABLES, "."):
                # Times of single files would reveal how long the tabulation took.
                os.utime(self._folder / path, (moment, moment))
                flush(self._folder / path)
            self._appear()
        self.discard()
        return sums[CERTIFICATE]

    def _check(self, certificate: Certificate) -> None:
        written = {name: table.facts() for name, table in self._tables.items() if table.finished}
        stated = {table.name: dict(table) for table in certificate.tables}
        if certificate.name != self.target.name or set(stated) != set(self._tables):
            raise ValueError("the certificate must be of this bundle and name all its tables")
        for name, said in stated.items():
            facts = written.get(name, {"finished": True})
            of_totals = 0 if said["totals"] is None else said["totals"].rows
            if (
                any(said.get(fact) != facts[fact] for fact in facts)
                or of_totals != self._tables[name].total_rows
            ):
                raise ValueError("the certificate must say about a table what was written")
            self._tables[name].require_whole()

    def _write_texts(self, certificate: Certificate) -> dict[str, str]:
        """Everything beside the tables; the checksums of all files but their list."""
        texts = {
            SCHEMA: published_schema(),
            README: readme(certificate).encode(),
            version_path(certificate.name): version_line(certificate).encode(),
            **{metadata_path(one.name): metadata(certificate, one) for one in certificate.tables},
        }
        for path, content in texts.items():
            write_file(self._folder / path, content)
        stamps = {path: self._stamp(path) for path in certificate.stamped}
        sealed = certificate.model_copy(update={"files": stamps})
        write_file(self._folder / CERTIFICATE, sealed.to_json())
        sums = {path: stamp.sha256 for path, stamp in stamps.items()}
        sums[CERTIFICATE] = sha256(self._folder / CERTIFICATE)
        write_file(self._folder / CHECKSUMS, checksum_list(sums))
        return sums

    def _stamp(self, path: str) -> FileStatement:
        file = self._folder / path
        return FileStatement(sha256=sha256(file), bytes=file.stat().st_size)

    def _appear(self) -> None:
        if os.path.lexists(self.target):
            raise refused(self.target, "must not exist", "Choose a name that is free.")
        # A rename onto a file or a folder with contents fails; onto an empty folder made since the
        # check it succeeds, and nothing is lost.
        self._folder.rename(self.target)
        flush(self.target.parent)

    def discard(self) -> None:
        """Remove what was written and not sealed."""
        if self._hidden is not None:
            shutil.rmtree(self._hidden, ignore_errors=True)
            self._hidden = None

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()


def require_free(target: Path) -> None:
    """Refuse a folder that exists, or that cannot be written."""
    raise_all(BundleWriter.check_target(target))


def _make_private(path: Path) -> None:
    path.mkdir(mode=0o700)


def _target_problems(target: Path) -> tuple[LeewardError, ...]:
    """Everything that can be found without writing anything."""
    try:
        return tuple(_found(target))
    except (OSError, ValueError):  # a path that the system cannot look up
        return (refused(target, "must be a path that can be looked up", CHOOSE),)


def _found(target: Path) -> Iterator[LeewardError]:
    if not re.fullmatch(BUNDLE_NAME, target.name):
        rule = "must end in a name of letters, digits, '.', '_' and '-', at most 100"
        yield refused(target, rule, "Choose another name.")
    if os.path.lexists(target):
        yield refused(target, "must not exist", "Choose a name that is free.")
    parent = target.parent
    if not parent.is_dir():
        yield refused(target, "must lie in a folder that exists", "Make the folder first.")
    elif not os.access(parent, os.W_OK | os.X_OK):
        yield refused(target, "must lie in a folder that can be written", CHOOSE)
    else:
        yield from _room(target)


def _room(target: Path) -> Iterator[LeewardError]:
    device = os.statvfs(target.parent)
    if device.f_flag & os.ST_RDONLY:
        yield refused(target, "must not lie on a read-only file system", CHOOSE)
    elif device.f_bavail == 0 or (device.f_files > 0 and device.f_favail == 0):
        yield refused(target, "must lie where space is left", SPACE)
