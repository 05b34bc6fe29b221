"""Truths built by hand: a few establishments whose every job is known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.cells import Integers
from leeward.core.mechanisms.measurement import Expected, Measured, Measurement
from leeward.lab.evaluate.truth import Truth


@dataclass(frozen=True)
class Site:
    """An establishment: its workplace cell, its worker cells, its jobs outside them, its owner."""

    workplace: int
    counts: tuple[int, ...]
    outside: int = 0
    employer: int | None = None

    @property
    def size(self) -> int:
        return sum(self.counts) + self.outside


def truth(
    sites: Sequence[Site], workplaces: int | None = None, strata: Iterable[int] | None = None
) -> Truth:
    """The cells of these establishments; each owns itself unless it says otherwise."""
    number = 1 + max(one.workplace for one in sites) if workplaces is None else workplaces
    rows = np.array([one.counts for one in sites], dtype=np.int64)
    place = np.array([one.workplace for one in sites])
    counts = np.zeros((number, rows.shape[1]), dtype=np.int64)
    cell_largest = np.zeros_like(counts)
    np.add.at(counts, place, rows)
    np.maximum.at(cell_largest, place, rows)
    sizes = np.array([one.size for one in sites])
    largest = np.zeros(number, dtype=np.int64)
    np.maximum.at(largest, place, sizes)
    return Truth(
        Cells(counts, largest, cell_largest),
        _entries(sites, rows, place, counts.shape),
        np.zeros(number, dtype=np.int64) if strata is None else np.array(list(strata)),
    )


def _entries(
    sites: Sequence[Site], rows: Integers, place: Integers, shape: tuple[int, ...]
) -> Entries:
    row, cell = np.nonzero(rows)
    owners = [1000 + n if one.employer is None else one.employer for n, one in enumerate(sites)]
    return Entries(
        counts=rows[row, cell],
        cell=cell,
        row=row,
        sizes=np.array([one.size for one in sites]),
        workplace=place,
        shape=(shape[0], shape[1]),
        establishment=np.arange(len(sites)),
        employer=np.array(owners),
    )


def alike(site: Site, workplaces: int) -> Truth:
    """So many workplace cells with one such establishment each: as many draws at once."""
    return truth([Site(n, site.counts, site.outside) for n in range(workplaces)])


def draw(made: Measurement, table: Truth) -> Measured:
    """One trial of the whole table."""
    return made.measure(table.columns(made))


def expected(made: Measurement, table: Truth) -> Expected:
    """What trials tend to."""
    return made.expected(table.columns(made))
