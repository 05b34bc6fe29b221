"""Notebook: how values show themselves in a notebook, as small HTML tables without a script."""

from collections.abc import Iterable, Sequence
from html import escape

MOST_ROWS = 20
"""Maximum number of rows of a table that is shown."""


def html_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    note: str = "",
) -> str:
    """A title, a table with a row of headings, and a note below it; every text is escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div><p><b>{escape(title)}</b></p>{table}{below}</div>"


def _cells(row: Sequence[object]) -> str:
    return "".join(f"<td>{escape(str(value))}</td>" for value in row)
