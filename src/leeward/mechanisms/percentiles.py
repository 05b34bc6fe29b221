"""Percentiles: what follows from the released counts of classes, with ends that hold.

Proof in percentiles.proof.md. The classes are measured by any mechanism for worker tables; nothing
else looks at the data. Their counts are cumulated, made monotone and interpolated. The ends of an
interval are edges: tests at the edges, walked inwards from both ends while they reject.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leeward.errors import NotCovered
from leeward.exact import dyadic_up, precision
from leeward.mechanisms.additive import CountsWithNoise
from leeward.mechanisms.clipped_counts import ClippedCounts
from leeward.mechanisms.edge_laplace import EdgeLaplace
from leeward.mechanisms.margins import SpentMargins
from leeward.mechanisms.measurement import (
    COVERAGE,
    Expected,
    MarginMethod,
    MarginRule,
    Measured,
    Measurement,
    Needs,
    PublicScale,
    Spread,
    Words,
)
from leeward.mechanisms.parameters import Parameters
from leeward.mechanisms.scale import Scale
from leeward.mechanisms.split import Bound
from leeward.mechanisms.vector_pareto import VectorPareto
from leeward.model import Cells, Entries, Percentiles, Statistic
from leeward.model.marginal import COUNTED, ENDS
from leeward.model.size_profile import ESTABLISHMENTS
from leeward.model.values import EMPTY, Margins
from leeward.noise.contrast import Contrast, Rates
from leeward.noise.scales import BOUND, CellNoise, Integers, Noise
from leeward.noise.tabulated import Floats
from leeward.privacy import Guarantee, Policy

Flags = NDArray[np.bool_]

MISSED_END = float((1 - COVERAGE) / 2)
"""How often an end of an interval may be on the wrong side."""

BIAS = (
    "Establishments above a public bound are scaled down to it, so percentiles lean towards the "
    "pay of smaller ones. An interval from low to high allows for that."
)
LEAST_SHARE = Fraction(1, 10)
"""Of the budget, for the maximum of clipped classes without margins."""

SCALE = "scale"
HALF = 0.5
"""A total below this has no percentiles; rounding to whole jobs errs by as much in a class."""


@dataclass(frozen=True)
class InwardWalk:
    """The rule of percentiles' margins: what it costs is what the margins of the classes cost."""

    classes: MarginRule
    note: ClassVar[str] = (
        "low and high are edges of classes. Tests at the edges, walked inwards from both ends "
        "while they reject, leave nine true percentiles of ten between them. high is empty where "
        "no edge was rejected: the percentile may be above all edges."
    )
    ends: ClassVar[bool] = True

    @property
    def method(self) -> MarginMethod:
        """As the classes get theirs."""
        return self.classes.method

    @property
    def coverage(self) -> Fraction:
        """The share of percentiles that are inside."""
        return COVERAGE

    @property
    def epsilon(self) -> Fraction:
        """What the noisy scale costs."""
        return self.classes.epsilon

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """As the classes get theirs."""
        return self.classes.released(mechanism, values, largest, noise)

    def typical(self, mechanism: PublicScale, size: int) -> None:
        """It depends on the pay of the jobs, which no plan knows."""

    def noise(self, mechanism: PublicScale) -> None:
        """The error of a percentile has no law that a reader could draw from."""


