"""Cells and entries: what an engine tabulates for a measurement, and what is published of them.

Both are confidential wherever they come from data, so neither shows its contents. A `Confidential`
has no printable contents, cannot be pickled, compared or iterated, and gives its cells only to the
one caller that turns them into published values.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum
from typing import Generic, NoReturn, TypeAlias, TypeVar, final

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Counts (w, d) of w workplace cells with d worker cells each.

    `largest` (w,) is the largest establishment of a workplace cell, all its jobs counted;
    `cell_largest` (w, d) is the largest number of jobs of one establishment in a cell, or None
    where it was not asked for. `in_frame` (w,), which is public, is how many establishments of the
    frame a workplace cell has, with jobs or without; None where the cells come from no frame.

    In tables of pay, `payroll` (w, d) is the pay of all jobs of a cell, each from 0 to the cap, and
    `largest_payroll` (w,) that of all jobs of the establishment that pays most, which need not be
    the largest one.
    """

    counts: Integers
    largest: Integers
    cell_largest: Integers | None = None
    in_frame: Integers | None = None
    payroll: Integers | None = None
    largest_payroll: Integers | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """w and d: public numbers."""
        return self.counts.shape[0], self.counts.shape[1]

    def own_largest(self) -> Integers:
        """The largest establishment of each cell (w, d); there must have been asked for it."""
        if self.cell_largest is None:
            raise TypeError("the cells were tabulated without their own largest establishments")
        return self.cell_largest


@dataclass(frozen=True, eq=False, repr=False)
class Entries:
    """Jobs of e establishments by worker cell, m entries, in w workplace cells with d cells each.

    `sizes` (e,) and `workplace` (e,) are all jobs of an establishment and the number of its
    workplace cell. `counts`, `cell` and `row` (m,) are how many jobs an entry has, above 0, in
    which worker cell, and at which establishment. `establishment` and `employer` (e,) are numbers
    that hold in all tables that were tabulated together, or None where they were not asked for.
    `in_frame` (w,) is as in `Cells`. In tables of pay, `payroll` (m,) is the pay of the jobs of an
    entry, and `payrolls` (e,) that of all jobs of an establishment.
    """

    counts: Integers
    cell: Integers
    row: Integers
    sizes: Integers
    workplace: Integers
    shape: tuple[int, int]
    establishment: Integers | None = None
    employer: Integers | None = None
    in_frame: Integers | None = None
    payroll: Integers | None = None
    payrolls: Integers | None = None

    def largest(self) -> Integers:
        """The largest establishment of each workplace cell, all its jobs counted."""
        return self._most(self.sizes)

    def _most(self, values: Integers) -> Integers:
        """The largest value of an establishment in each workplace cell, 0 without one."""
        largest = np.zeros(self.shape[0], dtype=np.int64)
        np.maximum.at(largest, self.workplace, values)
        return largest

    def where(self) -> Integers:
        """The cell of each entry, all cells of the table in one row."""
        return self.workplace[self.row] * self.shape[1] + self.cell

    def summed(self, values: NDArray[np.number]) -> Floats:
        """A value for each entry, added up to cells (w, d), in float64."""
        w, d = self.shape
        sums = np.bincount(self.where(), values.astype(np.float64), minlength=w * d)
        return sums.astype(np.float64).reshape(w, d)

    def up_to(self, size: int) -> Integers:
        """Counts (w, d) of the establishments with at most this many jobs."""
        small = self.sizes[self.row] <= size
        return self.summed(np.where(small, self.counts, 0)).astype(np.int64)

    def as_cells(self) -> Cells:
        """The same establishments as cells, with the largest of each cell."""
        cell_largest = np.zeros(self.shape, dtype=np.int64)
        np.maximum.at(cell_largest, (self.workplace[self.row], self.cell), self.counts)
        return Cells(
            self._added(self.counts),
            self.largest(),
            cell_largest,
            self.in_frame,
            payroll=None if self.payroll is None else self._added(self.payroll),
            largest_payroll=None if self.payrolls is None else self._most(self.payrolls),
        )

    def _added(self, values: Integers) -> Integers:
        """A value for each entry, added up to cells (w, d) exactly."""
        sums = np.zeros(self.shape, dtype=np.int64)
        np.add.at(sums, (self.workplace[self.row], self.cell), values)
        return sums

    def by_worker_cell(self) -> "Entries":
        """As if each worker cell were a table of its own, one after the other.

        Every establishment is in each of them with all its jobs.
        """
        w, d = self.shape
        first = np.repeat(np.arange(d) * w, self.sizes.size)
        return Entries(
            counts=self.counts,
            cell=np.zeros_like(self.cell),
            row=self.cell * self.sizes.size + self.row,
            sizes=np.tile(self.sizes, d),
            workplace=np.tile(self.workplace, d) + first,
            shape=(w * d, 1),
            in_frame=None if self.in_frame is None else np.tile(self.in_frame, d),
            payroll=self.payroll,
            payrolls=None if self.payrolls is None else np.tile(self.payrolls, d),
        )

    def part(self, cells: Integers) -> "Entries":
        """The workplace cells with these ascending numbers, numbered from 0."""
        if len(cells) == self.shape[0]:
            return self
        number = np.full(self.shape[0], -1, dtype=np.int64)
        number[cells] = np.arange(len(cells))
        kept = np.flatnonzero(number[self.workplace] >= 0)
        row = np.full(self.sizes.size, -1, dtype=np.int64)
        row[kept] = np.arange(kept.size)
        listed = np.flatnonzero(row[self.row] >= 0)
        return Entries(
            counts=self.counts[listed],
            cell=self.cell[listed],
            row=row[self.row[listed]],
            sizes=self.sizes[kept],
            workplace=number[self.workplace[kept]],
            shape=(len(cells), self.shape[1]),
            in_frame=None if self.in_frame is None else self.in_frame[cells],
            payroll=None if self.payroll is None else self.payroll[listed],
            payrolls=None if self.payrolls is None else self.payrolls[kept],
        )

    def of_cells(self, cells: Integers) -> "Entries":
        """Some of the worker cells, numbered from 0; establishments keep all their jobs."""
        number = np.full(self.shape[1], -1, dtype=np.int64)
        number[cells] = np.arange(len(cells))
        listed = np.flatnonzero(number[self.cell] >= 0)
        return replace(
            self,
            counts=self.counts[listed],
            cell=number[self.cell[listed]],
            row=self.row[listed],
            shape=(self.shape[0], len(cells)),
            payroll=None if self.payroll is None else self.payroll[listed],
        )

    def moved(self, to: Integers) -> "Entries":
        """The same with workplace cell k numbered `to[k]`."""
        in_frame = None if self.in_frame is None else self.in_frame[np.argsort(to)]
        return replace(self, workplace=to[self.workplace], in_frame=in_frame)


