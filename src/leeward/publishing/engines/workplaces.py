"""Workplaces: what is asked of the workplaces table alone: codes, how many have them, a sketch.

The sketch of a frame is a thousand keyed hashes. The smallest hashes of a set are a uniform sample
of it, and the same ids have the same hashes in every sample: two sketches show how much two frames
overlap, and without the key nothing else about the ids.
"""

from collections.abc import Sequence
from hashlib import md5
from heapq import nsmallest

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leeward.core.codebook import LEFT_OUT, Attribute, Codebook, Dimension
from leeward.core.errors import BadData, raise_all
from leeward.publishing.engines.code_classes import Integers
from leeward.publishing.engines.database import Column, Scratch, SqlDatabase, Table, ibis
from leeward.publishing.engines.headers import may_hold_codes, no_such_column
from leeward.publishing.engines.recoding import (
    FRACTION,
    class_or_code,
    code_text,
    plain_id,
    with_nulls,
)

MOST_TEXTS = 1_000_000
"""Maximum number of codes in a code list."""

MD5 = ("duckdb", "postgres", "pyspark")
"""Databases whose function md5 gives the 32 hexadecimal digits of a text."""

DIGITS = 16
"""Hexadecimal digits of a hash that are kept: 64 bits, so that a million ids share none."""

_md5 = ibis.udf.scalar.builtin(lambda text: text, name="md5", signature=(("string",), "string"))


def list_codes(database: SqlDatabase, column: str) -> tuple[str, ...]:
    """The texts of a column of the workplaces table in order; no other table is read."""
    table = database.tables()["workplaces"]
    if column not in table.columns:
        raise no_such_column(table, "workplaces", column)
    if not may_hold_codes(table[column]):
        raise _no_codes(column, str(table[column].type()))
    texts = table.filter(table[column].notnull()).select(text=code_text(table[column])).distinct()
    codes = [row["text"] for row in database.rows(texts.limit(MOST_TEXTS + 1))]
    if len(codes) > MOST_TEXTS:
        raise BadData(
            f"data.workplaces.{column}",
            rule=f"must hold at most {MOST_TEXTS} different texts to be listed",
            value="more",
            next_step="Choose a column of codes, not one of ids or names.",
        )
    if FRACTION in codes:
        raise _no_codes(column, "numbers with a fraction")
    return tuple(sorted(codes))


def _no_codes(column: str, value: str) -> BadData:
    return BadData(
        f"data.workplaces.{column}",
        rule="must hold text, whole numbers or true and false",
        value=value,
        next_step="List a column of codes.",
    )


def frame_counts(
    database: SqlDatabase, attributes: Sequence[Attribute]
) -> tuple[dict[str, Integers], Integers]:
    """The combinations of codes of public attributes that establishments have, and how many do.

    For each attribute the position of its code. Ids are not read, and no other table is.
    """
    table = database.tables()["workplaces"]
    raise_all(
        no_such_column(table, "workplaces", attribute.column)
        for attribute in attributes
        if attribute.column not in table.columns
    )
    table = with_nulls(table, {attribute.column: attribute.nulls for attribute in attributes})
    texts = {
        f"text_{k}": class_or_code(table[attribute.column], attribute)
        for k, attribute in enumerate(attributes)
    }
    chosen = table.select(**texts) if texts else table.select(text_0=ibis.literal(""))
    scratch = Scratch(database, "frame")
    grouped = scratch.keep(chosen.group_by(*chosen.columns).aggregate(number=chosen.count()))
    pieces = [*database.stream(grouped)]
    counts = pa.Table.from_batches(pieces, schema=grouped.schema().to_pyarrow())
    scratch.clear()
    positions = {
        attribute.name: _listed(counts[f"text_{k}"], attribute)
        for k, attribute in enumerate(attributes)
    }
    return positions, counts["number"].to_numpy().astype(np.int64)


def _listed(texts: pa.ChunkedArray, attribute: Attribute) -> Integers:
    """The position of each text's code; texts that are a mistake were refused before."""
    at = np.array([*attribute.recode.values(), attribute.missing, attribute.unlisted], dtype=object)
    known = pa.array([*attribute.recode], pa.string())
    row = pc.index_in(texts.cast(pa.string()), known, skip_nulls=True)
    rest = pc.if_else(pc.is_null(texts), len(known), len(known) + 1)
    positions = at[pc.coalesce(row, rest.cast(pa.int32())).to_numpy()]
    if any(position is None or position == LEFT_OUT for position in positions):
        raise BadData(
            "data.workplaces",
            rule="must hold codes of the codebook",
            value=f"another text in {attribute.column}",
            next_step="See what `leeward check` finds.",
        )
    return np.asarray(positions.astype(np.int64))


def frame_sketch(
    database: SqlDatabase,
    codebook: Codebook,
    key: str,
    size: int,
    *,
    plain: bool = False,
    part: Dimension | None = None,
) -> tuple[str, ...]:
    """The `size` smallest hashes of the ids of all establishments, ascending, each once.

    With a part of the frame, of the establishments with its code.
    """
    # The columns that will be counted by, too: a CSV file is then parsed once for both.
    wanted = tuple(column for table, column in codebook.columns() if table == "workplaces")
    columns = {"workplaces": tuple(dict.fromkeys(wanted)), "workers": (), "jobs": ()}
    read = database.tables(columns)["workplaces"]
    workplaces = with_nulls(read, codebook.nulls_of("workplaces"))
    workplaces = workplaces if part is None else workplaces.filter(inside_part(workplaces, part))
    given = workplaces[codebook.keys.workplaces.id]
    ids = workplaces.filter(given.notnull()).select(id=code_text(given))
    if plain:
        ids = ids.select(id=plain_id(ids.id)).distinct()
    if ids.get_backend().name in MD5:
        return sketch_there(database, ids, key, size)
    return sketch_here(database, ids, key, size)


def inside_part(workplaces: Table, part: Dimension) -> Column:
    """Whether an establishment has the code of a part, as tables count it."""
    attribute, (at,) = part.attribute, part.kept
    column = workplaces[attribute.column]
    text = class_or_code(column, attribute)
    inside = text.isin([known for known, place in attribute.recode.items() if place == at])
    if attribute.unlisted == at:
        inside |= text.notnull() & ~text.isin([*attribute.recode])
    return inside.fill_null(False) | text.isnull() if attribute.missing == at else inside


def sketch_there(database: SqlDatabase, ids: Table, key: str, size: int) -> tuple[str, ...]:
    """Hashed and sorted in the database, which returns `size` hashes."""
    hashes = ids.select(hash=_md5(ibis.literal(key) + ids.id))
    rows = database.rows(hashes.order_by("hash").limit(size))
    return tuple(sorted({str(row["hash"])[:DIGITS] for row in rows}))


def sketch_here(database: SqlDatabase, ids: Table, key: str, size: int) -> tuple[str, ...]:
    """The same from every id, for other databases: slow, and the truth in tests."""
    known = key.encode()
    hashes = (
        md5(known + text.encode(), usedforsecurity=False).hexdigest()[:DIGITS]
        for piece in database.stream(ids)
        for text in piece.column("id").to_pylist()
    )
    return tuple(sorted(set(nsmallest(size, hashes))))
