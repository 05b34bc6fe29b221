"""Sealed folder: files, and a statement with the checksum of each, which is written last.

Releases, tidy bundles, synthetic rows, regressions and results of surveys are such folders. What a
kind states, and what of it follows from what, is its own; how it is sealed, read and looked through
is the same for all. Folders come from strangers, so sizes are checked before anything is read.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import ValidationError

from leeward.core.codebook.yaml_document import place
from leeward.core.errors import Damaged, LeewardError, shown
from leeward.publishing.bundle.bundle_files import (
    CERTIFICATE,
    CHECKSUMS,
    checksum_list,
    has_content,
    sha256,
)
from leeward.publishing.bundle.disk import flush, write_file
from leeward.publishing.bundle.first_look import MOST_PARTS, SMALL, first_wrong_line
from leeward.publishing.bundle.statements import (
    FileStatement,
    Statement,
    Text,
    is_written,
    json_parts,
)

UNREADABLE = (
    *(LeewardError, ValueError, LookupError, TypeError, AttributeError),
    *(ArithmeticError, RecursionError, AssertionError),
)
"""What contents that were forged may raise."""


class SealedStatement(Statement):
    """What a folder says about itself, with the checksum of every other file of it."""

    if TYPE_CHECKING:  # each kind has these fields where it writes them
        leeward: Text
        files: dict[str, FileStatement]

    @property
    def stamped(self) -> tuple[str, ...]:
        """The files whose checksums it has."""
        raise NotImplementedError

    @property
    def folders(self) -> tuple[str, ...]:
        """The sealed folders inside."""
        return ()

    @property
    def same_program(self) -> bool:
        """Whether this version of Leeward wrote it: then its words can be compared."""
        return self.leeward == version("leeward")

    @classmethod
    def outline(cls) -> dict[str, Any]:
        """The schema that a stranger's file is looked through by."""
        return cls.model_json_schema()

    def to_json(self) -> bytes:
        """The one way to write it: the same statement is the same bytes."""
        return b"".join(self.written())

    def written(self) -> Iterator[bytes]:
        """The same in small parts."""
        return json_parts(self.model_dump(mode="json"))


Stated = TypeVar("Stated", bound=SealedStatement)


@dataclass(frozen=True)
class Faults:
    """What is said of files that are not as they were sealed, and of a statement that is none.

    `form` may have the {reason}; without `unlisted` the statement itself checks what it lists.
    """

    form: str
    large: str = "must not be so large"
    absent: str = "must be there"
    order: str = "must be written as Leeward writes it"
    unlisted: str = "must list exactly the files of its kind"
    foreign: str = "does not belong to the folder"
    changed: str = "is not the file that was sealed"