def columns(tabulated: Cells | Entries) -> dict[str, Integers]:
    """The columns that are there, by name."""
    named = {part.name: getattr(tabulated, part.name) for part in fields(tabulated)}
    return {name: column for name, column in named.items() if isinstance(column, np.ndarray)}


Held_co = TypeVar("Held_co", bound=Cells | Entries, covariant=True)


@final
class Confidential(Generic[Held_co]):
    """True values that nothing but a mechanism may read."""

    __slots__ = ("__held",)

    def __init__(self, held: Held_co) -> None:
        self.__held = held

    def opened(self) -> Held_co:
        """The values, for the one place where confidential data and noise meet."""
        return self.__held

    def __repr__(self) -> str:
        return "Confidential(not shown)"

    def __format__(self, spec: str) -> str:
        return repr(self)

    def _refused(self, *_: object) -> NoReturn:
        raise TypeError("Confidential values are not copied, compared, counted or stored")

    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refused
    __eq__ = __hash__ = __len__ = __iter__ = __bool__ = _refused


@dataclass(frozen=True)
class Batch(Generic[Held_co]):
    """Workplace cells with consecutive places in the frame, in the order of their numbers.

    `keys` are public numbers, `cells` their confidential contents.
    """

    keys: Integers
    cells: Confidential[Held_co]


class Flag(IntEnum):
    """Status flags with the meanings of the LEHD public-use schema (label_flags.csv, V4.14)."""

    NO_ESTABLISHMENT = -2
    NO_NUMBER = -1
    """What was measured gives no such number, as a mean of less than half a job."""
    OK = 1


EMPTY = -(2**63)
"""Stands for a number that is not there; it is published as an empty field."""

Margins: TypeAlias = Mapping[str, Integers]
"""How far off values may be: columns by name, each with one number for a cell.

Either `margin` on both sides of the value, or the ends `low` and `high`. The same with `block_`
before the name hold for all worker cells of a workplace cell together. Tables of pay have `low` and
`high`, each of which may be EMPTY, and `count` beside them.
"""


def ends(values: Integers, margins: Margins, of: str = "") -> tuple[Integers, Integers]:
    """The ends of the interval of each value; of="block_" for those that hold together."""
    if of + "low" in margins:
        return margins[of + "low"], margins[of + "high"]
    return values - margins[of + "margin"], values + margins[of + "margin"]


@dataclass(frozen=True)
class Published:
    """Cells in the order of their public codes; the worker cells of a workplace cell in a row.

    `keys` number the workplace cells; `values` is (workplace cells, worker cells); the columns of
    `margins` have the same shape, and there are none without margins; `flags` is one for each
    workplace cell, or one for each value. `establishments` is how many the public frame has in each
    workplace cell, or None where it was not asked for.
    """

    keys: Integers
    values: Integers
    flags: Integers
    margins: Margins = field(default_factory=dict)
    establishments: Integers | None = None

    def __post_init__(self) -> None:
        cells = self.values.shape
        flags = None if self.flags.shape == cells else self.flags
        columns = (self.keys, flags, self.establishments)
        shapes = [column.shape for column in columns if column is not None]
        if len(cells) != 2 or any(shape != cells[:1] for shape in shapes):
            raise ValueError(
                "keys, flags and establishments must have one element for each row of values"
            )
        if any(margin.shape != cells for margin in self.margins.values()):
            raise ValueError("margins must have the shape of values")

    def part(self, some: slice) -> "Published":
        """Some of the workplace cells."""
        margins = {name: margin[some] for name, margin in self.margins.items()}
        frame = None if self.establishments is None else self.establishments[some]
        return Published(self.keys[some], self.values[some], self.flags[some], margins, frame)
