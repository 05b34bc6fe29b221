"""Public counts: how many rows each cell has, from a file that is public already.

They decide which cells are released, and are printed; the rows of the regression decide neither.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from leeward.core.codebook.yaml_document import read_text
from leeward.core.errors import BadFile, InvalidParameter, shown

OPTION, COUNT = "--counts", "count"
MOST = 10**8
"""Maximum number of rows of a cell."""


@dataclass(frozen=True)
class PublicCounts:
    """The number of rows of each cell by its code."""

    rows: Mapping[str, int]

    @classmethod
    def read(cls, path: Path, by: str) -> "PublicCounts":
        """From a CSV file with the column of the cell and the column `count`."""
        lines = csv.DictReader(StringIO(read_text(path, OPTION)), strict=True)
        found: dict[str, int] = {}
        try:
            if not {by, COUNT} <= {*(lines.fieldnames or ())}:
                raise _unreadable(path, f"must have the columns {shown(by)} and '{COUNT}'")
            for line in lines:
                code, count = line[by], line[COUNT] or ""
                if code in found:
                    raise _unreadable(
                        path, f"must name each code once, and names {shown(code)} twice"
                    )
                if not (count.isascii() and count.isdigit()) or int(count[:10]) > MOST:
                    raise _unreadable(path, f"must have whole counts from 0 to {MOST}")
                found[code] = int(count)
        except csv.Error:
            raise _unreadable(path, "must be a CSV file") from None
        return cls(found)

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
