"""PostgreSQL: as any other database, but large results stay on the server until they are read."""

from collections.abc import Iterator
from itertools import count

import pyarrow as pa

from leeward.engines.address import TableAddress
from leeward.engines.relations import Table, ibis
from leeward.engines.remote import PIECE, Remote


class Postgres(Remote):
    """A connection to PostgreSQL.

    Ids that are texts are ordered by the database's own collation where a jobs rule orders them.
    """

    def __init__(self, addresses: tuple[TableAddress, ...]) -> None:
        super().__init__(addresses)
        self._cursors = count()

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
        # A named cursor lives on the server; held, it outlives the transactions of other queries.
        name = f"leeward_{next(self._cursors)}"
        with self._backend.con.cursor(name=name, withhold=True) as cursor:
            cursor.execute(self._backend.compile(query))
            while rows := cursor.fetchmany(PIECE):
                columns = [pa.array(column) for column in zip(*rows, strict=True)]
                yield pa.RecordBatch.from_arrays(columns, names=list(query.columns))
