"""Withheld tables: what is known of cells of which some are withheld, rounded or in size classes.

A `FrameTable` is made of true cells, to try ways of withholding them. `CsvTables` are the tables of
one release, read from CSV files as cells and sums. Their columns are attributes, beside one column
`value`: a whole number, a class `low..high` or `low-high`, `low..` without an upper end, or nothing
where the number is withheld. One table has all attributes; its rows without totals are the cells.
All other rows are sums of them: an attribute is summed over where a table does not have it, or
where its code is empty, `*`, `all` or `total`.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from leeward.core.codebook import Marginal
from leeward.core.codebook.cells import Integers
from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.errors import BadFile
from leeward.core.exact import positive
from leeward.core.mechanisms.choice import choose
from leeward.core.mechanisms.parameters import AUTO
from leeward.core.privacy import Guarantee
from leeward.lab.baselines.feasibility import UNBOUNDED, Equations, Feasible
from leeward.lab.evaluate.truth import Truth

CLASSES = (0, 5, 10, 20, 50, 100, 250, 500, 1000)
"""The least size of each employment size class of the Quarterly Census of Employment and Wages
(U.S. Bureau of Labor Statistics)."""


@dataclass(frozen=True, eq=False, repr=False)
class FrameTable:
    """True cells by workplace attributes, and how many establishments the frame has in each."""

    counts: Integers
    in_frame: Integers
    codes: tuple[Integers, ...]

    @classmethod
    def of(cls, truth: Truth, marginal: Marginal) -> "FrameTable":
        """A table of a world; the frame is public."""
        if truth.cells.in_frame is None:
            raise TypeError("the cells were tabulated without a frame")
        codes = marginal.workplace_positions(truth.numbered())
        return cls(truth.counts[:, 0], truth.cells.in_frame, codes)

    def by(self, attributes: Sequence[int]) -> "FrameTable":
        """The margin by some of the attributes as a table of its own."""
        equations = Equations.of(self.codes, [attributes])
        first = np.searchsorted(equations.row, np.arange(equations.count))
        codes = tuple(self.codes[attribute][equations.cell[first]] for attribute in attributes)
        return FrameTable(equations.totals(self.counts), equations.totals(self.in_frame), codes)

    @property
    def single(self) -> Integers:
        """The cells that are one establishment with jobs: their count is its size."""
        return np.flatnonzero((self.in_frame == 1) & (self.counts > 0))

    def withheld(self, fewest: int, sets: Iterable[Sequence[int]] | None = None) -> Feasible:
        """Cells and margins with fewer establishments are withheld, all others are exact."""
        equations = Equations.of(self.codes, sets)
        equations = equations.kept(equations.totals(self.in_frame) >= fewest)
        hidden, sums = self.in_frame < fewest, equations.totals(self.counts)
        low = np.where(hidden, 0, self.counts)
        return Feasible(equations, low, np.where(hidden, UNBOUNDED, self.counts), sums, sums)

    def classed(self, fewest: int) -> Feasible:
        """The same, and a size class stands in place of each cell that is withheld."""
        hidden, plain = self.in_frame < fewest, self.withheld(fewest)
        ends = np.array((*CLASSES, UNBOUNDED + 1))
        number = np.searchsorted(ends, self.counts, side="right") - 1
        low = np.where(hidden, ends[number], self.counts)
        high = np.where(hidden, ends[number + 1] - 1, self.counts)
        return Feasible(plain.equations, low, high, plain.least, plain.most)

    def rounded(self, base: int) -> Feasible:
        """Every cell and margin to the nearest multiple; how ties are rounded is not known."""
        equations = Equations.of(self.codes)
        ends = []
        for values in (self.counts, equations.totals(self.counts)):
            rounded = (values + base // 2) // base * base
            ends += [np.maximum(rounded - base // 2, 0), rounded + base // 2]
        return Feasible(equations, *ends)


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedIntervals:
    """Released values with the ends of their 90 % intervals, all (w,)."""

    values: Integers
    low: Integers
    high: Integers


def released_intervals(
    truth: Truth, marginal: Marginal, alpha: Fraction, epsilon: str
) -> ReleasedIntervals:
    """The same table by the code that a release calls, with the system's bits."""
    budget = Guarantee("strong", alpha, positive(epsilon, "epsilon"))
    measurement, _ = choose(marginal, budget, AUTO, SizeProfile())
    drawn = measurement.measure(truth.columns(measurement))
    values, ends = drawn.values[:, 0], [column[:, 0] for column in drawn.margins.values()]
    match ends:
        case [margin]:
            return ReleasedIntervals(values, np.maximum(values - margin, 0), values + margin)
        case [low, high]:
            return ReleasedIntervals(values, low, high)
    return ReleasedIntervals(values, np.zeros_like(values), values)


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
    headers = []
    for path in paths:
        names = [name.strip() for name in next(_lines(path), (1, []))[1]]
        if VALUE not in names or len(set(names)) < len(names) or "" in names:
            raise _bad(path, "must begin with different column names, one of them value", "others")
        headers.append(names)
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
    """Every sum finds its cells; one of nothing must be able to be 0.

    The cells of a sum are those that agree in every attribute that it has.
    """
    known = [total for total in sums if total.low > 0 or total.high < UNBOUNDED]
    members: list[list[int]] = [[] for _ in known]
    for kept in {tuple(code is not None for code in total.codes) for total in known}:
        numbered: dict[Codes, list[int]] = {}
        for number, total in enumerate(known):
            if tuple(code is not None for code in total.codes) == kept:
                numbered.setdefault(total.codes, []).append(number)
        for at, cell in enumerate(cells):
            key = tuple(code if keep else None for code, keep in zip(cell.codes, kept, strict=True))
            for number in numbered.get(key, ()):
                members[number].append(at)
    if any(not some and total.low > 0 for some, total in zip(members, known, strict=True)):
        raise BadFile(
            "tables",
            rule="must have sums above 0 only of cells that the finest table lists",
            value="a sum of none",
            next_step="Add these cells to the finest table, with empty values.",
        )
    feasible = Feasible(
        Equations.listed(members),
        *(_column(cells, end) for end in ("low", "high")),
        *(_column(known, end) for end in ("low", "high")),
    )
    named = tuple(tuple(code or "" for code in row.codes) for row in cells)
    return CsvTables(attributes, named, feasible)


def _column(rows: Sequence[PublishedRow], end: str) -> Integers:
    return np.array([getattr(row, end) for row in rows], dtype=np.int64)


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
        codes = (row.get(name, "") for name in attributes)
        kept = tuple(None if code.lower() in TOTALS else code for code in codes)
        yield line, PublishedRow(kept, *_ends(row[VALUE], path, line))


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
