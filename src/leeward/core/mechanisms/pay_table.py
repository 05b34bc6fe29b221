"""Pay table: the measurement of payrolls or means, from released pairs."""

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.cells import EMPTY, Margins, columns
from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.mechanisms.measurement import (
    ByMechanism,
    Expected,
    Measured,
    Needs,
    PublicLaw,
    Spread,
)
from leeward.core.mechanisms.pay import (
    OTHERS,
    USUAL_SHARE,
    Ends,
    Pairs,
    PayMechanism,
    PublishedPay,
    as_cells,
    largest_payroll,
    payroll_of,
)
from leeward.core.mechanisms.pay_margins import PayMargins
from leeward.core.noise.law import laplace
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import BOUND, CellNoise, Integers
from leeward.core.noise.tabulated import Floats

PAY_COLUMNS = ("low", "high")
COUNT_COLUMN = "count"


@dataclass(frozen=True)
class PayTable(ByMechanism[PayMechanism]):
    """The measurement of a table of pay: a payroll or a mean, its interval, and the count."""

    deviations: ClassVar[None] = None

    @property
    def needs(self) -> Needs:
        """Cells, or entries of establishments where these are clipped."""
        return self.mechanism.needs

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """The ends where there are margins, and the count."""
        ends = PAY_COLUMNS if self.margins.coverage is not None else ()
        return (*ends, COUNT_COLUMN) if self.mechanism.with_count else ends

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """Payrolls or means with noise, their intervals, and the counts."""
        pairs, ends = self.mechanism._measured(columns, noise)
        rule = self.margins
        if isinstance(rule, PayMargins):
            ends = rule.interval(pairs, rule.smooth(as_cells(columns), noise))
        elif rule.coverage is None:
            ends = None
        values, margins = published_pay(pairs, ends, self.mechanism.statistic, self.mechanism.cap)
        kept = {name: margins[name] for name in self.margin_columns}
        return Measured(values, kept, PublicLaw(None, True, None))

    def expected(self, columns: Cells | Entries) -> Expected:
        """Of payrolls by closed form; of means to first order, at the true count and mean."""
        cells, mechanism = as_cells(columns), self.mechanism
        if mechanism.statistic == "payroll":
            error = mechanism.error(cells, 0.0, 1.0)
            wide = None if error is None else np.broadcast_to(error[:, None], cells.shape)
        else:
            wide = mean_errors(mechanism, cells)
        return Expected(wide, None, finite=wide is not None, steady=mechanism.steady)

    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Of a usual cell with this largest establishment; with what clipping takes, of payroll."""
        mechanism = self.mechanism
        cells = usual_cells(size, mechanism.cap, self.parameters.cells, establishments)
        found = self.expected(cells).absolute
        return None if found is None else float(found[0, 0]) + mechanism.lost(cells, establishments)

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """Half of the interval of such a cell if nothing had noise."""
        rule, mechanism = self.margins, self.mechanism
        cells = usual_cells(size, mechanism.cap, self.parameters.cells, establishments)
        pairs = Pairs(cells.counts, payroll_of(cells, mechanism.cap))
        if not isinstance(rule, PayMargins):
            ends = None if rule.coverage is None else mechanism.typical_ends(cells, establishments)
        else:
            alpha, least = float(self.parameters.growth), float(self.parameters.least)
            jobs = np.maximum(alpha * cells.largest, least)
            most = np.maximum(alpha * largest_payroll(cells), least * mechanism.cap)
            pay = most if mechanism.by_payroll else jobs * mechanism.cap
            ends = rule.interval(pairs, (jobs, pay))
        if ends is None:
            return None
        top = float(mechanism.cap if mechanism.statistic == "mean" else BOUND)
        bottom = 0.0 if mechanism.statistic == "mean" else -top
        return int(np.ceil((min(ends[1][0, 0], top) - max(ends[0][0, 0], bottom)) / 2))

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """Tables of pay are not added up."""
        return None

    def cell_law(
        self, size: int, establishments: int = ESTABLISHMENTS, jobs: int | None = None
    ) -> None:
        """Pay is no count."""

    def spread(self, size: int) -> Spread:
        """The noise of the payroll of one establishment, of which nine in ten are between."""
        mechanism = self.mechanism
        cells = usual_cells(size, mechanism.cap, 1, 1)
        true, mean = int(payroll_of(cells, mechanism.cap)[0, 0]), mechanism.error(cells, 0.0, 1.0)
        scale = float(BOUND) if mean is None else float(mean[0])
        half = self.expected_margin(size) if mechanism.statistic == "payroll" else None
        reach = int(min(3 * scale, float(BOUND))) if half is None else half
        return Spread(true, true - reach, true + reach, laplace(), scale)


def usual_cells(size: int, cap: int, cells: int, establishments: int) -> Cells:
    """A workplace cell whose largest establishment has this size, jobs spread evenly over cells.

    Each other establishment has OTHERS of its jobs, and the mean pay is the usual one.
    """
    each = ceil(size * (1 + OTHERS * (establishments - 1)) / cells)
    pay = int(cap * USUAL_SHARE)
    counts = np.full((1, cells), each, dtype=np.int64)
    largest = np.array([size], dtype=np.int64)
    return Cells(counts, largest, payroll=counts * pay, largest_payroll=largest * pay)


def mean_errors(mechanism: PayMechanism, cells: Cells) -> Floats | None:
    """E|δP − m·δn|/n of each cell, at most the cap: that of a cell without jobs."""
    jobs, pay = cells.counts.astype(np.float64), payroll_of(cells, mechanism.cap).astype(np.float64)
    found = np.full(cells.shape, float(mechanism.cap))
    for cell in range(cells.shape[1]):
        some = jobs[:, cell] > 0
        means = np.zeros(len(jobs))
        means[some] = pay[some, cell] / jobs[some, cell]
        for mean in np.unique(means[some]):
            rows = np.flatnonzero(some & (means == mean))
            alike = Cells(**{name: column[rows] for name, column in columns(cells).items()})
            error = mechanism.error(alike, -float(mean), 1.0)
            if error is None:
                return None
            found[rows, cell] = np.minimum(error / jobs[rows, cell], mechanism.cap)
    return found


def published_pay(
    found: Pairs, ends: Ends | None, statistic: PublishedPay, cap: int
) -> tuple[Integers, Margins]:
    """What a table of pay shows: value, the ends of its interval where there are some, count."""
    values = found.payroll if statistic == "payroll" else means(found, cap)
    margins: dict[str, Integers] = {}
    if ends is not None:
        bottom, top = (-BOUND, BOUND) if statistic == "payroll" else (0, cap)
        low, high = (np.clip(end, bottom, top) for end in ends)
        known = (ends[0] <= ends[1]) & np.isfinite(ends[0]) & np.isfinite(ends[1])
        known &= values != EMPTY
        floor, ceiling = np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)
        margins["low"] = np.where(known, np.minimum(floor, values), EMPTY)
        margins["high"] = np.where(known, np.maximum(ceiling, values), EMPTY)
    margins[COUNT_COLUMN] = found.jobs
    return values, margins


def means(found: Pairs, cap: int) -> Integers:
    """P̃/ñ to the nearest whole number, from 0 to the cap; EMPTY where ñ is below one half."""
    some = found.jobs > 0  # whole numbers: from ½ on is from 1 on
    count = np.where(some, found.jobs, 1)
    payroll = np.clip(found.payroll, 0, None)
    nearest = (2 * (payroll % count) >= count) + payroll // count
    return np.where(some, np.minimum(nearest, cap), EMPTY)
