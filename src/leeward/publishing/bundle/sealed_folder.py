"""Sealed folder: a paid output beside releases, with its charge and the checksums of its files.

`certificate.json` and `checksums.txt` are written last. The first file of a kind has the numbers
that were paid for, and states the charge too: the ledger keeps its digest, so copies and what is
drawn from it later are confirmed as well.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from stat import S_ISREG
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from leeward.core.errors import Damaged, LeewardError, shown
from leeward.core.show.page_rows import INTERNAL
from leeward.publishing.bundle.bundle_files import (
    CERTIFICATE,
    CHECKSUMS,
    DESCRIPTION,
    REGRESSION,
    checksum_list,
    read_checksums,
    sha256,
)
from leeward.publishing.bundle.certificate import Time
from leeward.publishing.bundle.disk import appearing, flush, write_file
from leeward.publishing.bundle.software import software
from leeward.publishing.bundle.statements import (
    Count,
    FileStatement,
    SoftwareStatement,
    Statement,
    Text,
)
from leeward.publishing.bundle.witness import Witness

MOST_BYTES = 1 << 17
"""Maximum size of the certificate and of the checksums in bytes: they state a handful of files."""

UNREADABLE = (
    *(LeewardError, ValueError, LookupError, TypeError, AttributeError),
    *(ArithmeticError, RecursionError, AssertionError),
)
"""What contents that were forged may raise."""

Kind = Literal["synthetic table", "regression"]
FILES: Mapping[Kind, tuple[str, ...]] = {
    "synthetic table": (DESCRIPTION, "synthetic.csv", "synthetic.parquet"),
    "regression": (REGRESSION, "estimates.csv"),
}
"""The files of each kind; the first has the numbers that were paid for."""


class DrawnStatement(Statement):
    """How synthetic rows were drawn from their description, so that they can be drawn again."""

    rows: Count
    seed: Annotated[str, Field(pattern=r"^[0-9]{1,20}$")]
    pyarrow: Text


class FolderCertificate(Witness):
    """The charge of a folder, the program that wrote it, and the checksums of its files."""

    kind: Kind
    format: Literal[1]
    leeward: Text
    software: SoftwareStatement
    created: Time
    drawn: DrawnStatement | None
    files: dict[str, FileStatement]

    @property
    def origin(self) -> tuple[str, str]:
        """What the entry calls it, and the digest of the file that was paid for."""
        return self.name, self.files[FILES[self.kind][0]].sha256

    @property
    def same_program(self) -> bool:
        """Whether this version of Leeward wrote it: then its words can be compared."""
        return self.leeward == version("leeward")

    def to_json(self) -> bytes:
        """The one way to write it."""
        content = self.model_dump(mode="json")
        return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


@dataclass(frozen=True)
class SealedFolder:
    """A new folder of one kind; without a charge it is its owner's only, and has no certificate."""

    target: Path
    kind: Kind
    charge: Witness | None
    drawn: DrawnStatement | None = None
    internal: bool = False

    @property
    def mode(self) -> int:
        """The mode of its files."""
        return 0o600 if self.internal else 0o644

    @contextmanager
    def writing(self) -> Iterator[Path]:
        """A hidden folder that appears when its files are complete and sealed."""
        with appearing(self.target, 0o700 if self.internal else 0o755) as folder:
            yield folder
            names = [*FILES[self.kind]]
            if self.charge is not None:
                self._seal(folder, self.charge)
                names += [CERTIFICATE, CHECKSUMS]
            for name in names:
                flush(folder / name)

    def _seal(self, folder: Path, charge: Witness) -> None:
        stamps = {
            name: FileStatement(sha256=sha256(folder / name), bytes=(folder / name).stat().st_size)
            for name in FILES[self.kind]
        }
        sealed = FolderCertificate(
            **{name: getattr(charge, name) for name in Witness.model_fields},
            kind=self.kind,
            format=1,
            leeward=version("leeward"),
            software=software(),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            drawn=self.drawn,
            files=stamps,
        )
        write_file(folder / CERTIFICATE, sealed.to_json())
        sums = {name: one.sha256 for name, one in stamps.items()}
        sums[CERTIFICATE] = sha256(folder / CERTIFICATE)
        write_file(folder / CHECKSUMS, checksum_list(sums))


def kind_of(folder: Path) -> Kind | None:
    """The kind of a folder by the file that was paid for; None for bundles and anything else."""
    return next((kind for kind, names in FILES.items() if (folder / names[0]).is_file()), None)


def read_folder(folder: Path) -> FolderCertificate:
    """The certificate of a sealed folder."""
    path = folder / CERTIFICATE
    try:
        status = path.lstat()
        if not S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            raise _damaged(path, "must be a file of at most 128 KB")
        content = path.read_bytes()
        found = FolderCertificate.model_validate_json(content)
    except OSError:
        raise _damaged(path, "must be there: an output without a charge has none") from None
    except ValidationError:
        raise _damaged(path, "must be what `leeward synth table` or `regress` writes") from None
    if found.to_json() != content:
        raise _damaged(path, "must be written as Leeward writes it")
    if {*found.files} != {*FILES[found.kind]}:
        raise _damaged(path, "must list exactly the files of its kind")
    return found


def _damaged(path: Path, rule: str) -> Damaged:
    return Damaged(
        CERTIFICATE, rule=rule, value=repr(str(path)), next_step="Ask for the folder again."
    )


def seal_findings(folder: Path) -> tuple[str, ...]:
    """Faults of the list of files, the certificate and the checksums, in plain words."""
    try:
        return tuple(_findings(folder))
    except Damaged as refusal:
        return (f"{refusal.parameter} {refusal.rule}",)
    except OSError:
        return ("the folder cannot be read",)


def _findings(folder: Path) -> Iterator[str]:
    entries = {one.name: one for one in os.scandir(folder)}
    stated = read_folder(folder)
    expected = {*stated.files, CERTIFICATE, CHECKSUMS}
    yield from (f"{name} is missing" for name in sorted(expected - set(entries)))
    yield from (
        f"{shown(name)} does not belong to the folder" for name in sorted(set(entries) - expected)
    )
    if set(entries) != expected:
        return
    strange = [name for name, one in entries.items() if not one.is_file(follow_symlinks=False)]
    if strange:
        yield f"{sorted(strange)[0]} is no plain file"
        return
    sums = {}
    for name, stamp in stated.files.items():
        # The size first, so that a file of endless length is not read.
        changed = entries[name].stat().st_size != stamp.bytes
        sums[name] = "" if changed else sha256(folder / name)
        if sums[name] != stamp.sha256:
            yield f"{name} is not the file that was sealed"
    sums[CERTIFICATE] = sha256(folder / CERTIFICATE)
    listed = entries[CHECKSUMS].stat().st_size <= MOST_BYTES
    if not listed or read_checksums((folder / CHECKSUMS).read_bytes()) != sums:
        yield f"{CHECKSUMS} does not list the files as they are"


def marked(internal: bool) -> dict[str, str]:
    """The mark of an internal output, for JSON and for rows of CSV; none for others."""
    return {"mark": INTERNAL} if internal else {}
