"""Selection: searched, filtered and sorted rows of a table, a page at a time, found in one pass.

A table may have 100 million rows. Only the rows up to the requested page are kept in memory, so
pages end at the first 10,000 rows: a search leads to the others.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from leeward.core.codebook.cells import EMPTY
from leeward.core.codebook.marginal import BOUND, RELEASED
from leeward.core.errors import InvalidParameter, shown
from leeward.core.show.numbers import Ends
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import (
    Block,
    Booleans,
    Integers,
    certified,
    join,
    read_batches,
    read_blocks,
)
from leeward.publishing.bundle.bundle_files import ESTABLISHMENTS

MOST_ROWS = 10_000
"""Maximum number of rows that pages can reach."""

MOST_LETTERS = 200
"""Maximum length of a search in characters."""

SIZE = 50
"""Rows of a page."""


@dataclass(frozen=True)
class RowSelection:
    """A request: every word of `search` in a code or label, these codes, this order.

    An empty filter accepts every code; without `sort` the rows keep their order. `totals` asks for
    the rows of totals beside the cells.
    """

    search: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None
    sort: str = ""
    descending: bool = False
    page: int = 1
    totals: bool = False

    def __post_init__(self) -> None:
        if len(self.search) > MOST_LETTERS:
            rule = f"must have at most {MOST_LETTERS} letters"
            raise refused("search", rule, len(self.search), "Search for fewer words.")
        if self.page < 1:
            raise refused("page", "must be at least 1", self.page, "Begin with page 1.")


@dataclass(frozen=True)
class Coded:
    """A code with its label."""

    code: str
    label: str


@dataclass(frozen=True)
class SelectedRow:
    """One row; `margins` are None where there are none, `ends` is the interval of the value.

    Of a table of pay the value may be None, the last of the margins may be the count, and either
    end may be None. `establishments`, `released` and `bound` are None where the table has no such
    column, or the row no such number.
    """

    codes: tuple[Coded, ...]
    value: int | None
    status: int
    margins: tuple[int | None, ...]
    ends: Ends | None
    establishments: int | None = None
    released: int | None = None
    bound: int | None = None


@dataclass(frozen=True)
class Page:
    """Rows of one page. `matches` of `of` rows are wanted, on `pages` pages in all.

    `last` is the last page that can be shown.
    """

    rows: tuple[SelectedRow, ...]
    matches: int
    of: int
    number: int
    pages: int
    last: int


def select(bundle: Bundle, table: str, selection: RowSelection, *, size: int = SIZE) -> Page:
    """The wanted page of a table; the last one where there are fewer."""
    certified_table = certified(bundle, table)
    last = MOST_ROWS // size
    if selection.page > last:
        rule = f"must be at most {last}: only the first {MOST_ROWS:,} rows can be turned to"
        raise refused("page", rule, selection.page, "Narrow the search, or sort the other way.")
    wanted = _Wanted.of(certified_table, selection)
    kept = _Kept(selection.page * size)
    of = certified_table.rows if selection.totals else certified_table.cell_rows
    found = _gather(read_blocks(bundle, certified_table, totals=selection.totals), wanted, kept)
    matches = of if found is None else found
    pages = max(1, -(-matches // size))
    number = min(selection.page, pages)
    block = kept.block((number - 1) * size, number * size)
    rows = () if block is None else named_rows(certified_table, block)
    return Page(rows, matches, of, number, pages, min(pages, last))


def selected_batches(
    bundle: Bundle, table: CertifiedTable, selection: RowSelection
) -> Iterator[pa.RecordBatch]:
    """All rows that match, in their published order; a column of labels follows each of codes."""
    wanted = _Wanted.of(table, selection)
    labels = [pa.array(list(table.listed(name).values())) for name in table.identifiers]
    for batch, block in read_batches(bundle, table, totals=selection.totals):
        mask = wanted.mask(block)
        chosen, rows = (block, batch) if mask is None else (block.take(mask), batch.filter(mask))
        columns = dict(zip(rows.schema.names, rows.columns, strict=True))
        named = dict[str, pa.Array]()
        for place, name in enumerate(table.columns):
            column = columns[name]
            coded = pa.types.is_dictionary(column.type)
            named[name] = column.cast(pa.string()) if coded else column
            if place < len(labels):
                named[_label(name, table)] = labels[place].take(pa.array(chosen.positions[place]))
        yield pa.record_batch(named)


def _label(name: str, table: CertifiedTable) -> str:
    """The name of the column of labels, which no other column has."""
    tail = "_label"
    while f"{name}{tail}" in table.columns:
        tail += "_"
    return f"{name}{tail}"


def _gather(batches: Iterator[Block], wanted: "_Wanted", kept: "_Kept") -> int | None:
    """The number of matching rows; None if all rows match and reading stopped early."""
    matches = 0
    for batch in batches:
        mask = wanted.mask(batch)
        chosen = batch if mask is None else batch.take(mask)
        matches += len(chosen)
        kept.add(wanted.keys(chosen), chosen)
        if wanted.everything_in_order and kept.full:
            return None
    return matches


@dataclass(frozen=True)
class _Wanted:
    """A selection in the terms of a table: for each word and identifier, which codes hold it."""

    words: tuple[tuple[Booleans, ...], ...]
    filters: tuple[tuple[int, int], ...]
    status: int | None
    column: str | int | None
    descending: bool

    @classmethod
    def of(cls, table: CertifiedTable, selection: RowSelection) -> "_Wanted":
        words = dict.fromkeys(selection.search.casefold().split())
        texts = [
            [f"{code}\n{label}".casefold() for code, label in table.listed(name).items()]
            for name in table.identifiers
        ]
        column = _column(table, selection.sort) if selection.sort else None
        return cls(
            tuple(tuple(_holding(word, listed) for listed in texts) for word in words),
            tuple(_filters(table, selection.filters)),
            selection.status,
            column,
            selection.descending,
        )

    @property
    def everything_in_order(self) -> bool:
        """Whether the first rows are the wanted ones."""
        return not (self.words or self.filters) and self.status is None and self.column is None

    def mask(self, block: Block) -> Booleans | None:
        """Which rows are wanted; None for all."""
        parts = [block.positions[number] == place for number, place in self.filters]
        if self.status is not None:
            parts.append(block.status == self.status)
        parts += [self._holds(word, block) for word in self.words]
        return np.logical_and.reduce(parts) if parts else None

    def _holds(self, word: tuple[Booleans, ...], block: Block) -> Booleans:
        found = np.zeros(len(block), bool)
        for codes, positions in zip(word, block.positions, strict=True):
            found |= codes[positions]
        return found

    def keys(self, block: Block) -> Integers:
        """What rows are sorted by, smallest first; rows without a number come last either way."""
        if self.column is None:
            return np.zeros(len(block), np.int64)
        numbers = self._sorted_by(block, self.column)
        keys = ~numbers if self.descending else numbers
        there = numbers != EMPTY
        if self.column in block.margins:
            there &= block.drawn
        return np.where(there, keys, np.iinfo(np.int64).max)

    def _sorted_by(self, block: Block, column: str | int) -> Integers:
        """An identifier by its place, a column of numbers by its name."""
        if isinstance(column, int):
            return block.positions[column]
        beside = {
            ESTABLISHMENTS: block.establishments,
            RELEASED: block.released,
            BOUND: block.bound,
        }
        there = {name: one for name, one in beside.items() if one is not None}
        return {"value": block.values, "status": block.status, **block.margins, **there}[column]


class _Kept:
    """The first rows by their keys, in order; of equal keys the earlier row comes first."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._keys = np.zeros(0, np.int64)
        self._block: Block | None = None

    @property
    def full(self) -> bool:
        return len(self._keys) >= self.most

    def add(self, keys: Integers, block: Block) -> None:
        """Keep the rows whose keys are below the last key kept."""
        if self.full:
            better = keys < self._keys[-1]
            keys, block = keys[better], block.take(better)
        if not len(keys):
            return
        joined = block if self._block is None else join([self._block, block])
        together = np.concatenate([self._keys, keys])
        order = np.argsort(together, kind="stable")[: self.most]
        self._keys, self._block = together[order], joined.take(order)

    def block(self, start: int, stop: int) -> Block | None:
        """Some of the rows."""
        return (
            None
            if self._block is None
            else self._block.take(np.arange(len(self._keys))[start:stop])
        )


