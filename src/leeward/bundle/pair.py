"""Pair: one cell in two releases of the same table, and all of them side by side as columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from leeward.bundle import Bundle, CertifiedTable
from leeward.bundle.blocks import Block, Booleans, Integers, read_blocks
from leeward.bundle.selection import Coded
from leeward.errors import Damaged, InvalidParameter
from leeward.model import Flag

MOST_COMBINATIONS = 2**62

Lists = Sequence[dict[str, str]]
"""For each identifier its codes with their labels."""


@dataclass(frozen=True)
class Pair:
    """One cell in both releases; a margin is None where there is none."""

    codes: tuple[Coded, ...]
    first: int
    second: int
    first_margin: int | None
    second_margin: int | None

    @property
    def difference(self) -> int:
        """Second minus first."""
        return self.second - self.first

    @property
    def margin(self) -> int | None:
        """Both margins together."""
        if self.first_margin is None or self.second_margin is None:
            return None
        return self.first_margin + self.second_margin

    @property
    def clear(self) -> bool:
        """Whether the difference is larger than both margins together."""
        return self.margin is not None and abs(self.difference) > self.margin


@dataclass(frozen=True)
class Cells:
    """The cells of one release that have an establishment; a key stands for a cell's codes.

    Once they are all read, they stand in the order of their keys, each key once.
    """

    keys: Integers
    values: Integers
    margins: Integers
    drawn: Booleans

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, chosen: Integers) -> "Cells":
        """Some of the cells."""
        numbers = (self.keys[chosen], self.values[chosen], self.margins[chosen])
        return Cells(*numbers, self.drawn[chosen])


def read_cells(bundle: Bundle, table: CertifiedTable, lists: Lists) -> Cells:
    """The cells of a table under keys that code lists of several tables have in common."""
    _refuse_many(lists)
    stated = zip(table.identifiers, lists, strict=True)
    places = [_places(table.codes[name], listed) for name, listed in stated]
    parts = [_numbered(block, places, lists) for block in read_blocks(bundle, table)]
    cells = _in_order(_join(parts))
    if (cells.keys[1:] == cells.keys[:-1]).any():
        raise _twice(table)
    return cells


def _in_order(cells: Cells) -> Cells:
    """By key. A table is written in the order of its own codes, so there is seldom work."""
    ascending = bool((cells.keys[1:] >= cells.keys[:-1]).all())
    return cells if ascending else cells.take(np.argsort(cells.keys))


def _refuse_many(lists: Lists) -> None:
    if prod(len(listed) for listed in lists) > MOST_COMBINATIONS:
        raise InvalidParameter(
            "table",
            rule="must have no more combinations of codes than can be counted",
            value="more than 2^62",
            next_step="Compare a table with fewer identifiers.",
        )


def _places(listed: dict[str, str], together: dict[str, str]) -> Integers:
    number = {code: place for place, code in enumerate(together)}
    return np.array([number[code] for code in listed], np.int64)


def _numbered(block: Block, places: list[Integers], lists: Lists) -> Cells:
    """Without the cells that have no establishment: a complete table is read like others."""
    kept = block.take(block.status != Flag.NO_ESTABLISHMENT)
    keys = np.zeros(len(kept), np.int64)
    for place, listed, positions in zip(places, lists, kept.positions, strict=True):
        keys = keys * len(listed) + place[positions]
    return Cells(keys, kept.values, kept.margins, kept.drawn)


def _join(parts: list[Cells]) -> Cells:
    none = np.zeros(0, np.int64)
    return Cells(
        np.concatenate([none, *(part.keys for part in parts)]),
        np.concatenate([none, *(part.values for part in parts)]),
        np.concatenate([none, *(part.margins for part in parts)]),
        np.concatenate([none.astype(bool), *(part.drawn for part in parts)]),
    )


@dataclass(frozen=True)
class Pairs:
    """The cells that both releases have, in the order of their codes."""

    first: Cells
    second: Cells
    codes: tuple[list[Coded], ...]

    def __len__(self) -> int:
        return len(self.first)

    @property
    def size(self) -> Integers:
        """How large each difference is."""
        return np.asarray(np.abs(self.second.values - self.first.values))

    @property
    def clear(self) -> Booleans:
        """Which differences are larger than both margins together."""
        margin = self.first.margins + self.second.margins
        return np.asarray(self.first.drawn & self.second.drawn & (self.size > margin))

    def ranked(self, most: int) -> Integers:
        """The largest differences; of two alike, the first cell."""
        return np.argsort(-self.size, kind="stable")[:most].astype(np.int64)

    def sample(self, most: int) -> Integers:
        """At most so many cells, clear ones first. Nothing is drawn: the same every time."""
        clear = self.clear
        marked = _spread(np.flatnonzero(clear), most)
        others = _spread(np.flatnonzero(~clear), most - len(marked))
        return np.concatenate([marked, others])

    def named(self, chosen: Integers) -> tuple[Pair, ...]:
        """The chosen cells for a person."""
        return tuple(self._pair(int(row)) for row in chosen)

    def _pair(self, row: int) -> Pair:
        one, two = self.first, self.second
        return Pair(
            self._coded(int(one.keys[row])),
            int(one.values[row]),
            int(two.values[row]),
            int(one.margins[row]) if one.drawn[row] else None,
            int(two.margins[row]) if two.drawn[row] else None,
        )

    def _coded(self, key: int) -> tuple[Coded, ...]:
        found: list[Coded] = []
        for listed in reversed(self.codes):
            key, place = divmod(key, len(listed))
            found.append(listed[place])
        return tuple(reversed(found))


def common(first: Cells, second: Cells, lists: Lists) -> Pairs:
    """The cells of both under the same keys."""
    codes = tuple([Coded(code, label) for code, label in listed.items()] for listed in lists)
    place = np.searchsorted(first.keys, second.keys)
    inside = np.flatnonzero(place < len(first))
    two = inside[first.keys[place[inside]] == second.keys[inside]]
    return Pairs(first.take(place[two]), second.take(two), codes)


def _spread(cells: Integers, most: int) -> Integers:
    """At most so many of them, at even distances."""
    return cells if len(cells) <= most else cells[np.arange(most) * len(cells) // most]


def _twice(table: CertifiedTable) -> Damaged:
    return Damaged(
        "bundle",
        rule=f"the table {table.name} must have each cell once",
        value="a cell that stands there twice",
        next_step="Ask for the bundle again, or see what `leeward verify` finds.",
    )
