"""Experiment: one setting drawn many times and measured, one point for each group of cells."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.cells import Floats, ends
from leeward.core.errors import LeewardError
from leeward.core.mechanisms.measurement import Expected, Measured, Measurement
from leeward.lab.baselines.printed import PrintedForm
from leeward.lab.evaluate.benchmark import Benchmark, Benchmarks, TrialResults, measured
from leeward.lab.evaluate.contender import (
    ADDED,
    MARGIN_SHARE,
    SPLIT,
    Contender,
    Price,
    ReleasedProduct,
    contenders,
    released,
    taken,
)
from leeward.lab.evaluate.point import RefusedSetting, ScoredPoint, ScoredSetting
from leeward.lab.evaluate.truth import StratumGroups, Truth, added
from leeward.lab.evaluate.workloads import Grid, Workload

DRAWS, FEWEST_TRIALS = 2_000_000, 2
"""So many draws of cells are enough for any mean: larger tables are drawn less often, but twice."""


WIDE_NOISE = 20
"""Least noise S/ε, in jobs, that counts as wide."""


MARGIN_CELLS = 40_000
"""Number of cells of a table, evenly chosen, on which bought margins are tried in each trial."""


_NONE = Fraction(0)


Outcome = tuple[ScoredPoint, ...] | RefusedSetting


@dataclass(frozen=True)
class ScoredExperiment:
    """A contender at one point of the grid, on one workload."""

    workload: Workload
    contender: Contender
    price: Price
    trials: int
    drawn: bool = True

    @property
    def setting(self) -> ScoredSetting:
        """How its points are labelled."""
        contender, price = self.contender, self.price
        times = self.workload.worker_cells if contender.accounting == "parallel" else 1
        delta = price.delta if contender.kind.spends_delta else Fraction(0)
        return ScoredSetting(
            workload=self.workload.name,
            mechanism=contender.mechanism,
            calibration=contender.calibration,
            policy=contender.policy,
            accounting=contender.accounting,
            alpha=None if price.alpha is None else float(price.alpha),
            epsilon=float(price.epsilon),
            epsilon_summed=float(price.epsilon * times),
            delta=float(delta),
            delta_summed=min(float(delta * times), 1.0),
            theta=contender.theta,
        )

    def run(self, benchmarks: Benchmarks) -> Outcome:
        """Calibrate, draw, measure; a gap where the conditions do not hold."""
        benchmark, product = benchmarks[self.workload.marginal], self.workload.product
        draw: Callable[[], TrialResults]
        try:
            if self.contender.printed:
                form = self.contender.form(self.price)
                draw = partial(self._as_printed, benchmark, form)
            elif product is not None:
                tables = benchmarks[product].truth
                draw = partial(self._of_product, benchmark, tables, self._released(tables))
            else:
                measurement = self.contender.measurement(self.own_price, self.workload.worker_cells)
                draw = partial(self._of_table, benchmarks, measurement)
        except LeewardError as refusal:
            return RefusedSetting(**vars(self.setting), reason=str(refusal))
        points = measured(self.setting, benchmark, draw())
        return tuple(replace(point, auto=True) for point in points) if self.taken else points

    @property
    def taken(self) -> bool:
        """Whether `auto` takes the contender for the workload as a table of a plan."""
        contender, load = self.contender, self.workload
        if contender.kind.origin != "ours" or load.alone or load.finest is not None:
            return False
        return taken(load.marginal, contender.policy, self.price) == contender.mechanism

    def _as_printed(self, benchmark: Benchmark, form: PrintedForm) -> TrialResults:
        """Draws and closed forms of a form of 2015."""
        cells = benchmark.truth.cells
        mean, absolute, square = form.errors(cells)
        expected = Expected(absolute, mean, True, True, square)
        often = range(self.often(expected, cells.counts.size))
        trials = (benchmark.scorer.trial(form.released(cells)) for _ in often)
        return TrialResults(tuple(trials), expected, ())

    def often(self, expected: Expected, cells: int) -> int:
        """How often a table is drawn: not at all where trials would not tend to anything."""
        needed = self.drawn or expected.absolute is None
        enough = max(FEWEST_TRIALS, -(-DRAWS // cells))
        return min(self.trials, enough) if needed and expected.finite else 0

    def _of_table(self, benchmarks: Benchmarks, measurement: Measurement) -> TrialResults:
        benchmark, finest = benchmarks[self.workload.marginal], self.workload.finest
        if self.contender.accounting == ADDED and finest is not None:
            return self._added(measurement, benchmark, benchmarks[finest].truth)
        truth, trials, covered = benchmark.truth, [], list[Floats]()
        wide, columns = self.wide(truth), truth.columns(measurement)
        expected = measurement.expected(columns)
        often = self.often(expected, truth.counts.size)
        for _ in range(often):
            drawn = measurement.measure(columns)
            trials.append(benchmark.scorer.trial(drawn.values))
            covered += _held(drawn, truth, truth.groups, wide)
        if often:
            covered += self._covered(truth)
        return TrialResults(tuple(trials), expected, tuple(covered))

    @property
    def own_price(self) -> Price:
        """What this table pays of the price: a share, where margins split it."""
        if self.contender.accounting != SPLIT:
            return self.price
        return replace(self.price, epsilon=self.price.epsilon / self.workload.shares)

    def _added(self, measurement: Measurement, benchmark: Benchmark, fine: Truth) -> TrialResults:
        """Draws of the finest table, added up to the margin; their sum has no closed form."""
        finest, margin = self.workload.finest or self.workload.marginal, self.workload.marginal
        columns = fine.columns(measurement)
        trials = []
        for _ in range(self.trials):
            values = measurement.measure(columns).values
            total = added(values, fine, benchmark.truth, (finest, margin))
            trials.append(benchmark.scorer.trial(total))
        known = measurement.expected(columns)
        return TrialResults(
            tuple(trials), known._replace(absolute=None, bias=None, square=None), ()
        )

    def _of_product(
        self, benchmark: Benchmark, tables: Truth, product: ReleasedProduct
    ) -> TrialResults:
        """Draws of all tables of a product, of which the cells or the total are looked at."""
        truth, wide, trials, covered = benchmark.truth, self.wide(benchmark.truth), [], []
        for _ in range(self.trials):
            drawn = self._own(product.draw())
            trials.append(benchmark.scorer.trial(drawn.values))
            covered += _held(drawn, truth, truth.groups, wide)
        if not self.contender.kind.free_margins and self.contender.accounting != SPLIT:
            covered = self._product_covered(truth, tables)
        expected = product.expected(total=self.workload.finest is not None)
        return TrialResults(tuple(trials), expected, tuple(covered))

    def _product_covered(self, truth: Truth, tables: Truth) -> list[Floats]:
        """The same for a tenth less, which pays for margins, on a part of the workplace cells."""
        step = max(1, -(-tables.counts.size // MARGIN_CELLS))
        some = truth.every(step)
        try:
            bought = self._released(tables.every(step), MARGIN_SHARE)
        except LeewardError:
            return []
        groups, wide = truth.groups.among(some.stratum_of_cell), self.wide(some)
        draws = (self._own(bought.draw()) for _ in range(self.trials))
        return [shares for drawn in draws for shares in _held(drawn, some, groups, wide)]

    def _released(self, tables: Truth, share: Fraction | None = None) -> ReleasedProduct:
        """The tables of the product; `share` of ε pays for margins that are not free."""
        product = self.workload.product or self.workload.marginal
        margins = Fraction(0) if self.contender.kind.free_margins else share
        return released(self.contender, self.own_price, product, tables, margins)

    def _own(self, drawn: Measured) -> Measured:
        """The total, which comes first, or the cells."""
        own = slice(0, 1) if self.workload.finest is not None else slice(1, None)
        margins = {name: margin[:, own] for name, margin in drawn.margins.items()}
        return Measured(drawn.values[:, own], margins, drawn.law)

    def _covered(self, truth: Truth) -> list[Floats]:
        """Shares of bought margins that held, on a part of the table; none if none are bought."""
        measurement = self.contender.with_margins(self.own_price, self.workload.worker_cells)
        if measurement is None:
            return []
        some = truth.thinned(MARGIN_CELLS)
        groups, wide = truth.groups.among(some.stratum_of_cell), self.wide(some)
        draws = (measurement.measure(some.columns(measurement)) for _ in range(self.trials))
        return [shares for drawn in draws for shares in _held(drawn, some, groups, wide)]

    def wide(self, truth: Truth) -> NDArray[np.bool_]:
        """Cells with noise so wide that rounding to whole jobs and S ≥ 1 no longer matter."""
        if self.price.alpha is None:
            return np.zeros(truth.counts.shape, dtype=np.bool_)
        cells = truth.worker_cells if self.contender.accounting == "sum" else 1
        least = WIDE_NOISE * self.price.epsilon / cells / self.price.alpha
        return self.contender.sizes(truth) >= float(least)


def _held(
    drawn: Measured, truth: Truth, groups: StratumGroups, wide: NDArray[np.bool_]
) -> list[Floats]:
    """The share of margins that held: of all cells, and of those with wide noise."""
    if not drawn.margins:
        return []
    low, high = ends(drawn.values, drawn.margins)
    inside = ((low <= truth.counts) & (truth.counts <= high)).ravel()
    return [np.stack([groups.means(inside), groups.means(inside, wide.ravel())])]


def experiments(workload: Workload, grid: Grid) -> Iterator[ScoredExperiment]:
    """All contenders of a workload at all points of the grid."""
    whole = workload.finest is not None or (
        workload.table_kind != "workplace" and not workload.alone
    )
    for contender in contenders(workload, grid):
        parts = contender.together(workload.worker_cells)
        for alpha in grid.alphas if contender.needs_alpha else (None,):
            for epsilon in (*grid.epsilons, *(grid.further if whole else ())):
                delta = (
                    grid.delta_of(alpha, epsilon, parts) if contender.kind.spends_delta else _NONE
                )
                price = Price(alpha, epsilon, delta, grid.plus)
                yield ScoredExperiment(workload, contender, price, grid.trials, grid.drawn)
