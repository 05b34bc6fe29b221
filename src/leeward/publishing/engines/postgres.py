"""PostgreSQL: one snapshot for the whole connection, and all the work done in the server."""

from collections.abc import Iterator
from functools import partial
from itertools import count

import pyarrow as pa

from leeward.core.errors import BadFile
from leeward.publishing.engines.address import TableAddress
from leeward.publishing.engines.database import Column, Table, closed_on_refusal, ibis
from leeward.publishing.engines.digest import Sha256
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.remote import PIECE, Remote

BEGIN = """
BEGIN ISOLATION LEVEL REPEATABLE READ, READ WRITE;
SET LOCAL row_security = off;
SET LOCAL extra_float_digits = 1;
SET LOCAL datestyle = 'ISO'
"""
"""One view of the data to the end. Only a transaction that may write makes temporary tables.

Row security would leave out rows in silence; switched off, it refuses. The rest makes texts of
rows, and so the digest, independent of the settings of the role.
"""

MAY_KEEP = "SELECT has_database_privilege(current_database(), 'TEMPORARY')"
MAY_READ = """
SELECT has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'),
       c.relkind IN ('r', 'm')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = %s AND n.nspname = coalesce(%s, current_schema())
"""

EVERY = 2**62
"""A limit that no table reaches."""


def _builtin(name: str, *kinds: str, gives: str) -> Column:
    """A function of PostgreSQL of at most two arguments."""
    declared = (lambda a: a) if len(kinds) == 1 else (lambda a, b: (a, b))
    return ibis.udf.scalar.builtin(declared, name=name, signature=(kinds, gives))


_CONVERT_TO = _builtin("convert_to", "string", "string", gives="binary")
_SHA256 = _builtin("sha256", "binary", gives="binary")
_GET_BYTE = _builtin("get_byte", "binary", "int32", gives="int32")


def _word(hashed: Column, number: int) -> Column:
    high, *lower = (_GET_BYTE(hashed, 4 * number + k) for k in range(4))
    word = high.cast("int64")
    for byte in lower:
        word = word * 256 + byte
    return word


class Postgres(Remote):
    """A connection to PostgreSQL, of which nothing is ever committed.

    All that is read is read from one snapshot: what others write meanwhile is not seen.
    """

    sha256 = Sha256(
        # Without a limit the planner would hash a row again for every byte that is read.
        hashes=lambda rows: rows.select(hash=_SHA256(_CONVERT_TO(rows.row, "UTF8"))).limit(EVERY),
        word=_word,
    )

    def __init__(self, addresses: tuple[TableAddress, ...]) -> None:
        super().__init__(addresses)
        self._cursors = count()
        with closed_on_refusal(self.close):
            rule = "must be a database in which temporary tables can be made, so no standby"
            hiding_errors(self._begin, "data", rule, public=True)
            # Each is read once: the lock of this keeps others from emptying or altering it.
            plain = [
                hiding_errors(
                    partial(self._is_plain, table), table.parameter, _readable(table), public=True
                )
                for table in addresses
            ]
        self._plain = all(plain)

    def _begin(self) -> None:
        # Inside a transaction those of Ibis are savepoints.
        self._backend.raw_sql(BEGIN).close()
        if not self._backend.raw_sql(MAY_KEEP).fetchone()[0]:
            raise BadFile(
                "data",
                rule="must be a database in which the role may make temporary tables",
                value="a role that may not",
                next_step="GRANT TEMPORARY ON DATABASE … TO the role.",
            )

    def _is_plain(self, address: TableAddress) -> bool:
        """Whether a table is one that a snapshot fixes: no view, and not of another server."""
        *schema, name = address.name
        params = (name, schema[0] if schema else None)
        readable, plain = self._backend.raw_sql(MAY_READ, params=params).fetchone()
        if not readable:
            raise BadFile(
                address.parameter,
                rule=_readable(address),
                value="a role that may not",
                next_step="GRANT USAGE ON its SCHEMA and SELECT ON the whole TABLE TO the role.",
            )
        self.rows(self._opened[address.table].select(one=1).limit(1))
        return bool(plain)

    def unchanged(self) -> bool:
        return bool(self._digest) if self._plain else super().unchanged()

    def keep(self, name: str, content: Table | pa.Table) -> Table:
        if not isinstance(content, pa.Table):
            return super().keep(name, content)
        # Ibis would insert the rows one by one, and a code list may have a million.
        schema = ibis.schema(content.schema)
        kept = self._backend.create_table(name, schema=schema, temp=True)
        columns = (column.to_pylist() for column in content.columns)
        with self._backend.begin() as cursor, cursor.copy(f"COPY {name} FROM STDIN") as copy:
            for row in zip(*columns, strict=True):
                copy.write_row(row)
        return kept

    def stream(self, query: Table) -> Iterator[pa.RecordBatch]:
        # A named cursor lives on the server and outlives the savepoints of other queries.
        name = f"leeward_{next(self._cursors)}"
        with self._backend.con.cursor(name=name) as cursor:
            cursor.execute(self._backend.compile(query))
            while rows := cursor.fetchmany(PIECE):
                columns = [pa.array(column) for column in zip(*rows, strict=True)]
                yield pa.RecordBatch.from_arrays(columns, names=list(query.columns))


def _readable(address: TableAddress) -> str:
    return f"must be a table of which the role may read all rows: {'.'.join(address.name)!r}"
