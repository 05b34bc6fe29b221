"""Heat map: a table of numbers as shaded cells, with its legend."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil

from leeward.errors import InvalidParameter
from leeward.pictures.picture import Picture
from leeward.pictures.plain.elements import (
    WIDE,
    Box,
    Key,
    Point,
    at_most,
    box,
    checked,
    empty,
    finished,
    fold,
    group,
    keys,
    path,
    place,
    upright,
    words,
)
from leeward.pictures.plain.style import SHADES
from leeward.pictures.plain.text import LARGEST, full, short, shortest
from leeward.pictures.plain.text import width as wide

STEP, STEP_HIGH = 46.0, 12.0
DECADES = 100
"""Ratio of the largest to the smallest positive number from which steps are geometric."""

MOST_ROWS, MOST_COLUMNS = 40, 25
ROW, BROAD = 20.0, 64.0
"""Height of a row, and the preferred width of a column, in units."""

SLIM = (14.0, 36.0)
"""Bounds of the minimum width of a column in units."""

MOST_TOOLTIPS = 400
"""Maximum number of cells whose tooltips name row and column."""

HEAD = 112.0
"""Maximum length of the names of columns in units."""

Cells = Sequence[Sequence[int | None]]


@dataclass(frozen=True)
class Shades:
    """The number at which each shade begins; the first begins at zero."""

    starts: tuple[int, ...]
    rule: str

    def of(self, value: int) -> int:
        """The shade of a number; few steps are spread over all shades."""
        step, last = bisect_right(self.starts, value) - 1, len(self.starts) - 1
        return step * (SHADES - 1) // last if last else 1


@dataclass(frozen=True)
class HeatTable:
    """What a heat map shows."""

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Cells
    shades: Shades

    def tooltip(self, row: int, column: int) -> str:
        """The tooltip of a cell; in a large table only numbers that are drawn in short."""
        value = self.cells[row][column]
        if len(self.rows) * len(self.columns) > MOST_TOOLTIPS:
            return full(value) if value is not None and abs(value) >= 1000 else ""
        number = "no establishment" if value is None else full(value)
        return f"{self.rows[row]}, {self.columns[column]}: {number}"


@dataclass(frozen=True)
class Columns:
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
    table = HeatTable(rows, columns, cells, shades(one for row in cells for one in row if one))
    blocks, foot = _blocks(table, width)
    parts = [part for block in blocks for part in _block(table, block)]
    known = [one for row in cells for one in row]
    keys, end = legend(table.shades, known, unit, (width, foot))
    return finished(
        [*parts, *keys], (width, end), title=title, description=_description(table, unit)
    )


def _same_shape(rows: Sequence[str], columns: Sequence[str], cells: Cells) -> None:
    if [len(row) for row in cells] != [len(columns)] * len(rows):
        raise InvalidParameter(
            "cells",
            rule=f"{len(rows)} rows of {len(columns)} columns are named",
            value=f"{len(cells)} rows of {sorted({len(row) for row in cells})} cells",
            next_step="Give one cell for every row and column, None where there is none.",
        )


def _blocks(table: HeatTable, width: int) -> tuple[list[Columns], float]:
    """The columns in as few blocks as leave room for their numbers, and the end of the last."""
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
        Columns(range(at, min(at + each, count)), left, at // each * high + head, column, turned)
        for at in range(0, count, each)
    ]
    return blocks, high * len(blocks)


def _slim(table: HeatTable) -> float:
    """The width that the numbers need in their shortest form."""
    known = (one for row in table.cells for one in row if one is not None)
    least, most = SLIM
    return min(max(max((wide(shortest(one), 11) for one in known), default=0) + 4, least), most)


def _block(table: HeatTable, block: Columns) -> Iterator[str]:
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


def _cells(table: HeatTable, block: Columns) -> Iterator[str]:
    """The cells, those of one look together, and over them their numbers."""
    boxes, numbers = dict[str, list[str]](), dict[str, list[str]]()
    for row, values in enumerate(table.cells):
        for column in block.columns:
            value, at = values[column], block.box(row, column)
            look, ink = _looks(value, table.shades)
            boxes.setdefault(look, []).append(_cell(at, value, table.tooltip(row, column)))
            if value is not None:
                numbers.setdefault(ink, []).append(_number(at, value))
    yield from (group(look, boxes[look]) for look in sorted(boxes))
    yield from _folds(table, block)
    yield from (group(ink, numbers[ink]) for ink in sorted(numbers))


def _folds(table: HeatTable, block: Columns) -> Iterator[str]:
    """Corners that mark negative numbers, for colour-blind readers and grey printers."""
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


def _cell(at: Box, value: int | None, tooltip: str) -> str:
    """A shaded box, or a dot where there is no establishment."""
    if value is None:
        return box((at[0] + at[2] / 2 - 1, at[1] + at[3] / 2 - 1, 2, 2), tooltip=tooltip)
    return box(at, tooltip=tooltip)


def _number(at: Box, value: int) -> str:
    """The number in the longest form that fits."""
    text = next((t for t in (short(value), shortest(value)) if wide(t, 11) <= at[2] - 2), "")
    x, y = at[0] + at[2] / 2, at[1] + 13.5
    return f'<text x="{place(x)}" y="{place(y)}">{text}</text>' if text else ""


def _description(table: HeatTable, unit: str) -> str:
    values = [one for row in table.cells for one in row if one is not None]
    size = f"{len(table.rows)} rows, {len(table.columns)} columns."
    if not values:
        return f"Heat map. {size} No cell has an establishment."
    ends = f"from {full(min(values))} to {full(max(values))} {unit}"
    below = sum(value < 0 for value in values)
    return f"Heat map. {size} Numbers {ends}; {below} below zero. {table.shades.rule}"


def legend(
    shades: Shades, cells: Sequence[int | None], unit: str, corner: tuple[int, float]
) -> tuple[list[str], float]:
    """The swatches under a heat map, and where the picture ends."""
    width, top = corner
    parts, foot = list[str](), top - 6
    if any(cell is not None and cell >= 0 for cell in cells):
        parts, foot = list(_steps(shades, unit, corner)), top + 41
        if shades.rule:
            foot += 19
            parts.append(words(shades.rule, (0, foot), "soft", room=width))
    other = list(_others(cells))
    if other:
        drawn, foot = keys(other, foot + 21, width)
        parts += drawn
    return parts, foot + 8


def _steps(shades: Shades, unit: str, corner: Point) -> Iterator[str]:
    """A row of swatches, each with its first number."""
    width, top = corner
    yield words(unit, (1, top + 10), "soft", room=width - 1)
    long, last = min(STEP, width / len(shades.starts)), len(shades.starts) - 1
    for at, start in enumerate(shades.starts):
        yield box((at * long, top + 17, long - 1, STEP_HIGH), f"shade-{shades.of(start)}")
        text = short(start) + ("+" if last and at == last else "")
        yield words(text, (at * long, top + 17 + STEP_HIGH + 12), "soft", room=long - 4)


def _others(cells: Sequence[int | None]) -> Iterator[Key]:
    if any(cell is not None and cell < 0 for cell in cells):
        yield Key("below", "below zero")
    if None in cells:
        yield Key("none", "no establishment")


def shades(values: Iterable[int]) -> Shades:
    """Steps that fit the numbers from zero on."""
    positive = [min(value, LARGEST - 1) for value in values if value > 0]
    if not positive:
        return Shades((0,), "")
    low, high = min(positive), max(positive)
    return _growing(low, high) if high >= DECADES * low else _equal(high)


def _equal(high: int) -> Shades:
    step = next(s for s in _round_steps() if high // s < SHADES)
    starts = tuple(range(0, high + 1, step))
    return Shades(starts, f"Each shade spans {full(step)}." if len(starts) > 1 else "")


def _round_steps() -> Iterator[int]:
    yield from (1, 2, 5)
    yield from (digit * 10**power for power in count() for digit in (10, 20, 25, 50))


def _growing(low: int, high: int) -> Shades:
    """Steps by a factor of about 3, or of 10, 100 and so on where that is not enough.

    There may be one step more than shades: the smallest numbers then share a shade.
    """
    for digits, power, factor in _factors():
        bounds = [d * 10 ** (n * power) for n in range(len(str(high))) for d in digits]
        within = [bound for bound in bounds if low < bound <= high]
        if len(within) <= SHADES:
            rule = f"Each shade begins about {full(factor)} times higher than the last."
            return Shades((0, *within[1 - SHADES :]), rule)
    raise AssertionError


def _factors() -> Iterator[tuple[tuple[int, ...], int, int]]:
    yield (1, 3), 1, 3
    yield from (((1,), power, 10**power) for power in count(1))
