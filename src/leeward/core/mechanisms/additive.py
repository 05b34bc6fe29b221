"""What all mechanisms of the form n + ⌊scale·Z + ½⌋ share: release, errors, distribution.

A new mechanism of this form is a subclass with a law, scales and a calibration; `CountsWithNoise`
measures a whole table with it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, TypeAlias

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.marginal import margin_columns
from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import ball, precision, rational, whole_number, whole_within
from leeward.core.mechanisms.claims import claim
from leeward.core.mechanisms.measurement import (
    COVERAGE,
    CellLaw,
    Claims,
    Expected,
    MarginRule,
    Measured,
    Measurement,
    Needs,
    Origin,
    PublicLaw,
    Recordable,
    Spread,
    Words,
)
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.accuracy import accurate, to_decimal
from leeward.core.noise.error import Error, rounded_errors
from leeward.core.noise.integers import same_shape, whole_numbers
from leeward.core.noise.law import Law
from leeward.core.noise.scales import (
    CellNoise,
    Integers,
    Laws,
    Noise,
    Scales,
    bisect,
    law_at,
    secret,
)
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee, Policy, sequential

Measure = float | Floats | None
Covered: TypeAlias = Callable[[Floats], Floats]
"""The probability that noise stays within each of some bounds."""

MOST_DIGITS = 2000

LEANING, SIZES = 64, 128
"""Sizes at which rounding is looked at: the largest over the smallest, and how many at most."""

LEVEL = 1e-9
"""A mean of fewer jobs is that of a symmetric law."""


class Additive(ABC):
    """A count plus rounded noise whose scale depends on the count or the largest establishment."""

    name: ClassVar[str]
    words: ClassVar[Words]
    claims: ClassVar[Claims]
    origin: ClassVar[Origin] = "ours"
    in_plans: ClassVar[bool] = True
    free_margins: ClassVar[bool] = False
    spends_delta: ClassVar[bool] = False
    gaussian: ClassVar[bool] = False
    follows: ClassVar[str] = "largest"
    """Which column the noise depends on: largest, counts, or either (only its shape matters)."""

    follows_counts: ClassVar[bool] = False
    joint: ClassVar[bool] = False
    """Whether the worker cells of a workplace cell share one random factor."""

    counted: ClassVar[bool] = True
    """Whether what is released are counts."""

    parameters: Parameters
    law: Law

    @property
    def laws(self) -> Laws:
        """What its noise is drawn from: one law, unless its shape changes with the scale."""
        return self.law

    @abstractmethod
    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """The exact scale of each count's noise."""

    def price(self) -> Guarantee:
        """What one release costs, before it is stated for a policy."""
        p = self.parameters
        return Guarantee(p.policy, p.growth, p.epsilon)

    def guarantee(self, policy: Policy | str, *, table: str | None = None) -> Guarantee:
        """The guarantee of releasing all cells of a table; refuses what is not proved.

        `table` is "workplace" (every job is counted; the default for one cell) or "worker" (a
        worker attribute, a filter on workers or an incomplete code list).
        """
        several = self.parameters.cells > 1
        kind = ("worker" if several else "workplace") if table is None else table
        return claim(self.name, self.claims, self.price(), policy, kind)

    def release(self, counts: ArrayLike | None, largest: ArrayLike | None = None) -> Integers:
        """Noisy counts of the same shape: unbiased where the mechanism is, negatives included.

        `largest` is the largest establishment of each cell. Values beyond ±2^62 are clipped.
        """
        if counts is None and self.counted:
            raise InvalidParameter(
                "counts",
                rule=f"is needed: {self.name} releases counts",
                value="nothing",
                next_step="Give the counts as an integer array.",
            )
        return self._release(counts, largest, secret())

    def _release(
        self, counts: ArrayLike | None, largest: ArrayLike | None, noise: Noise
    ) -> Integers:
        """What is released, with this noise; the auditor runs it with its own."""
        n, x = self.columns(counts, largest)
        scales = self.scales(n.ravel(), x.ravel())
        true = self.true_values(n.ravel(), x.ravel())
        return noise.rounded(true, self.laws, scales).reshape(n.shape)

    def measurement(self, *, by_cell: bool, margins: MarginRule) -> Measurement:
        """This mechanism on a table; `by_cell`: a cell's noise follows its own largest."""
        return CountsWithNoise(self, by_cell, margins)

    def public_margins(self, values: Integers, coverage: Fraction) -> Integers:
        """Margins where the scale is the same for all cells, and public."""
        wide = self.quantile((1 + coverage) / 2, None, 0)
        return np.full_like(values, np.asarray(wide))

    def public_noise(self) -> CellNoise:
        """The noise of a cell where the scale is the same for all cells, and public."""
        return CellNoise(self.law, share=0.0, least=float(self.scale(0, None)))

    @property
    def lean(self) -> float:
        """The most that rounding moves the mean of the noise by, over all sizes."""
        return _lean(self)

    @property
    def shared(self) -> int | None:
        """k where the worker cells of a workplace cell share one H ~ Gamma(k); None elsewhere."""
        return None

    def true_values(self, counts: Integers, largest: Integers) -> Integers:
        """What the noise is added to: the counts."""
        return counts

    def columns(
        self, counts: ArrayLike | None, largest: ArrayLike | None
    ) -> tuple[Integers, Integers]:
        """Both columns in one shape; the one that this mechanism does not need may be absent."""
        x = None if largest is None else whole_numbers(largest, "largest")
        n = None if counts is None else whole_numbers(counts, "counts")
        missing = {"largest": x is None, "counts": n is None, "either": x is None and n is None}
        if missing[self.follows]:
            raise InvalidParameter(
                "counts" if self.follows == "either" else self.follows,
                rule=f"is needed by {self.name}",
                value="nothing",
                next_step="Give it as an integer array.",
            )
        if n is None:
            n = np.zeros(() if x is None else x.shape, dtype=np.int64)
        if x is None:
            x = np.zeros_like(n)
        same_shape(n, x, "counts, largest")
        if self.parameters.cells > 1 and n.ndim > 0 and n.shape[-1] != self.parameters.cells:
            raise InvalidParameter(
                "counts",
                rule=f"must have {self.parameters.cells} cells in the last dimension",
                value=f"shape {n.shape}",
                next_step="Give counts and largest as (workplaces, cells).",
            )
        return n, x

    def errors(self, largest: ArrayLike | None, counts: ArrayLike | None = None) -> Error:
        """E J, E|J| and E J² of the integer noise, one entry a cell, all cells in one row."""
        n, x = self.columns(counts, largest)
        return rounded_errors(self.laws, self.scales(n.ravel(), x.ravel()))

    def mean_abs_error(self, largest: ArrayLike | None, counts: ArrayLike | None = None) -> Measure:
        """E|J| of the integer noise, in jobs; None where infinite."""
        return self._shaped(self.errors(largest, counts).absolute, largest, counts)

    def std(self, largest: ArrayLike | None, counts: ArrayLike | None = None) -> Measure:
        """The standard deviation of the integer noise, in jobs; None where infinite."""
        error = self.errors(largest, counts)
        if error.square is None or error.mean is None:
            return None
        deviation = np.sqrt(np.maximum(error.square - error.mean**2, 0.0))
        return self._shaped(deviation, largest, counts)

    def bias(self, largest: ArrayLike | None, counts: ArrayLike | None = None) -> Measure:
        """E J of the integer noise, in jobs; None where there is no mean."""
        return self._shaped(self.errors(largest, counts).mean, largest, counts)

    def _shaped(
        self, values: Floats | None, largest: ArrayLike | None, counts: ArrayLike | None
    ) -> Measure:
        if values is None:
            return None
        shape = self.columns(counts, largest)[0].shape
        return values.reshape(shape) if shape else float(values[0])

    def quantile(
        self, p: str | float | Fraction, largest: ArrayLike | None, counts: ArrayLike | None = None
    ) -> int | Integers:
        """The smallest integer j with P(J ≤ j) ≥ p."""
        share = probability(p)
        n, x = self.columns(counts, largest)
        scales = self.scales(n.ravel(), x.ravel())
        cache: dict[Fraction, int] = {}
        column = np.empty(n.size, dtype=np.int64)
        for i in range(n.size):
            scale = scales.exact(i)
            if scale not in cache:
                cache[scale] = _quantile(law_at(self.laws, scale), scale, share)
            column[i] = cache[scale]
        return int(column[0]) if n.ndim == 0 else column.reshape(n.shape)

    def cdf(
        self, noise: int, largest: int | None = None, *, counts: int | None = None, digits: int = 17
    ) -> Decimal:
        """P(J ≤ noise) of the integer noise J, exact to `digits` significant digits."""
        if not whole_number(noise):
            raise InvalidParameter(
                "noise",
                rule="must be a whole number",
                value=shown(noise),
                next_step="Give the released value minus the count.",
            )
        digits = whole_within(
            digits, "digits", 1, MOST_DIGITS, next_step="Leave it out for 17 digits."
        )
        scale = self.scale(counts, largest)
        edge = (int(noise) + Fraction(1, 2)) / scale
        return to_decimal(lambda: law_at(self.laws, scale).tails(edge)[0], digits)

    def mass(self, noise: int, scale: Fraction) -> arb:
        """P(J = noise) at one exact scale, as a ball accurate relative to its own size."""
        law, half = law_at(self.laws, scale), Fraction(1, 2)
        return accurate(lambda: law.between((noise - half) / scale, (noise + half) / scale))

    def within(self, z: Floats) -> Floats:
        """P(|Z| ≤ z) in float64, at least, for a cell of any size."""
        return within(self.law, z)

    def extremes(self, tail: Fraction) -> tuple[float, float]:
        """Z is below the first and above the second with at most this probability each."""
        return extremes(self.law, float(tail))

    def together(self, alone: Covered) -> Covered:
        """P(|Z| ≤ z in all worker cells), at least, from that of one; misses add up at most."""
        cells = self.parameters.cells
        return lambda z: 1 - cells * (1 - alone(z))

    def scale(self, counts: int | None, largest: int | None) -> Fraction:
        """The exact scale for one cell."""
        n, x = self.columns(counts, largest)
        if n.size != 1:
            raise InvalidParameter(
                "largest",
                rule="must be one whole number here",
                value=f"shape {n.shape}",
                next_step="Ask for one cell at a time.",
            )
        return self.scales(n.reshape(1), x.reshape(1)).exact(0)


