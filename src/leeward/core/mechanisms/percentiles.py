"""Percentiles: what follows from the released counts of classes, with ends that hold.

Proof in percentiles.proof.md. The classes are measured by any mechanism for worker tables; nothing
else looks at the data. Their counts are cumulated, made monotone and interpolated. The ends of an
interval are edges: tests at the edges, walked inwards from both ends while they reject.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook import Cells, Entries, Percentiles
from leeward.core.codebook.cells import EMPTY
from leeward.core.codebook.marginal import COUNTED, ENDS
from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.exact import dyadic_up, precision
from leeward.core.mechanisms.calibrated import MarginRule, Words
from leeward.core.mechanisms.clipped_counts import ClippedCounts
from leeward.core.mechanisms.measurement import Expected, Measured, Measurement
from leeward.core.mechanisms.released_classes import (
    HALF,
    ContrastBounds,
    FollowingMargins,
    FromClasses,
    bounded,
    released,
)
from leeward.core.mechanisms.split import Bound
from leeward.core.noise.contrast import Contrast
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import BOUND, CellNoise, Integers
from leeward.core.noise.tabulated import Floats

Flags = NDArray[np.bool_]

BIAS = (
    "Establishments above a public bound are scaled down to it, so percentiles lean towards the "
    "pay of smaller ones, and the column count comes out low."
)
ALLOWANCE = "The interval of a percentile allows for that; count has none."

LEAST_SHARE = Fraction(1, 10)
"""Of the budget, for the maximum of clipped classes without margins."""


class InwardWalk(FollowingMargins):
    """Edges that are tested."""

    note = (
        "low and high are edges of classes. Tests at the edges, walked inwards from both ends "
        "while they reject, leave nine true percentiles of ten between them. high is empty where "
        "no edge was rejected: the percentile may be above all edges."
    )


def walked(noise: ContrastBounds, blocks: Integers, percent: int) -> tuple[Integers, Integers]:
    """How many edges are rejected, from below and from above, of released classes (w, o, d).

    From below a rejected edge has fewer jobs below it than the percentile, from above more.
    """
    d, q = blocks.shape[2], percent / 100
    below = np.cumsum(blocks, axis=2)[:, :, :-1].astype(np.float64)
    above = blocks.sum(axis=2, keepdims=True) - below
    under, over = np.zeros(below.shape, bool), np.zeros(below.shape, bool)
    for i in range(1, d):
        fewer, more = below[:, :, i - 1], above[:, :, i - 1]
        few = Contrast(noise.kappa * (1 - q), i, q, d - i)
        many = Contrast(1 - q, i, noise.kappa * q, d - i)
        least = few.a * (fewer + i * noise.lost) - few.b * more
        most = many.a * fewer - many.b * (more + (d - i) * noise.lost)
        under[:, :, i - 1] = least < -noise.bound(few)
        over[:, :, i - 1] = most > noise.bound(many)
    return _in_a_row(under), _in_a_row(over[:, :, ::-1])


def _in_a_row(rejected: Flags) -> Integers:
    """How many of the first ones are all rejected."""
    found: Integers = np.logical_and.accumulate(rejected, axis=2).sum(axis=2)
    return found


@dataclass(frozen=True)
class PercentilesOfClasses(FromClasses):
    """The measurement of percentiles: that of their classes, and what follows from it."""

    statistic: Percentiles

    @property
    def words(self) -> Words:
        """How that mechanism is named and explained; clipping moves percentiles either way."""
        words = self.classes.words
        return replace(words, bias=BIAS, allowance=ALLOWANCE) if words.bias else words

    @property
    def margins(self) -> MarginRule:
        """Edges that are tested; none where the plan says so."""
        none = self.classes.margins.coverage is None
        return self.classes.margins if none else InwardWalk(self.classes.margins)

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """The ends, and how many jobs were counted."""
        return (COUNTED,) if self.classes.margins.coverage is None else (*ENDS, COUNTED)

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """Percentiles (w, other worker cells × percentages), and their columns."""
        measured, bounds = released(self.classes, columns, noise)
        w, d = len(measured.values), len(self.statistic.edges) - 1
        most = BOUND // measured.values.shape[1]  # so that sums stay within 64 bits
        blocks = np.clip(measured.values, -most, most).reshape(w, -1, d)
        columns_of = {COUNTED: np.repeat(blocks.sum(axis=2)[:, :, None], len(self.statistic.at), 2)}
        values = interpolated(blocks, self.statistic)
        if self.classes.margins.coverage is not None:
            ends = self._ends(blocks, values, bounds)
            columns_of = dict(zip(ENDS, ends, strict=True)) | columns_of
        flat = {name: column.reshape(w, -1) for name, column in columns_of.items()}
        return Measured(values.reshape(w, -1), flat, measured.law)

    def _ends(
        self, blocks: Integers, values: Integers, bounds: list[ContrastBounds]
    ) -> tuple[Integers, Integers]:
        """The edges at which both walks stop; no interval leaves its percentile out."""
        edges = np.array(self.statistic.edges)
        low, high = np.full_like(values, EMPTY), np.full_like(values, EMPTY)
        for bound in bounds:
            for at, percent in enumerate(self.statistic.at):
                under, over = walked(bound, blocks[bound.cells], percent)
                value, last = values[bound.cells, :, at], edges.size - 1
                low[bound.cells, :, at] = np.minimum(edges[under], value)
                ended = np.maximum(edges[last - over], value)
                high[bound.cells, :, at] = np.where(over > 0, ended, EMPTY)
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
        edges = self.statistic.edges
        if isinstance(self.classes, ClippedCounts):  # clipping takes from all classes alike
            noise = self.classes.noise_error(size, establishments)
        else:
            noise = self.classes.expected_error(size, establishments)
        if noise is None:
            return None
        d, shares = len(edges) - 1, [percent / 100 for percent in self.statistic.at]
        jobs = sqrt(establishments) * max(size, 1) * d / self.parameters.cells
        errors = [
            noise * sqrt(d * q * (1 - q)) * (edges[int(q * d) + 1] - edges[int(q * d)]) * d / jobs
            for q in shares
        ]
        return sum(errors) / len(errors)

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> None:
        """It depends on the pay of the jobs."""

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """The error of a percentile has no law that a reader could draw from."""


def interpolated(blocks: Integers, statistic: Percentiles) -> Integers:
    """Percentiles (w, o, percentages) of released classes (w, o, d); EMPTY without a job.

    Cumulated counts are made monotone, and numbers are spread evenly over each class.
    """
    w, o, d = blocks.shape
    edges = np.array(statistic.edges, dtype=np.float64)
    cumulated = np.maximum(monotone(np.cumsum(blocks.reshape(-1, d), axis=1)), 0.0)
    total = cumulated[:, -1]
    nothing = (total < HALF) | (blocks.sum(axis=2).ravel() < HALF)
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
            values[:, at] = np.where(nothing, EMPTY, np.floor(exact + HALF))
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


def percentiles_of_classes(made: Measurement, statistic: Percentiles) -> PercentilesOfClasses:
    """Percentiles of measured classes; without margins, clipping bounds them more closely."""
    made = bounded(made, statistic.name)
    if made.margins.coverage is None and isinstance(made, ClippedCounts):
        # Clipping takes from all classes of an establishment alike, so percentiles need no headroom
        # and a tenth of the budget is enough for the maximum (`python -m benchmarks.percentiles`);
        # of a small budget more, so that the spread of ln θ is at most one half and the noise has a
        # variance: λ/(share·ε) ≤ 1/2, or λ/√(2·share·ρ) ≤ 1/2 with Gaussian noise.
        rho = made.mechanism.rho
        with precision(128):
            growth = dyadic_up(made.parameters.log_growth(), 16)
        steady = 2 * growth**2 / rho if rho else 2 * growth / made.parameters.aimed
        bound = Bound(min(max(LEAST_SHARE, steady), Fraction(1, 2)), Fraction(1))
        made = replace(made, mechanism=made.mechanism.with_bound(bound))
    return PercentilesOfClasses(made, statistic)
