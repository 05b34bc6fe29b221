"""Sheet: a file of a public layout, filled with the numbers of published tables.

A number is written where its flag is 1 and left empty elsewhere. Noise takes counts below 0; public
products have none, so that these are written as 0.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from math import inf

from leeward.core.codebook import Flag
from leeward.core.codebook.statistic import COUNT, PERCENTILE
from leeward.core.errors import InvalidParameter, shown
from leeward.core.show.numbers import Ends
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import read_blocks
from leeward.publishing.bundle.pay_statements import StatisticStatement
from leeward.publishing.bundle.selection import named_rows

PARAMETER = "--form"
MONTHS = {"month": 1, "quarter": 3, "year": 12}
HUNDREDTHS = {"dollar": 100, "dollars": 100, "cent": 1, "cents": 1}
YEARS = re.compile(r"\b([0-9]{4})\s*(?:-|–|to)\s*([0-9]{4})\b")
DIGITS = re.compile(r"[0-9]+")
Key = tuple[str, ...]


def refused(rule: str, value: object, next_step: str) -> InvalidParameter:
    """The refusal of what a layout cannot hold."""
    return InvalidParameter(PARAMETER, rule=rule, value=shown(value), next_step=next_step)


@dataclass(frozen=True)
class Cell:
    """A row of a published table. A code of a total is left out: it stands for all codes."""

    codes: Mapping[str, str]
    value: int | None
    status: int
    ends: Ends
    count: int | None

    @property
    def count_status(self) -> int:
        """The flag of the count, which is there where what was measured gives no value."""
        there = self.status == Flag.NO_NUMBER and self.count is not None
        return int(Flag.OK if there else self.status)


def cells(bundle: Bundle, table: CertifiedTable) -> Iterator[Cell]:
    """The rows of a table, totals among them."""
    totals = {} if table.totals is None else table.totals.codes
    for block in read_blocks(bundle, table, totals=True):
        for row in named_rows(table, block):
            named = zip(table.identifiers, (one.code for one in row.codes), strict=True)
            codes = {name: code for name, code in named if totals.get(name) != code}
            count = row.margins[-1] if table.count_columns else None
            yield Cell(codes, row.value, row.status, row.ends or (None, None), count)


def columns_of(
    table: CertifiedTable, columns: Mapping[str, str], beside: Iterable[str] = ()
) -> dict[str, str]:
    """For each identifier of a table the column that its codes go to; `beside` has none."""
    by = [name for name in table.identifiers if name not in beside]
    unknown = [name for name in by if name not in columns]
    found = {name: columns[name] for name in by if name in columns}
    if unknown or len({*found.values()}) < len(found):
        known = ", ".join(columns)
        raise refused(
            f"needs tables by some of {known}, each column of the layout once",
            f"{table.name} by {', '.join(table.identifiers)}",
            "Name the attribute as the layout does, or leave the table out.",
        )
    return found


def require(table: CertifiedTable, statistic: str, at: Iterable[str] = ()) -> None:
    """Refuse a table of another statistic; `at` are the percentages that percentiles must have."""
    found = COUNT.name if table.statistic is None else table.statistic.name
    if found != statistic or not {*at} <= {*table.codes.get(PERCENTILE, ())}:
        listed = f" at {', '.join(at)}" if at else ""
        raise refused(
            f"needs {table.name} to be of statistic: {statistic}{listed}",
            table.statistic_words,
            "Change the table's statistic in the plan, or its name.",
        )


def dollars(table: CertifiedTable, number: int | None, period: str) -> int | None:
    """Pay in whole dollars of a month, a quarter or a year, rounded half up."""
    said = table.statistic
    unit, of = (said.unit, said.period) if isinstance(said, StatisticStatement) else (None, None)
    if unit not in HUNDREDTHS or of not in MONTHS:
        raise refused(
            "needs pay in dollars or cents of a month, a quarter or a year",
            f"{table.name} in {table.unit}",
            "Write unit and period of the column into the codebook, and release again.",
        )
    if number is None:
        return None
    top, bottom = number * HUNDREDTHS[unit] * MONTHS[period], 100 * MONTHS[of]
    return (2 * top + bottom) // (2 * bottom)


def years_of(label: str) -> int:
    """The years of a cohort: 3 for a label such as 2010-2012, else 1."""
    found = YEARS.search(label)
    return 1 if found is None else max(1, int(found[2]) - int(found[1]) + 1)


@dataclass(frozen=True)
class Number:
    """A number of a layout: the sheet, the row and the column that it belongs to.

    One that is `second` counts only where no other table gives that number.
    """

    sheet: str
    key: Key
    column: str
    value: int | None
    status: int
    second: bool = False


@dataclass
class Sheet:
    """A file: identifiers, numbers and their flags. Several numbers may share a flag.

    A number whose flag is None has none, and is empty where it is not there. `absent` are flags of
    numbers that no table gives, where that is not −1, and `lowest` is the lowest flag that the
    product knows. Columns of `signed` may be below 0.
    """

    name: str
    identifiers: tuple[str, ...]
    flags: Mapping[str, str | None]
    absent: Mapping[str, int] = field(default_factory=dict)
    signed: tuple[str, ...] = ()
    lowest: Flag = Flag.NO_NUMBER
    rows: dict[Key, dict[str, Number]] = field(default_factory=dict)

    @property
    def header(self) -> tuple[str, ...]:
        """Identifiers, numbers, then flags, each once."""
        flags = dict.fromkeys(flag for flag in self.flags.values() if flag is not None)
        return (*self.identifiers, *self.flags, *flags)

    def put(self, number: Number) -> None:
        """Keep a number; one that another table gave already is refused."""
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
        return sum((one.value or 0) < 0 and one.column not in self.signed for one in every)

    def text(self) -> str:
        """The file as CSV, its rows in the order of their identifiers."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows(
            [*key, *self._numbers(self.rows[key])] for key in sorted(self.rows, key=_order)
        )
        return text.getvalue()

    def _numbers(self, row: Mapping[str, Number]) -> list[object]:
        """The numbers of a row, then the flags: of several numbers that share one, the lowest."""
        flags: dict[str, int] = {}
        for column, flag in self.flags.items():
            if flag is not None:
                own = self._flag(row.get(column), flag)
                flags[flag] = min(own, flags.get(flag, own))
        numbers = [
            self._written(row.get(column)) if flag is None or flags[flag] == Flag.OK else ""
            for column, flag in self.flags.items()
        ]
        return [*numbers, *flags.values()]

    def _flag(self, number: Number | None, flag: str) -> int:
        if number is None:
            return self.absent.get(flag, Flag.NO_NUMBER)
        status = max(number.status, self.lowest)
        return int(min(status, Flag.NO_NUMBER) if number.value is None else status)

    def _written(self, number: Number | None) -> object:
        if number is None or number.value is None:
            return ""
        return number.value if number.column in self.signed else max(number.value, 0)


def _order(key: Key) -> list[tuple[float, str]]:
    """Codes by the number that they begin with, so that 10 years come after 2; then the others."""
    found = [(DIGITS.match(code), code) for code in key]
    return [(inf if number is None else int(number[0]), code) for number, code in found]
