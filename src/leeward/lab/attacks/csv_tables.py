"""CSV tables: the tables of one release, read from CSV files as cells and sums.

Columns are attributes, beside one column `value`: a whole number, a class `low..high` or
`low-high`, `low..` without an upper end, or nothing where the number is withheld. One table has all
attributes; its rows without totals are the cells. All other rows are sums of them: an attribute is
summed over where a table does not have it, or where its code is empty, `*`, `all` or `total`.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leeward.core.codebook.cells import Integers
from leeward.core.errors import BadFile
from leeward.lab.baselines.feasibility import UNBOUNDED, Equations, Feasible

VALUE = "value"
TOTALS = ("", "*", "all", "total")
"""Codes of an attribute that is summed over, in any case of letters."""

FORM = "Give columns of codes and a column value, which is empty where a number is withheld."

MOST_ROWS = 200_000
"""Rows of all tables together."""

NUMBER = re.compile(r"(\d{1,12})(?:(?:\.\.|-|–)(\d{1,12})|(\.\.))?")

Codes = tuple[str | None, ...]
"""A code for each attribute; None where it is summed over."""


@dataclass(frozen=True)
class PublishedRow:
    """A published number, which is from low to high."""

    codes: Codes
    low: int
    high: int


@dataclass(frozen=True, eq=False, repr=False)
class CsvTables:
    """Cells by all attributes, and what the tables say of them and of their sums."""

    attributes: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    feasible: Feasible

    @property
    def open_cells(self) -> Integers:
        """The cells that were not published exactly."""
        return np.flatnonzero(self.feasible.low < self.feasible.high)


def read_tables(paths: Sequence[Path]) -> CsvTables:
    """Read the tables of one release; refusals name the file and the line, never what is in it."""
    headers = [_header(path) for path in paths]
    attributes = tuple(
        dict.fromkeys(name for header in headers for name in header if name != VALUE)
    )
    finest = [
        path for path, columns in zip(paths, headers, strict=True) if {*attributes} <= {*columns}
    ]
    if not attributes or not finest:
        raise BadFile(
            "tables",
            rule="must have one that has the attribute columns of all others, its cells",
            value="none",
            next_step="Add the finest table, with empty values where they are withheld.",
        )
    cells: dict[Codes, PublishedRow] = {}
    sums: list[PublishedRow] = []
    for path in (finest[0], *(other for other in paths if other != finest[0])):
        for line, row in _rows(path, attributes):
            if None in row.codes or path != finest[0]:
                sums.append(row)
            elif row.codes in cells:
                raise _bad(path, "must have each cell once", f"a cell twice, in line {line}")
            else:
                cells[row.codes] = row
        if len(cells) + len(sums) > MOST_ROWS:
            raise _bad(path, f"must have {MOST_ROWS:,} rows in all tables at most", "more")
    return _joined(attributes, list(cells.values()), sums)


def _joined(
    attributes: tuple[str, ...], cells: list[PublishedRow], sums: list[PublishedRow]
) -> CsvTables:
    """Every sum finds its cells; one of nothing must be able to be 0."""
    said = [total for total in sums if total.low > 0 or total.high < UNBOUNDED]
    members = _members([cell.codes for cell in cells], [row.codes for row in said])
    if any(not some and row.low > 0 for some, row in zip(members, said, strict=True)):
        raise BadFile(
            "tables",
            rule="must have sums above 0 only of cells that the finest table lists",
            value="a sum of none",
            next_step="Add these cells to the finest table, with empty values.",
        )
    feasible = Feasible(
        Equations.listed(members),
        *(_column(cells, end) for end in ("low", "high")),
        *(_column(said, end) for end in ("low", "high")),
    )
    named = tuple(tuple(code or "" for code in row.codes) for row in cells)
    return CsvTables(attributes, named, feasible)


def _column(rows: Sequence[PublishedRow], end: str) -> Integers:
    return np.array([getattr(row, end) for row in rows], dtype=np.int64)


def _members(cells: Sequence[Codes], sums: Sequence[Codes]) -> list[list[int]]:
    """The cells that each sum adds up: those that agree in every attribute that it has."""
    members: list[list[int]] = [[] for _ in sums]
    for kept in {tuple(code is not None for code in total) for total in sums}:
        numbered: dict[Codes, list[int]] = {}
        for number, codes_of_sum in enumerate(sums):
            if tuple(code is not None for code in codes_of_sum) == kept:
                numbered.setdefault(codes_of_sum, []).append(number)
        for cell, codes in enumerate(cells):
            key = tuple(code if keep else None for code, keep in zip(codes, kept, strict=True))
            for number in numbered.get(key, ()):
                members[number].append(cell)
    return members


def _rows(path: Path, attributes: Sequence[str]) -> Iterator[tuple[int, PublishedRow]]:
    """The rows with their lines, attributes in the common order."""
    lines = _lines(path)
    _, header = next(lines)
    names = [name.strip() for name in header]
    for line, fields in lines:
        if len(fields) != len(names):
            raise _bad(
                path, "must have as many fields in each line as in the first", f"line {line}"
            )
        row = dict(zip(names, (field.strip() for field in fields), strict=True))
        codes = tuple(_code(row.get(name, "")) for name in attributes)
        yield line, PublishedRow(codes, *_ends(row[VALUE], path, line))


def _code(text: str) -> str | None:
    return None if text.lower() in TOTALS else text


def _ends(text: str, path: Path, line: int) -> tuple[int, int]:
    """What a published value says: itself, a class, or nothing."""
    if not text:
        return 0, UNBOUNDED
    fields = NUMBER.fullmatch(text)
    low = int(fields[1]) if fields else 0
    high = low if not fields or not (fields[2] or fields[3]) else int(fields[2] or UNBOUNDED)
    if not fields or low > high or low >= UNBOUNDED:
        raise _bad(
            path,
            "must have a whole number from 0, low..high or nothing in the column value",
            f"something else in line {line}",
        )
    return low, min(high, UNBOUNDED)


def _header(path: Path) -> list[str]:
    names = [name.strip() for name in next(_lines(path), (1, []))[1]]
    if VALUE not in names or len(set(names)) < len(names) or "" in names:
        raise _bad(path, "must begin with different column names, one of them value", "others")
    return names


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not empty, with their numbers."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            for fields in reader:
                if fields:
                    yield reader.line_num, fields
    except OSError as error:
        raise _bad(path, "must be a file that can be read", error.strerror or "none") from None
    except (UnicodeDecodeError, csv.Error):
        raise _bad(path, "must be a CSV file in UTF-8", "something else") from None


def _bad(path: Path, rule: str, value: str) -> BadFile:
    """A refusal; it does not repeat the content of the file, which may be confidential."""
    return BadFile(str(path), rule=rule, value=value, next_step=FORM)
