"""Databases: what differs between DuckDB, PostgreSQL, Spark and the others; the one door to Ibis.

Texts are compared byte by byte, whatever collation their columns have. A collation takes different
texts for equal, and not in every query alike: it is lost where rows are kept. Establishments would
then be one in the sizes that the noise follows and two in the counts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any, Protocol

import ibis as ibis  # type: ignore[import-untyped] # noqa: PLC0414 (for the other modules)
import ibis.expr.operations as ops  # type: ignore[import-untyped] # ships no types
import pyarrow as pa

from leeward.publishing.engines.address import TableAddress
from leeward.publishing.engines.driver_errors import hiding_errors

Table = Any
"""A table or a query of Ibis."""

Column = Any
"""A column or a value of Ibis."""


def can(table: Table, operation: str) -> bool:
    """Whether the table's database knows an operation, by its name in Ibis."""
    return bool(table.get_backend().has_operation(getattr(ops, operation)))


class SqlDatabase(Protocol):
    """Three tables, temporary tables derived from them, and two ways to read a result."""

    def tables(self, columns: Mapping[str, tuple[str, ...]] | None = None) -> Mapping[str, Table]:
        """The three tables; with the columns that will be read, in a form fit for reading often."""

    def keep(self, name: str, content: Table | pa.Table) -> Table:
        """A temporary table that vanishes with the connection."""

    def drop(self, name: str) -> None:
        """Remove a temporary table."""

    def rows(self, query: Table) -> list[dict[str, Any]]:
        """A small result."""

    def stream(self, query: Table) -> Iterator[pa.RecordBatch]:
        """A large result, piece by piece; several may be open at once."""

    def digest(self) -> str:
        """SHA-256 over all that is read."""

    def unchanged(self) -> bool:
        """Whether all is as it was when the digest was made; not if none was."""

    def close(self) -> None:
        """End the connection and remove everything temporary."""


class Scratch:
    """The temporary tables of one purpose, under names of their own, dropped together."""

    def __init__(self, database: SqlDatabase, purpose: str = "tabulate") -> None:
        self._database = database
        self._purpose = purpose
        self._numbers = count()
        self._names: list[str] = []

    def keep(self, content: Table | pa.Table) -> Table:
        """A new temporary table: the result of a query, or small public content."""
        name = f"leeward_{self._purpose}_{next(self._numbers)}"
        self._names.append(name)
        return self._database.keep(name, content)

    def clear(self) -> None:
        while self._names:
            self._database.drop(self._names.pop())


@contextmanager
def closed_on_refusal(close: Callable[[], None]) -> Iterator[None]:
    """Close a database whose opening fails: its caller never gets an engine to close."""
    try:
        yield
    except BaseException:
        close()
        raise


def open_tables(
    addresses: Iterable[TableAddress], opened: Callable[[tuple[str, ...]], Table]
) -> dict[str, Table]:
    """The tables of a database, opened by their names; a missing one is refused."""
    return {
        place.table: hiding_errors(
            partial(opened, place.name), place.parameter, place.rule, public=True
        )
        for place in addresses
    }


def small_result(backend: Any, query: Table) -> list[dict[str, Any]]:  # noqa: ANN401 (Ibis ships no types)
    """The rows of a query, by a connection of Ibis that gives Arrow."""
    rows: list[dict[str, Any]] = backend.to_pyarrow(query.as_table()).to_pylist()
    return rows


def row_count(database: SqlDatabase, table: Table) -> int:
    """How many rows a table or query has."""
    (counts,) = database.rows(table.aggregate(rows=table.count()))
    return int(counts["rows"])


WITHOUT: Mapping[str, str] = {
    "duckdb": "decode(encode({}))",
    "postgres": '{}::text COLLATE "C"',
    "sqlite": "{} COLLATE BINARY",
}
"""SQL that drops the collation of a column, by database; for others it is not known."""

KNOWN = frozenset({*WITHOUT, "pyspark"})
"""Databases whose texts are compared byte by byte here; the views of Spark are made so."""


def is_bytewise(table: Table) -> bool:
    """Whether the texts of a table are certainly compared byte by byte."""
    return table.get_backend().name in KNOWN


def bytewise(table: Table) -> Table:
    """The same table; its texts are equal only if their bytes are, and ordered by them."""
    backend, schema = table.get_backend(), table.schema()
    form = WITHOUT.get(backend.name)
    if form is None or not any(kind.is_string() for kind in schema.types):
        return table
    columns = ", ".join(
        f"{form.format(quoted(name))} AS {quoted(name)}" if kind.is_string() else quoted(name)
        for name, kind in schema.items()
    )
    where = backend.compile(table)
    return backend.sql(f"SELECT {columns} FROM ({where}) AS source_rows", schema=schema)  # noqa: S608 (names are quoted)


def quoted(name: str) -> str:
    """A name as all of these databases quote it."""
    return '"' + name.replace('"', '""') + '"'
