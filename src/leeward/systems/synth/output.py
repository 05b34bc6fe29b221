"""Output: synthetic rows as files, in a folder that appears complete or not at all.

A folder that was paid for is sealed; each row of an internal one is marked. Numbers are drawn
uniformly inside their classes: a class says no more about them.
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

from leeward.core.randomness import SeededBits
from leeward.publishing.bundle.disk import new_file, write_file
from leeward.publishing.bundle.sealed_folder import (
    FILES,
    DrawnStatement,
    Kind,
    SealedFolder,
    marked,
)
from leeward.systems.synth.description import Description
from leeward.systems.synth.domain import Column, Domain
from leeward.systems.synth.drawing import Rows, blocks

KIND: Kind = "synthetic table"
DESCRIPTION, CSV, PARQUET = FILES[KIND]

INSIDE = 2**64
"""Added to the seed for numbers inside classes: they have bits of their own."""


def write_folder(target: Path, description: Description, rows: int, seed: int) -> str:
    """Description and rows in a new folder; the SHA-256 of the description.

    Rows are drawn from the description as it is written, whose tables are rounded.
    """
    told = description.to_json()
    held = Description.read(json.loads(told))
    drawn = DrawnStatement(rows=rows, seed=str(seed), pyarrow=version("pyarrow"))
    charge = description.provenance.charge
    sealed = SealedFolder(target, KIND, charge, drawn, internal=description.internal)
    with sealed.writing() as folder:
        write_file(folder / DESCRIPTION, told, sealed.mode)
        with (
            new_file(folder / PARQUET, sealed.mode) as parquet,
            new_file(folder / CSV, sealed.mode) as csv,
        ):
            write_rows(held, drawn, parquet, csv)
    return sha256(told).hexdigest()


def write_rows(
    description: Description, drawn: DrawnStatement, parquet: object, csv: object
) -> None:
    """Rows of a description into two open files; internal ones are marked, each of them."""
    domain = description.domain
    types = {one.name: _type(one) for one in domain.columns}
    marks = _marks(description)
    schema = pa.schema([*types.items(), *((name, pa.string()) for name in marks)])
    with pq.ParquetWriter(parquet, schema) as one, pc.CSVWriter(csv, schema) as other:
        for block in tables(description, drawn.rows, int(drawn.seed)):
            for name, mark in marks.items():
                block = block.append_column(name, pa.array([mark] * len(block)))  # noqa: PLW2901
            one.write_table(block)
            other.write_table(block)


def _marks(description: Description) -> dict[str, str]:
    """The column of the mark, under a name that no other column has."""
    names = description.domain.names
    return {
        name + "_" * sum(one.startswith(name) for one in names): mark
        for name, mark in marked(description.internal).items()
    }


def tables(description: Description, rows: int, seed: int) -> Iterator[pa.Table]:
    """Blocks of synthetic rows with their codes and numbers."""
    inside = SeededBits(seed + INSIDE)
    for block in blocks(description.fit.network, description.domain, rows, seed):
        yield table(description.domain, block, inside)


def table(domain: Domain, block: Rows, inside: SeededBits) -> pa.Table:
    """Positions as codes and numbers."""
    columns = {one.name: _array(one, block[:, at], inside) for at, one in enumerate(domain.columns)}
    return pa.table(columns)


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
    held = np.minimum(at, classes - 1)
    edges = np.array(column.edges)
    low, high = edges[held], edges[held + 1]
    drawn = low + inside.generator.random(at.size) * (high - low)
    if column.whole:
        drawn = np.clip(np.floor(drawn), low, high - 1).astype(np.int64)
    return pa.array(drawn, type=_type(column), mask=missing)
