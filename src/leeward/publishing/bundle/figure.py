"""Figure: the pictures of a published table, and the cells that they draw.

They show all cells of a small table as bars, or as a matrix in which each cell has its own square.
Of a larger one they show cells by a public order: cells that are picked by their released values
are picked for their noise too, and their margins would hold less often than they say. Nothing is
added up: a sum would carry the noise of its parts, and would be a number that was not released.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product, zip_longest
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.core.codebook import Flag
from leeward.core.codebook.marginal import RELEASED
from leeward.core.errors import InvalidParameter, shown
from leeward.core.show.charts import ChartBar, bars, reaches_zero
from leeward.core.show.heat import heat_map
from leeward.core.show.interpretation import RANKS
from leeward.core.show.notebook import Figure
from leeward.core.show.numbers import Ends, capital, count, crossed, cut, percent, rank_text
from leeward.publishing.bundle.bundle_files import ESTABLISHMENTS
from leeward.publishing.bundle.certified_table import CertifiedTable

if TYPE_CHECKING:
    from leeward.publishing.bundle.reader import Bundle

Integers = NDArray[np.int64]

Key = tuple[str, ...]
"""Codes of some identifiers."""

MOST_ROWS, MOST_COLUMNS = 40, 25
"""Maximum size of a matrix."""

COLUMN_ROOM = 16
"""Length in characters from which a column is named by its code."""

JOINT = " · "
TOTAL = "All jobs"


@dataclass(frozen=True)
class Cell:
    """The codes of a cell, its value, its status, and the ends of its interval if it has one.

    The value is None where status is −1.
    """

    codes: tuple[str, ...]
    value: int | None
    status: int
    ends: Ends | None


def cells(rows: pa.Table) -> tuple[Cell, ...]:
    """Rows as cells; for small tables."""
    names = [field.name for field in rows.schema if pa.types.is_dictionary(field.type)]
    read = []
    for row in rows.to_pylist():
        ends = (row.get("low"), row.get("high"))
        if row.get("margin") is not None:
            centre = row.get(RELEASED, row["value"])
            ends = (centre - row["margin"], centre + row["margin"])
        codes = tuple(row[name] for name in names)
        read.append(
            Cell(codes, row["value"], row["status"], None if ends == (None, None) else ends)
        )
    return tuple(read)


class DrawnRows:
    """Row numbers of the cells that bars show: those of the largest public numbers, or the first.

    The public number is that of the establishments, where the table has it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values = np.zeros(0, np.int64)
        self._numbers = np.zeros(0, np.int64)

    def read(self, rows: pa.RecordBatch, seen: int) -> int:
        """Add a batch of rows after `seen` earlier ones; how many of them have a value."""
        noisy = np.flatnonzero(rows["status"].to_numpy() == Flag.OK)
        public = rows[ESTABLISHMENTS].to_numpy() if ESTABLISHMENTS in rows.schema.names else None
        self.add(np.zeros_like(noisy) if public is None else public[noisy], noisy + seen)
        return len(noisy)

    def add(self, values: Integers, numbers: Integers) -> None:
        """Add public numbers of rows; the row numbers are above all earlier ones."""
        if len(self._values) == self._most:
            larger = values > self._values[-1]
            values, numbers = values[larger], numbers[larger]
        if len(values) > self._most:
            border = np.partition(values, -self._most)[-self._most]
            values, numbers = values[values >= border], numbers[values >= border]
        both = np.concatenate([self._values, values])
        # A stable sort keeps the first of equal values first.
        order = np.argsort(~both, kind="stable")[: self._most]
        self._values = both[order]
        self._numbers = np.concatenate([self._numbers, numbers])[order]

    def found(self) -> list[int]:
        """The row numbers, largest public number first; of equal ones the first row."""
        return [int(number) for number in self._numbers]


@dataclass(frozen=True)
class FigureAxes:
    """Which identifiers go down and which go across."""

    down: tuple[str, ...]
    across: tuple[str, ...]


@dataclass(frozen=True)
class Matrix:
    """The cells of a table in squares; one without an establishment, or a number, is None.

    `whole` says whether every code has its row or column.
    """

    layout: FigureAxes
    rows: tuple[Key, ...]
    columns: tuple[Key, ...]
    squares: tuple[tuple[Cell | None, ...], ...]
    whole: bool

    @property
    def size(self) -> int:
        """How many squares there are."""
        return len(self.rows) * len(self.columns)


def layout(table: CertifiedTable) -> FigureAxes | None:
    """The identifiers split in two so that both sides fit; None if no split does.

    Workers' attributes go across if they can. The side with more codes goes down.
    """
    border = len(table.workplace_identifiers)
    places = [border, *range(1, len(table.identifiers))]
    for place in places:
        sides = table.identifiers[:place], table.identifiers[place:]
        across, down = sorted(sides, key=lambda side: _size(table, side))
        fits = _size(table, down) <= MOST_ROWS and _size(table, across) <= MOST_COLUMNS
        if all(sides) and fits:
            return FigureAxes(down, across)
    return None


def matrix(chosen: FigureAxes, table: CertifiedTable, cells: Iterable[Cell]) -> Matrix:
    """Every cell in its square. Rows and columns without any establishment are left out."""
    placed: dict[tuple[Key, Key], Cell] = {}
    for cell in cells:
        if cell.status == 1:
            code = dict(zip(table.identifiers, cell.codes, strict=True))
            row = tuple(code[name] for name in chosen.down)
            placed[row, tuple(code[name] for name in chosen.across)] = cell
    rows = _used(table, chosen.down, {row for row, _ in placed})
    columns = _used(table, chosen.across, {column for _, column in placed})
    squares = tuple(tuple(placed.get((row, column)) for column in columns) for row in rows)
    full = _size(table, chosen.down) * _size(table, chosen.across)
    return Matrix(chosen, rows, columns, squares, len(rows) * len(columns) == full)


