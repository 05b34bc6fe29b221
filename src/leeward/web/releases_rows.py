"""Rows: a page of a table as it is shown, each value drawn with its margin."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from leeward.bundle import CertifiedTable
from leeward.bundle.selection import Coded, Page, Row
from leeward.errors import InvalidParameter
from leeward.web.releases_query import CODE

WIDTH = 160
MOST_CHOICES = 100
"""Codes of a list to choose from; of longer ones the first are suggested."""

MOST_LETTERS = 300
MOST_IDENTIFIERS = 40


@dataclass(frozen=True)
class Drawn:
    """Where the bar of a value and the whisker of its margin lie, from 0 to `WIDTH`."""

    start: float
    length: float
    low: float
    high: float
    zero: float
    negative: bool


@dataclass(frozen=True)
class Line:
    """A row, and its picture."""

    row: Row
    drawn: Drawn


@dataclass(frozen=True)
class Choice:
    """The codes of an identifier, all of them or the first; `chosen` is what was asked for."""

    name: str
    codes: tuple[Coded, ...]
    chosen: str
    number: int

    @property
    def whole(self) -> bool:
        """Whether every code is there."""
        return len(self.codes) == self.number


def lines(page: Page) -> list[Line]:
    """All rows of a page on one scale."""
    reach = [(_low(row), _high(row)) for row in page.rows]
    low = min((one for one, _ in reach), default=0)
    high = max((one for _, one in reach), default=0)
    return [Line(row, _drawn(row, min(low, 0), max(high, 0))) for row in page.rows]


def _low(row: Row) -> int:
    return row.value - abs(row.margin or 0)


def _high(row: Row) -> int:
    return row.value + abs(row.margin or 0)


def _drawn(row: Row, low: int, high: int) -> Drawn:
    def place(value: int) -> float:
        return round(WIDTH * (value - low) / ((high - low) or 1), 1)

    zero, end = place(0), place(row.value)
    return Drawn(
        min(zero, end), abs(end - zero), place(_low(row)), place(_high(row)), zero, row.value < 0
    )


def refuse_wide(table: CertifiedTable) -> None:
    """Refuse a table that no page could show: certificates of strangers may list anything."""
    if len(table.identifiers) > MOST_IDENTIFIERS:
        raise InvalidParameter(
            "table",
            rule=f"must have at most {MOST_IDENTIFIERS} identifiers to be shown",
            value=f"{len(table.identifiers):,}",
            next_step="Read it with a program that reads Parquet.",
        )


def cut(text: str) -> str:
    """A text that a page can hold fifty times."""
    return text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS] + "…"


def choices(table: CertifiedTable, asked: Mapping[str, str]) -> list[Choice]:
    """A list for each identifier, with what the address asks of it."""
    return [_choice(table, name, asked.get(f"{CODE}{name}", "")) for name in table.identifiers]


def _choice(table: CertifiedTable, name: str, chosen: str) -> Choice:
    listed = table.codes[name]
    short = ((code, label) for code, label in listed.items() if len(code) <= MOST_LETTERS)
    codes = tuple(Coded(code, cut(label)) for code, label in islice(short, MOST_CHOICES))
    return Choice(name, codes, chosen, len(listed))
