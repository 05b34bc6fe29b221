"""Layout file: a file of a public layout, filled with the numbers of published tables.

A number is written where its flag is 1 and left empty elsewhere. Noise takes counts below 0; public
products have none, so that these are written as 0.
"""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from math import inf

from leeward.core.codebook import Flag
from leeward.derived.products.public_layout import PublicLayout, refused

DIGITS = re.compile(r"[0-9]+")
Key = tuple[str, ...]


@dataclass(frozen=True)
class Number:
    """A number of a layout: the row and the column that it belongs to.

    One that is `second` counts only where no other table gives that number.
    """

    key: Key
    column: str
    value: int | None
    status: int
    second: bool = False


@dataclass
class LayoutFile:
    """A file: its columns of codes, and for each row of codes its numbers."""

    name: str
    layout: PublicLayout
    identifiers: tuple[str, ...]
    flags: Mapping[str, str]
    """For each number its flag; empty where it has none."""
    rows: dict[Key, dict[str, Number]] = field(default_factory=dict)

    def put(self, number: Number) -> None:
        """Keep a number; one that another table gave already is rejected."""
        row = self.rows.setdefault(number.key, {})
        known = row.get(number.column)
        if known is not None and known.second == number.second:
            raise refused(
                "needs each number of the layout from one table alone",
                f"{number.column} of {', '.join(number.key)} twice",
                "Leave one of the bundles out, or give one of the tables another name.",
            )
        if known is None or known.second:
            row[number.column] = number

    @property
    def raised(self) -> int:
        """How many numbers are below 0 and are written as 0."""
        every = (number for row in self.rows.values() for number in row.values())
        return sum(
            (cell.value or 0) < 0 and cell.column not in self.layout.signed for cell in every
        )

    def text(self) -> str:
        """The file as CSV: identifiers, numbers, then flags; rows in the order of their codes."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(
            (*self.identifiers, *self.flags, *dict.fromkeys(filter(None, self.flags.values())))
        )
        writer.writerows(
            [*key, *self._numbers(self.rows[key])] for key in sorted(self.rows, key=_order)
        )
        return text.getvalue()

    def _numbers(self, row: Mapping[str, Number]) -> list[object]:
        """The numbers of a row, then the flags: of several numbers that share one, the lowest."""
        flags: dict[str, int] = {}
        for column, flag in self.flags.items():
            if flag:
                own = self._flag(row.get(column), flag)
                flags[flag] = min(own, flags.get(flag, own))
        numbers = [
            self._written(row.get(column)) if not flag or flags[flag] == Flag.OK else ""
            for column, flag in self.flags.items()
        ]
        return [*numbers, *flags.values()]

    def _flag(self, number: Number | None, flag: str) -> int:
        if number is None:
            return self.layout.absent.get(flag, Flag.NO_NUMBER)
        status = max(number.status, self.layout.lowest_flag)
        return int(min(status, Flag.NO_NUMBER) if number.value is None else status)

    def _written(self, number: Number | None) -> object:
        if number is None or number.value is None:
            return ""
        return number.value if number.column in self.layout.signed else max(number.value, 0)


def _order(key: Key) -> list[tuple[float, str]]:
    """Codes by the number that they begin with, so that 10 years come after 2; then the others."""
    begun = [(DIGITS.match(code), code) for code in key]
    return [(inf if number is None else int(number[0]), code) for number, code in begun]
