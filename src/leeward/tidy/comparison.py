"""Comparison: the same table in two bundles, cell by cell.

Two releases of the same data differ by their noise alone, and neither is wrong. So a difference
is called clear only where 0 is outside its 90 % interval, by draws of the noise of both; where a
certificate does not state the law of the noise, as of tables of pay, where it is larger than both
margins together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from leeward.bundle import Bundle, CertifiedTable
from leeward.bundle.blocks import Block, Booleans, Integers, certified, read_blocks
from leeward.bundle.pay_statements import StatisticStatement
from leeward.bundle.selection import Coded
from leeward.errors import Damaged, InvalidParameter
from leeward.model import COUNT, Flag
from leeward.model.values import EMPTY
from leeward.noise.scales import DRAWS

if TYPE_CHECKING:
    from leeward.noise.sums import ErrorDraws
    from leeward.tidy.cell_errors import Errors

MOST_ROWS = 5_000_000
"""Maximum number of rows of a table that is compared: all cells are held in memory."""

MOST_DRAWN, FEWEST_DRAWS = 1 << 28, 99
"""Draws of all differences together, some seconds; and of each, of which the 90th is the end."""

AGAINST = "against"
"""Makes the seed of a second release another one: both may be of one plan."""

MOST_COMBINATIONS = 2**62
"""Maximum number of combinations of codes: they are numbered in 64 bits."""

LARGEST = 25
"""Number of largest differences that are listed."""

DOTS = 2000
"""Maximum number of cells that are drawn."""

DRAWN = Fraction(9, 10)
"""How often a drawn interval of a difference holds."""

Lists = Sequence[dict[str, str]]
"""For each identifier its codes with their labels."""

Ends = tuple[Integers, Integers]


@dataclass(frozen=True)
class Pair:
    """One cell in both releases; `ends` of the difference are None without margins in both."""

    codes: tuple[Coded, ...]
    first: int
    second: int
    ends: tuple[int, int] | None

    @property
    def difference(self) -> int:
        """Second minus first."""
        return self.second - self.first

    @property
    def clear(self) -> bool:
        """Whether 0 is not between the ends."""
        return self.ends is not None and not self.ends[0] <= 0 <= self.ends[1]


@dataclass(frozen=True)
class Comparison:
    """How many cells with an establishment both releases have, and how those differ.

    `clear` is None without margins. `dots` are some of the cells in both, the clearly different
    ones first. `holds` is the least probability with which the interval of a difference holds;
    `drawn` says that it follows from draws of both noises, not from both margins together.
    """

    both: int
    only_first: int
    only_second: int
    clear: int | None
    holds: Fraction | None
    largest: tuple[Pair, ...]
    dots: tuple[Pair, ...]
    notes: tuple[str, ...]
    drawn: bool = False
    unit: str = COUNT.unit


def compare(first: Bundle, second: Bundle, table: str) -> Comparison:
    """What differs between the tables of this name."""
    stated = certified(first, table), certified(second, table)
    _refuse(*stated)
    lists = tuple(_together(*stated, name) for name in stated[0].identifiers)
    one, two = read_cells(first, stated[0], lists), read_cells(second, stated[1], lists)
    pairs = common(one, two, lists)
    # Rows of flows have the noise of several classes: their margins stand for it.
    drawn = all(table.noise is not None and not table.of_classes for table in stated)
    if drawn:
        pairs = replace(pairs, ends=_drawn_ends(pairs, first, second, table))
    holds = DRAWN if drawn else _holds(*stated)
    return Comparison(
        both=len(pairs),
        only_first=len(one) - len(pairs),
        only_second=len(two) - len(pairs),
        clear=None if holds is None else int(pairs.clear.sum()),
        holds=holds,
        largest=pairs.named(pairs.ranked(LARGEST)),
        dots=pairs.named(pairs.sample(DOTS)),
        notes=(*release_notes(first, second), *table_notes(*stated), *_bias_notes(*stated)),
        drawn=drawn,
        unit=stated[0].unit,
    )


def _drawn_ends(pairs: "Pairs", first: Bundle, second: Bundle, name: str) -> "Ends":
    """The ends of all differences, by draws of the noise of both releases."""
    # A page that is served must not load draws before they are needed.
    from leeward.tidy.cell_errors import AT_ONCE, stated_draws  # noqa: PLC0415

    one, two = certified(first, name), certified(second, name)
    many = max(FEWEST_DRAWS, min(DRAWS, MOST_DRAWN // max(1, len(pairs))))
    draws = (
        stated_draws(first.certificate, one, AGAINST, draws=many),
        stated_draws(second.certificate, two, draws=many),
    )
    found = np.zeros((2, len(pairs)), np.int64)
    for start in range(0, len(pairs), AT_ONCE):
        part = np.arange(start, min(start + AT_ONCE, len(pairs)))
        left, right = pairs.first.take(part), pairs.second.take(part)
        errors = right.errors(draws[1], two).less(left.errors(draws[0], one))
        found[:, part] = errors.interval(right.values - left.values)
    return found[0], found[1]


def refuse_unlike(first: CertifiedTable, second: CertifiedTable, next_step: str) -> None:
    """Refuse tables whose cells or values do not mean the same."""
    if first.identifiers != second.identifiers:
        named = " and ".join(", ".join(t.identifiers) or "nothing" for t in (first, second))
        raise _refused("must be by the same identifiers in both bundles", named, next_step)
    if _read_as(first) != _read_as(second):
        named = " and ".join(table.statistic_words for table in (first, second))
        rule = "must have values of one statistic, with the same unit and cap, in both bundles"
        raise _refused(rule, named, next_step)


def _refuse(first: CertifiedTable, second: CertifiedTable) -> None:
    refuse_unlike(first, second, "Compare another table.")
    for table in (first, second):
        if table.rows > MOST_ROWS:
            step = "Compare a smaller table here, and this one with a program that reads Parquet."
            raise _refused(f"must have at most {MOST_ROWS:,} rows", f"{table.rows:,}", step)


def _read_as(table: CertifiedTable) -> tuple[object, ...] | None:
    """What a value is: of which column, in which unit, and what of its pay counts."""
    one = table.statistic
    if not isinstance(one, StatisticStatement):
        return None if one is None else (one.name, one.of)
    return one.name, one.of, one.per_period, one.low, one.cap, one.edges, one.at


def _together(first: CertifiedTable, second: CertifiedTable, name: str) -> dict[str, str]:
    """The codes of an identifier with their labels: those of the first, then what is new."""
    known = first.codes[name]
    new = {code: label for code, label in second.codes[name].items() if code not in known}
    return known | new


def _holds(first: CertifiedTable, second: CertifiedTable) -> Fraction | None:
    """Either margin fails with its own probability, so both hold with at least the rest."""
    stated = (first.margins.coverage, second.margins.coverage)
    if not (first.has_margins and second.has_margins and all(stated)):
        return None
    return max(Fraction(0), sum((Fraction(one or 0) for one in stated), Fraction(-1)))


def release_notes(first: Bundle, second: Bundle) -> Iterator[str]:
    """What is different about the releases, so that cells may differ for more than noise."""
    one, two = first.certificate, second.certificate
    if one.period != two.period:
        yield f"The first release is of {one.period}, the second of {two.period}."
    if one.jobs != two.jobs:
        yield "The releases treat workers with several jobs differently."


def table_notes(first: CertifiedTable, second: CertifiedTable) -> Iterator[str]:
    """What is different about two tables by the same identifiers."""
    if first.where != second.where:
        yield "The tables count different jobs: the filters in their plans differ."
    for name in first.identifiers:
        if set(first.codes[name]) != set(second.codes[name]):
            yield f"The codes of {name} differ: cells with a code of one list are in one release."


def _bias_notes(first: CertifiedTable, second: CertifiedTable) -> Iterator[str]:
    for which, table in {"first": first, "second": second}.items():
        if table.bias is not None:
            yield f"Values of the {which} release may be off on average. {table.bias}"


def _refused(rule: str, value: str, next_step: str) -> InvalidParameter:
    return InvalidParameter("table", rule=rule, value=value, next_step=next_step)


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
        from leeward.tidy.cell_errors import Errors  # noqa: PLC0415 (as above)

        below = (self.values - self.low)[:, None]
        drawn = draws.draw(self.values[:, None], below, self.establishments)
        return Errors.of(drawn[:, 0], draws, table)


def read_cells(bundle: Bundle, table: CertifiedTable, lists: Lists) -> KeyedCells:
    """The cells of a table under keys that code lists of several tables have in common."""
    _refuse_many(lists)
    stated = zip(table.identifiers, lists, strict=True)
    places = [_places(table.codes[name], listed) for name, listed in stated]
    parts = [_numbered(block, places, lists) for block in read_blocks(bundle, table, totals=False)]
    cells = _in_order(_join(parts))
    if (cells.keys[1:] == cells.keys[:-1]).any():
        raise _twice(table)
    return cells


def _in_order(cells: KeyedCells) -> KeyedCells:
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


def _numbered(block: Block, places: list[Integers], lists: Lists) -> KeyedCells:
    """Without the cells that have no establishment: a complete table is read like others."""
    kept = block.take(block.status == Flag.OK)
    keys = np.zeros(len(kept), np.int64)
    for place, listed, positions in zip(places, lists, kept.positions, strict=True):
        keys = keys * len(listed) + place[positions]
    low, high = kept.ends
    drawn = kept.drawn & (low != EMPTY) & (high != EMPTY)
    return KeyedCells(keys, kept.values, low, high, drawn, kept.establishments)


def _join(parts: list[KeyedCells]) -> KeyedCells:
    none = np.zeros(0, np.int64)
    counted = [part.establishments for part in parts if part.establishments is not None]
    return KeyedCells(
        np.concatenate([none, *(part.keys for part in parts)]),
        np.concatenate([none, *(part.values for part in parts)]),
        np.concatenate([none, *(part.low for part in parts)]),
        np.concatenate([none, *(part.high for part in parts)]),
        np.concatenate([none.astype(bool), *(part.drawn for part in parts)]),
        np.concatenate(counted) if counted else None,
    )


@dataclass(frozen=True)
class Pairs:
    """The cells that both releases have, in the order of their codes, and ends of differences."""

    first: KeyedCells
    second: KeyedCells
    codes: tuple[list[Coded], ...]
    ends: Ends

    def __len__(self) -> int:
        return len(self.first)

    @property
    def size(self) -> Integers:
        """How large each difference is."""
        return np.asarray(np.abs(self.second.values - self.first.values))

    @property
    def clear(self) -> Booleans:
        """Which differences are not 0, as far as their ends tell."""
        apart = (self.ends[0] > 0) | (self.ends[1] < 0)
        return np.asarray(self.first.drawn & self.second.drawn & apart)

    def ranked(self, most: int) -> Integers:
        """The largest differences; of two equal ones, the first cell."""
        return np.argsort(-self.size, kind="stable")[:most].astype(np.int64)

    def sample(self, most: int) -> Integers:
        """At most `most` cells, clear ones first; no randomness, so always the same ones."""
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
            (int(self.ends[0][row]), int(self.ends[1][row]))
            if one.drawn[row] and two.drawn[row]
            else None,
        )

    def _coded(self, key: int) -> tuple[Coded, ...]:
        found: list[Coded] = []
        for listed in reversed(self.codes):
            key, place = divmod(key, len(listed))
            found.append(listed[place])
        return tuple(reversed(found))


def common(first: KeyedCells, second: KeyedCells, lists: Lists) -> Pairs:
    """The cells of both under the same keys."""
    codes = tuple([Coded(code, label) for code, label in listed.items()] for listed in lists)
    place = np.searchsorted(first.keys, second.keys)
    inside = np.flatnonzero(place < len(first))
    two = inside[first.keys[place[inside]] == second.keys[inside]]
    one, other = first.take(place[two]), second.take(two)
    return Pairs(one, other, codes, (other.low - one.high, other.high - one.low))


def _spread(cells: Integers, most: int) -> Integers:
    """At most `most` of them, evenly spaced."""
    return cells if len(cells) <= most else cells[np.arange(most) * len(cells) // most]


def _twice(table: CertifiedTable) -> Damaged:
    return Damaged(
        "bundle",
        rule=f"the table {table.name} must have each cell once",
        value="a cell that stands there twice",
        next_step="Ask for the bundle again, or see what `leeward verify` finds.",
    )
