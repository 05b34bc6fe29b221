"""Id bits: ids that are whole numbers, a bit for each, to see in one scan that nothing is wrong.

Rows of duplicate ids are counted by groups, and jobs that point nowhere by joins. Of a million ids
either takes a hash table of a million entries. Where ids are numbered without large gaps, a bit for
each number proves the same: as many bits as ids, and no bit of the jobs that the table lacks.
"""

from dataclasses import dataclass

from leeward.publishing.engines.database import Column, SqlDatabase, ibis

BITS_EACH = 16
"""Bits for each row at most: 2 bytes in each thread; an entry of a hash table has about fifty."""

LARGEST = 2**62
"""Ids beyond this, or their range, might not fit into 64 bits."""

COMPARED = """
SELECT bit_count(own) = own_rows AS once, bit_count(given) = given_rows AS given_once,
    bit_count(given & ~own) = 0 AS found
FROM (SELECT bitstring_agg(id::BIGINT, {low}, {high}) AS own, count(id) AS own_rows FROM ({own})),
    (SELECT bitstring_agg(id::BIGINT, {low}, {high}) AS given, count(id) AS given_rows
     FROM ({given}))"""
ANSWERS = {"once": "boolean", "given_once": "boolean", "found": "boolean"}


@dataclass(frozen=True)
class SoundIds:
    """What is certainly right with the ids of a table, and with those that jobs give for it.

    False where it is wrong, and where it is not known.
    """

    once: bool = False
    """No id of the table occurs twice."""

    given_once: bool = False
    """No two jobs give the same id."""

    found: bool = False
    """The table has every id that a job gives."""


NOTHING_KNOWN = SoundIds()


def sound_ids(database: SqlDatabase, own: Column, given: Column) -> SoundIds:
    """Compare the ids of a table with those that jobs give; nulls are no ids.

    `once` and `given_once` are about rows with an id. Nothing is known of texts, of numbers with
    large gaps, of empty tables, and of databases without strings of bits.
    """
    backend = own.get_backend()
    if backend.name != "duckdb" or not (own.type().is_integer() and given.type().is_integer()):
        return NOTHING_KNOWN
    bounds = _bounds(database, own, given)
    if bounds is None:
        return NOTHING_KNOWN
    columns = {"own": own, "given": given}
    sources = {name: backend.compile(ids.name("id").as_table()) for name, ids in columns.items()}
    low, high = bounds
    query = COMPARED.format(low=low, high=high, **sources)
    (answers,) = database.rows(backend.sql(query, schema=ibis.schema(ANSWERS)))
    return SoundIds(**answers)


def _bounds(database: SqlDatabase, own: Column, given: Column) -> tuple[int, int] | None:
    """The smallest and the largest of all ids, if there are enough rows for that many bits."""
    ends = []
    for ids in (own, given):
        (span,) = database.rows(
            ids.as_table().aggregate(low=ids.min(), high=ids.max(), rows=ids.count())
        )
        if not span["rows"]:
            return None
        ends.append(span)
    low, high = min(span["low"] for span in ends), max(span["high"] for span in ends)
    if low <= -LARGEST or high >= LARGEST:
        return None
    most = BITS_EACH * min(span["rows"] for span in ends)
    return (low, high) if high - low < most else None
