"""Detail: how much a report draws, so that it stays small with many tables."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Detail:
    """The most bars and squares of a table's pictures, tables with a section, and lines of lists.

    None stands for all.
    """

    bars: int
    squares: int
    margins: bool = True
    tables: int | None = None
    listed: int | None = None

    @property
    def sentence(self) -> str:
        """What was left out; nothing at full detail."""
        if self == DETAILS[0]:
            return ""
        kept = f"at most {self.bars} cells of a table" if self.bars else "no pictures"
        if self.squares:
            kept += f", and all of them only where they are at most {self.squares}"
        first = "" if self.tables is None else f" Only the first {self.tables} have a section here."
        return f"To keep this file small with so many tables, it shows {kept}.{first}"


DETAILS = (
    Detail(bars=25, squares=1000),
    Detail(bars=15, squares=400),
    Detail(bars=10, squares=100),
    Detail(bars=5, squares=0),
    Detail(bars=0, squares=0, margins=False),
    Detail(bars=0, squares=0, margins=False, tables=100, listed=1000),
)
"""From the most to the least; a report takes the first that stays under its size."""
