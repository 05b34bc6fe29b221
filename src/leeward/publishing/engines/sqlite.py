"""SQLite: a type for each value, whatever a column declares; so every value has a rule of its own.

A blob, and a text that is not UTF-8, is a missing value: SQLite gives neither to Python as text.
In a column of numbers with fractions, or of truth values, a text is one too. A column without a
declared type holds texts.
"""

from leeward.publishing.engines.database import Table, ibis, quoted
from leeward.publishing.engines.loose_values import decoded, value_text
from leeward.publishing.engines.remote import Remote

COLUMNS = "SELECT name, type FROM pragma_table_info(?, ?)"

TEXT, NUMBER = "leeward_text", "leeward_number"
"""Functions that this connection knows: a text of its bytes or a null, and the text of a real."""

CHECKED = f"""CASE WHEN {{0}} GLOB '*[^' || char(1) || '-~]*'
        OR length({{0}}) <> length(CAST({{0}} AS BLOB))
    THEN {TEXT}(CAST({{0}} AS BLOB)) ELSE {{0}} END"""
"""A text; one of other signs than those of ASCII is looked at."""

TEXTS = f"""CASE typeof({{0}}) WHEN 'text' THEN {CHECKED}
    WHEN 'integer' THEN CAST({{0}} AS TEXT) WHEN 'real' THEN {NUMBER}({{0}}) END"""
NUMBERS = "CASE WHEN typeof({0}) IN ('integer', 'real') THEN {0} END"
EITHER = f"CASE typeof({{0}}) WHEN 'text' THEN {CHECKED} WHEN 'blob' THEN NULL ELSE {{0}} END"
"""What is read of a column of texts, of one that may have fractions, and of any other."""


class Sqlite(Remote):
    """A connection to a file of SQLite."""

    def _table(self, name: tuple[str, ...]) -> Table:
        schema, table = name if len(name) > 1 else ("main", name[-1])
        connection = self._backend.con
        connection.create_function(TEXT, 1, decoded, deterministic=True)
        connection.create_function(NUMBER, 1, value_text, deterministic=True)
        declared = connection.execute(COLUMNS, (table, schema)).fetchall()
        # Ibis would take the type of a column that is not declared from the first row.
        read_type = self._backend._parse_type
        kinds = {name: read_type(kind or "text", nullable=True) for name, kind in declared}
        columns = []
        for column, kind in kinds.items():
            fractions = kind.is_floating() or (kind.is_decimal() and kind.scale != 0)
            other = NUMBERS if fractions or kind.is_boolean() else EITHER
            form = TEXTS if kind.is_string() else other
            columns.append(f"{form.format(quoted(column))} AS {quoted(column)}")
        query = f"SELECT {', '.join(columns)} FROM {quoted(schema)}.{quoted(table)}"  # noqa: S608 (names are quoted)
        return self._backend.sql(query, schema=ibis.schema(kinds))
