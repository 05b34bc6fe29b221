"""Heat: a table of numbers as shaded cells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from leeward.errors import InvalidParameter
from leeward.pictures.picture import Picture
from leeward.pictures.plain.legend import legend
from leeward.pictures.plain.letters import width as wide
from leeward.pictures.plain.mark import Box, box, group, hatched, path, place, upright, words
from leeward.pictures.plain.number import full, short
from leeward.pictures.plain.shade import Shades, shades
from leeward.pictures.plain.sheet import WIDE, at_most, checked, empty, finished

MOST_ROWS, MOST_COLUMNS = 40, 25
ROW, SLIM = 20.0, 14.0
"""Height of a row; the least width of a column."""
BROAD = 64.0
"""The most width of a column."""
TOLD = 400
"""Up to so many cells each tells its row and column when pointed at."""
HEAD = 96.0
"""The most room for the names of columns."""

Cells = Sequence[Sequence[int | None]]


@dataclass(frozen=True)
class Table:
    """What a heat map shows."""

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Cells
    shades: Shades

    def told(self, row: int, column: int) -> str:
        """A cell as words; in a large table its number alone."""
        value = self.cells[row][column]
        number = "no establishment" if value is None else full(value)
        if len(self.rows) * len(self.columns) > TOLD:
            return number
        return f"{self.rows[row]}, {self.columns[column]}: {number}"


@dataclass(frozen=True)
class Block:
    """Some neighbouring columns of the table; a narrow picture stacks several of them."""

    columns: range
    left: float
    top: float
    wide: float
    turned: bool

    def box(self, row: int, column: int) -> Box:
        """A cell, with a hair of air around it."""
        left = self.left + (column - self.columns.start) * self.wide
        return left, self.top + row * ROW, self.wide - 1, ROW - 1


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Cells,
    *,
    title: str,
    unit: str = "jobs",
    width: int = 680,
) -> Picture:
    """Cells in shades of their size; None is a cell without an establishment."""
    checked(width)
    at_most(MOST_ROWS, len(rows), "rows")
    at_most(MOST_COLUMNS, len(columns), "columns")
    _same_shape(rows, columns, cells)
    if not rows or not columns:
        return empty(title, width)
    table = Table(rows, columns, cells, shades(one for row in cells for one in row if one))
    blocks, foot = _blocks(table, width)
    parts = [part for block in blocks for part in _block(table, block)]
    known = [one for row in cells for one in row]
    keys, end = legend(table.shades, known, unit, (width, foot))
    return finished([*parts, *keys], (width, end), title=title, description=_told(table, unit))


def _same_shape(rows: Sequence[str], columns: Sequence[str], cells: Cells) -> None:
    if [len(row) for row in cells] != [len(columns)] * len(rows):
        raise InvalidParameter(
            "cells",
            rule=f"{len(rows)} rows of {len(columns)} columns are named",
            value=f"{len(cells)} rows of {sorted({len(row) for row in cells})} cells",
            next_step="Give one cell for every row and column, None where there is none.",
        )


def _blocks(table: Table, width: int) -> tuple[list[Block], float]:
    """The columns in as few blocks as leave each of them some width; and where they end."""
    left = min(max(wide(row) for row in table.rows), (0.3 if width >= WIDE else 0.34) * width) + 10
    count = len(table.columns)
    stacked = ceil(count * SLIM / (width - left))
    each = ceil(count / stacked)
    column = min((width - left + 1) / each, BROAD)
    longest = max(wide(name, 11) for name in table.columns)
    turned = longest > column - 5
    head = min(longest, HEAD) + 8 if turned else 18.0
    blocks, top = list[Block](), 0.0
    for start in range(0, count, each):
        part = range(start, min(start + each, count))
        blocks.append(Block(part, left, top + head, column, turned))
        top += head + len(table.rows) * ROW + 14
    return blocks, top


def _block(table: Table, block: Block) -> Iterator[str]:
    for column in block.columns:
        x, y, long, _ = block.box(0, column)
        name, middle = table.columns[column], x + long / 2
        if block.turned:
            yield upright(name, (middle + 4, y - 5), room=HEAD)
        else:
            yield words(name, (middle, y - 6), "soft", anchor="middle")
    for row, name in enumerate(table.rows):
        yield words(name, (0, block.box(row, 0)[1] + 14), room=block.left - 10)
    yield from _cells(table, block)


def _cells(table: Table, block: Block) -> Iterator[str]:
    """The cells, those of one look together, and over them their numbers."""
    boxes, numbers = dict[str, list[str]](), dict[str, list[str]]()
    hatches = list[str]()
    for row, values in enumerate(table.cells):
        for column in block.columns:
            value, at = values[column], block.box(row, column)
            look, ink = _looks(value, table.shades)
            boxes.setdefault(look, []).append(_cell(at, value, table.told(row, column)))
            if value is not None and wide(short(value), 11) <= at[2] - 3:
                numbers.setdefault(ink, []).append(_number(at, value))
            elif value is not None and value < 0:
                hatches.append(hatched(at))
    for look in sorted(boxes):
        yield group(look, boxes[look])
    yield path("".join(hatches), "hatch") if hatches else ""
    for ink in sorted(numbers):
        yield group(ink, numbers[ink])


def _looks(value: int | None, steps: Shades) -> tuple[str, str]:
    if value is None:
        return "none", "none"
    step = "below" if value < 0 else str(steps.of(value))
    return ("below" if value < 0 else f"shade-{step}"), f"on-{step}"


def _cell(at: Box, value: int | None, told: str) -> str:
    """A shaded box, or a dot where there is no establishment."""
    if value is None:
        return box((at[0] + at[2] / 2 - 1, at[1] + at[3] / 2 - 1, 2, 2), told=told)
    return box(at, told=told)


def _number(at: Box, value: int) -> str:
    x, y = at[0] + at[2] / 2, at[1] + 13.5
    return f'<text x="{place(x)}" y="{place(y)}">{short(value)}</text>'


def _told(table: Table, unit: str) -> str:
    values = [one for row in table.cells for one in row if one is not None]
    size = f"{len(table.rows)} rows, {len(table.columns)} columns."
    if not values:
        return f"Heat map. {size} No cell has an establishment."
    ends = f"from {full(min(values))} to {full(max(values))} {unit}"
    below = sum(value < 0 for value in values)
    return f"Heat map. {size} Numbers {ends}; {below} below zero. {table.shades.rule}"
