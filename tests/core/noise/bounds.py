"""Whether quantiles in float64 lie within the bounds that they claim, against exact tails."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Protocol

import numpy as np
from flint import arb

from leeward.core.exact import precision
from leeward.core.noise.tabulated import Floats, Words


class Quantiles(Protocol):
    def tails(self, at: Fraction) -> tuple[arb, arb]: ...

    def approximate(self, words: Words) -> tuple[Floats, Floats]: ...


def bounded(
    law: Quantiles, words: Words, tighter: float = 1.0
) -> Iterator[tuple[int, Fraction, Fraction]]:
    """Each word with a finite error bound, and the two ends of the quantiles allowed for it."""
    values, errors = law.approximate(words)
    sure = np.isfinite(values) & np.isfinite(errors)
    for word, value, error in zip(words[sure], values[sure], errors[sure], strict=True):
        middle, slip = Fraction(float(value)), Fraction(float(error * tighter))
        yield int(word), middle - slip, middle + slip


def outside(law: Quantiles, words: Words, tighter: float = 1.0) -> int:
    """How many words have a quantile, for some of their undrawn bits, outside its bounds."""
    count = 0
    with precision(256):
        for word, low, high in bounded(law, words, tighter):
            least, most = arb(word) / 2**64, arb(word + 1) / 2**64
            held = law.tails(low)[0] <= least and law.tails(high)[1] <= 1 - most
            count += not held
    return count
