"""Output: synthetic rows as files, in a folder that appears complete or not at all.

Numbers are drawn uniformly inside their classes: a class says no more about them.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from leeward.bundle.disk import appearing, flush, new_file, write_file
from leeward.randomness import SeededBits
from leeward.synth.description import Description
from leeward.synth.domain import Column, Domain
from leeward.synth.drawing import Rows, blocks

DESCRIPTION, PARQUET, CSV = "description.json", "synthetic.parquet", "synthetic.csv"

INSIDE = 2**64
"""Added to the seed for numbers inside classes: they have bits of their own."""


def write_folder(target: Path, description: Description, rows: int, seed: int) -> str:
    """Description and rows in a new folder; the SHA-256 of the description.

    Rows are drawn from the description as it is written, whose tables are rounded.
    """
    told = description.to_json()
    held = Description.read(json.loads(told))
    with appearing(target) as folder:
        write_file(folder / DESCRIPTION, told)
        with new_file(folder / PARQUET) as parquet, new_file(folder / CSV) as csv:
            _write_rows(held, rows, seed, (parquet, csv))
        for name in (DESCRIPTION, PARQUET, CSV):
            flush(folder / name)
    return sha256(told).hexdigest()


def _write_rows(
    description: Description, rows: int, seed: int, files: tuple[object, object]
) -> None:
    domain = description.domain
    schema = pa.schema([(one.name, _type(one)) for one in domain.columns])
    with pq.ParquetWriter(files[0], schema) as parquet, pc.CSVWriter(files[1], schema) as csv:
        for block in tables(description, rows, seed):
            parquet.write_table(block)
            csv.write_table(block)


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
