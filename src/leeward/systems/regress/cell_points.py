"""Rows: the points of one file with their cells and establishments. CONFIDENTIAL.

Every rule about rows depends on the row and the codebook alone, and none refuses a file: a value
outside the ends is moved to the end, a row without x, y or a listed cell is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.core.codebook import Attribute, RealRange
from leeward.core.errors import InvalidParameter, shown
from leeward.core.mechanisms.moments import Establishments, Points, lattice_points
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.publishing.engines.database import Table
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.headers import holds_numbers, require_column
from leeward.publishing.engines.recoding import class_text, code_text, number, with_nulls
from leeward.publishing.engines.table_files import Files
from leeward.systems.regress.regression_request import RegressionRequest

NAME = "file"
"""What the file is called as a table, and the argument that names it."""

IS_COLUMN = "must be a column of FILE, or declared in the codebook with a `column` that is one"

NOWHERE = -1
"""The cell of a row that is in none."""


@dataclass(frozen=True, repr=False)
class Rows:
    """x, y and the number of the cell of each row; nan for what is missing.

    `owner` numbers the establishment of each row, and `owners` has the cell of each establishment.
    Without a workplace column, each cell counts as one.
    """

    x: Floats
    y: Floats
    cell: Integers
    cells: tuple[str, ...]
    owner: Integers
    owners: Integers

    @property
    def kept(self) -> NDArray[np.bool_]:
        """The rows that count."""
        kept: NDArray[np.bool_] = ~np.isnan(self.x + self.y) & (self.cell != NOWHERE)
        return kept

    def establishments(self, x: RealRange, y: RealRange) -> Establishments:
        """The sums of every establishment on the lattice, and its size with all its rows."""
        listed = self.cell != NOWHERE
        u, v = (
            lattice_points(values[listed], ends.low, ends.high)
            for values, ends in ((self.x, x), (self.y, y))
        )
        points = Points(u, v, self.kept[listed], self.owner[listed])
        return Establishments.of(points, self.owners, len(self.cells))

    def by_cell(self) -> Iterator[tuple[Floats, Floats]]:
        """x and y of the rows that count, for each cell."""
        kept = np.flatnonzero(self.kept)
        order = kept[np.argsort(self.cell[kept], kind="stable")]
        ends = np.searchsorted(self.cell[order], np.arange(1, len(self.cells)))
        for part in np.split(order, ends):
            yield self.x[part], self.y[part]


def read_rows(files: Files, request: RegressionRequest) -> Rows:
    """All rows of the file; a column that is not there is refused."""
    table = files.tables()[NAME]
    (x, y), by, columns = request.ends, request.by, request.columns
    wanted = {"--x": x.column, "--y": y.column, "--by": by.column if by else columns.by}
    if columns.workplace is not None:
        wanted["--workplace"] = columns.workplace
    for option, column in wanted.items():
        require_column(table, option, column, IS_COLUMN)
    for option in ("--x", "--y"):
        if not holds_numbers(table, wanted[option]):
            raise InvalidParameter(
                option,
                rule="must hold numbers, or texts that are numbers",
                value=f"{shown(wanted[option])}, which holds neither",
                next_step="Convert the column, or name another.",
            )
    table = files.tables({NAME: tuple(dict.fromkeys(wanted.values()))})[NAME]
    nulls = {x.column: x.nulls, y.column: y.nulls} | ({} if by is None else {by.column: by.nulls})
    table = with_nulls(table, nulls)
    code = table[wanted["--by"]]
    query = table.select(
        x=number(table[x.column]).cast("float64"),
        y=number(table[y.column]).cast("float64"),
        cell=code_text(code) if by is None or by.numbers is None else class_text(code, by.numbers),
        **({} if columns.workplace is None else {"owner": code_text(table[columns.workplace])}),
    )
    return _rows(hiding_errors(lambda: _all(files, query)), by)


def _all(files: Files, query: Table) -> pa.Table:
    """Every row, by way of a table of the database: a view of a file is seen by one cursor only."""
    kept = files.keep("points", query)
    return pa.Table.from_batches(files.stream(kept), kept.schema().to_pyarrow())


def _rows(held: pa.Table, by: Attribute | None) -> Rows:
    x, y = (held.column(name).to_numpy().astype(np.float64) for name in ("x", "y"))
    texts, at = _numbered(held.column("cell"))
    listed = tuple(sorted(text for text in texts if text is not None)) if by is None else by.codes
    cell = np.array([_position(text, by, listed) for text in texts], dtype=np.int64)[at]
    if "owner" not in held.column_names:
        return Rows(x, y, cell, listed, cell, np.arange(len(listed)))
    names, owner = _numbered(held.column("owner"))
    # An establishment is a workplace in a cell: rows of one workplace in two cells are two.
    pairs, owner = np.unique(cell * len(names) + owner, return_inverse=True)
    first = int(np.searchsorted(pairs, 0))  # pairs of rows in no cell are negative
    return Rows(x, y, cell, listed, owner - first, pairs[first:] // len(names))


def _numbered(column: pa.ChunkedArray) -> tuple[list[str | None], Integers]:
    """The different texts, a null among them, and which one each row has."""
    coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)


def _position(text: str | None, by: Attribute | None, listed: tuple[str, ...]) -> int:
    """The cell of a text: as the codebook recodes it, or in the order of the texts."""
    if by is None:
        return NOWHERE if text is None else listed.index(text)
    found = by.missing if text is None else by.recode.get(text, by.unlisted)
    return NOWHERE if found is None else found
