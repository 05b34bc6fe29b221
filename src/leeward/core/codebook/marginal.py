"""Marginal: one table to be published, as a set of attributes and a filter.

Its cells are the combinations of the workplace part that exist in the public frame, times every
combination of the worker part. A cell is numbered by the positions of its codes, the first
attribute slowest, so that numbers are in the order of the codes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from leeward.core.codebook.attribute import Dimension, positions, sizes
from leeward.core.codebook.cells import Integers
from leeward.core.codebook.statistic import COUNT, Kind, Statistic

TOTAL = "total"
"""What the name of a product's table of totals ends in."""


SYMMETRIC, ENDS = ("margin",), ("low", "high")
BLOCK = "block_"
BOUND = "bound"
"""The column of the public bound to which establishments were clipped, in jobs."""

COUNTED = "count"
"""The column of a table of pay that holds the number of jobs of a cell, with noise."""

RELEASED = "released"
"""The column of a tidied table that holds the number with noise; its margins are around it."""


def margin_columns(*, ends: bool, block: bool) -> tuple[str, ...]:
    """The columns of a table with margins, in their order."""
    own = ENDS if ends else SYMMETRIC
    return (*own, *(BLOCK + name for name in own)) if block else own


@dataclass(frozen=True)
class Breakdown:
    """One table of a product: attributes of workers and jobs, crossed.

    With `rest` one more cell is for the jobs that are in none of the others; it is not published.
    """

    worker: tuple[Dimension, ...]

    @property
    def rest(self) -> bool:
        """Whether some job may be left out."""
        return not all(dimension.attribute.complete for dimension in self.worker)

    @property
    def cells(self) -> int:
        """The cells that are released, that of the rest among them."""
        return sizes(self.worker) + self.rest

    @property
    def name(self) -> str:
        return "_".join(dimension.name for dimension in self.worker)


@dataclass(frozen=True)
class Marginal:
    """A table: workplace part, worker part, filters on other attributes, and the statistic.

    With `breakdowns` it is a product: several worker tables of the same workplace cells, which are
    released together with their total.
    """

    name: str
    workplace: tuple[Dimension, ...]
    worker: tuple[Dimension, ...]
    filters: tuple[Dimension, ...] = ()
    complete: bool = False
    statistic: Statistic = COUNT
    establishments: bool = False
    """Whether the number of establishments of a workplace cell is a column."""

    totals: tuple[str, ...] = ()
    """The attributes over which rows are added up; each has a total code."""

    breakdowns: tuple[Breakdown, ...] = ()

    @property
    def published(self) -> tuple["Marginal", ...]:
        """The tables that are written: itself, or the total and each breakdown of a product.

        Rows of what follows from classes stand in place of them.
        """
        shown = self.statistic.identifier
        if shown is not None:
            return (replace(self, worker=(*self.worker[:-1], Dimension.every(shown))),)
        if not self.breakdowns:
            return (self,)
        parts = [
            (TOTAL, ()),
            *((breakdown.name, breakdown.worker) for breakdown in self.breakdowns),
        ]
        return tuple(
            replace(self, name=f"{self.name}_{name}", worker=worker, breakdowns=())
            for name, worker in parts
        )

    def within(self, part: Dimension) -> "Marginal":
        """The same table of a part of the frame: a filter on its attribute, or fewer rows by it."""
        if part.name not in {kept.name for kept in self.workplace}:
            return replace(self, filters=(*self.filters, part))
        here = (part if kept.name == part.name else kept for kept in self.workplace)
        return replace(self, workplace=tuple(here))

    @property
    def released_cells(self) -> int:
        """How many numbers are released of each workplace cell; of a product its total too."""
        return self.worker_cells + 1 if self.breakdowns else self.published[0].worker_cells

    def published_cells(self) -> Integers:
        """Which of the worker cells are published: all but the rests of a product's tables."""
        kept = [
            [True] * sizes(breakdown.worker) + [False] * breakdown.rest
            for breakdown in self.breakdowns
        ]
        return np.flatnonzero(np.concatenate(kept) if kept else np.ones(self.worker_cells))

    def columns_of(self, part: int, columns: Iterable[str]) -> tuple[str, ...]:
        """Of the columns of margins those that a published table has.

        One cell is no block, and the bound of a product stands beside its total alone.
        """
        if not self.breakdowns:
            return tuple(columns)
        block, total = self.published[part].worker_cells > 1, part == 0
        return tuple(
            name
            for name in columns
            if (block or not name.startswith(BLOCK)) and (total or name != BOUND)
        )

    @property
    def kind(self) -> Kind:
        """A workplace table counts every job of its establishments; all else is a worker table.

        What a statistic adds up may make kinds of its own.
        """
        whole, part = self.statistic.kinds
        return "joint" if self.breakdowns else whole if self.counts_every_job else part

    @property
    def counts_every_job(self) -> bool:
        """Whether each workplace cell is one number of all its jobs, or of their pay."""
        filtered = any(not dimension.attribute.of_workplaces for dimension in self.filters)
        return not (self.worker or self.breakdowns or filtered)

    @property
    def by_numbers(self) -> bool:
        """Whether a number of a worker or job, such as pay, decides in which cell a job counts."""
        numeric = (
            dimension.attribute
            for dimension in self.restricted
            if dimension.attribute.numbers is not None
        )
        return any(not attribute.of_workplaces for attribute in numeric)

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The identifier columns in order: workplace part, then worker part."""
        return (*self.workplace, *self.worker)

    @property
    def restricted(self) -> tuple[Dimension, ...]:
        """Everything that decides whether an establishment or a job is in the table."""
        broken = (dimension for part in self.breakdowns for dimension in part.worker)
        return (*self.workplace, *self.worker, *broken, *self.filters)

    def partial(self, *, strict: bool) -> tuple[Dimension, ...]:
        """Attributes under whose codes not every job counts: their rows do not add up to all."""
        return tuple(
            dimension
            for dimension in self.dimensions
            if not (dimension.whole and dimension.attribute.covers(strict=strict))
        )

    @property
    def workplace_cells(self) -> int:
        """How many workplace combinations the code lists allow, existing or not."""
        return sizes(self.workplace)

    @property
    def worker_cells(self) -> int:
        """d: how many worker combinations each workplace cell has; of all tables of a product."""
        return sum(breakdown.cells for breakdown in self.breakdowns) or sizes(self.worker)

    def workplace_positions(self, keys: Integers) -> tuple[Integers, ...]:
        """For each workplace dimension, the index into its codes of each numbered cell."""
        return positions(self.workplace, keys)

    def worker_positions(self) -> tuple[Integers, ...]:
        """For each worker dimension, the index into its codes of each worker cell in order."""
        return positions(self.worker, np.arange(self.worker_cells))