def named_rows(table: CertifiedTable, block: Block) -> tuple[SelectedRow, ...]:
    """The rows of a block with their codes and labels."""
    listed = [
        [Coded(code, label) for code, label in table.listed(name).items()]
        for name in table.identifiers
    ]
    drawn, (low, high), wide = block.drawn, block.ends, table.has_margins
    rest = [_listed(one, len(block)) for one in (block.establishments, block.released, block.bound)]
    return tuple(
        SelectedRow(
            tuple(
                codes[column[row]] for codes, column in zip(listed, block.positions, strict=True)
            ),
            _number(block.values[row]),
            int(block.status[row]),
            tuple(
                _number(margin[row]) if drawn[row] else None for margin in block.margins.values()
            ),
            (ends if drawn[row] and wide and ends != (None, None) else None),
            *(column[row] for column in rest),
        )
        for row in range(len(block))
        for ends in ((_number(low[row]), _number(high[row])),)
    )


def _listed(column: Integers | None, rows: int) -> list[int | None]:
    """The numbers of a column that a table may lack."""
    return [None] * rows if column is None else [_number(one) for one in column]


def _number(number: int) -> int | None:
    return None if number == EMPTY else int(number)


def _holding(word: str, texts: list[str]) -> Booleans:
    return np.fromiter((word in text for text in texts), bool, len(texts))


def _column(table: CertifiedTable, name: str) -> str | int:
    if name not in table.columns:
        rule = f"must be a column of {table.name}"
        raise refused("sort", rule, name, f"Choose one of: {', '.join(table.columns)}.")
    place = table.columns.index(name)  # an older bundle may have an attribute called `low`
    return place if place < len(table.identifiers) else name


def _filters(table: CertifiedTable, filters: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    for name, code in filters.items():
        if name not in table.identifiers:
            rule = f"must be an identifier of {table.name}"
            step = f"Choose one of: {', '.join(table.identifiers) or 'it has none'}."
            raise refused("filter", rule, name, step)
        if code and code not in table.listed(name):
            step = "Choose one of the list, or search for a part of its label."
            raise refused(name, f"must be a code of {name}", code, step)
        if code:
            yield table.identifiers.index(name), list(table.listed(name)).index(code)


def refused(parameter: str, rule: str, value: object, next_step: str) -> InvalidParameter:
    """The refusal of a part of the request."""
    return InvalidParameter(parameter, rule=rule, value=shown(value), next_step=next_step)
