"""DuckDB inside this process, in memory and over the tables of a DuckDB file."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from leeward.core.codebook.resources import Resources
from leeward.publishing.engines.address import TableAddress
from leeward.publishing.engines.database import (
    Table,
    bytewise,
    closed_on_refusal,
    ibis,
    open_tables,
    quoted,
    small_result,
)
from leeward.publishing.engines.digest import digest_rows, state
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.private_file import SpillFolder, no_room

PIECE = 200_000
"""Rows in a piece of a stream."""

ATTACHED = "source"
"""The name under which a DuckDB file is attached."""

QUIET = "SET enable_progress_bar = false"
"""The bar would be mixed into what a command prints, which may be JSON."""

AS_WRITTEN = "SET disabled_optimizers = 'join_order,build_side_probe_side'"
"""Joins hash their right side, here code lists: otherwise DuckDB may hash all rows of a file."""

DECLARED = "SELECT sql FROM duckdb_tables() WHERE database_name = ? AND table_name = ?"


class Embedded:
    """An in-memory database that spills into a private folder, removed when it is closed.

    Derived tables are ordinary tables of the in-memory database, not temporary ones: a temporary
    table is visible to one cursor only, and every open stream needs its own.
    """

    def __init__(self, resources: Resources) -> None:
        self._spill = SpillFolder(resources.spill)
        limit = {} if resources.memory is None else {"memory_limit": f"{resources.memory}B"}
        self._backend = ibis.duckdb.connect(
            ":memory:",
            temp_directory=str(self._spill.path / "rows"),
            preserve_insertion_order=False,
            autoinstall_known_extensions=False,
            autoload_known_extensions=False,
            **limit,
        )
        self._backend.con.execute(QUIET)

    def keep(self, name: str, content: Table | pa.Table) -> Table:
        """Rows go by way of a file: in memory they would load all of PyArrow's datasets."""
        connection = self._backend.con
        if not isinstance(content, pa.Table):
            connection.execute(f'CREATE TABLE "{name}" AS {self._backend.compile(content)}')
            return self._backend.table(name)
        path = self._spill.path / f"{name}.parquet"
        try:
            pq.write_table(content, path, compression="zstd")
        except OSError:
            raise no_room(path.parent) from None
        connection.execute(f'CREATE TABLE "{name}" AS FROM read_parquet(?)', [str(path)])
        path.unlink()
        return self._backend.table(name)

    def hide(self, name: str, content: Table) -> Table:
        """Keep a query as a compressed file of the spill folder, so that no memory holds its rows.

        It goes with the folder.
        """
        path = str(self._spill.path / f"{name}.parquet").replace("'", "''")
        connection = self._backend.con
        connection.execute(AS_WRITTEN)
        connection.execute(f"COPY ({self._backend.compile(content)}) TO '{path}' (FORMAT parquet)")
        connection.execute(f"CREATE VIEW \"{name}\" AS FROM read_parquet('{path}')")
        connection.execute("RESET disabled_optimizers")
        return self._backend.table(name)

    def counted(self, name: str, columns: Sequence[str]) -> Mapping[str, NDArray[Any]]:
        """Different values of these columns, masked where null, and `rows`, how many have them."""
        listed = "".join(f"{quoted(column)}, " for column in columns)
        query = f'SELECT {listed}count(*) AS "rows" FROM {quoted(name)} GROUP BY ALL'  # noqa: S608
        counts: dict[str, NDArray[Any]] = self._backend.con.execute(query).fetchnumpy()
        return counts

    def drop(self, name: str) -> None:
        self._backend.drop_table(name)

    def rows(self, query: Table) -> list[dict[str, Any]]:
        return small_result(self._backend, query)

    def stream(self, query: Table) -> Iterator[pa.RecordBatch]:
        cursor = self._backend.con.cursor()
        cursor.execute(QUIET)  # each has settings of its own
        try:
            yield from cursor.execute(self._backend.compile(query)).fetch_record_batch(PIECE)
        finally:
            cursor.close()

    def close(self) -> None:
        self._backend.disconnect()
        self._spill.remove()


class DuckFile(Embedded):
    """Three tables of one DuckDB file, which is attached and never written.

    An attached file is read as it was when it was opened, whatever others write meanwhile. So
    `unchanged` also compares the state of the file and of its write-ahead log.
    """

    def __init__(self, addresses: tuple[TableAddress, ...], resources: Resources) -> None:
        super().__init__(resources)
        self._paths = (Path(addresses[0].url), Path(f"{addresses[0].url}.wal"))
        self._before: tuple[object, ...] = ()
        with closed_on_refusal(self.close):
            path, rule = addresses[0].url.replace("'", "''"), "must be a DuckDB file"
            attach = f"ATTACH '{path}' AS {ATTACHED} (READ_ONLY)"
            hiding_errors(lambda: self._backend.raw_sql(attach), "data", rule, public=True)
            self._opened = open_tables(addresses, self._table)

    def _table(self, name: tuple[str, ...]) -> Table:
        schema = name[0] if len(name) > 1 else "main"
        table = self._backend.table(name[-1], database=(ATTACHED, schema))
        declared = self._backend.con.execute(DECLARED, [ATTACHED, name[-1]]).fetchall()
        # For a view it is not known whether a collation was declared.
        collated = not declared or any("collate" in sql.lower() for (sql,) in declared)
        return bytewise(table) if collated else table

    def tables(self, columns: Mapping[str, tuple[str, ...]] | None = None) -> Mapping[str, Table]:
        return self._opened

    def digest(self) -> str:
        self._before = self._now()
        return str(self._before[0])

    def unchanged(self) -> bool:
        return self._now() == self._before

    def _now(self) -> tuple[object, ...]:
        return digest_rows(self, self._opened), *map(state, self._paths)
