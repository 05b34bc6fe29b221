"""Bytewise: texts are compared byte by byte, whatever collation their columns have.

A collation takes different texts for equal, and not in every query alike: it is lost where rows are
kept. Establishments would then be one in the sizes that the noise follows and two in the counts.
"""

from collections.abc import Mapping

from leeward.engines.relations import Table

WITHOUT: Mapping[str, str] = {
    "duckdb": "decode(encode({}))",
    "postgres": '{}::text COLLATE "C"',
    "sqlite": "{} COLLATE BINARY",
}
"""How a database forgets the collation of a column. Of others it is not known."""


KNOWN = frozenset({*WITHOUT, "pyspark"})
"""Databases whose texts are compared so here; Spark's views are made so."""


def is_bytewise(table: Table) -> bool:
    """Whether that is certain of the database of a table."""
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