@dataclass(frozen=True)
class SealedFolder(Generic[Stated]):
    """One kind of sealed folder; the statement is the file `name`, and CHECKSUMS are beside it.

    `limits` are the largest size of the statement in a folder in bytes, and the most of its lines
    that are no plain values. A statement that is not called CERTIFICATE has no CHECKSUMS.
    """

    statement: type[Stated]
    faults: Faults
    limits: Callable[[Path], tuple[int, int]]
    name: str = CERTIFICATE
    parameter: str = CERTIFICATE
    next_step: str = "Ask for the folder again."

    @property
    def own(self) -> tuple[str, ...]:
        """The files that have no checksum in the statement."""
        return (self.name, CHECKSUMS) if self.name == CERTIFICATE else (self.name,)

    def seal(self, folder: Path, statement: Stated, moment: float | None = None) -> Stated:
        """Write the statement and the list of checksums when all other files are on disk.

        All times are those of the `moment`, if one is given.
        """

        def settle(path: Path) -> None:
            if moment is not None:
                os.utime(path, (moment, moment))
            flush(path)

        paths = [folder / name for name in statement.stamped]
        for path in paths:
            settle(path)
        stamps = {name: stamp(folder / name) for name in statement.stamped}
        sealed = statement.model_copy(update={"files": stamps})
        write_file(folder / self.name, sealed.to_json())
        if CHECKSUMS in self.own:
            write_file(folder / CHECKSUMS, self._sums(folder, sealed))
        folders = {path.parent for path in paths}
        for path in (*(folder / name for name in self.own), *sorted(folders)):
            settle(path)
        return sealed

    def _sums(self, folder: Path, sealed: Stated) -> bytes:
        """The list of the checksums of all files but itself."""
        sums = {name: of.sha256 for name, of in sealed.files.items()}
        return checksum_list({**sums, self.name: sha256(folder / self.name)})

    def read(self, folder: Path) -> Stated:
        """The statement of a folder, if it is written exactly as `seal` writes it."""
        path = folder / self.name
        try:
            most, parts = self.limits(folder)
            status = path.lstat()
            if not S_ISREG(status.st_mode) or status.st_size > most:
                raise self.damaged(path, self.faults.large)
            small = status.st_size <= SMALL
            wrong = None if small else first_wrong_line(path, self.statement.outline(), parts)
            if wrong is not None:
                reason = f"line {wrong} is not of one"
                raise self.damaged(path, self.faults.form.format(reason=reason))
            content = path.read_bytes()
            stated = self.statement.model_validate_json(content)
        except FileNotFoundError:
            raise self.damaged(path, self.faults.absent) from None
        except OSError:
            raise self.damaged(path, "must be readable") from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = place(first["loc"]) or "the text"
            reason = f"{where}: {first['msg'].removeprefix('Value error, ')}"
            raise self.damaged(path, self.faults.form.format(reason=reason)) from None
        # A single way of writing excludes duplicate keys, which parsers read in different ways.
        if not is_written(stated.written(), content):
            raise self.damaged(path, self.faults.order)
        if self.faults.unlisted and {*stated.files} != {*stated.stamped}:
            raise self.damaged(path, self.faults.unlisted)
        return stated

    def damaged(self, path: Path, rule: str) -> Damaged:
        """The refusal of a file that is not what was written."""
        named = rule if self.parameter == self.name else f"{path.name} {rule}"
        return Damaged(self.parameter, rule=named, value=repr(str(path)), next_step=self.next_step)

    def findings(self, folder: Path) -> tuple[str, ...]:
        """Faults of the list of files, the statement and the checksums, in plain words."""
        try:
            return tuple(self.changes(folder, self.read(folder)))
        except Damaged as refusal:
            return (f"{refusal.parameter} {refusal.rule}",)
        except OSError:
            return ("the folder cannot be read",)

    def changes(self, folder: Path, stated: Stated) -> Iterator[str]:
        """Files that are missing, strange, or not as they were sealed."""
        entries = {entry.name: entry for entry in os.scandir(folder)}
        expected = {*stated.files, *self.own, *stated.folders}
        yield from (f"{name} is missing" for name in sorted(expected - set(entries)))
        foreign = sorted(set(entries) - expected)
        yield from (f"{shown(name)} {self.faults.foreign}" for name in foreign)
        if set(entries) != expected:
            return
        for name in sorted(expected - {*stated.folders}):
            if not entries[name].is_file(follow_symlinks=False):
                yield f"{name} is no plain file"
                return
        changed = [name for name, of in stated.files.items() if not is_stamped(folder / name, of)]
        yield from (f"{name} {self.faults.changed}" for name in changed)
        listed = CHECKSUMS in self.own
        if listed and (changed or not has_content(folder / CHECKSUMS, self._sums(folder, stated))):
            yield f"{CHECKSUMS} does not list the files as they are"


def stamp(path: Path) -> FileStatement:
    """Checksum and size of a file."""
    return FileStatement(sha256=sha256(path), bytes=path.stat().st_size)


def is_stamped(path: Path, of: FileStatement) -> bool:
    """Whether a file is as it was; its size first, so that a file of any length is not read."""
    return path.stat().st_size == of.bytes and sha256(path) == of.sha256


def fixed(most_bytes: int) -> Callable[[Path], tuple[int, int]]:
    """Limits that do not depend on the folder."""
    return lambda _: (most_bytes, MOST_PARTS)
