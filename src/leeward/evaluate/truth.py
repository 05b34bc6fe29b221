"""Truth: the true cells of a table, and the establishments behind them.

This module and the run of a release are the only two that open confidential values. What is read
here never becomes a published value: it is compared with draws, and only averages leave the room.
On data that are not made up these too are confidential.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NoReturn, final

import numpy as np
from numpy.typing import NDArray

from leeward.engines import Engine
from leeward.errors import InvalidParameter, shown
from leeward.evaluate.strata import Groups, Integers, stratum
from leeward.mechanisms.entries import Entries
from leeward.mechanisms.sampling import MOST
from leeward.model import Marginal


@final
@dataclass(frozen=True, eq=False, repr=False)
class Truth:
    """A table as it is: w workplace cells with d worker cells each.

    `largest` counts all jobs of an establishment, `cell_largest` those in one worker cell.
    `strata` is the class of each workplace cell's place. Establishments and employers have the
    same numbers in all tables that were read together. Workplace cells stand in the order of
    their strata, and within a stratum in that of the public codes.
    """

    counts: Integers
    largest: Integers
    cell_largest: Integers
    strata: Integers
    entries: Entries
    establishment: Integers
    employer: Integers

    @classmethod
    def read(cls, engine: Engine, marginal: Marginal, place: int) -> "Truth":
        """Open a prepared table; `place` is which workplace dimension the strata go by."""
        workplaces, d = engine.frame_cells(marginal), marginal.worker_cells
        if not workplaces:
            raise _empty(marginal)
        (batch,) = engine.establishments(marginal, batch=workplaces, owners=True)
        columns = batch.cells.opened()
        entries = Entries.checked(columns, workplaces=workplaces, cells=d, most=MOST)
        strata = _strata(marginal, batch.keys, entries, place)
        order = np.argsort(strata, kind="stable")
        moved = np.empty_like(order)
        moved[order] = np.arange(workplaces)
        entries = replace(entries, workplace=moved[entries.workplace])
        counts = np.zeros((workplaces, d), dtype=np.int64)
        cell_largest = np.zeros_like(counts)
        where = entries.workplace[entries.row], entries.cell
        np.add.at(counts, where, entries.counts)
        np.maximum.at(cell_largest, where, entries.counts)
        return cls(
            counts,
            entries.largest(workplaces),
            cell_largest,
            strata[order],
            entries,
            columns["establishment"],
            columns["employer"],
        )

    @property
    def workplaces(self) -> int:
        """w."""
        return len(self.counts)

    @property
    def worker_cells(self) -> int:
        """d."""
        return int(self.counts.shape[1])

    @cached_property
    def groups(self) -> Groups:
        """All cells and the strata."""
        return Groups.of(self.stratum_of_cell)

    @property
    def stratum_of_cell(self) -> Integers:
        """The stratum of each cell, all cells in one row."""
        return np.repeat(self.strata, self.worker_cells)

    @cached_property
    def flat(self) -> Integers:
        """Which cell each entry lies in, all cells in one row."""
        at = self.entries
        return at.workplace[at.row] * self.worker_cells + at.cell

    def summed(self, entries: NDArray[np.number]) -> NDArray[np.float64]:
        """A value for each entry added up to cells (w, d)."""
        sums = np.bincount(self.flat, entries.astype(np.float64), minlength=self.counts.size)
        return sums.astype(np.float64).reshape(self.counts.shape)

    def kept(self, theta: int) -> Integers:
        """The counts without establishments above θ jobs."""
        if theta not in self._kept:
            small = self.entries.sizes[self.entries.row] <= theta
            counted = self.summed(np.where(small, self.entries.counts, 0))
            self._kept[theta] = counted.astype(np.int64)
        return self._kept[theta]

    @cached_property
    def _kept(self) -> dict[int, Integers]:
        return {}

    @cached_property
    def employers(self) -> Integers:
        """How many employers have jobs in each cell (w, d)."""
        owner = self.employer[self.entries.row]
        pairs = np.unique(np.stack([self.flat, owner]), axis=1)
        found = np.bincount(pairs[0], minlength=self.counts.size)
        return found.reshape(self.counts.shape)

    def thinned(self, most: int) -> "Truth":
        """Every k-th workplace cell, so that at most so many cells are left; without entries."""
        step = max(1, -(-self.counts.size // most))
        some = slice(None, None, step)
        return replace(
            self,
            counts=self.counts[some],
            largest=self.largest[some],
            cell_largest=self.cell_largest[some],
            strata=self.strata[some],
        )

    @cached_property
    def queries(self) -> Entries:
        """The entries as if each worker cell were a table of its own, one after the other.

        Every establishment stands in each of them with all its jobs.
        """
        at, d = self.entries, self.worker_cells
        first = np.repeat(np.arange(d) * self.workplaces, at.sizes.size)
        return Entries(
            counts=at.counts,
            cell=np.zeros_like(at.cell),
            row=at.cell * at.sizes.size + at.row,
            sizes=np.tile(at.sizes, d),
            workplace=np.tile(at.workplace, d) + first,
        )

    def __repr__(self) -> str:
        return "Truth(not shown)"

    def _refused(self, *_: object) -> NoReturn:
        raise TypeError("the truth is not copied or stored")

    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refused


def _empty(marginal: Marginal) -> InvalidParameter:
    """The frame is public: that it has no such workplaces may be said."""
    return InvalidParameter(
        "tables",
        rule="must have workplaces in the frame to be evaluated",
        value=f"none for table {shown(marginal.name)}",
        next_step="Leave the table out, or widen its filter.",
    )


def _strata(marginal: Marginal, keys: Integers, entries: Entries, place: int) -> Integers:
    """The class of each workplace cell by the jobs of its place in this table's frame."""
    if not marginal.workplace:
        return stratum(np.full(keys.size, entries.sizes.sum()))
    of_cell = marginal.workplace_positions(keys)[place]
    jobs = np.zeros(marginal.workplace[place].size, dtype=np.int64)
    np.add.at(jobs, of_cell[entries.workplace], entries.sizes)
    return stratum(jobs)[of_cell]
