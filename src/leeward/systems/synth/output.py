"""Output: synthetic rows as files in a folder, and whether it is what was paid for and sealed.

A folder that was paid for is sealed; each row of an internal one is marked. Numbers are drawn
uniformly inside their classes: a class says no more about them. Rows are a function of the
description, their number and the seed, so they are drawn again to verify them; the sentences of the
description are a function of its guarantee.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from leeward.core.errors import InvalidParameter
from leeward.core.randomness import SeededBits
from leeward.publishing.bundle.disk import new_file, write_file
from leeward.publishing.bundle.paid_folder import (
    FILES,
    PAID,
    DrawnStatement,
    FolderCertificate,
    Kind,
    PaidFolder,
    marked,
)
from leeward.publishing.bundle.sealed_folder import UNREADABLE
from leeward.systems.synth.description import Description, read_description
from leeward.systems.synth.domain import Column, Domain
from leeward.systems.synth.drawing import Rows, blocks

KIND: Kind = "synthetic table"
DESCRIPTION, CSV, PARQUET = FILES[KIND]

INSIDE = 2**64
"""Added to the seed for numbers inside classes: they have bits of their own."""


def require_seed(seed: int) -> None:
    """Reject a seed that belongs to the numbers inside classes."""
    if not 0 <= seed < INSIDE:
        raise InvalidParameter(
            "--seed",
            rule="must be a whole number from 0 to 2^64 - 1",
            value=seed,
            next_step="Give another number, or leave it out.",
        )


def write_folder(target: Path, description: Description, rows: int, seed: int) -> str:
    """Description and rows in a new folder; the SHA-256 of the description.

    Rows are drawn from the description as it is written, whose tables are rounded.
    """
    content = description.to_json()
    rounded = Description.read(json.loads(content))
    drawn = DrawnStatement(rows=rows, seed=str(seed), pyarrow=version("pyarrow"))
    charge = description.provenance.charge
    sealed = PaidFolder(target, KIND, charge, drawn, internal=description.internal)
    with sealed.writing() as folder:
        write_file(folder / DESCRIPTION, content, sealed.mode)
        with (
            new_file(folder / PARQUET, sealed.mode) as parquet,
            new_file(folder / CSV, sealed.mode) as csv,
        ):
            write_rows(rounded, drawn, parquet, csv)
    return sha256(content).hexdigest()


def write_rows(
    description: Description, drawn: DrawnStatement, parquet: object, csv: object
) -> None:
    """Rows of a description into two open files; internal ones are marked, each of them."""
    domain = description.domain
    types = {column.name: _type(column) for column in domain.columns}
    marks = {  # under a name that no other column has
        mark + "_" * sum(name.startswith(mark) for name in domain.names): text
        for mark, text in marked(description.internal).items()
    }
    schema = pa.schema([*types.items(), *((name, pa.string()) for name in marks)])
    with pq.ParquetWriter(parquet, schema) as first, pc.CSVWriter(csv, schema) as second:
        for block in tables(description, drawn.rows, int(drawn.seed)):
            for name, mark in marks.items():
                block = block.append_column(name, pa.array([mark] * len(block)))  # noqa: PLW2901
            first.write_table(block)
            second.write_table(block)


def tables(description: Description, rows: int, seed: int) -> Iterator[pa.Table]:
    """Blocks of synthetic rows with their codes and numbers."""
    inside = SeededBits(seed + INSIDE)
    for block in blocks(description.fit.network, description.domain, rows, seed):
        yield table(description.domain, block, inside)


def table(domain: Domain, block: Rows, inside: SeededBits) -> pa.Table:
    """Positions as codes and numbers."""
    each = enumerate(domain.columns)
    return pa.table({column.name: _array(column, block[:, at], inside) for at, column in each})


def _type(column: Column) -> pa.DataType:
    if column.edges is None:
        return pa.string()
    return pa.int64() if column.whole else pa.float64()


def _array(column: Column, at: NDArray[np.uint16], inside: SeededBits) -> pa.Array:
    if column.edges is None:
        coded = pa.DictionaryArray.from_arrays(pa.array(at.astype(np.int32)), list(column.values))
        return coded.cast(pa.string())
    classes = len(column.edges) - 1
    missing = at >= classes
    place = np.minimum(at, classes - 1)
    edges = np.array(column.edges)
    low, high = edges[place], edges[place + 1]
    drawn = low + inside.generator.random(at.size) * (high - low)
    if column.whole:
        drawn = np.clip(np.floor(drawn), low, high - 1).astype(np.int64)
    return pa.array(drawn, type=_type(column), mask=missing)


def table_findings(folder: Path) -> tuple[str, ...]:
    """What is wrong with a folder of `leeward synth table`, in plain words; none if it is sound."""
    try:
        described = read_description(folder / DESCRIPTION)
        if described.internal:
            return ("it is INTERNAL: no account was charged for it",)
        if described.provenance.guarantee is None:
            return ("no row was read and nothing was charged for it: there is nothing to verify",)
        return PAID.findings(folder) or tuple(_findings(folder, PAID.read(folder), described))
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
    drawn, program = stated.drawn, (stated.software.numpy, stated.leeward)
    if drawn is None or drawn.rows > stated.files[CSV].bytes:
        yield f"{CSV} has another number of rows than the certificate says"
        return
    if (*program, drawn.pyarrow) != tuple(map(version, ("numpy", "leeward", "pyarrow"))):
        return  # other versions may draw or write rows apart
    parquet, csv = _Checksum(), _Checksum()
    description = Description.read(json.loads(described.to_json()))
    write_rows(description, drawn, parquet, csv)
    for name, checksum in ((PARQUET, parquet), (CSV, csv)):
        if checksum.digest != stated.files[name].sha256:
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
