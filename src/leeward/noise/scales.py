"""Scales: exact scales of noise, the bounds of released numbers, and what noise is asked for.

Nothing here draws, so a mechanism can be calibrated and judged without a random bit.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leeward.noise.law import Law
from leeward.noise.tabulated import Floats

BOUND = 2**62
"""Released values are clipped to ±BOUND, a public constant."""

MOST = 2**61
"""The largest count or size accepted: n + J then never leaves 64 bits."""

LEAST_NOISE, MOST_NOISE = -(BOUND + MOST), BOUND + 2**10
"""J saturates here, where n + J is beyond ±BOUND whatever J was, for −2^10 ≤ n ≤ MOST."""

WIDEST_GAUSSIAN = 2**55
"""The largest σ: beyond it proposals could reach the saturation bounds of a draw."""

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Scales:
    """One exact positive rational a draw: factor·(max(base, floor) + shift), floats beside it."""

    base: Integers
    floor: Fraction = Fraction(0)
    factor: Fraction = Fraction(1)
    shift: Fraction = Fraction(0)

    @property
    def floats(self) -> Floats:
        """The scales in float64, within a relative error of ROUNDING."""
        size = np.maximum(self.base.astype(np.float64), float(self.floor)) + float(self.shift)
        return size * float(self.factor)

    def exact(self, i: int) -> Fraction:
        """The scale of draw i."""
        return self.factor * (max(Fraction(int(self.base[i])), self.floor) + self.shift)

    def part(self, start: int, stop: int) -> "Scales":
        """The scales of some of the draws."""
        return replace(self, base=self.base[start:stop])


class Noise(Protocol):
    """True whole numbers become noisy ones of the same shape, within ±BOUND.

    A mechanism says to which numbers noise is added, of which law and scale. Releases add
    `secret()`, whose bits are the system's; no public function takes another. The auditor runs
    the same code with noise of its own, which records what was asked for.
    """

    def rounded(self, true: Integers, law: Law, scales: Scales) -> Integers:
        """true + ⌊scale·Z + ½⌋, independently for each entry of a column."""

    def gaussian(self, true: Integers, variance: Fraction) -> Integers:
        """Discrete Gaussian noise, independently for each entry of any shape."""

    def block(self, true: Integers, scales: Scales, shape: int) -> Integers:
        """Joint noise of each row (rows, cells): cells L_i/H with one H ~ Gamma(shape) a row."""


def secret() -> Noise:
    """The noise of releases, loaded with the first draw: a plan loads none."""
    from leeward.noise.draws import SECRET  # noqa: PLC0415 (a plan must not load draws)

    return SECRET


def bisect(reaches: Callable[[int], bool]) -> int:
    """The largest j that is reached, within the saturation bounds; reaches is monotone."""
    low, high = -1, 1
    while low > LEAST_NOISE and not reaches(low):
        low, high = max(2 * low, LEAST_NOISE), low
    while high < MOST_NOISE and reaches(high):
        low, high = high, min(2 * high, MOST_NOISE)
    if high == MOST_NOISE and reaches(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reaches(middle) else (low, middle)
    return low
