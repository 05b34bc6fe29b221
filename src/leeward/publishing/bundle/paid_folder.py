"""Paid folder: a paid output beside releases, sealed with its charge.

The first file of a kind has the numbers
that were paid for, and states the charge too: the ledger keeps its digest, so copies and what is
drawn from it later are confirmed as well.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from leeward.core.show.notebook import INTERNAL
from leeward.publishing.bundle.bundle_files import DESCRIPTION, REGRESSION
from leeward.publishing.bundle.certificate import Time
from leeward.publishing.bundle.disk import appearing, flush
from leeward.publishing.bundle.reader import read_bundle
from leeward.publishing.bundle.sealed_folder import Faults, SealedFolder, SealedStatement, fixed
from leeward.publishing.bundle.software import software
from leeward.publishing.bundle.statements import (
    Count,
    FileStatement,
    SoftwareStatement,
    Statement,
    Text,
)
from leeward.publishing.bundle.witness import PaidOutput, Witness

MOST_BYTES = 1 << 17
"""Maximum size of the certificate and of the checksums in bytes: they state a handful of files."""

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


class FolderCertificate(Witness, SealedStatement):
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
    def stamped(self) -> tuple[str, ...]:
        """The files of its kind."""
        return FILES[self.kind]


PAID = SealedFolder(
    FolderCertificate,
    Faults(
        form="must be what `leeward synth table` or `regress` writes",
        large="must be a file of at most 128 KB",
        absent="must be there: an output without a charge has none",
    ),
    fixed(MOST_BYTES),
)


@dataclass(frozen=True)
class PaidFolder:
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
            if self.charge is None:
                for name in FILES[self.kind]:
                    flush(folder / name)
                return
            certificate = FolderCertificate(
                **{name: getattr(self.charge, name) for name in Witness.model_fields},
                kind=self.kind,
                format=1,
                leeward=version("leeward"),
                software=software(),
                created=datetime.now(UTC).isoformat(timespec="seconds"),
                drawn=self.drawn,
                files={},
            )
            PAID.seal(folder, certificate)


def kind_of(folder: Path) -> Kind | None:
    """The kind of a folder by the file that was paid for; None for bundles and anything else."""
    return next((kind for kind, names in FILES.items() if (folder / names[0]).is_file()), None)


def read_folder(folder: Path) -> FolderCertificate:
    """The certificate of a folder that was paid for."""
    return PAID.read(folder)


def read_paid(folder: Path) -> PaidOutput:
    """The certificate that states the charge of a bundle or of a sealed folder."""
    return read_bundle(folder).certificate if kind_of(folder) is None else read_folder(folder)


def marked(internal: bool) -> dict[str, str]:
    """The mark of an internal output, for JSON and for rows of CSV; none for others."""
    return {"mark": INTERNAL} if internal else {}
