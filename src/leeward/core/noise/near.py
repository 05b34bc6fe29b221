"""Near: numbers in float64 with a bound on their error, for draws of tables that add up."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import FUNCTION, ROUNDING, Floats, Words

TOGETHER = 15
"""Uniforms multiplied before one logarithm: (2^-65)^15 is still a normal float64."""


Open = NDArray[np.bool_]
"""Which numbers are not certain."""


@dataclass(frozen=True)
class Near:
    """Numbers of at least 0, each within `error` of the truth."""

    value: Floats
    error: Floats

    def plus(self, other: "Near") -> "Near":
        value = self.value + other.value
        return Near(value, self.error + other.error + ROUNDING * value)

    def times(self, other: "Near") -> "Near":
        value = self.value * other.value
        error = self.value * other.error + (other.value + other.error) * self.error
        return Near(value, error + ROUNDING * value)

    def over(self, other: "Near") -> "Near":
        """Known nothing of where the divisor may be half of what it seems."""
        value = self.value / other.value
        error = (self.error + value * other.error) / (other.value - other.error)
        error = np.where(other.error < other.value / 2, error + ROUNDING * value, np.inf)
        return Near(value, error)

    def column(self) -> "Near":
        """For all cells of a row."""
        return Near(self.value[:, None], self.error[:, None])


def gamma(words: Words, kept: NDArray[np.bool_] | None = None) -> Near:
    """−Σ ln((w+½)/2^64) over the words that are kept; each true uniform is within ½ of w+½."""
    middle = (words.astype(np.float64) + 0.5) * 2.0**-64
    slack = 2.0**-64 / middle
    if kept is not None:
        middle, slack = np.where(kept, middle, 1.0), np.where(kept, slack, 0.0)
    value = np.zeros(len(middle))
    for start in range(0, middle.shape[1], TOGETHER):
        value -= np.log(np.multiply.reduce(middle[:, start : start + TOGETHER], axis=1))
    blur = slack.sum(axis=1)
    error = 2 * blur + middle.shape[1] * ROUNDING + 2 * FUNCTION * value
    return Near(value, np.where(blur < 0.25, error, np.inf))


def exponentials(words: Words) -> Near:
    """−ln((w+½)/2^64) of each word."""
    middle = words.astype(np.float64) + 0.5
    value = np.maximum(-np.log(middle * 2.0**-64), 0.0)
    error = 2 / middle + FUNCTION * value + ROUNDING
    return Near(value, np.where(middle < 8, np.inf, error))


def largest(words: Words, count: Integers, part: float) -> Near:
    """part·U^(1/c), in proportion to the largest of c uniforms; 0 for none of them."""
    depth = exponentials(words)
    c = np.maximum(count, 1)
    value = part * np.exp(-depth.value / c)
    error = value * 2 * (depth.error / c + FUNCTION)
    error = np.where(depth.error < 0.25, error, np.inf)
    none = count == 0
    return Near(np.where(none, 0.0, value), np.where(none, 0.0, error))


def settled(value: Floats, error: Floats) -> tuple[Integers, Open]:
    """⌊value⌋ where it is certain, and where not."""
    error = error + ROUNDING * (1 + np.abs(value))
    low = np.floor(value - error)
    open_ = ~((low == np.floor(value + error)) & (np.abs(value) < 2.0**52))
    return np.where(open_, 0, low).astype(np.int64), open_
