"""Heat: a table of numbers as shaded cells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from leeward.errors import InvalidParameter
from leeward.pictures.picture import Picture
from leeward.pictures.plain.legend import legend
from leeward.pictures.plain.letters import width as wide
from leeward.pictures.plain.mark import Box, box, fold, group, path, place, upright, words
from leeward.pictures.plain.number import full, short, shortest
from leeward.pictures.plain.shade import Shades, shades
from leeward.pictures.plain.sheet import WIDE, at_most, checked, empty, finished

MOST_ROWS, MOST_COLUMNS = 40, 25
ROW, BROAD = 20.0, 64.0
"""Height of a row; the width of a column where there is room."""
SLIM = (14.0, 36.0)
"""The least width of a column: what its numbers need, between these."""
TOLD = 400
"""Up to so many cells each tells its row and column when pointed at."""
HEAD = 112.0
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
        """A cell as words; in a large table only what its short number does not say."""
        value = self.cells[row][column]
        if len(self.rows) * len(self.columns) > TOLD:
            return full(value) if value is not None and abs(value) >= 1000 else ""
        number = "no establishment" if value is None else full(value)
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
    """The columns in as few blocks as leave room for their numbers; and where they end."""
    names = 0.3 if width >= WIDE else 0.34
    left = min(max(wide(row) for row in table.rows) + 1, names * width) + 10
    count = len(table.columns)
    each = ceil(count / ceil(count * _slim(table) / (width - left)))
    longest = max(wide(name, 11) for name in table.columns)
    column = min((width - left + 1) / each, max(BROAD, longest + 10))
    turned = longest > column - 5
    head = min(longest, HEAD) + 8 if turned else 18.0
    high = head + len(table.rows) * ROW + 14
    blocks = [
        Block(range(at, min(at + each, count)), left, at // each * high + head, column, turned)
        for at in range(0, count, each)
    ]
    return blocks, high * len(blocks)


def _slim(table: Table) -> float:
    """The width that the numbers need in their shortest form."""
    known = (one for row in table.cells for one in row if one is not None)
    least, most = SLIM
    return min(max(max((wide(shortest(one), 11) for one in known), default=0) + 4, least), most)


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
    for row, values in enumerate(table.cells):
        for column in block.columns:
            value, at = values[column], block.box(row, column)
            look, ink = _looks(value, table.shades)
            boxes.setdefault(look, []).append(_cell(at, value, table.told(row, column)))
            if value is not None:
                numbers.setdefault(ink, []).append(_number(at, value))
    yield from (group(look, boxes[look]) for look in sorted(boxes))
    yield from _folds(table, block)
    yield from (group(ink, numbers[ink]) for ink in sorted(numbers))


def _folds(table: Table, block: Block) -> Iterator[str]:
    """Corners that mark what lies below zero, for eyes and printers without colours."""
    steps = [
        fold(block.box(row, column))
        for row, values in enumerate(table.cells)
        for column in block.columns
        if (values[column] or 0) < 0
    ]
    if steps:
        yield path("".join(steps), "fold")


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
    """The number in the longest form that fits."""
    text = next((t for t in (short(value), shortest(value)) if wide(t, 11) <= at[2] - 2), "")
    x, y = at[0] + at[2] / 2, at[1] + 13.5
    return f'<text x="{place(x)}" y="{place(y)}">{text}</text>' if text else ""


def _told(table: Table, unit: str) -> str:
    values = [one for row in table.cells for one in row if one is not None]
    size = f"{len(table.rows)} rows, {len(table.columns)} columns."
    if not values:
        return f"Heat map. {size} No cell has an establishment."
    ends = f"from {full(min(values))} to {full(max(values))} {unit}"
    below = sum(value < 0 for value in values)
    return f"Heat map. {size} Numbers {ends}; {below} below zero. {table.shades.rule}"
