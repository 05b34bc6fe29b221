"""What all mechanisms of the form n + ⌊scale·Z + ½⌋ share: release, errors, distribution.

A new mechanism of this form is a subclass with a law, scales and a calibration; `CountsWithNoise`
measures a whole table with it.
"""

from abc import abstractmethod
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, TypeAlias

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import (
    accurate,
    ball,
    precision,
    probability,
    to_decimal,
    whole_number,
    whole_within,
)
from leeward.core.mechanisms.calibrated import MarginRule, Mechanism
from leeward.core.mechanisms.checked_columns import same_shape, whole_numbers
from leeward.core.mechanisms.counts_with_noise import CountsWithNoise
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.noise.error import rounded_errors
from leeward.core.noise.law import Law
from leeward.core.noise.noise_source import Noise, secret
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import CellNoise, Error, Integers, Laws, Scales, bisect, law_at
from leeward.core.noise.tabulated import Floats

Measure = float | Floats | None
Covered: TypeAlias = Callable[[Floats], Floats]
"""The probability that noise stays within each of some bounds."""

MOST_DIGITS = 2000

LEANING, SIZES = 64, 128
"""Sizes at which rounding is looked at: the largest over the smallest, and how many at most."""

LEVEL = 1e-9
"""A mean of fewer jobs is that of a symmetric law."""


class Additive(Mechanism):
    """A count plus rounded noise whose scale depends on the count or the largest establishment."""

    follows: ClassVar[str] = "largest"
    """Which column the noise depends on: largest, counts, or either (only its shape matters)."""

    joint: ClassVar[bool] = False
    """Whether the worker cells of a workplace cell share one random factor."""

    law: Law

    @property
    def laws(self) -> Laws:
        """What its noise is drawn from: one law, unless its shape changes with the scale."""
        return self.law

    @abstractmethod
    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """The exact scale of each count's noise."""

    @property
    def usual_table(self) -> str:
        """Every job is counted where there is one cell; several cells are of kinds of workers."""
        return "worker" if self.parameters.cells > 1 else "workplace"

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
        return CountsWithNoise(self, margins, by_cell)

    def public_margins(self, values: Integers, coverage: Fraction) -> Integers:
        """Margins where the scale is the same for all cells, and public."""
        return np.full_like(values, np.asarray(self.quantile((1 + coverage) / 2, None, 0)))

    def public_noise(self) -> CellNoise:
        """The noise of a cell where the scale is the same for all cells, and public."""
        return CellNoise(self.public_law, share=0.0, least=float(self.scale(0, None)))

    @property
    def lean(self) -> float:
        """The most that rounding moves the mean of the noise by, over all sizes."""
        return _lean(self)

    @property
    def wider(self) -> float:
        """By how much noise may be wider at some size than `law` says, in its 90 % quantile."""
        return 1.0

    @property
    def public_law(self) -> Law:
        """The law of a cell as a bundle states it."""
        return self.law

    @property
    def shared(self) -> int | RadialLaw | None:
        """What the worker cells of a workplace cell share; see `CellNoise`."""
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


@lru_cache(maxsize=64)  # the certificate asks for it, and so do totals
def _lean(mechanism: Additive) -> float:
    """The largest mean of rounded noise, over sizes of the largest establishment."""
    least = mechanism.parameters.floor
    sizes = np.unique(np.rint(float(least) * np.geomspace(1, LEANING, SIZES)).astype(np.int64))
    scales = mechanism.scales(sizes, sizes)
    mean, own = rounded_errors(mechanism.laws, scales).mean, mechanism.law.moment(1)
    if mean is None or own is None:
        return 0.0
    lean = float(np.abs(mean - own * scales.floats).max())
    return lean if lean > LEVEL else 0.0


def within(law: Law, z: Floats) -> Floats:
    """P(|Z| ≤ z) in float64."""
    return np.asarray(1 - law.float_tails(-z)[0] - law.float_tails(z)[1])


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

    def short(j: int) -> bool:
        with precision(256 + 2 * share.denominator.bit_length()):
            below, above = law.tails((j - Fraction(1, 2)) / scale)
            return bool(below < ball(share)) or bool(above > ball(1 - share))

    return bisect(short)
