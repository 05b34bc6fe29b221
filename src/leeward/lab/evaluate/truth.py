"""Truth: the true cells of a table, the establishments behind them, and the strata of its cells.

This module and the run of a release are the only two that open confidential values. What is read
here never becomes a published value: it is compared with draws, and only averages leave the room.
On data that are not made up these too are confidential.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NoReturn, final

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook import Cells, Codebook, Entries, JobsRule, Marginal
from leeward.core.codebook.cells import Floats, Integers, columns
from leeward.core.errors import InvalidParameter, shown
from leeward.core.mechanisms.checked_columns import checked_entries
from leeward.core.mechanisms.measurement import Measurement, Needs
from leeward.core.noise.scales import MOST
from leeward.lab.evaluate.point import ALL
from leeward.publishing.engines import Engine

PLACE = "place"
"""The workplace attribute whose jobs make the strata, unless another is named."""

BOUNDS = (100, 10_000, 100_000)
"""[H16] stratifies places by population; here by the jobs in a place."""

NAMES = ("under 100", "100 to 10,000", "10,000 to 100,000", "above 100,000")

FEWEST = 10
"""Least number of cells of a reported stratum: means of fewer would be single counts."""


def stratum(jobs: Integers) -> Integers:
    """The class of each place, by its jobs; a bound belongs to the class above it."""
    return np.searchsorted(np.array(BOUNDS), jobs, side="right").astype(np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class StratumGroups:
    """All cells, and the cells of each stratum that has any: what measures are averaged over.

    Cells are in the order of their strata, so that a stratum is a slice.
    """

    of_cell: Integers
    """The stratum of each cell, ascending."""
    present: tuple[int, ...]
    """The strata that are reported: those with enough cells in the whole table."""

    @classmethod
    def of(cls, of_cell: Integers) -> "StratumGroups":
        """The groups of a whole table."""
        cells = np.bincount(of_cell, minlength=len(NAMES))
        return cls(of_cell, tuple(int(number) for number in np.flatnonzero(cells >= FEWEST)))

    def among(self, of_cell: Integers) -> "StratumGroups":
        """The same groups for some of the cells."""
        return StratumGroups(of_cell, self.present)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All cells first, then the strata."""
        return ALL, *(NAMES[number] for number in self.present)

    @cached_property
    def cells(self) -> Floats:
        """How many cells each group has."""
        return self.sums(np.ones(self.of_cell.size))

    @cached_property
    def sizes(self) -> Integers:
        """How many cells each of all strata has here."""
        return np.bincount(self.of_cell, minlength=len(NAMES))

    @cached_property
    def starts(self) -> Integers:
        """Where each stratum that has cells here begins."""
        filled = self.sizes[self.sizes > 0]
        return np.cumsum(filled) - filled

    def sums(self, values: NDArray[np.generic]) -> Floats:
        """The sum over each group."""
        parts = np.zeros(len(NAMES))
        if values.size:
            parts[self.sizes > 0] = np.add.reduceat(values, self.starts, dtype=np.float64)
        return np.concatenate([[parts.sum()], parts[list(self.present)]])

    def means(self, values: NDArray[np.generic], where: NDArray[np.bool_] | None = None) -> Floats:
        """The mean over each group, or over the cells of it that count; NaN where none do."""
        with np.errstate(invalid="ignore"):
            if where is None:
                return self.sums(values) / self.cells
            return self.sums(values * where) / self.sums(where)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Truth:
    """A table as it is: w workplace cells with d worker cells each.

    `strata` is the class of each workplace cell's place. Establishments and employers have the
    same numbers in all tables that were read together. Workplace cells are in the order of
    their strata, and within a stratum in that of the public codes.
    """

    cells: Cells
    entries: Entries
    strata: Integers
    keys: Integers | None = None
    """The public numbers of the workplace cells, where the table was read from an engine."""

    whole: "Truth | None" = None
    """Of a product, the same with the cells of jobs that a table leaves out; None without such."""

    @classmethod
    def read(cls, engine: Engine, marginal: Marginal, place: int) -> "Truth":
        """Open a prepared table; `place` is which workplace dimension the strata go by."""
        workplaces = engine.frame_cells(marginal)
        if not workplaces:  # the frame is public: this may be said of it
            raise InvalidParameter(
                "tables",
                rule="must have workplaces in the frame to be evaluated",
                value=f"none for table {shown(marginal.name)}",
                next_step="Leave the table out, or widen its filter.",
            )
        (batch,) = engine.establishments(marginal, batch=workplaces, owners=True)
        entries = checked_entries(batch.cells.opened(), MOST, len(marginal.breakdowns) or 1)
        strata = _strata(marginal, batch.keys, entries, place)
        order = np.argsort(strata, kind="stable")
        moved = np.empty_like(order)
        moved[order] = np.arange(workplaces)
        entries = entries.moved(moved)
        truth = cls(entries.as_cells(), entries, strata[order], batch.keys[order])
        published = marginal.published_cells()
        if published.size == truth.worker_cells:
            return truth
        return replace(truth.of_cells(published), whole=truth)

    @property
    def counts(self) -> Integers:
        """The true counts (w, d)."""
        return self.cells.counts

    @property
    def worker_cells(self) -> int:
        """d."""
        return self.cells.shape[1]

    def columns(self, measurement: Measurement) -> Cells | Entries:
        """What a measurement needs of the table."""
        return self.entries if measurement.needs is Needs.ENTRIES else self.cells

    def of_cells(self, cells: Integers) -> "Truth":
        """The same with some of the worker cells."""
        entries = self.entries.of_cells(cells)
        return replace(self, cells=entries.as_cells(), entries=entries)

    @cached_property
    def groups(self) -> StratumGroups:
        """All cells and the strata."""
        return StratumGroups.of(self.stratum_of_cell)

    @property
    def stratum_of_cell(self) -> Integers:
        """The stratum of each cell, all cells in one row."""
        return np.repeat(self.strata, self.worker_cells)

    @cached_property
    def employers(self) -> Integers:
        """How many employers have jobs in each cell (w, d)."""
        if self.entries.employer is None:
            raise TypeError("the entries were tabulated without employers")
        owner = self.entries.employer[self.entries.row]
        pairs = np.unique(np.stack([self.entries.where(), owner]), axis=1)
        return np.bincount(pairs[0], minlength=self.counts.size).reshape(self.counts.shape)

    def thinned(self, most: int) -> "Truth":
        """Every k-th workplace cell, so that at most `most` cells are left; no entries."""
        return self.every(max(1, -(-self.counts.size // most)))

    def every(self, step: int) -> "Truth":
        """One of so many workplace cells; no entries."""
        some = slice(None, None, step)
        cells = Cells(**{name: column[some] for name, column in columns(self.cells).items()})
        keys = None if self.keys is None else self.keys[some]
        whole = None if self.whole is None else self.whole.every(step)
        return replace(self, cells=cells, strata=self.strata[some], keys=keys, whole=whole)

    def numbered(self) -> Integers:
        """The public numbers of the workplace cells; there must have been an engine."""
        if self.keys is None:
            raise TypeError("the cells were made without public numbers")
        return self.keys

    def __repr__(self) -> str:
        return "Truth(not shown)"

    def _refused(self, *_: object) -> NoReturn:
        raise TypeError("the truth is not copied or stored")

    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refused


def added(
    values: Integers, fine: Truth, coarse: Truth, tables: tuple[Marginal, Marginal]
) -> Integers:
    """Values of the cells of a table without worker cells, added up to those of a margin of it."""
    names = [dimension.name for dimension in tables[1].workplace]
    keys = np.zeros(len(values), np.int64)
    positions = tables[0].workplace_positions(fine.numbered())
    for dimension, at in zip(tables[0].workplace, positions, strict=True):
        keys = keys * dimension.size + at if dimension.name in names else keys
    order = np.argsort(coarse.numbered())
    where = order[np.searchsorted(coarse.numbered(), keys, sorter=order)]
    sums = np.zeros_like(coarse.counts)
    np.add.at(sums, where, values)
    return sums


def read_truths(
    engine: Engine, codebook: Codebook, rule: JobsRule, tables: Sequence[Marginal], place: str
) -> dict[Marginal, Truth]:
    """Tabulate all tables in one pass over the data and open them."""
    marginals = tuple(dict.fromkeys(tables))
    engine.prepare(codebook, rule, marginals, marginals, owners="named")
    return {
        marginal: Truth.read(engine, marginal, place_position(marginal, place))
        for marginal in marginals
    }


def strata_attribute(marginal: Marginal, place: str) -> str:
    """The name of the dimension that makes the strata; "table" without workplace attributes."""
    names = [dimension.name for dimension in marginal.workplace]
    return names[place_position(marginal, place)] if names else "table"


def place_position(marginal: Marginal, place: str) -> int:
    """The workplace dimension that makes the strata: the one of this name, else the first."""
    names = [dimension.name for dimension in marginal.workplace]
    return names.index(place) if place in names else 0


def _strata(marginal: Marginal, keys: Integers, entries: Entries, place: int) -> Integers:
    """The class of each workplace cell by the jobs of its place in this table's frame."""
    if not marginal.workplace:
        return stratum(np.full(keys.size, entries.sizes.sum()))
    of_cell = marginal.workplace_positions(keys)[place]
    jobs = np.zeros(marginal.workplace[place].size, dtype=np.int64)
    np.add.at(jobs, of_cell[entries.workplace], entries.sizes)
    return stratum(jobs)[of_cell]
