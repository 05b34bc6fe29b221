"""Page: what pages in one file share: rows of their tables, and the mark of confidential ones."""

from collections.abc import Sequence
from dataclasses import dataclass

INTERNAL = "INTERNAL: computed from confidential data. Not for publication."


@dataclass(frozen=True)
class PageRow:
    """A row of a table: its head, its cells, and whether it is one of ours."""

    head: str
    cells: Sequence[str]
    ours: bool = False
