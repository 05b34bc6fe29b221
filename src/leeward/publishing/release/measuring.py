"""Measuring: confidential cells become published ones, a batch at a time, and totals of them.

This is the one module that opens confidential values to publish them. Whatever measures data
(releases today) calls `measured_cells`.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook import Batch, Cells, Entries, Flag, Marginal, Published
from leeward.core.codebook.cells import EMPTY
from leeward.core.codebook.totals import Family, Totals
from leeward.core.mechanisms.measurement import Measurement, Needs
from leeward.core.noise.cell_errors import drawn_parts
from leeward.core.noise.scales import CellNoise
from leeward.core.noise.sums import ErrorDraws
from leeward.publishing.engines.engine import Engine

ROWS = 1 << 18
"""Rows of a batch: memory is bounded by this, whatever the size of the table."""


class Progress(Protocol):
    """A progress callback; it gets public numbers only."""

    def step(self, words: str) -> None:
        """A new step begins."""

    def cells(self, table: str, done: int, of: int) -> None:
        """How many of a table's workplace cells are done."""


def measured_cells(
    marginal: Marginal, measurement: Measurement, engine: Engine, progress: Progress
) -> Iterator[Published]:
    """All cells of a prepared table in order, measured."""
    size = max(1, ROWS // marginal.worker_cells)
    batches: Iterator[Batch[Cells]] | Iterator[Batch[Entries]]
    if measurement.needs is Needs.ENTRIES:
        batches = engine.establishments(marginal, batch=size)
    else:
        own = measurement.needs is Needs.OWN_LARGEST
        batches = engine.cells(marginal, batch=size, cell_largest=own)
    released: Iterator[Published] = (publish(batch, measurement) for batch in batches)
    done, total = 0, engine.frame_cells(marginal)
    if marginal.complete:
        released = completed(released, measurement, marginal, size)
    for published in released:
        yield published
        there = published.flags != Flag.NO_ESTABLISHMENT
        done += int(np.count_nonzero(there if there.ndim == 1 else there.any(axis=1)))
        progress.cells(marginal.name, done, total)


def publish(batch: Batch[Cells] | Batch[Entries], measurement: Measurement) -> Published:
    """Confidential cells become published ones: here, and nowhere else."""
    cells = batch.cells.opened()
    # It would promise too little; these are public numbers.
    if cells.shape[1] != measurement.parameters.cells:
        raise AssertionError(f"{measurement.name} is not made for {cells.shape[1]} worker cells")
    values, margins, _ = measurement.measure(cells)
    # Columns are public: they must not follow data.
    if tuple(margins) != measurement.margin_columns:
        raise AssertionError(f"{measurement.name} has other columns of margins than the plan says")
    flags = np.full(len(batch.keys), Flag.OK, dtype=np.int64)
    if (values == EMPTY).any():
        flags = np.where(values == EMPTY, Flag.NO_NUMBER, Flag.OK).astype(np.int64)
    return Published(batch.keys, values, flags, margins, cells.in_frame)


def parts_of(published: Published, marginal: Marginal) -> Iterator[Published]:
    """The tables of a product, of which a row of values has the total and then all cells.

    A cell for jobs that a table leaves out is not among them. Any other table is itself.
    """
    if not marginal.breakdowns:
        yield published
        return
    yield _some_columns(published, slice(0, 1))
    start = 1
    for breakdown in marginal.breakdowns:
        yield _some_columns(published, slice(start, start + breakdown.cells - breakdown.rest))
        start += breakdown.cells


def _some_columns(published: Published, some: slice) -> Published:
    margins = {name: column[:, some] for name, column in published.margins.items()}
    return replace(published, values=published.values[:, some], margins=margins)


def completed(
    released: Iterator[Published], measurement: Measurement, marginal: Marginal, size: int
) -> Iterator[Published]:
    """The same cells, and exact zeros for combinations without an establishment in between."""
    start = 0
    for last in released:
        end = int(last.keys[-1]) + 1
        yield from _spread(last, start, end, size)
        start = end
    nothing: NDArray[np.int64] = np.zeros((0, marginal.released_cells), dtype=np.int64)
    margins = dict.fromkeys(measurement.margin_columns, nothing)
    empty = Published(nothing[:, 0], nothing, nothing[:, 0], margins, nothing[:, 0])
    yield from _spread(empty, start, marginal.workplace_cells, size)


def _spread(published: Published, start: int, end: int, size: int) -> Iterator[Published]:
    """Every cell number from start to end, with the published cells in their places."""
    for low in range(start, end, size):
        keys = np.arange(low, min(low + size, end))
        here = slice(*np.searchsorted(published.keys, (low, keys[-1] + 1)))
        places = published.keys[here] - low
        shape = (len(keys), published.values.shape[1])
        values: NDArray[np.int64] = np.zeros(shape, dtype=np.int64)
        values[places] = published.values[here]
        each = published.flags.shape[1:]  # of a table of pay, every value may have its own
        flags = np.full((len(keys), *each), Flag.NO_ESTABLISHMENT, dtype=np.int64)
        flags[places] = published.flags[here]
        margins = {name: np.zeros_like(values) for name in published.margins}
        for name, column in margins.items():
            column[places] = published.margins[name][here]
        frame = None
        if published.establishments is not None:
            frame = np.zeros_like(keys)
            frame[places] = published.establishments[here]
        yield Published(keys, values, flags, margins, frame)


class AddedTotals:
    """The totals of a table with their margins, from its published cells in order."""

    def __init__(self, marginal: Marginal, measurement: Measurement, seed: int) -> None:
        noise = measurement.cell_noise() if marginal.totals else None
        self._draws = None if noise is None else ErrorDraws(CellNoise.read(noise.stated()), seed)
        margins = (
            None
            if self._draws is None
            else partial(self._draws.margins, measurement.margin_columns)
        )
        self._of_classes = marginal.statistic.adds_classes
        self._totals = Totals(marginal.published[0], margins)

    def add(self, published: Published) -> None:
        """The next cells."""
        if not self._totals.families:
            return
        for part, errors in drawn_parts(published, self._draws, of_classes=self._of_classes):
            self._totals.add(part, errors)

    def rows(self) -> Iterator[tuple[Family, Published]]:
        """All totals, family by family."""
        return self._totals.rows()
