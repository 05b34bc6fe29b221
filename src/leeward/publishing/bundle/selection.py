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
    matches = 0
    for block in read_blocks(bundle, certified_table, totals=selection.totals):
        mask = wanted.mask(block)
        chosen = block if mask is None else block.take(mask)
        matches += len(chosen)
        kept.add(wanted.keys(chosen), chosen)
        if wanted.everything_in_order and kept.full:  # the rest is not read: all rows match
            matches = of
            break
    pages = max(1, -(-matches // size))
    number = min(selection.page, pages)
    shown_rows = kept.block((number - 1) * size, number * size)
    rows = () if shown_rows is None else named_rows(certified_table, shown_rows)
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
                beside = f"{name}_label"
                while beside in table.columns:
                    beside += "_"
                named[beside] = labels[place].take(pa.array(chosen.positions[place]))
        yield pa.record_batch(named)


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
        texts = [
            [f"{code}\n{label}".casefold() for code, label in table.listed(name).items()]
            for name in table.identifiers
        ]
        words = tuple(
            tuple(np.array([word in text for text in listed], bool) for listed in texts)
            for word in dict.fromkeys(selection.search.casefold().split())
        )
        column: str | int | None = selection.sort or None
        if column is not None and column not in table.columns:
            rule = f"must be a column of {table.name}"
            raise refused("sort", rule, column, f"Choose one of: {', '.join(table.columns)}.")
        if column in table.identifiers:  # an older bundle may have an attribute called `low`
            column = table.identifiers.index(selection.sort)
        filters = tuple(_filters(table, selection.filters))
        return cls(words, filters, selection.status, column, selection.descending)

    @property
    def everything_in_order(self) -> bool:
        """Whether the first rows are the wanted ones."""
        return not (self.words or self.filters) and self.status is None and self.column is None

    def mask(self, block: Block) -> Booleans | None:
        """Which rows are wanted; None for all."""
        parts = [block.positions[number] == place for number, place in self.filters]
        if self.status is not None:
            parts.append(block.status == self.status)
        for word in self.words:
            hits = np.zeros(len(block), bool)
            for codes, positions in zip(word, block.positions, strict=True):
                hits |= codes[positions]
            parts.append(hits)
        return np.logical_and.reduce(parts) if parts else None

    def keys(self, block: Block) -> Integers:
        """What rows are sorted by, smallest first; rows without a number come last either way."""
        if self.column is None:
            return np.zeros(len(block), np.int64)
        if isinstance(self.column, int):
            numbers = block.positions[self.column]
        else:
            beside = {
                ESTABLISHMENTS: block.establishments,
                RELEASED: block.released,
                BOUND: block.bound,
            }
            there = {name: column for name, column in beside.items() if column is not None}
            named = {"value": block.values, "status": block.status, **block.margins, **there}
            numbers = named[self.column]
        keys = ~numbers if self.descending else numbers
        known = numbers != EMPTY
        if self.column in block.margins:
            known &= block.drawn
        return np.where(known, keys, np.iinfo(np.int64).max)


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
        if self._block is None:
            return None
        return self._block.take(np.arange(len(self._keys))[start:stop])


def named_rows(table: CertifiedTable, block: Block) -> tuple[SelectedRow, ...]:
    """The rows of a block with their codes and labels."""
    listed = [
        [Coded(code, label) for code, label in table.listed(name).items()]
        for name in table.identifiers
    ]
    drawn, (low, high), wide = block.drawn, block.ends, table.has_margins
    nothing = np.full(len(block), EMPTY)
    beside = (block.establishments, block.released, block.bound)  # columns that a table may lack
    rest = [nothing if column is None else column for column in beside]
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
            *(_number(column[row]) for column in rest),
        )
        for row in range(len(block))
        for ends in ((_number(low[row]), _number(high[row])),)
    )


def _number(number: int) -> int | None:
    return None if number == EMPTY else int(number)


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
