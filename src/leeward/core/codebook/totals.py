"""Totals: rows that are added from published ones, so that a total is the sum of its rows.

A family of totals is the table once more, with some attributes at their total code. Families are
added from each other while the cells come by, in the order of their keys. A total is finished when
no later cell can belong to it, so memory holds unfinished totals and published numbers alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.attribute import Dimension, sizes
from leeward.core.codebook.cells import Flag, Integers, Margins, Published
from leeward.core.codebook.marginal import Marginal

Column = NDArray[Any]
TOTAL_LABEL = "Total"


class DrawnErrors(Protocol):
    """Errors of sums (w, d), of which draws can be made; rows are added up as the sums are."""

    def over(self, columns: Integers) -> "DrawnErrors":
        """Errors of sums of worker cells, by the new column of each one."""

    def grouped(self, groups: Integers) -> "DrawnErrors":
        """Errors of sums of rows, by the number of the group of each."""

    def plus(self, at: Integers, other: Any) -> "DrawnErrors":  # noqa: ANN401 (of the same table)
        """Other rows added to the rows at these places; these may change in place."""

    def joined(self, other: Any) -> "DrawnErrors":  # noqa: ANN401 (of the same table)
        """These rows, and then the others."""

    def part(self, some: slice) -> "DrawnErrors":
        """Some of the rows."""

    def drawn(self) -> NDArray[np.float32]:
        """Draws (w, d, draws)."""


@dataclass(frozen=True)
class Family:
    """The rows in which the attributes `totals` have their total code.

    In `marginal` each of them has this one code. The rows are added over `over` from the rows of
    the family `source`; 0 are the cells.
    """

    marginal: Marginal
    totals: tuple[str, ...]
    source: int
    over: str

    @property
    def first(self) -> int | None:
        """The place of the first workplace attribute that is a total; None without one."""
        places = [
            at
            for at, dimension in enumerate(self.marginal.workplace)
            if dimension.name in self.totals
        ]
        return min(places, default=None)

    @property
    def unfinished(self) -> int:
        """Maximum number of rows that wait for later cells."""
        if self.first is None:
            return 0
        return sizes(self.marginal.workplace[self.first :]) * self.marginal.worker_cells


def families(marginal: Marginal) -> tuple[Family, ...]:
    """Every combination of the attributes being total or not, the last attribute fastest.

    The last family is the total of all. Sums over workplaces are taken last: their columns are
    new, so those that wait for later cells may change in place.
    """
    names = [
        dimension.name
        for dimension in reversed(marginal.dimensions)
        if dimension.name in marginal.totals
    ]
    every: list[Family] = []
    for number in range(1, 2 ** len(names)):
        chosen = {name for bit, name in enumerate(names) if number >> bit & 1}
        highest = number.bit_length() - 1
        totalled = replace(
            marginal,
            workplace=tuple(_total(dimension, chosen) for dimension in marginal.workplace),
            worker=tuple(_total(dimension, chosen) for dimension in marginal.worker),
        )
        ordered = tuple(
            dimension.name for dimension in marginal.dimensions if dimension.name in chosen
        )
        every.append(Family(totalled, ordered, number - 2**highest, names[highest]))
    return tuple(every)


def _total(dimension: Dimension, chosen: set[str]) -> Dimension:
    attribute = dimension.attribute
    if dimension.name not in chosen:
        return dimension
    if attribute.total is None:
        raise ValueError(f"{attribute.name} has no total code")
    code = replace(attribute, codes=(attribute.total,), labels=(TOTAL_LABEL,))
    return Dimension(code, (0,))


@dataclass(frozen=True)
class Sums:
    """Sums of published cells, keys ascending: values (w, d), how many cells have a value (w,).

    `establishments` (w,) and `errors` (w, d) of the sums may be None.
    """

    keys: Integers
    values: Integers
    ok: Column
    establishments: Column | None = None
    errors: DrawnErrors | None = None

    @classmethod
    def of(cls, published: Published, errors: DrawnErrors | None = None) -> "Sums":
        """Cells that nothing is added to yet."""
        ok = (published.flags == Flag.OK).astype(np.int64)
        return cls(published.keys, published.values, ok, published.establishments, errors)

    def added(self, over: str, marginal: Marginal) -> "Sums":
        """The rows of this table, added over one of its attributes."""
        for at, dimension in enumerate(marginal.worker):
            if dimension.name == over:
                shape = [part.size for part in marginal.worker]
                apart = self.values.reshape(len(self.values), *shape)
                values = np.add.reduce(apart, axis=1 + at).reshape(len(apart), -1)
                left = [*shape[:at], 1, *shape[at + 1 :]]
                columns = np.broadcast_to(np.arange(prod(left)).reshape(left), shape).ravel()
                errors = None if self.errors is None else self.errors.over(columns)
                return replace(self, values=values, errors=errors)
        at = [dimension.name for dimension in marginal.workplace].index(over)
        rest = sizes(marginal.workplace[at + 1 :])
        whole = marginal.workplace[at].size * rest
        return self.grouped(self.keys // whole * rest + self.keys % rest)

    def grouped(self, keys: Integers) -> "Sums":
        """Sums of the rows that have equal ones of these keys."""
        order = np.argsort(keys, kind="stable")
        ascending = keys[order]
        starts = np.flatnonzero(np.diff(ascending, prepend=-1))
        # Numbers beyond 64 bits wrap around in whatever order they are added: `verify` agrees.
        summed = [np.add.reduceat(column[order], starts) for column in self.columns()]
        groups = ascending[starts]
        errors = self.errors and self.errors.grouped(np.searchsorted(groups, keys))
        return replace(self.holding(summed), keys=groups, errors=errors)

    def plus(self, other: "Sums") -> "Sums":
        """Both together; rows with equal keys are added. These sums may change in place."""
        at = np.searchsorted(self.keys, other.keys)
        if len(at) and at[-1] < len(self.keys) and np.array_equal(self.keys[at], other.keys):
            for own, new in zip(self.columns(), other.columns(), strict=True):
                own[at] += new
            return replace(self, errors=self.errors and self.errors.plus(at, other.errors))
        keys = np.concatenate([self.keys, other.keys])
        pairs = zip(self.columns(), other.columns(), strict=True)
        joined = self.holding([np.concatenate(pair) for pair in pairs])
        errors = self.errors and self.errors.joined(other.errors)
        return replace(joined, errors=errors).grouped(keys)

    def part(self, some: slice) -> "Sums":
        """A copy of some of the rows."""
        taken = self.holding([column[some].copy() for column in self.columns()])
        return replace(taken, keys=self.keys[some], errors=self.errors and self.errors.part(some))

    def columns(self) -> list[Column]:
        """All columns of numbers that are there, without the keys."""
        every = (self.values, self.ok, self.establishments)
        return [column for column in every if column is not None]

    def holding(self, columns: list[Column]) -> "Sums":
        """The same with other columns in the same order; keys stay."""
        values, ok, *rest = columns
        return Sums(self.keys, values, ok, rest[0] if rest else None, self.errors)


class Totals:
    """The totals of a table, from its cells in their order.

    `margins` turns sums and draws of their errors into columns of margins.
    """

    def __init__(
        self, marginal: Marginal, margins: Callable[[Integers, Column], Margins] | None = None
    ) -> None:
        self.families = families(marginal)
        self._marginal = marginal
        self._margins = margins
        self._waiting: dict[int, Sums] = {}
        self._finished: list[list[Published]] = [[] for _ in self.families]

    def add(self, published: Published, errors: DrawnErrors | None = None) -> None:
        """The next cells; every worker cell of a workplace cell is there."""
        if not len(published.keys):
            return
        here, last = {0: Sums.of(published, errors)}, int(published.keys[-1])
        marginals = [self._marginal, *(family.marginal for family in self.families)]
        for number, family in enumerate(self.families, 1):
            sums = here[number] = here[family.source].added(family.over, marginals[family.source])
            if number in self._waiting:
                sums = self._waiting.pop(number).plus(sums)
            done = len(sums.keys)
            if family.first is not None:  # no later cell where an attribute before it has moved on
                before = last // sizes(self._marginal.workplace[family.first :])
                edge = before * sizes(family.marginal.workplace[family.first :])
                done = int(np.searchsorted(sums.keys, edge))
            self._finish(number, sums.part(slice(done)))
            if done < len(sums.keys):
                self._waiting[number] = sums.part(slice(done, None)) if done else sums

    def _finish(self, number: int, sums: Sums) -> None:
        if not len(sums.keys):
            return
        flags = np.where(sums.ok, Flag.OK, Flag.NO_ESTABLISHMENT).astype(np.int64)
        margins: Margins = {}
        if self._margins is not None and sums.errors is not None:
            margins = self._margins(sums.values, sums.errors.drawn())
        row = Published(sums.keys, sums.values, flags, margins, sums.establishments)
        self._finished[number - 1].append(row)

    def rows(self) -> Iterator[tuple[Family, Published]]:
        """All totals, family by family; nothing may be added afterwards."""
        for number, family in enumerate(self.families, 1):
            if number in self._waiting:
                self._finish(number, self._waiting.pop(number))
            yield from ((family, published) for published in self._finished[number - 1])
