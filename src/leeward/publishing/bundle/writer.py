"""Bundle writer: a folder that appears complete or not at all."""

import os
import re
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
    README,
    SCHEMA,
    TABLE_NAME,
    TABLES,
    metadata_path,
    sha256,
    version_path,
)
from leeward.publishing.bundle.certificate import RELEASE, Certificate, published_schema
from leeward.publishing.bundle.csvw import metadata
from leeward.publishing.bundle.disk import (
    CHOOSE,
    SPACE,
    HiddenFolder,
    refused,
    write_file,
    writing,
)
from leeward.publishing.bundle.readme import readme
from leeward.publishing.bundle.software import version_line
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
        self._hidden: HiddenFolder | None = None
        self._tables: dict[str, TableWriter] = {}

    @staticmethod
    def check_target(target: Path) -> tuple[LeewardError, ...]:
        """Why a bundle cannot be written to this folder; nothing is written."""
        try:
            return tuple(_faults(target))
        except (OSError, ValueError):  # a path that the system cannot look up
            return (refused(target, "must be a path that can be looked up", CHOOSE),)

    def open(self) -> Self:
        """Make the hidden folder; a second call changes nothing."""
        if self._hidden is None:
            with writing(self.target):
                self._hidden = HiddenFolder(self.target)
                (self._hidden.path / TABLES).mkdir(mode=0o755)
        return self

    @property
    def _opened(self) -> HiddenFolder:
        if self._hidden is None:
            raise ValueError("the bundle is not open")
        return self._hidden

    def table(self, marginal: Marginal, *, margins: tuple[str, ...]) -> TableWriter:
        """A table of the bundle; each name once."""
        if marginal.name in self._tables or not re.fullmatch(TABLE_NAME, marginal.name):
            raise ValueError("a table must have a plain name that no other table has")
        self.open()
        writer = TableWriter(self._opened.path, marginal, margins=margins)
        self._tables[marginal.name] = writer
        return writer

    def seal(self, certificate: Certificate) -> str:
        """Write the other files and rename the folder; returns the certificate's checksum."""
        self._check(certificate)
        folder = self._opened.path
        with writing(self.target):
            write_file(folder / SCHEMA, published_schema())
            write_file(folder / README, readme(certificate).encode())
            write_file(folder / version_path(certificate.name), version_line(certificate).encode())
            for table in certificate.tables:
                write_file(folder / metadata_path(table.name), metadata(certificate, table))
            # Times of single files would reveal how long the tabulation took.
            RELEASE.seal(
                folder, certificate, datetime.fromisoformat(certificate.created).timestamp()
            )
            digest = sha256(folder / CERTIFICATE)
            self._opened.appear()
        self.discard()
        return digest

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

    def discard(self) -> None:
        """Remove what was written and not sealed."""
        if self._hidden is not None:
            self._hidden.discard()
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


def _faults(target: Path) -> Iterator[LeewardError]:
    if not re.fullmatch(BUNDLE_NAME, target.name):
        rule = "must end in a name of letters, digits, '.', '_' and '-', at most 100"
        yield refused(target, rule, "Choose another name.")
    if os.path.lexists(target):
        yield refused(target, "must not exist", "Choose a name that is free.")
    parent = target.parent
    if not parent.is_dir():
        yield refused(target, "must lie in a folder that exists", "Make the folder first.")
        return
    if not os.access(parent, os.W_OK | os.X_OK):
        yield refused(target, "must lie in a folder that can be written", CHOOSE)
        return
    device = os.statvfs(parent)
    if device.f_flag & os.ST_RDONLY:
        yield refused(target, "must not lie on a read-only file system", CHOOSE)
    elif device.f_bavail == 0 or (device.f_files > 0 and device.f_favail == 0):
        yield refused(target, "must lie where space is left", SPACE)
