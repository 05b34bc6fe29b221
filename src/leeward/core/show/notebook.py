"""Notebook: how values show themselves, as HTML without a script, and the rows of their tables."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leeward.core.show.charts import Bars, BudgetChart
    from leeward.core.show.heat import HeatMap

MOST_ROWS = 20
"""Maximum number of rows of a table that is shown."""

FRAME_BORDER = 180
"""Height in pixels of a picture without its rows."""

FRAME_ROWS = {"bars": 42, "heat": 21}
"""Height in pixels of a row, by the kind of chart."""

INTERNAL = "INTERNAL: computed from confidential data. Not for publication."
"""The mark of confidential pages."""

CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class PageRow:
    """A row of a table: its head, its cells, and whether it is one of ours."""

    head: str
    cells: Sequence[str]
    ours: bool = False


def prose(text: object) -> str:
    """The HTML of words: everything is escaped, and what is in backticks is code."""
    return CODE.sub(r"<code>\1</code>", escape(str(text)))


def html_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    note: str = "",
) -> str:
    """A title, a table with a row of headings, and a note below it; every text is escaped.

    Words of the note and of cells may have `code` in backticks.
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    cells = ("".join(f"<td>{prose(value)}</td>" for value in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    below = f"<p>{prose(note)}</p>" if note else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    wide = f'<div style="overflow-x: auto" tabindex="0">{table}</div>'
    return f"<div><p><b>{escape(title)}</b></p>{wide}{below}</div>"


@dataclass(frozen=True)
class Figure:
    """A chart and its caption; a notebook shows it, `save` writes a page of it.

    Examples
    --------
    >>> bundle["by_place"].picture().save(folder / "by_place.html").name
    'by_place.html'
    """

    chart: "Bars | BudgetChart | HeatMap"
    caption: str

    def to_html(self) -> str:
        """A whole page with its style: it needs no other file, no script and no network."""
        from leeward.core.show.environment import template  # noqa: PLC0415 (loads Jinja)

        return template("show/figure.html.j2").render(figure=self)

    def save(self, path: Path | str) -> Path:
        """Write the page to a file, which a browser opens and prints.

        Parameters
        ----------
        path
            The file, such as ``by_place.html``.

        Returns
        -------
        Path
            The same path.
        """
        target = Path(path)
        target.write_text(self.to_html(), encoding="utf-8")
        return target

    def __repr__(self) -> str:
        return f"Figure({self.caption!r})"

    def _repr_html_(self) -> str:
        """A frame of its own, because its style is that of a page and not of the notebook."""
        rows = len(getattr(self.chart, "rows", ()))
        height = FRAME_BORDER + FRAME_ROWS.get(self.chart.kind, 0) * rows
        return (
            f'<iframe title="{escape(self.caption)}" srcdoc="{escape(self.to_html())}" sandbox="" '
            f'style="width: 100%; height: {height}px; border: 0"></iframe>'
        )
