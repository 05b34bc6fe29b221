"""Marginal: one table to be published, as a set of attributes and a filter.

Its cells are the combinations of the workplace part that exist in the public frame, times every
combination of the worker part. A cell is numbered by the positions of its codes, the first
attribute slowest, so that numbers are in the order of the codes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.attribute import Attribute
from leeward.core.codebook.flow_classes import Gains
from leeward.core.codebook.statistic import COUNT, Pay, Statistic

Integers = NDArray[np.int64]
Kind = Literal["workplace", "worker", "joint", "gains", "pay", "worker_pay"]
"""Kinds of tables that proofs distinguish; those of pay have payroll beside counts."""

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
class Dimension:
    """An attribute with the positions of its codes that count, in the order of the list."""

    attribute: Attribute
    kept: tuple[int, ...]

    @property
    def name(self) -> str:
        """The attribute's name, which is the column's name in the published table."""
        return self.attribute.name

    @property
    def size(self) -> int:
        """How many codes it has."""
        return len(self.kept)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes in order."""
        return tuple(self.attribute.codes[position] for position in self.kept)

    @property
    def whole(self) -> bool:
        """Whether all codes of the list are kept."""
        return self.size == len(self.attribute.codes)


@dataclass(frozen=True)
class Breakdown:
    """One table of a product: attributes of workers and jobs, crossed.

    With `rest` one more cell is for the jobs that are in none of the others; it is not published.
    """

    worker: tuple[Dimension, ...]

    @property
    def rest(self) -> bool:
        """Whether some job may be left out."""
        return not all(one.attribute.complete for one in self.worker)

    @property
    def cells(self) -> int:
        """The cells that are released, that of the rest among them."""
        return sizes(self.worker) + self.rest

    @property
    def name(self) -> str:
        """The names of its attributes."""
        return "_".join(one.name for one in self.worker)


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

        Percentiles and measures stand in place of the classes that they follow from.
        """
        shown = self.statistic.identifier
        if shown is not None:
            rows = Dimension(shown, tuple(range(len(shown.codes))))
            return (replace(self, worker=(*self.worker[:-1], rows)),)
        if not self.breakdowns:
            return (self,)
        parts = [(TOTAL, ()), *((one.name, one.worker) for one in self.breakdowns)]
        return tuple(
            replace(self, name=f"{self.name}_{name}", worker=worker, breakdowns=())
            for name, worker in parts
        )

    @property
    def released_cells(self) -> int:
        """How many numbers are released of each workplace cell; of a product its total too."""
        return self.worker_cells + 1 if self.breakdowns else self.published[0].worker_cells

    def published_cells(self) -> Integers:
        """Which of the worker cells are published: all but the rests of a product's tables."""
        kept = [[True] * sizes(one.worker) + [False] * one.rest for one in self.breakdowns]
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

        Tables of pay are of the same two kinds. Gains are no counts of jobs.
        """
        if self.breakdowns:
            return "joint"
        if isinstance(self.statistic, Gains):
            return "gains"
        if isinstance(self.statistic, Pay):
            return "pay" if self.counts_every_job else "worker_pay"
        return "workplace" if self.counts_every_job else "worker"

    @property
    def counts_every_job(self) -> bool:
        """Whether each workplace cell is one number of all its jobs, or of their pay."""
        filtered = any(not one.attribute.of_workplaces for one in self.filters)
        return not (self.worker or self.breakdowns or filtered)

    @property
    def by_numbers(self) -> bool:
        """Whether a number of a worker or job, such as pay, decides in which cell a job counts."""
        numeric = (one.attribute for one in self.restricted if one.attribute.numbers is not None)
        classes = any(not one.of_workplaces for one in numeric)
        return classes or bool(self.statistic.needs and not isinstance(self.statistic, Pay))

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The identifier columns in order: workplace part, then worker part."""
        return (*self.workplace, *self.worker)

    @property
    def restricted(self) -> tuple[Dimension, ...]:
        """Everything that decides whether an establishment or a job is in the table."""
        broken = (one for part in self.breakdowns for one in part.worker)
        return (*self.workplace, *self.worker, *broken, *self.filters)

    def partial(self, *, strict: bool) -> tuple[Dimension, ...]:
        """Attributes under whose codes not every job counts: their rows do not add up to all."""
        return tuple(
            one
            for one in self.dimensions
            if not (one.whole and one.attribute.covers(strict=strict))
        )

    @property
    def workplace_cells(self) -> int:
        """How many workplace combinations the code lists allow, existing or not."""
        return sizes(self.workplace)

    @property
    def worker_cells(self) -> int:
        """d: how many worker combinations each workplace cell has; of all tables of a product."""
        return sum(one.cells for one in self.breakdowns) or sizes(self.worker)

    def workplace_positions(self, keys: Integers) -> tuple[Integers, ...]:
        """For each workplace dimension, the index into its codes of each numbered cell."""
        return positions(self.workplace, keys)

    def worker_positions(self) -> tuple[Integers, ...]:
        """For each worker dimension, the index into its codes of each worker cell in order."""
        return positions(self.worker, np.arange(self.worker_cells))


def sizes(dimensions: Iterable[Dimension]) -> int:
    """The number of combinations."""
    return prod(one.size for one in dimensions)


def positions(dimensions: tuple[Dimension, ...], keys: Integers) -> tuple[Integers, ...]:
    """The inverse of numbering: an index for each dimension."""
    if not dimensions:
        return ()
    return tuple(np.unravel_index(keys, tuple(one.size for one in dimensions)))