@dataclass(frozen=True)
class CountsWithNoise(Recordable):
    """The measurement of a table's counts: a whole block at once, or cell by cell.

    With `by_cell` the noise of a worker cell follows its own largest establishment rather than
    the largest of its workplace cell.
    """

    mechanism: Additive
    by_cell: bool
    margins: MarginRule

    deviations: ClassVar[None] = None

    @property
    def name(self) -> str:
        """The mechanism's name."""
        return self.mechanism.name

    @property
    def words(self) -> Words:
        """How the mechanism is named and explained."""
        return self.mechanism.words

    @property
    def parameters(self) -> Parameters:
        """What the mechanism was calibrated for."""
        return self.mechanism.parameters

    @property
    def needs(self) -> Needs:
        """The noise of a block follows all jobs of an establishment, that of a cell its own.

        The wrong one of the two would break the promise.
        """
        own = self.by_cell and self.mechanism.follows == "largest"
        return Needs.OWN_LARGEST if own else Needs.CELLS

    def constants(self) -> dict[str, str]:
        """The exact constants of the mechanism as text."""
        return self.parameters.constants(self.mechanism)

    def guarantee(self, policy: Policy | str, *, table: str) -> Guarantee:
        """The counts, and the noisy scales that margins follow from (scale.proof.md)."""
        counts = self.mechanism.guarantee(policy, table=table)
        if not self.margins.epsilon:
            return counts
        return sequential(counts, Guarantee(counts.policy, counts.alpha, self.margins.epsilon))

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """Counts with noise, and their margins."""
        counts, largest = self._columns(columns)
        _refuse_broken(counts, largest)
        values = self.mechanism._release(counts, self._followed(largest), noise)
        margins = self.margins.released(self.mechanism, values, largest, noise)
        return Measured(values, margins, self._law(counts.shape[0]))

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """As the rule for margins says; with several worker cells also for all together."""
        if self.margins.coverage is None:
            return ()
        return margin_columns(ends=self.margins.ends, block=self.parameters.cells > 1)

    def expected(self, columns: Cells | Entries) -> Expected:
        """The mechanism's own formulas."""
        counts, largest = self._columns(columns)
        error = self.mechanism.errors(self._followed(largest), counts)
        return Expected(
            _for_cells(error.absolute, counts.shape),
            _for_cells(error.mean, counts.shape),
            finite=error.absolute is not None,
            steady=error.square is not None,
            square=_for_cells(error.square, counts.shape),
        )

    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Mean absolute error, in jobs."""
        return _expected_error(self.mechanism, self._own(size), self.by_cell)

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """As the rule for margins says."""
        return self.margins.typical(self.mechanism, self._own(size))

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """As the rule for margins says."""
        return self.margins.noise(self.mechanism)

    def cell_law(
        self, size: int, establishments: int = ESTABLISHMENTS, jobs: int | None = None
    ) -> CellLaw:
        """At the scale of the largest establishment, or of the count where noise follows that."""
        count = -(-(size if jobs is None else jobs) // self.parameters.cells)
        counted = count if self.mechanism.follows_counts else 0
        return CellLaw(count, *_law_and_scale(self.mechanism, counted, self._own(size)))

    def spread(self, size: int) -> Spread:
        """At the scale of one establishment, whose workers are spread over the worker cells."""
        count = -(-size // self.parameters.cells)
        return _spread(self.mechanism, count, count if self.by_cell else size)

    def _own(self, size: int) -> int:
        return -(-size // self.parameters.cells) if self.by_cell else size

    def _followed(self, largest: Integers) -> Integers | None:
        return largest if self.mechanism.follows == "largest" else None

    def _columns(self, columns: Cells | Entries) -> tuple[Integers, Integers]:
        """Counts (w, d), and what the noise follows: (w, d), or (w,) for a block."""
        if isinstance(columns, Entries):
            columns = columns.as_cells()
        counts = columns.counts
        own = self.needs is Needs.OWN_LARGEST
        largest = columns.own_largest() if own else columns.largest
        if largest.ndim < counts.ndim and self.parameters.cells == 1:
            largest = np.broadcast_to(largest[:, None], counts.shape)
        return counts, largest

    def _law(self, workplaces: int) -> PublicLaw:
        mean, square = self.mechanism.law.moment(1), self.mechanism.law.moment(2)
        variance = None if square is None or mean is None else square - mean**2
        joint = self.mechanism.joint and self.parameters.cells > 1
        if self.mechanism.follows != "either":
            return PublicLaw(variance, joint, None)
        scale = float(self.mechanism.scale(0, None))
        return PublicLaw(variance, joint, np.full(workplaces, scale))


@lru_cache(maxsize=64)  # the certificate asks for it, and so do totals
def _lean(made: Additive) -> float:
    """The largest mean of rounded noise, over sizes of the largest establishment."""
    least = made.parameters.plus / made.parameters.growth
    sizes = np.unique(np.rint(float(least) * np.geomspace(1, LEANING, SIZES)).astype(np.int64))
    scales = made.scales(sizes, sizes)
    mean, own = rounded_errors(made.laws, scales).mean, made.law.moment(1)
    if mean is None or own is None:
        return 0.0
    lean = float(np.abs(mean - own * scales.floats).max())
    return lean if lean > LEVEL else 0.0


@lru_cache(maxsize=1024)  # asked when mechanisms are compared, and again when they are shown
def _expected_error(made: Additive, size: int, by_cell: bool) -> float | None:
    cells = made.parameters.cells
    if made.follows_counts:
        return _number(made.mean_abs_error(size, size))
    if cells > 1 and by_cell:
        return _number(made.mean_abs_error([size] * cells))
    return _number(made.mean_abs_error(size))


def _number(measure: Measure) -> float | None:
    return measure if measure is None or isinstance(measure, float) else float(measure[0])


@lru_cache(maxsize=1024)  # a profile has many cells of one size
def _law_and_scale(made: Additive, count: int, largest: int) -> tuple[Law, float]:
    scale = made.scale(count, largest)
    return law_at(made.laws, scale), float(scale)


@lru_cache(maxsize=1024)  # frozen values, shown again with every change of something else
def _spread(made: Additive, count: int, largest: int) -> Spread:
    tail = (1 - COVERAGE) / 2
    low, high = (int(np.asarray(made.quantile(p, largest, count))) for p in (tail, 1 - tail))
    return Spread(count, count + low, count + high, *_law_and_scale(made, count, largest))


def _for_cells(measure: Floats | None, shape: tuple[int, ...]) -> Floats | None:
    """A measure of every cell; that of a block holds for each of its cells."""
    if measure is None:
        return None
    cells = measure.reshape(shape) if measure.size == shape[0] * shape[1] else measure[:, None]
    return np.broadcast_to(cells, shape)


def _refuse_broken(counts: Integers, largest: Integers) -> None:
    """An engine that counts jobs of no establishment would get too little noise: stop."""
    jobs = counts if largest.ndim == counts.ndim else counts.sum(axis=1)
    if (counts < 0).any() or ((jobs > 0) & (largest <= 0)).any():
        raise ArithmeticError("counts and largest establishments do not belong together")


def within(law: Law, z: Floats) -> Floats:
    """P(|Z| ≤ z) in float64."""
    covered: Floats = 1 - law.float_tails(-z)[0] - law.float_tails(z)[1]
    return covered


def extremes(law: Law, tail: float) -> tuple[float, float]:
    """The quantiles of a law at both ends, in float64, each on the far side of the true one."""
    ends = []
    for way in (0, 1):
        sign, far = (-1.0, 1.0)[way], 1.0
        while law.float_tails(np.array([sign * far]))[way][0] > tail:
            far *= 2
        near = 0.0
        for _ in range(60):
            middle = (near + far) / 2
            outside = law.float_tails(np.array([sign * middle]))[way][0] <= tail
            near, far = (near, middle) if outside else (middle, far)
        ends.append(sign * far)
    return ends[0], ends[1]


def _quantile(law: Law, scale: Fraction, share: Fraction) -> int:
    """The largest j that P(J < j) < p allows, which is the smallest with P(J ≤ j) ≥ p."""

    bits = 256 + 2 * share.denominator.bit_length()

    def short(j: int) -> bool:
        with precision(bits):
            below, above = law.tails((j - Fraction(1, 2)) / scale)
            return bool(below < ball(share)) or bool(above > ball(1 - share))

    return bisect(short)


def probability(p: str | float | Fraction, parameter: str = "p") -> Fraction:
    """Read a number strictly between 0 and 1; no guarantee depends on it, so floats will do."""
    try:
        share = Fraction(p) if isinstance(p, float) else rational(p, parameter)
    except (ValueError, OverflowError):
        share = Fraction(0)
    if not 0 < share < 1:
        raise InvalidParameter(
            parameter,
            rule="must be above 0 and below 1",
            value=shown(p),
            next_step="Use '0.9' for 90 percent.",
        )
    return share
