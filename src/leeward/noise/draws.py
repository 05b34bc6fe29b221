"""Noise: the one step of a release that draws, apart from all that can be computed.

A mechanism says to which whole numbers noise is added, of which law and scale. Releases add
`SECRET`, whose bits are the system's; no public function takes another. The auditor runs the same
code with noise of its own, which adds what it is told and keeps what it was asked for.
"""

from fractions import Fraction
from typing import Protocol, final

import numpy as np

from leeward.noise.block import draw_block
from leeward.noise.gaussian import draw_gaussian
from leeward.noise.law import Law
from leeward.noise.sampling import BOUND, Integers, Scales, draw
from leeward.randomness import SecretBits


class Noise(Protocol):
    """True whole numbers become noisy ones of the same shape, within ±BOUND."""

    def rounded(self, true: Integers, law: Law, scales: Scales) -> Integers:
        """true + ⌊scale·Z + ½⌋, independently for each entry of a column."""

    def gaussian(self, true: Integers, variance: Fraction) -> Integers:
        """Discrete Gaussian noise, independently for each entry of any shape."""

    def block(self, true: Integers, scales: Scales, shape: int) -> Integers:
        """Joint noise of each row (rows, cells): cells L_i/H with one H ~ Gamma(shape) a row."""


@final
class SecretNoise:
    """Exact draws from the system's bits. It holds nothing, so nothing can be put into it."""

    __slots__ = ()

    def rounded(self, true: Integers, law: Law, scales: Scales) -> Integers:
        return _within(true + draw(law, scales, SecretBits()))

    def gaussian(self, true: Integers, variance: Fraction) -> Integers:
        return _within(true + draw_gaussian(variance, true.size, SecretBits()).reshape(true.shape))

    def block(self, true: Integers, scales: Scales, shape: int) -> Integers:
        return _within(true + draw_block(scales, true.shape[1], shape, SecretBits()))


def _within(noisy: Integers) -> Integers:
    clipped: Integers = np.clip(noisy, -BOUND, BOUND)
    return clipped


SECRET = SecretNoise()
