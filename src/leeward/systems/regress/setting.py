"""Setting: the public part of a regression, from which its lines are read off.

Public counts decide which cells are released, and are printed; the rows of the regression decide
neither.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO
from math import inf
from pathlib import Path
from typing import Any

from leeward.core.codebook import RealRange
from leeward.core.codebook.yaml_document import read_text
from leeward.core.errors import BadFile, InvalidParameter, shown
from leeward.core.exact import positive

OPTION, COUNT = "--counts", "count"
MOST = 10**8
"""Maximum number of rows of a cell."""


@dataclass(frozen=True)
class Columns:
    """The columns of the file by their names in the codebook."""

    x: str
    y: str
    by: str
    workplace: str | None = None


@dataclass(frozen=True)
class PublicSetting:
    """Columns, the ends of x and y, the ranks of predictions, and the scatter if it is known."""

    columns: Columns
    ends: tuple[RealRange, RealRange]
    ranks: tuple[str, ...]
    scatter: str | None = None

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The ranks as exact numbers."""
        return tuple(map(Fraction, self.ranks))

    @property
    def relative_scatter(self) -> float:
        """The scatter as a part of half the range of y; infinite where it is not known."""
        if self.scatter is None:
            return inf
        low, high = self.ends[1].low, self.ends[1].high
        return float(2 * positive(self.scatter, "--scatter") / (high - low))

    def as_json(self) -> dict[str, object]:
        """Plain values; ends are exact."""
        x, y = ([str(end.low), str(end.high)] for end in self.ends)
        return {
            "columns": vars(self.columns),
            "ends": {"x": x, "y": y},
            "ranks": list(self.ranks),
            "scatter": self.scatter,
        }

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "PublicSetting":
        """From plain values."""
        columns = Columns(**told["columns"])
        x, y = (
            RealRange(name, Fraction(low), Fraction(high))
            for name, (low, high) in (
                (columns.x, told["ends"]["x"]),
                (columns.y, told["ends"]["y"]),
            )
        )
        return cls(columns, (x, y), tuple(told["ranks"]), told["scatter"])


@dataclass(frozen=True)
class PublicCounts:
    """The number of rows of each cell by its code."""

    rows: Mapping[str, int]

    @classmethod
    def read(cls, path: Path, by: str) -> "PublicCounts":
        """From a CSV file with the column of the cell and the column `count`."""
        lines = csv.DictReader(StringIO(read_text(path, OPTION)), strict=True)
        counts: dict[str, int] = {}
        try:
            if not {by, COUNT} <= {*(lines.fieldnames or ())}:
                raise _unreadable(path, f"must have the columns {shown(by)} and '{COUNT}'")
            for line in lines:
                code, count = line[by], line[COUNT] or ""
                if code in counts:
                    raise _unreadable(
                        path, f"must name each code once, and names {shown(code)} twice"
                    )
                if not (count.isascii() and count.isdigit()) or int(count[:10]) > MOST:
                    raise _unreadable(path, f"must have whole counts from 0 to {MOST}")
                counts[code] = int(count)
        except csv.Error:
            raise _unreadable(path, "must be a CSV file") from None
        return cls(counts)

    def of(self, codes: Sequence[str]) -> tuple[int, ...]:
        """The counts in the order of the codes, which must be exactly these."""
        for code in (*codes, *self.rows):
            if (code in codes) != (code in self.rows):
                listed = "names" if code in self.rows else "lacks"
                raise InvalidParameter(
                    OPTION,
                    rule="must have one row for each code of --by in the codebook, and no other",
                    value=f"a file that {listed} {shown(code)}",
                    next_step="Write a row for each code, with count 0 for a cell to leave out.",
                )
        return tuple(self.rows[code] for code in codes)


def _unreadable(path: Path, rule: str) -> BadFile:
    return BadFile(
        OPTION,
        rule=rule,
        value=repr(str(path)),
        next_step="Give a public file with one row for each cell.",
    )
