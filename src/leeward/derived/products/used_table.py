"""Used table: a published table whose rows fill columns of a public layout.

Pay becomes whole dollars, codes become those of the layout; a table that does not fit is rejected.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from leeward.core.codebook import Flag
from leeward.core.codebook.known_statistics import PERCENTILE
from leeward.core.codebook.statistic import COUNT
from leeward.core.show.numbers import Ends, crossed
from leeward.derived.products.public_layout import MeasureRule, PublicLayout, refused
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import read_blocks
from leeward.publishing.bundle.selection import named_rows
from leeward.publishing.bundle.table_statements import StatisticStatement

MONTHS = {"month": 1, "quarter": 3, "year": 12}
HUNDREDTHS = {"dollar": 100, "dollars": 100, "cent": 1, "cents": 1}
YEARS = re.compile(r"\b([0-9]{4})\s*(?:-|–|to)\s*([0-9]{4})\b")
QUARTER = re.compile(r"(?P<year>[0-9]{4})[ _-]?Q(?P<quarter>[1-4])")


@dataclass(frozen=True)
class Number:
    """A number of a layout: the row and the column that it belongs to.

    One that is `second` counts only where no other table gives that number.
    """

    key: tuple[str, ...]
    column: str
    value: int | None
    status: int
    second: bool = False


@dataclass(frozen=True)
class CodedRow:
    """A row of a published table. A code of a total is left out: it means all codes."""

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


def published_rows(bundle: Bundle, table: CertifiedTable) -> Iterator[CodedRow]:
    """The rows of a table, totals among them."""
    totals = {} if table.totals is None else table.totals.codes
    for block in read_blocks(bundle, table, totals=True):
        for row in named_rows(table, block):
            named = zip(table.identifiers, (cell.code for cell in row.codes), strict=True)
            codes = {name: code for name, code in named if totals.get(name) != code}
            count = row.margins[-1] if table.count_columns else None
            yield CodedRow(codes, row.value, row.status, row.ends or (None, None), count)


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
    span = YEARS.search(label)
    return 1 if span is None else max(1, int(span[2]) - int(span[1]) + 1)


def _in_order(where: Mapping[str, object] | None) -> object:
    listed = (where or {}).items()
    return {name: sorted(codes) if isinstance(codes, list) else codes for name, codes in listed}


@dataclass(frozen=True)
class UsedTable:
    """A table of a bundle that fills columns of a layout."""

    layout: PublicLayout
    bundle: Bundle
    table: CertifiedTable
    measure: str

    @property
    def rule(self) -> MeasureRule:
        """What the layout says of its measure."""
        return self.layout.tables[self.measure]

    @cached_property
    def columns(self) -> dict[str, str]:
        """For each identifier of the table the column that its codes go to; some have none."""
        table, columns = self.table, self.layout.attributes
        beside = {self.rule.named_by, PERCENTILE if self.rule.at else ""}
        by = [name for name in table.identifiers if name not in beside]
        filled = {name: columns[name] for name in by if name in columns}
        if len({*filled.values()}) < len(by):
            raise refused(
                f"needs tables by some of {', '.join(columns)}, each column of the layout once",
                f"{table.name} by {', '.join(table.identifiers)}",
                "Name the attribute as the layout does, or leave the table out.",
            )
        return filled

    @cached_property
    def period(self) -> dict[str, str]:
        """Year and quarter of the release, of a layout that has columns for them."""
        if not any(column.part_of_period for column in self.layout.identifiers.values()):
            return {}
        stated = self.bundle.certificate
        period = QUARTER.fullmatch(stated.period.strip())
        if period is None:
            raise refused(
                "needs releases of one quarter each, such as 2026Q2",
                f"{stated.name} of {stated.period}",
                "Write such a period into the plan, and release again.",
            )
        return period.groupdict()

    @cached_property
    def file(self) -> str:
        """The group whose file the table fills; empty where a layout has no such files."""
        if not self.layout.files:
            return ""
        by = {*self.columns.values()} - {*self.layout.every_file}
        for file, columns in self.layout.files.items():
            levels = {name for name in columns if self.layout.identifiers[name].level_of}
            if by == {*columns} - levels:
                return file
        raise refused(
            f"needs tables by the group of one of its files, such as {self.layout.such_as}",
            f"{self.table.name} by {', '.join(self.table.identifiers)}",
            "Release a table by one of these groups, or leave it out.",
        )

    @property
    def words(self) -> str:
        """What the table is of and what it was used for, for a reader of the files."""
        listed = {
            name: ", ".join(map(str, codes)) if isinstance(codes, list) else str(codes)
            for name, codes in (self.table.where or {}).items()
        }
        jobs = "".join(f", {name} in {codes}" for name, codes in listed.items())
        by = crossed(self.table.identifiers)
        return f"  {self.table.name}, {by}{jobs}: {self.measure}, by {self.table.mechanism}"

    def require_rule(self) -> None:
        """Reject a table of another statistic or of other jobs than its measure is about."""
        rule, table = self.rule, self.table
        statistic = COUNT.name if table.statistic is None else table.statistic.name
        known = {*table.codes.get(PERCENTILE, ())}
        if rule.statistic not in ("", statistic) or not {*rule.at} <= known:
            listed = f" at {', '.join(rule.at)}" if rule.at else ""
            raise refused(
                f"needs {table.name} to be of statistic: {rule.statistic}{listed}",
                table.statistic_words,
                "Change the table's statistic in the plan, or its name.",
            )
        if rule.where is not None and _in_order(rule.where) != _in_order(table.where):
            jobs = f"the jobs where: {rule.where}" if rule.where else "all jobs"
            raise refused(
                f"needs {self.measure} to be of {jobs}",
                f"{table.name} where {table.where or 'all jobs'}",
                "Change the table's where in the plan, or its name.",
            )

    def numbers(self) -> Iterator[tuple[str, Number]]:
        """The numbers that the rows of the table give, each with the name of its file."""
        self.require_rule()
        columns, identifiers = self.layout.columns_of(self.file), self.layout.identifiers
        naming = [name for name, column in identifiers.items() if column.names_file]
        names = {column: name for name, column in self.columns.items()}
        for row in published_rows(self.bundle, self.table):
            # The codes of the layout; given are those that the table has.
            given = {column: row.codes[name] for column, name in names.items() if name in row.codes}
            codes = {**self.rule.codes} | self.period
            for name, column in identifiers.items():
                if column.level_of:
                    codes[name] = column.level(given.get(column.level_of))
                elif column.years_of in given:  # a cohort's label says of how many years it is
                    label = self.table.codes[names[column.years_of]][given[column.years_of]]
                    codes[name] = str(years_of(label))
                elif name not in codes or name in names:
                    codes[name] = column.code(name, given.get(name))
            adding = ((name, column) for name, column in identifiers.items() if column.adds)
            codes |= {name: column.added(codes, given) for name, column in adding}
            key = tuple(codes[column] for column in columns)
            file = self.file or "".join(codes[column] for column in naming)
            for title, value in self._values(row):
                yield file, Number(key, title, value, row.status)
            if self.table.count_columns and self.rule.count_at(row.codes.get(PERCENTILE)):
                count = Number(key, self.rule.count, row.count, row.count_status, second=True)
                yield file, count

    def _values(self, row: CodedRow) -> Iterator[tuple[str, int | None]]:
        """Columns and what is written in them, pay in dollars."""
        rule, at = self.rule, row.codes.get(PERCENTILE, "")
        if rule.at and at not in rule.at:
            return
        names = rule.columns(at)
        if rule.named_by:
            name = row.codes.get(rule.named_by, "")
            if name not in self.layout.numbers:
                others = (measure for measure, r in self.layout.tables.items() if r.named_by)
                raise refused(
                    f"needs a column {rule.named_by} with names of {self.layout.name.upper()}, "
                    f"such as {next(iter(self.layout.numbers))}",
                    f"{self.table.name} with {name or f'no {rule.named_by}'}",
                    f"Release statistic: {' or '.join(others)}, or give the table another name.",
                )
            names = (name,)
        for column, value in zip(names, (row.value, *row.ends), strict=False):
            yield column, dollars(self.table, value, rule.dollars_of) if rule.dollars_of else value