class NoisyScale(SpentMargins):
    """The same noisy scale, released as it is: the tests at edges have factors of their own."""

    def released(
        self, mechanism: PublicScale, values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """Grid indices of the scale."""
        return {SCALE: self.scale._release(None, largest, noise)}


class EdgeTests(NamedTuple):
    """What tests at the edges of some workplace cells know: public constants and released numbers.

    But for chance, the noise of a contrast is below `critical` times `scale` (w,) jobs, and below
    `least` jobs where the scale is as small as it can be; each class errs by at most `rounding`
    jobs beside it. A class has at most `kappa` times the jobs that clipping left of it and `lost`
    more.
    """

    cells: Integers
    critical: Callable[[Contrast], float]
    scale: Floats
    least: Callable[[Contrast], float] = lambda _: 0.0
    kappa: float = 1.0
    lost: float = 0.0
    rounding: float = HALF

    def bound(self, contrast: Contrast) -> Floats:
        """What the noise and the rounding of a contrast keep below (w, 1)."""
        wide = np.maximum(self.critical(contrast) * self.scale, self.least(contrast))
        found: Floats = (wide + self.rounding * contrast.weight)[:, None]
        return found

    def walked(self, blocks: Integers, percent: int) -> tuple[Integers, Integers]:
        """How many edges are rejected, from below and from above, of released classes (w, o, d).

        From below a rejected edge has fewer jobs below it than the percentile, from above more.
        """
        d, q = blocks.shape[2], percent / 100
        below = np.cumsum(blocks, axis=2)[:, :, :-1].astype(np.float64)
        above = blocks.sum(axis=2, keepdims=True) - below
        under, over = np.zeros(below.shape, bool), np.zeros(below.shape, bool)
        for i in range(1, d):
            fewer, more = below[:, :, i - 1], above[:, :, i - 1]
            few = Contrast(self.kappa * (1 - q), i, q, d - i)
            many = Contrast(1 - q, i, self.kappa * q, d - i)
            least = few.a * (fewer + i * self.lost) - few.b * more
            most = many.a * fewer - many.b * (more + (d - i) * self.lost)
            under[:, :, i - 1] = least < -self.bound(few)
            over[:, :, i - 1] = most > self.bound(many)
        return _in_a_row(under), _in_a_row(over[:, :, ::-1])


def _in_a_row(rejected: Flags) -> Integers:
    """How many of the first ones are all rejected."""
    found: Integers = np.logical_and.accumulate(rejected, axis=2).sum(axis=2)
    return found


@dataclass(frozen=True)
class PercentilesOfClasses:
    """The measurement of percentiles: that of their classes, and what follows from it."""

    classes: Measurement
    statistic: Percentiles
    deviations: ClassVar[None] = None

    @property
    def name(self) -> str:
        """The mechanism that measures the classes."""
        return self.classes.name

    @property
    def words(self) -> Words:
        """How that mechanism is named and explained; clipping moves percentiles either way."""
        words = self.classes.words
        return replace(words, bias=BIAS) if words.bias else words

    @property
    def parameters(self) -> Parameters:
        """What that mechanism was calibrated for."""
        return self.classes.parameters

    @property
    def needs(self) -> Needs:
        """What the classes need."""
        return self.classes.needs

    @property
    def by_cell(self) -> bool:
        """As the classes are measured."""
        return self.classes.by_cell

    @property
    def margins(self) -> MarginRule:
        """Edges that are tested; none where the plan says so."""
        none = self.classes.margins.coverage is None
        return self.classes.margins if none else InwardWalk(self.classes.margins)

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """The ends, and how many jobs were counted."""
        return (COUNTED,) if self.classes.margins.coverage is None else (*ENDS, COUNTED)

    def constants(self) -> dict[str, str]:
        """Those of the classes."""
        return self.classes.constants()

    def guarantee(self, policy: Policy | str, *, table: str) -> Guarantee:
        """That of the classes: what follows from released numbers costs nothing."""
        return self.classes.guarantee(policy, table=table)

    def measure(self, columns: Cells | Entries) -> Measured:
        """Percentiles (w, other worker cells × percentages), and their columns."""
        found, tests = released(self.classes, columns)
        w, d = len(found.values), len(self.statistic.edges) - 1
        most = BOUND // found.values.shape[1]  # so that sums stay within 64 bits
        blocks = np.clip(found.values, -most, most).reshape(w, -1, d)
        columns_of = {COUNTED: np.repeat(blocks.sum(axis=2)[:, :, None], len(self.statistic.at), 2)}
        values = interpolated(blocks, self.statistic)
        if self.classes.margins.coverage is not None:
            columns_of = (
                dict(zip(ENDS, self._ends(blocks, values, tests), strict=True)) | columns_of
            )
        flat = {name: one.reshape(w, -1) for name, one in columns_of.items()}
        return Measured(values.reshape(w, -1), flat, found.law)

    def _ends(
        self, blocks: Integers, values: Integers, tests: list[EdgeTests]
    ) -> tuple[Integers, Integers]:
        """The edges at which both walks stop; no interval leaves its percentile out."""
        edges = np.array(self.statistic.edges)
        low, high = np.full_like(values, EMPTY), np.full_like(values, EMPTY)
        for one in tests:
            for at, percent in enumerate(self.statistic.at):
                under, over = one.walked(blocks[one.cells], percent)
                value, last = values[one.cells, :, at], edges.size - 1
                low[one.cells, :, at] = np.minimum(edges[under], value)
                ended = np.maximum(edges[last - over], value)
                high[one.cells, :, at] = np.where(over > 0, ended, EMPTY)
        nothing = values == EMPTY
        return np.where(nothing, EMPTY, low), np.where(nothing, EMPTY, high)

    def expected(self, columns: Cells | Entries) -> Expected:
        """No closed form: it depends on the pay of the jobs."""
        return Expected(None, None, finite=True, steady=True)

    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Of a percentile, in the unit of its column: a first-order guess from public numbers.

        The jobs of the cell are taken to be spread evenly over the classes and the other worker
        cells, and √m of its m establishments to be as large as the largest.
        """
        noise, edges = self._class_noise(size, establishments), self.statistic.edges
        if noise is None:
            return None
        d, shares = len(edges) - 1, [percent / 100 for percent in self.statistic.at]
        jobs = sqrt(establishments) * max(size, 1) * d / self.parameters.cells
        errors = [
            noise * sqrt(d * q * (1 - q)) * (edges[int(q * d) + 1] - edges[int(q * d)]) * d / jobs
            for q in shares
        ]
        return sum(errors) / len(errors)

    def _class_noise(self, size: int, establishments: int) -> float | None:
        """Of the count of a class, without what clipping takes from all classes alike."""
        if isinstance(self.classes, ClippedCounts):
            return self.classes.noise_error(size, establishments)
        return self.classes.expected_error(size, establishments)

    def expected_errors(self, size: int, establishments: int = ESTABLISHMENTS) -> Floats | None:
        """Of the one kind of cell."""
        error = self.expected_error(size, establishments)
        return None if error is None else np.array([error])

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> None:
        """It depends on the pay of the jobs."""

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """The error of a percentile has no law that a reader could draw from."""

    def spread(self, size: int) -> Spread:
        """Of the count of a class."""
        return self.classes.spread(size)


def interpolated(blocks: Integers, statistic: Percentiles) -> Integers:
    """Percentiles (w, o, percentages) of released classes (w, o, d); EMPTY without a job.

    Cumulated counts are made monotone, and numbers are spread evenly over each class.
    """
    w, o, d = blocks.shape
    edges = np.array(statistic.edges, dtype=np.float64)
    cumulated = np.maximum(monotone(np.cumsum(blocks.reshape(-1, d), axis=1)), 0.0)
    total = cumulated[:, -1]
    values = np.empty((w * o, len(statistic.at)), dtype=np.int64)
    with np.errstate(invalid="ignore"):
        for at, percent in enumerate(statistic.at):
            wanted = total * percent / 100
            place = (cumulated < wanted[:, None]).sum(axis=1)
            end = np.take_along_axis(cumulated, place[:, None], 1)[:, 0]
            start = np.take_along_axis(cumulated, np.maximum(place - 1, 0)[:, None], 1)[:, 0]
            start = np.where(place == 0, 0.0, start)
            part = np.nan_to_num((wanted - start) / (end - start))
            exact = edges[place] + part * (edges[place + 1] - edges[place])
            values[:, at] = np.where(total < HALF, EMPTY, np.floor(exact + HALF))
    return values.reshape(w, o, -1)


def monotone(rows: Integers) -> Floats:
    """The nearest rows in least squares that do not fall: max over s ≤ i of min over t ≥ i of the
    mean of the numbers from s to t."""
    d = rows.shape[1]
    sums = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(rows.astype(np.float64), 1)], axis=1)
    found: Floats = np.full(rows.shape, -np.inf)
    for s in range(d):
        means = (sums[:, s + 1 :] - sums[:, s : s + 1]) / np.arange(1, d - s + 1)
        least = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
        np.maximum(found[:, s:], least, out=found[:, s:])
    return found


def of_statistic(made: Measurement, statistic: Statistic) -> Measurement:
    """The measurement of a table: of percentiles, that of their classes and what follows from it.

    Refuses margins where the classes have noise for which no test at an edge is proved.
    """
    if not isinstance(statistic, Percentiles):
        return made
    if made.margins.coverage is not None and not _is_tested(made):
        raise NotCovered(
            "margins",
            rule=f"must be none for percentiles by {made.name}: no test at the edges of classes is "
            "proved for its noise",
            value="margins",
            next_step="Write margins: none, or leave mechanism out for auto.",
        )
    if made.margins.coverage is None and isinstance(made, ClippedCounts):
        made = replace(made, mechanism=made.mechanism.with_bound(_narrow(made.parameters)))
    return PercentilesOfClasses(made, statistic)


def _narrow(parameters: Parameters) -> Bound:
    """How clipped bounds establishments where no interval has to allow for what clipping takes.

    Clipping takes from all classes of an establishment alike, so percentiles need no headroom and
    a tenth of the budget is enough for the maximum (`python -m benchmarks.percentiles`); at a small
    ε more, so that the spread of ln θ is at most one half and the noise has a variance.
    """
    if parameters.epsilon == 0:
        return Bound(LEAST_SHARE, Fraction(1))
    with precision(128):
        steady = 2 * dyadic_up(parameters.log_growth(), 16) / parameters.aimed
    return Bound(min(max(LEAST_SHARE, steady), Fraction(1, 2)), Fraction(1))


def _is_tested(made: Measurement) -> bool:
    if isinstance(made, CountsWithNoise):
        return isinstance(made.mechanism, EdgeLaplace | VectorPareto)
    return isinstance(made, ClippedCounts)


def released(classes: Measurement, columns: Cells | Entries) -> tuple[Measured, list[EdgeTests]]:
    """The classes as they are released, and what tests at their edges know of their noise."""
    if classes.margins.coverage is None:
        return classes.measure(columns), []
    if isinstance(classes, CountsWithNoise) and isinstance(classes.mechanism, VectorPareto):
        return _pareto(classes, classes.mechanism, columns)
    found = classes.measure(columns)
    if isinstance(classes, ClippedCounts) and isinstance(columns, Entries):
        return found, _clipped(classes, columns, found)
    if isinstance(classes, CountsWithNoise) and isinstance(classes.mechanism, EdgeLaplace):
        return found, [_edge(classes.mechanism, len(found.values))]
    raise AssertionError(f"percentiles with margins by {classes.name} were not refused")


def _pareto(
    classes: CountsWithNoise, made: VectorPareto, columns: Cells | Entries
) -> tuple[Measured, list[EdgeTests]]:
    """One H for all classes of a workplace cell, and a noisy scale (proof, 2)."""
    paid = classes.margins
    if not isinstance(paid, SpentMargins):
        raise AssertionError("margins of vector_pareto in a worker table are paid for")
    noisy = NoisyScale(paid.scale, paid.mechanism, paid.cells, paid.bounded)
    found = replace(classes, margins=noisy).measure(columns)
    unit = float(1 / made.step)
    tests = EdgeTests(
        np.arange(len(found.values)),
        lambda contrast: _pareto_critical(made, paid.scale, contrast),
        paid.scale.smooth(found.margins[SCALE]) * unit,
        least=lambda one: _pareto_critical(made, None, one) * unit * made.parameters.plus,
    )
    return found, [tests]


@lru_cache(maxsize=1 << 12)  # slow to find, and the same in every batch
def _pareto_critical(made: VectorPareto, scale: Scale | None, contrast: Contrast) -> float:
    return contrast.laplace(MISSED_END, _rates(int(made.shape), scale))


@lru_cache(maxsize=64)
def _rates(shape: int, scale: Scale | None) -> Rates:
    return Rates.gamma(shape) if scale is None else Rates.gamma(shape, *scale.shrinkage())


def _clipped(classes: ClippedCounts, columns: Entries, found: Measured) -> list[EdgeTests]:
    """A public scale, and a bound of what clipping takes (proof, 3)."""
    scale = found.law.scale
    if scale is None:
        raise AssertionError("the scale of clipped is public")
    return [
        EdgeTests(
            cells,
            _gaussian_critical if made.noise == "gaussian" else _laplace_critical,
            scale[cells],
            kappa=made.kappa,
            lost=made.establishments / made.clipping.lattice,
            rounding=HALF + 1 / made.clipping.lattice,
        )
        for made, cells in classes.by_class(columns)
    ]


def _gaussian_critical(contrast: Contrast) -> float:
    return contrast.normal(MISSED_END / 2)


@lru_cache(maxsize=1 << 14)
def _laplace_critical(contrast: Contrast) -> float:
    """Half of what may be missed is kept for a maximum that came out too low."""
    return contrast.laplace(MISSED_END / 2)


def _edge(made: EdgeLaplace, workplaces: int) -> EdgeTests:
    """Discrete Laplace noise is a difference of two exponentials rounded down (proof, 4)."""
    unit = float(1 / made.parameters.aimed)
    return EdgeTests(np.arange(workplaces), _edge_critical, np.full(workplaces, unit), rounding=1.0)


@lru_cache(maxsize=1 << 12)
def _edge_critical(contrast: Contrast) -> float:
    return contrast.laplace(MISSED_END)
