"""PostgreSQL: as any other database, but large results stay on the server until they are read."""

from collections.abc import Iterator
from itertools import count

import pyarrow as pa

from leeward.engines.address import TableAddress
from leeward.engines.relations import Table
from leeward.engines.remote import PIECE, Remote


class Postgres(Remote):
    """A connection to PostgreSQL.

    Ids that are texts are ordered by the database's own collation where a jobs rule orders them.
    """

    def __init__(self, addresses: tuple[TableAddress, ...]) -> None:
        super().__init__(addresses)
        self._cursors = count()

    def stream(self, query: Table) -> Iterator[pa.RecordBatch]:
        # A named cursor lives on the server; held, it outlives the transactions of other queries.
        name = f"leeward_{next(self._cursors)}"
        with self._backend.con.cursor(name=name, withhold=True) as cursor:
            cursor.execute(self._backend.compile(query))
            while rows := cursor.fetchmany(PIECE):
                columns = [pa.array(column) for column in zip(*rows, strict=True)]
                yield pa.RecordBatch.from_arrays(columns, names=list(query.columns))
