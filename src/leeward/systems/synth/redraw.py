"""Redraw: whether a folder of synthetic rows of one table is what was paid for and sealed.

Rows are a function of the description, their number and the seed, so they are drawn again; the
sentences of the description are a function of its guarantee.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from leeward.publishing.bundle.sealed_folder import (
    UNREADABLE,
    FolderCertificate,
    read_folder,
    seal_findings,
)
from leeward.systems.synth.description import Description, read_description
from leeward.systems.synth.output import CSV, DESCRIPTION, PARQUET, write_rows


def table_findings(folder: Path) -> tuple[str, ...]:
    """What is wrong with a folder of `leeward synth table`, in plain words; none if it is sound."""
    try:
        described = read_description(folder / DESCRIPTION)
        if described.internal:
            return ("it is INTERNAL: no account was charged for it",)
        if described.provenance.guarantee is None:
            return ("no row was read and nothing was charged for it: there is nothing to verify",)
        found = seal_findings(folder)
        return found or tuple(_findings(folder, read_folder(folder), described))
    except OSError:
        return ("the folder cannot be read",)
    except UNREADABLE:
        return (f"{DESCRIPTION} cannot be read, or no rows can be drawn from it",)


def _findings(folder: Path, stated: FolderCertificate, described: Description) -> Iterator[str]:
    provenance = described.provenance
    if provenance.charge != stated.witness:
        yield f"{DESCRIPTION} states another charge than the certificate"
    if provenance.guarantee != stated.guarantee.as_guarantee():
        yield f"{DESCRIPTION} promises something else than what was charged"
    if stated.same_program and described.says != provenance.sentences:
        yield f"{DESCRIPTION} has sentences that do not follow from its guarantee"
    if described.to_json() != (folder / DESCRIPTION).read_bytes():
        yield f"{DESCRIPTION} is not written as Leeward writes it"
    yield from _rows(stated, described)


def _rows(stated: FolderCertificate, described: Description) -> Iterator[str]:
    """Rows that are not those of the description; other versions may draw or write them apart."""
    drawn, program = stated.drawn, (stated.software.numpy, stated.leeward)
    if drawn is None or drawn.rows > stated.files[CSV].bytes:
        yield f"{CSV} has another number of rows than the certificate says"
        return
    if (*program, drawn.pyarrow) != tuple(map(version, ("numpy", "leeward", "pyarrow"))):
        return
    parquet, csv = _Checksum(), _Checksum()
    held = Description.read(json.loads(described.to_json()))
    write_rows(held, drawn, parquet, csv)
    for name, one in ((PARQUET, parquet), (CSV, csv)):
        if one.digest != stated.files[name].sha256:
            yield f"{name} does not have the rows that the description gives"


class _Checksum:
    """A file that keeps nothing but the checksum of what is written into it."""

    closed = False

    def __init__(self) -> None:
        self._sum = sha256()

    @property
    def digest(self) -> str:
        return self._sum.hexdigest()

    def write(self, content: bytes) -> int:
        self._sum.update(content)
        return len(content)

    def flush(self) -> None:
        """Nothing is buffered."""

    def close(self) -> None:
        self.closed = True
