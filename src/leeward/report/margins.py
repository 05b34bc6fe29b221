"""Margins: how wide those of a table are, counted in one pass and without keeping them."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

EXACT = 100_000
"""Up to this margin every number is counted apart; above it only the bins are."""

TOPS = (-1, 0, 1, 2, *(step * 10**power for power in range(19) for step in (5, 10, 20)))[:-1]
"""Borders of the bins, the same in every report; the last is beyond what 64 bits hold."""


@dataclass(frozen=True)
class Range:
    """From one margin to another, both included; a single number where they are the same."""

    low: int
    high: int


@dataclass(frozen=True)
class RangeCount:
    """How many cells have a margin in a range."""

    range: Range
    cells: int


@dataclass(frozen=True)
class Margins:
    """The distribution of a table's margins.

    `median` and `ninth` are the smallest margins that half and nine tenths of the cells do not
    exceed: single numbers, exactly, or above `EXACT` the bin that they lie in.
    """

    cells: int
    bins: tuple[RangeCount, ...]
    median: Range | None
    ninth: Range | None


RANGES = tuple(Range(low + 1, high) for low, high in pairwise(TOPS))
FIRST_LARGE = TOPS.index(EXACT)
"""The first bin whose margins are not counted one by one."""


class MarginCounter:
    """Counts margins a batch at a time."""

    def __init__(self) -> None:
        self._small = np.zeros(EXACT + 1, np.int64)
        self._large = np.zeros(len(RANGES) - FIRST_LARGE, np.int64)

    def add(self, margins: Integers) -> None:
        """Count these too; none is negative."""
        near = margins <= EXACT
        self._small += np.bincount(margins[near], minlength=EXACT + 1)
        # The last border does not fit into 64 bits: what passes the one before is in the last bin.
        tops = np.array([one.high for one in RANGES[FIRST_LARGE:-1]], np.int64)
        bins = np.searchsorted(tops, margins[~near])
        self._large += np.bincount(bins, minlength=len(self._large))

    def counted(self) -> Margins:
        """What was counted so far."""
        cells = int(self._small.sum()) + int(self._large.sum())
        return Margins(cells, self._bins(), self._tenths(5, cells), self._tenths(9, cells))

    def _bins(self) -> tuple[RangeCount, ...]:
        """From the smallest margin that occurs to the largest; empty bins between them too."""
        near = [int(self._small[one.low : one.high + 1].sum()) for one in RANGES[:FIRST_LARGE]]
        counts = [*near, *self._large.tolist()]
        filled = [at for at, count in enumerate(counts) if count]
        found = range(filled[0], filled[-1] + 1) if filled else range(0)
        return tuple(RangeCount(RANGES[at], counts[at]) for at in found)

    def _tenths(self, tenths: int, cells: int) -> Range | None:
        rank = -(-cells * tenths // 10)
        if rank == 0:
            return None
        counts = np.concatenate([self._small, self._large])
        reached = int(np.searchsorted(np.cumsum(counts), rank))
        return (
            Range(reached, reached)
            if reached <= EXACT
            else RANGES[FIRST_LARGE + reached - EXACT - 1]
        )
