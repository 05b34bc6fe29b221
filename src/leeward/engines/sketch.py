"""Sketch: which establishments a frame holds, in a thousand keyed hashes of their ids.

The smallest hashes of a set are a uniform sample of it, and the same ids have the same hashes in
every sample: two sketches tell how much two frames overlap, and nothing else of the ids to one
who has no key. Only the id column of workplaces is read.
"""

from hashlib import md5
from heapq import nsmallest

from leeward.engines.database import Database
from leeward.engines.recoding import as_text
from leeward.engines.relations import Table, ibis
from leeward.model import Codebook

MD5 = ("duckdb", "postgres", "pyspark")
"""Databases whose function md5 gives the 32 hexadecimal digits of a text."""

DIGITS = 16
"""Of a hash are kept: 64 bits, so that a million ids share none by accident."""

_md5 = ibis.udf.scalar.builtin(lambda text: text, name="md5", signature=(("string",), "string"))


def frame_sketch(database: Database, codebook: Codebook, key: str, size: int) -> tuple[str, ...]:
    """The `size` smallest hashes of the ids of all establishments, ascending, each once."""
    ids = _ids(database, codebook)
    if ids.get_backend().name in MD5:
        return sketch_there(database, ids, key, size)
    return sketch_here(database, ids, key, size)


def sketch_there(database: Database, ids: Table, key: str, size: int) -> tuple[str, ...]:
    """Hashed and sorted where the ids lie; `size` of them travel."""
    hashes = ids.select(hash=_md5(ibis.literal(key) + ids.id))
    found = database.rows(hashes.order_by("hash").limit(size))
    return tuple(sorted({str(row["hash"])[:DIGITS] for row in found}))


def sketch_here(database: Database, ids: Table, key: str, size: int) -> tuple[str, ...]:
    """The same from every id: for other databases, and the truth."""
    known = key.encode()
    hashes = (
        md5(known + text.encode(), usedforsecurity=False).hexdigest()[:DIGITS]
        for piece in database.stream(ids)
        for text in piece.column("id").to_pylist()
    )
    return tuple(sorted(set(nsmallest(size, hashes))))


def _ids(database: Database, codebook: Codebook) -> Table:
    # The columns that will be counted by, too: a CSV file is then parsed once for both.
    wanted = tuple(column for table, column in codebook.columns() if table == "workplaces")
    columns = {"workplaces": tuple(dict.fromkeys(wanted)), "workers": (), "jobs": ()}
    workplaces = database.tables(columns)["workplaces"]
    given = workplaces[codebook.keys.workplaces.id]
    return workplaces.filter(given.notnull()).select(id=as_text(given))
