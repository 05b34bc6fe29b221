"""Code texts: what a public column holds, as the beginning of a code list."""

from leeward.engines.database import Database
from leeward.engines.headers import holds_codes, no_such_column
from leeward.engines.recoding import as_text
from leeward.errors import BadData

MOST_TEXTS = 1_000_000
"""As many as a code list may have."""


def list_codes(database: Database, column: str) -> tuple[str, ...]:
    """The texts of a column of the workplaces table in order; other tables are not asked."""
    table = database.tables()["workplaces"]
    if column not in table.columns:
        raise no_such_column(table, "workplaces", column)
    if not holds_codes(table[column]):
        raise BadData(
            f"data.workplaces.{column}",
            rule="must hold text, whole numbers or true and false",
            value=str(table[column].type()),
            next_step="List a column of codes.",
        )
    texts = table.filter(table[column].notnull()).select(text=as_text(table[column])).distinct()
    found = [row["text"] for row in database.rows(texts.limit(MOST_TEXTS + 1))]
    if len(found) > MOST_TEXTS:
        raise BadData(
            f"data.workplaces.{column}",
            rule=f"must hold at most {MOST_TEXTS} different texts to be listed",
            value="more",
            next_step="Choose a column of codes, not one of ids or names.",
        )
    return tuple(sorted(found))