def _used(table: CertifiedTable, names: tuple[str, ...], used: set[Key]) -> tuple[Key, ...]:
    return tuple(key for key in product(*(table.codes[name] for name in names)) if key in used)


def _size(table: CertifiedTable, names: tuple[str, ...]) -> int:
    return prod(len(table.codes[name]) for name in names)


def picture(bundle: "Bundle", table: CertifiedTable, kind: str, most: int) -> Figure:
    """Cells of a table as bars, or all of them as squares."""
    if kind == "squares" and (chosen := layout(table)) is not None:
        return squares(table, matrix(chosen, table, cells(bundle.table(table.name, totals=False))))
    if kind != "bars":
        raise InvalidParameter(
            "kind",
            rule=f"must be bars, or squares for at most {MOST_ROWS} by {MOST_COLUMNS} codes of "
            "two or more identifiers",
            value=shown(kind),
            next_step="Choose bars.",
        )
    if most < 1:
        raise InvalidParameter(
            "most", rule="must be at least 1", value=str(most), next_step="Choose a number of bars."
        )
    drawn, seen, of = DrawnRows(most), 0, 0
    deciding = ("status",) if table.establishments is None else ("status", ESTABLISHMENTS)
    for batch in bundle.batches(table.name, deciding, totals=False):
        of += drawn.read(batch, seen)
        seen += batch.num_rows
    numbers = drawn.found()
    read = dict(zip(sorted(numbers), cells(bundle.rows(table.name, sorted(numbers))), strict=True))
    return cell_bars(table, [read[number] for number in numbers], of)


def cell_bars(
    table: CertifiedTable,
    cells: Sequence[Cell],
    of: int,
    ranks: Sequence[tuple[int, int] | None] = (),
) -> Figure:
    """Some of `of` cells, in a public order, as bars with their margins; all of them by value.

    `ranks` are those that each cell may have among all cells, if they are known.
    """
    every = len(cells) == of
    items = [
        ChartBar(cell_label(table, cell.codes), cell.value or 0, cell.ends, rank=rank_text(rank))
        for cell, rank in zip_longest(cells, ranks[: len(cells)])
    ]
    ordered = sorted(items, key=lambda bar: -bar.value) if every else items
    caption = " Lines show the margins." if table.has_margins else ""
    title = f"{'The only cell' if of == 1 else f'All {of} cells'} of {table.heading}"
    if not every:
        picked = f"The first {len(cells)} cells"
        if table.establishments is not None:
            picked = f"The {len(cells)} cells with the most establishments"
        title = f"{picked} of {count(of)} in {table.heading}"
        caption += PUBLIC_ORDER
    elif table.has_margins and table.margins.coverage and of > 1:
        usual = percent(float(Fraction(table.margins.coverage)))
        caption += f" They include the true number in {usual} of cases, of the largest less often."
    if any(ranks[: len(cells)]):
        caption += f" {RANKS}"
    if not table.counts:
        caption += NO_NUMBER
    chart = bars(ordered, title=title, unit=capital(table.unit), signed=table.signed)
    return Figure(chart, f"{title}.{caption}")


PUBLIC_ORDER = (
    " The order is public: cells that are picked by their values are picked for their noise too."
)


NO_NUMBER = " Cells without a number are not drawn."


def squares(table: CertifiedTable, matrix: Matrix) -> Figure:
    """Every cell of a small table as a shaded square."""
    down, across = matrix.layout.down, matrix.layout.across
    rows = [key_label(table, down, key) for key in matrix.rows]
    columns = [key_label(table, across, key) for key in matrix.columns]
    values = [[None if cell is None else cell.value for cell in row] for row in matrix.squares]
    title = f"Every cell of {table.heading}"
    caption = (
        f"{title}: {crossed(map(table.label, down))} from top to bottom, "
        f"{crossed(map(table.label, across))} from left to right."
    )
    if not matrix.whole:
        lacking = "establishment" if table.counts else "number"
        caption += f" Rows and columns without any {lacking} are left out."
    if max(map(len, columns), default=0) > COLUMN_ROOM:
        columns = [JOINT.join(map(cut, key)) for key in matrix.columns]
        meanings = (
            f"{cut(code)} {cut(label)}"
            for name in across
            for code, label in table.codes[name].items()
        )
        caption += f" {'; '.join(meanings)}."
    nothing = "no establishment" if table.counts else "no number"
    unsure = [
        [
            cell is not None and reaches_zero(cell.value or 0, cell.ends, signed=table.signed)
            for cell in row
        ]
        for row in matrix.squares
    ]
    chart = heat_map(rows, columns, values, title=title, unit=table.unit, nothing=nothing)
    return Figure(replace(chart, open=unsure), caption)


def cell_label(table: CertifiedTable, codes: Key) -> str:
    """What a cell counts: the labels of its codes."""
    return key_label(table, table.identifiers, codes) or TOTAL


def key_label(table: CertifiedTable, names: Sequence[str], codes: Key) -> str:
    """The labels of some codes of a cell."""
    labels = (table.codes[name].get(code) or code for name, code in zip(names, codes, strict=True))
    return JOINT.join(map(cut, labels))
