"""Paired cells: those that the same table has in two releases, under keys that encode codes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from leeward.core.codebook import Flag
from leeward.core.codebook.cells import EMPTY
from leeward.core.errors import Damaged, InvalidParameter
from leeward.core.noise.tabulated import Floats
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import Booleans, Integers, read_blocks
from leeward.publishing.bundle.selection import Coded

if TYPE_CHECKING:
    from leeward.core.noise.sums import ErrorDraws
    from leeward.derived.derive.stated_errors import Errors

MOST_COMBINATIONS = 2**62
"""Maximum number of combinations of codes: they are numbered in 64 bits."""

Lists = Sequence[dict[str, str]]
"""For each identifier its codes with their labels."""

Ends = tuple[Integers, Integers]


@dataclass(frozen=True)
class Pair:
    """One cell in both releases; `ends` of the difference are None without margins in both.

    `different`: the difference is one of those of which at most a stated share is noise.
    """

    codes: tuple[Coded, ...]
    first: int
    second: int
    ends: tuple[int, int] | None
    different: bool = False

    @property
    def difference(self) -> int:
        """Second minus first."""
        return self.second - self.first

    @property
    def apart(self) -> bool:
        """Whether 0 is not between the ends."""
        return self.ends is not None and not self.ends[0] <= 0 <= self.ends[1]


@dataclass(frozen=True)
class KeyedCells:
    """The cells of one release that have an establishment and a number; a key encodes the codes.

    `drawn` says that both ends are known. When all are read, keys ascend and each occurs once.
    """

    keys: Integers
    values: Integers
    low: Integers
    high: Integers
    drawn: Booleans
    establishments: Integers | None

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, chosen: Integers) -> "KeyedCells":
        """Some of the cells."""
        low, high = self.low[chosen], self.high[chosen]
        numbers = (self.keys[chosen], self.values[chosen], low, high, self.drawn[chosen])
        frame = None if self.establishments is None else self.establishments[chosen]
        return KeyedCells(*numbers, frame)

    def errors(self, draws: "ErrorDraws", table: CertifiedTable) -> "Errors":
        """Draws of the errors of all cells."""
        from leeward.derived.derive.stated_errors import Errors  # noqa: PLC0415 (as above)

        below = (self.values - self.low)[:, None]
        drawn = draws.draw(self.values[:, None], below, self.establishments)
        return Errors.of(drawn[:, 0], draws, table)


def read_cells(bundle: Bundle, table: CertifiedTable, lists: Lists) -> KeyedCells:
    """The cells of a table under keys that code lists of several tables have in common."""
    if prod(len(listed) for listed in lists) > MOST_COMBINATIONS:
        raise InvalidParameter(
            "table",
            rule="must have no more combinations of codes than can be counted",
            value="more than 2^62",
            next_step="Compare a table with fewer identifiers.",
        )
    numbers = [{code: place for place, code in enumerate(listed)} for listed in lists]
    places = [
        np.array([number[code] for code in table.codes[name]], np.int64)
        for name, number in zip(table.identifiers, numbers, strict=True)
    ]
    none = np.zeros(0, np.int64)
    columns, frames = [(none, none, none, none, np.zeros(0, bool))], list[Integers]()
    for block in read_blocks(bundle, table, totals=False):
        # Without the cells that have no establishment: a complete table is read like others.
        kept = block.take(block.status == Flag.OK)
        keys = np.zeros(len(kept), np.int64)
        for place, listed, positions in zip(places, lists, kept.positions, strict=True):
            keys = keys * len(listed) + place[positions]
        low, high = kept.ends
        drawn = kept.drawn & (low != EMPTY) & (high != EMPTY)
        columns.append((keys, kept.noisy, low, high, drawn))
        frames += [] if kept.establishments is None else [kept.establishments]
    frame = np.concatenate(frames) if frames else None
    keys, values, low, high, drawn = map(np.concatenate, zip(*columns, strict=True))
    cells = KeyedCells(keys, values, low, high, drawn, frame)
    # A table is written in the order of its own codes, so there is seldom work.
    if not (cells.keys[1:] >= cells.keys[:-1]).all():
        cells = cells.take(np.argsort(cells.keys))
    if (cells.keys[1:] == cells.keys[:-1]).any():
        raise Damaged(
            "bundle",
            rule=f"the table {table.name} must have each cell once",
            value="the same cell twice",
            next_step="Ask for the bundle again, or see what `leeward verify` finds.",
        )
    return cells


@dataclass(frozen=True)
class PairedCells:
    """The cells that both releases have, in the order of their codes, and ends of differences."""

    first: KeyedCells
    second: KeyedCells
    codes: tuple[list[Coded], ...]
    ends: Ends
    different: Booleans | None = None
    """Which differences pass the test of all cells; None where it is not made."""

    def __len__(self) -> int:
        return len(self.first)

    @property
    def size(self) -> Integers:
        """How large each difference is."""
        return np.asarray(np.abs(self.second.values - self.first.values))

    @property
    def bounded(self) -> Booleans:
        """Which differences have an interval."""
        return np.asarray(self.first.drawn & self.second.drawn)

    @property
    def apart(self) -> Booleans:
        """Which intervals do not include 0."""
        return np.asarray(self.bounded & ((self.ends[0] > 0) | (self.ends[1] < 0)))

    @property
    def marked(self) -> Booleans:
        """Which cells are marked: those that are different, or apart where that is not known."""
        return self.apart if self.different is None else self.different

    @property
    def certainty(self) -> Floats:
        """Each difference over its margin, on the side of 0; −1 without an interval."""
        difference = (self.second.values - self.first.values).astype(np.float64)
        up, down = difference - self.ends[0], self.ends[1] - difference
        margin = np.where(difference > 0, up, down)
        return np.where(self.bounded, np.abs(difference) / np.maximum(margin, 0.5), -1.0)

    def ranked(self, most: int) -> Integers:
        """The most certain differences, marked ones first; of two equal ones, the larger one."""
        order = np.lexsort((-self.size, -self.certainty, ~self.marked))
        return order[:most].astype(np.int64)

    def sample(self, most: int) -> Integers:
        """At most `most` cells, marked ones first; no randomness, so always the same ones."""
        marked = _spread(np.flatnonzero(self.marked), most)
        others = _spread(np.flatnonzero(~self.marked), most - len(marked))
        return np.concatenate([marked, others])

    def named(self, chosen: Integers) -> tuple[Pair, ...]:
        """The chosen cells for a person."""
        first, second, pairs = self.first, self.second, []
        bounded = self.bounded
        for row in chosen.tolist():
            codes, key = list[Coded](), int(first.keys[row])
            for listed in reversed(self.codes):
                key, place = divmod(key, len(listed))
                codes.append(listed[place])
            pair = Pair(
                tuple(reversed(codes)),
                int(first.values[row]),
                int(second.values[row]),
                (int(self.ends[0][row]), int(self.ends[1][row])) if bounded[row] else None,
                self.different is not None and bool(self.different[row]),
            )
            pairs.append(pair)
        return tuple(pairs)


def common(first: KeyedCells, second: KeyedCells, lists: Lists) -> PairedCells:
    """The cells of both under the same keys."""
    codes = tuple([Coded(code, label) for code, label in listed.items()] for listed in lists)
    place = np.searchsorted(first.keys, second.keys)
    inside = np.flatnonzero(place < len(first))
    both = inside[first.keys[place[inside]] == second.keys[inside]]
    here, there = first.take(place[both]), second.take(both)
    return PairedCells(here, there, codes, (there.low - here.high, there.high - here.low))


def _spread(cells: Integers, most: int) -> Integers:
    """At most `most` of them, evenly spaced."""
    return cells if len(cells) <= most else cells[np.arange(most) * len(cells) // most]
