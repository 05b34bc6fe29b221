"""Summed errors: the errors of sums of published cells, while the cells come by.

A sum of at most `FEW` units adds up the draws of its cells. A larger one keeps how many units there
are of each scale, and is drawn when it is complete (`large_sums`). A unit is a cell, or a workplace
cell where worker cells share a factor.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.large_sums import (
    PARTS,
    Drawing,
    ScaleCounts,
    Units,
    block_sums,
    body_and_tail,
)
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.noise.tail_table import unit_table
from leeward.core.randomness import SeededBits

FEW = 1 << 13
"""Units of a sum whose draws are added up."""


Singles = NDArray[np.float32]
Real = TypeVar("Real", np.float32, np.float64)


@dataclass(frozen=True, eq=False)
class ClippedJobs:
    """What clipping takes a share of: jobs of each cell (w, d, PARTS), with the class of each row.

    `together` (w, d) is by how much the share and the noise vary together.
    """

    jobs: Floats
    classes: Integers
    together: Floats

    def over(self, columns: Integers) -> "ClippedJobs":
        """Those of sums of worker cells."""
        return ClippedJobs(
            _columns(self.jobs, columns), self.classes, _columns(self.together, columns)
        )


@dataclass(frozen=True, eq=False)
class CellErrors:
    """Errors of cells (w, d) in the order of their table, the first one of this number.

    `columns` says in which column each is added. `there`: what is not has no error.
    """

    drawing: Drawing
    first: int
    scales: Floats
    there: NDArray[np.bool_]
    columns: Integers
    clipped: ClippedJobs | None
    draw: Callable[[], Singles]

    @cached_property
    def own(self) -> Singles:
        """Draws (w, columns, draws), twice as many where jobs are clipped."""
        drawn = self.draw()
        drawn[~self.there] = 0
        return drawn

    def over(self, columns: Integers) -> "CellErrors":
        """Errors of sums of worker cells, by the new column of each one."""
        clipped = None if self.clipped is None else self.clipped.over(columns)
        draw = lambda: _columns(self.own, columns)  # noqa: E731 (drawn when it is needed)
        return replace(self, columns=columns[self.columns], clipped=clipped, draw=draw)

    def drawn(self) -> Singles:
        return self.summed().drawn()

    def grouped(self, groups: Integers) -> "SummedErrors":
        return self.summed().grouped(groups)

    def plus(self, at: Integers, other: "CellErrors | SummedErrors") -> "SummedErrors":
        return self.summed().plus(at, other)

    def joined(self, other: "CellErrors | SummedErrors") -> "SummedErrors":
        return self.summed().joined(other)

    def part(self, some: slice) -> "SummedErrors":
        return self.summed().part(some)

    def summed(self) -> "SummedErrors":
        """Each row as a sum of its own."""
        w, columns = len(self.there), int(self.columns.max(initial=0)) + 1
        row, cell = np.nonzero((self.scales > 0) & self.there[:, None])
        if self.drawing.by_row:
            kept = cell == 0
            row, cell = row[kept], cell[kept]
        # How many units there are of each scale, in parts.
        counts = [
            ScaleCounts.of(row * columns + self.columns[cell], 0, self.scales[row, cell], PARTS)
        ]
        together = np.zeros((w, columns))
        if self.clipped is not None:
            together, jobs = self.clipped.together, self.clipped.jobs
            row, column, part = np.nonzero((jobs > 0) & self.there[:, None, None])
            law = 1 + self.clipped.classes[row]
            counts.append(ScaleCounts.of(row * columns + column, law, jobs[row, column, part], 1))
        rows = self.there.astype(np.int64)
        return SummedErrors(
            self.drawing,
            each=int(np.bincount(self.columns, minlength=columns).max()),
            columns=columns,
            rows=rows,
            first=np.where(self.there, self.first + np.arange(w), np.iinfo(np.int64).max),
            together=together * rows[:, None],
            counts=counts[0].joined(*counts[1:]),
            draw=lambda: self.own,
        )


@dataclass(eq=False)
class SummedErrors:
    """Errors of sums (w, columns) of workplace cells, `each` worker cells added in a column.

    `rows` is how many workplace cells each is made of, `first` the number of the first of them,
    which is no other sum's.
    """

    drawing: Drawing
    each: int
    columns: int
    rows: Integers
    first: Integers
    together: Floats
    counts: ScaleCounts
    draw: Callable[[], Singles]
    growing: bool = False
    """Whether nothing else refers to these sums, which may then change."""

    @cached_property
    def own(self) -> Singles:
        """The sums of the draws of cells, which those of few units are."""
        return self.draw()

    @property
    def few(self) -> NDArray[np.bool_]:
        """Whether a sum is one of few units."""
        return self.rows * (1 if self.drawing.by_row else self.each) <= FEW

    def over(self, columns: Integers) -> "SummedErrors":
        """Refused: what worker cells share is known no more."""
        raise AssertionError("worker cells are added up before workplace cells are")

    def grouped(self, groups: Integers) -> "SummedErrors":
        """Errors of sums of rows, by the number of the group of each."""
        number = int(groups.max(initial=-1)) + 1
        rows, first = np.zeros(number, np.int64), np.full(number, np.iinfo(np.int64).max)
        together = np.zeros((number, self.columns))
        np.add.at(rows, groups, self.rows)
        np.minimum.at(first, groups, self.first)
        np.add.at(together, groups, self.together)

        def draw() -> Singles:
            sums = np.zeros((number, *self.own.shape[1:]), self.own.dtype)
            order = np.argsort(groups, kind="stable")
            cuts = np.cumsum(np.bincount(groups, minlength=number))[:-1]
            for at, members in enumerate(np.split(order, cuts)):  # `reduceat` of long rows is slow
                np.add.reduce(self.own[members], axis=0, out=sums[at])
            return sums

        counts = self.counts.moved(self._numbers(groups))
        return replace(
            self, growing=False, rows=rows, first=first, together=together, counts=counts, draw=draw
        )

    def _numbers(self, rows: Integers) -> Integers:
        """The numbers of the sums in other rows; −1 stays."""
        numbers = rows[:, None] * self.columns + np.arange(self.columns)
        return np.where(rows[:, None] < 0, -1, numbers).ravel()

    def plus(self, at: Integers, other: "CellErrors | SummedErrors") -> "SummedErrors":
        """Other rows added to the rows at these places; in place, but for the first time."""
        if not self.growing:
            grown = self.part(slice(None))
            grown.growing = True
            return grown.plus(at, other)
        new = other.summed()
        self.rows[at] += new.rows
        self.first[at] = np.minimum(self.first[at], new.first)
        self.together[at] += new.together
        self.counts = self.counts.joined(new.counts.moved(self._numbers(at)))
        few = self.few[at]
        if few.all():
            self.own[at] += new.own
        elif few.any():
            self.own[at[few]] += new.own[few]
        return self

    def joined(self, other: "CellErrors | SummedErrors") -> "SummedErrors":
        """These rows, and then the others."""
        new = other.summed()
        rows = np.concatenate([self.rows, new.rows])
        first = np.concatenate([self.first, new.first])
        together = np.concatenate([self.together, new.together])
        later = self._numbers(len(self.rows) + np.arange(len(new.rows)))
        counts = self.counts.joined(new.counts.moved(later))
        draw = lambda: np.concatenate([self.own, new.own])  # noqa: E731 (drawn when it is needed)
        return replace(
            self, growing=False, rows=rows, first=first, together=together, counts=counts, draw=draw
        )

    def part(self, some: slice) -> "SummedErrors":
        """A copy of some of the rows."""
        place = np.full(len(self.rows), -1)
        place[some] = np.arange(len(self.rows[some]))
        rows, first = self.rows[some].copy(), self.first[some].copy()
        together = self.together[some].copy()
        counts = self.counts.moved(self._numbers(place))
        errors = replace(
            self,
            growing=False,
            rows=rows,
            first=first,
            together=together,
            counts=counts,
            draw=self._none,
        )
        errors.draw = self.own[some].copy if errors.few.any() else errors._none
        return errors

    def _none(self) -> Singles:
        """In the place of draws of large sums, which are not those of their cells."""
        drawing = self.drawing
        times = 2 if drawing.noise.clips else 1
        return np.zeros((len(self.rows), self.columns, times * drawing.draws), np.float32)

    def summed(self) -> "SummedErrors":
        return self

    def drawn(self) -> Singles:
        """Draws (w, columns, draws) of all errors, for the lower and for the upper end."""
        drawing, noise, few = self.drawing, self.drawing.noise, self.few
        if few.all():
            errors = self.own
        else:
            errors = self._none()
            errors[few] = self.own[few] if few.any() else 0
            self.counts = self.counts.compacted()
        for row in np.flatnonzero(~few).tolist():
            bits = SeededBits(drawing.seed + (1 + int(self.first[row]) << 64))
            if noise.shared is not None:
                scales, counts = self.counts.of_sum(row * self.columns)[0]
                shape = (noise.shared, self.columns, self.each)
                errors[row] = -block_sums(scales, counts, shape, bits, drawing.draws)
            else:
                columns = range(self.columns)
                errors[row] = np.stack([self._column(row, column, bits) for column in columns])
        if not noise.lean:
            return errors
        lean = (noise.lean * self.each * self.rows)[:, None, None].astype(np.float32)
        return np.concatenate([errors - lean, errors + lean], axis=2)

    def _column(self, row: int, column: int, bits: SeededBits) -> Floats:
        """Draws of a sum of many cells."""
        drawing, noise = self.drawing, self.drawing.noise
        by_law = self.counts.of_sum(row * self.columns + column)
        if not by_law:
            return np.zeros(drawing.draws * (2 if noise.clips else 1))
        table = unit_table(noise)
        own = [Units(table, *by_law.pop(0))]
        middle, variance, _ = body_and_tail(own, bits, drawing.draws)
        body = np.sqrt(variance) * bits.generator.standard_normal(drawing.draws)
        errors = -(middle + body)
        if not noise.clips:
            return errors
        tables = drawing.growth_tables()
        taken = [Units(tables[law - 1], *one, rounded=False) for law, one in by_law.items()]
        if not taken:
            return np.concatenate([errors, errors])
        more, spread, _ = body_and_tail(taken, bits, drawing.draws)
        slope = np.minimum(self.together[row, column] / np.maximum(variance, 1.0), 1.0)
        left = np.maximum(spread - slope**2 * variance, 0.0)
        more += np.sqrt(left) * bits.generator.standard_normal(drawing.draws) - slope * body
        return np.concatenate([errors, errors + more])


def _columns(numbers: NDArray[Real], columns: Integers) -> NDArray[Real]:
    """Sums over the second axis of what has the same new column."""
    if len(columns) == columns.max(initial=0) + 1:
        return numbers
    return np.stack(
        [numbers[:, columns == one].sum(axis=1) for one in range(int(columns.max()) + 1)], axis=1
    )
