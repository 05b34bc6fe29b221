"""Summary: numbers of a table for its report, from one pass over the rows.

Memory does not grow with the table: counts, some cells, and all cells only where they are
few enough to be drawn. Codes take longest to read, so only those of drawn cells are.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.core.codebook import Flag
from leeward.core.codebook.marginal import RELEASED
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.figure import Cell, DrawnRows, Matrix, cells, layout, matrix

Integers = NDArray[np.int64]

BARS = 25
"""Number of cells that are kept for bars."""

FEWEST_RANKED = 2
"""Minimum number of cells that have ranks."""

EXACT = 100_000
"""Largest margin that is counted exactly; above it only bins are counted."""

TOPS = (-1, 0, 1, 2, *(step * 10**power for power in range(19) for step in (5, 10, 20)))[:-1]
"""Upper ends of the bins, the same in every report; the last is above 2^63."""

FARTHEST = 2.0**62
"""Parts of intervals that are wider are counted as this: floats hold no difference up there."""


@dataclass(frozen=True)
class MarginRange:
    """From one margin to another, both included; a single number where they are the same."""

    low: int
    high: int


@dataclass(frozen=True)
class RangeCount:
    """How many cells have a margin in a range."""

    range: MarginRange
    cells: int


@dataclass(frozen=True)
class Margins:
    """The distribution of a table's margins; of low and high, half of the way between them.

    `median` and `ninth` are the smallest margins that half and nine tenths of the cells do not
    exceed: exact numbers, or above `EXACT` the bin that holds them.
    """

    cells: int
    bins: tuple[RangeCount, ...]
    median: MarginRange | None
    ninth: MarginRange | None


RANGES = tuple(MarginRange(low + 1, high) for low, high in pairwise(TOPS))
FIRST_LARGE = TOPS.index(EXACT)
"""The first bin whose margins are not counted one by one."""


@dataclass(frozen=True)
class TableSummary:
    """One table in numbers. `wide` counts the cells whose margin reaches zero.

    `unbounded` counts values that have no margin, or one of its ends alone, beside others that do.
    `noise` and `allowance` are the two parts of intervals that allow for clipping.
    `total` is the sum of the values with noise, as a rough number of jobs. `ranks` are those that
    each cell of `bars` may have, where these are all cells.
    """

    table: CertifiedTable
    statuses: Mapping[int, int]
    negative: int
    wide: int
    unbounded: int
    total: float
    margins: Margins | None
    noise: Margins | None
    allowance: Margins | None
    bars: tuple[Cell, ...]
    matrix: Matrix | None
    ranks: tuple[tuple[int, int] | None, ...] = ()

    @property
    def cells(self) -> int:
        """How many values carry noise."""
        return self.statuses.get(Flag.OK, 0)


def flags(table: CertifiedTable) -> tuple[int, ...]:
    """The status flags that a table may have, the largest first."""
    return tuple(int(flag) for flag in reversed(Flag) if flag != Flag.NO_NUMBER or not table.counts)


def summarise(bundle: Bundle, table: CertifiedTable) -> TableSummary:
    """Read a table once."""
    reading = _TableReading(table)
    measures = table.columns[len(table.identifiers) :]
    for rows in bundle.batches(table.name, measures, totals=False):
        reading.add(rows)
    bars, squares = reading.rows()
    rows = cells(bundle.rows(table.name, sorted({*bars, *squares})))
    cell = dict(zip(sorted({*bars, *squares}), rows, strict=True))
    drawn = reading.summary([cell[at] for at in bars], [cell[at] for at in squares])
    # Only a list of all cells is ordered by value; others have a public order.
    if drawn.cells < FEWEST_RANKED or drawn.cells > len(drawn.bars):
        return drawn
    # A report of one cell needs no draws. Ranks are by those of `leeward read --as rank`.
    from leeward.derived.derive.picked import rank_intervals  # noqa: PLC0415
    from leeward.derived.derive.quantities import MOST_RANKED  # noqa: PLC0415

    codes = [listed.codes for listed in drawn.bars]
    return replace(drawn, ranks=rank_intervals(bundle, table, codes, MOST_RANKED))


class _TableReading:
    """The counts of a table, batch by batch."""

    def __init__(self, table: CertifiedTable) -> None:
        self._table = table
        self._statuses: Counter[int] = Counter()
        self._negative = self._wide = self._unbounded = 0
        self._total = 0.0
        self._margins = MarginCounter()
        self._parts = MarginCounter(), MarginCounter()
        self._drawn = DrawnRows(BARS)
        self._layout = layout(table)
        self._seen = 0

    def add(self, rows: pa.RecordBatch) -> None:
        status, value = rows["status"].to_numpy(), rows["value"].fill_null(0).to_numpy()
        for flag in Flag:
            self._statuses[int(flag)] += int(np.count_nonzero(status == flag))
        self._negative += int(np.count_nonzero(value < 0))
        noisy = np.flatnonzero(status == Flag.OK)
        self._total += float(value.sum(dtype=np.float64))
        self._drawn.read(rows, self._seen)
        self._seen += len(value)
        if self._table.has_margins:
            self._add_margins(rows, value, noisy)

    def _add_margins(self, rows: pa.RecordBatch, value: Integers, noisy: Integers) -> None:
        names = self._table.margin_columns
        columns = [rows[name].is_valid().to_numpy(zero_copy_only=False) for name in names]
        there = noisy[np.logical_and.reduce(columns)[noisy]]
        self._unbounded += len(noisy) - len(there)
        margins = {name: rows[name].fill_null(0).to_numpy()[there] for name in names}
        if "margin" in margins:
            widths = margins["margin"]
        else:  # half of the way from low to high, rounded up
            low, high = margins["low"], margins["high"]
            widths = np.asarray(high // 2 - low // 2 + (high & 1) * (1 - (low & 1)))
        self._margins.add(widths)
        centre = value if self._table.tidied is None else rows[RELEASED].fill_null(0).to_numpy()
        values, margin = centre[there], margins.get("margin")
        # Compared, never subtracted: 64 bits hold no difference.
        down = margins["low"] <= 0 if margin is None else margin >= values
        up = margins["high"] >= 0 if margin is None else -margin <= values
        reaches = np.where(values < 0, up, down) if self._table.signed else down
        self._wide += int(np.count_nonzero(reaches))
        if self._table.allows_for_clipping:
            for counter, part in zip(self._parts, _parts(centre[there], margins), strict=True):
                counter.add(part)

    def rows(self) -> tuple[list[int], range]:
        """The numbers of the rows that are drawn as bars, and as squares."""
        return self._drawn.found(), range(0 if self._layout is None else self._seen)

    def summary(self, bars: Sequence[Cell], squares: Sequence[Cell]) -> TableSummary:
        """Everything that was seen, with the cells of these rows."""
        allows = self._table.allows_for_clipping
        noise, allowance = (part.counted() if allows else None for part in self._parts)
        return TableSummary(
            table=self._table,
            statuses={flag: self._statuses[flag] for flag in flags(self._table)},
            negative=self._negative,
            wide=self._wide,
            unbounded=self._unbounded,
            total=self._total,
            margins=self._margins.counted() if self._table.has_margins else None,
            noise=noise,
            allowance=allowance,
            bars=tuple(bars),
            matrix=None if self._layout is None else matrix(self._layout, self._table, squares),
        )


def _parts(values: Integers, margins: Mapping[str, Integers]) -> tuple[Integers, Integers]:
    """How far intervals reach down, and how much farther up; floats, as 64 bits may not hold it."""
    noise = values.astype(np.float64) - margins["low"]
    allowance = margins["high"].astype(np.float64) - values - noise
    down, farther_up = (np.clip(part, 0, FARTHEST).astype(np.int64) for part in (noise, allowance))
    return down, farther_up


class MarginCounter:
    """Counts margins a batch at a time."""

    def __init__(self) -> None:
        self._small = np.zeros(EXACT + 1, np.int64)
        self._large = np.zeros(len(RANGES) - FIRST_LARGE, np.int64)

    def add(self, margins: Integers) -> None:
        """Count a batch; no margin is negative."""
        near = margins <= EXACT
        self._small += np.bincount(margins[near], minlength=EXACT + 1)
        # The last border does not fit into 64 bits: what passes the one before is in the last bin.
        tops = np.array([width.high for width in RANGES[FIRST_LARGE:-1]], np.int64)
        bins = np.searchsorted(tops, margins[~near])
        self._large += np.bincount(bins, minlength=len(self._large))

    def counted(self) -> Margins:
        """What was counted so far, from the smallest margin that occurs to the largest."""
        cells = int(self._small.sum()) + int(self._large.sum())
        near = [
            int(self._small[width.low : width.high + 1].sum()) for width in RANGES[:FIRST_LARGE]
        ]
        counts = [*near, *self._large.tolist()]
        filled = [at for at, count in enumerate(counts) if count]
        occurring = range(filled[0], filled[-1] + 1) if filled else range(0)
        bins = tuple(RangeCount(RANGES[at], counts[at]) for at in occurring)
        return Margins(cells, bins, self._tenths(5, cells), self._tenths(9, cells))

    def _tenths(self, tenths: int, cells: int) -> MarginRange | None:
        rank = -(-cells * tenths // 10)
        if rank == 0:
            return None
        counts = np.concatenate([self._small, self._large])
        reached = int(np.searchsorted(np.cumsum(counts), rank))
        return (
            MarginRange(reached, reached)
            if reached <= EXACT
            else RANGES[FIRST_LARGE + reached - EXACT - 1]
        )
