"""A fixed public grid of sizes: STEPS points between a size and 1+α times it.

The index of A on it is ⌊STEPS·ln A/λ⌋. One neighbouring step moves ln A by at most λ, hence the
real number under the floor by at most STEPS, hence the integer by at most STEPS: rounding to
this grid costs nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leeward.core.exact import START_BITS, ball, log_growth, precision
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import FUNCTION, ROUNDING, Floats

STEPS = 32


@dataclass(frozen=True)
class SizeGrid:
    """The grid for one α; sizes below Δ/α count as Δ/α."""

    alpha: Fraction
    plus: int = 1

    @property
    def floor(self) -> Fraction:
        """Δ/α."""
        return self.plus / self.alpha

    def index(self, largest: Integers) -> Integers:
        """⌊STEPS·ln A/λ⌋ with A = max(x, Δ/α), exact for every entry."""
        sizes, inverse = np.unique(largest, return_inverse=True)
        near = np.maximum(sizes.astype(np.float64), float(self.floor))
        index = self._index(near, lambda i: max(Fraction(int(sizes[i])), self.floor))
        return index[inverse].reshape(largest.shape)

    def index_above(self, numbers: Integers) -> Integers:
        """⌊STEPS·ln(n + Δ/α)/λ⌋, exact for every entry."""
        unique, inverse = np.unique(numbers, return_inverse=True)
        near = unique.astype(np.float64) + float(self.floor)
        index = self._index(near, lambda i: int(unique[i]) + self.floor)
        return index[inverse].reshape(numbers.shape)

    def _index(self, near: Floats, exact: Callable[[int], Fraction]) -> Integers:
        """By float64 where that is certain, by balls elsewhere."""
        value = np.log(near) * self._density()
        error = np.abs(value) * (FUNCTION + ROUNDING) + ROUNDING * self._density()
        index = np.floor(value - error)
        found = index.astype(np.int64)
        for i in np.flatnonzero(index != np.floor(value + error)):
            found[i] = self.exact_index(exact(int(i)))
        return found

    def exact_index(self, size: Fraction) -> int:
        """The same for one size, by balls, and by whole numbers where size^STEPS = (1+α)^j."""
        bits = START_BITS
        while True:
            with precision(bits):
                value = STEPS * ball(size).log() / log_growth(self.alpha)
                floor = value.floor().unique_fmpz()
                if floor is not None:
                    return int(floor)
                near = (value + ball(Fraction(1, 2))).floor().unique_fmpz()
            if near is not None and self._meets(size, int(near)):
                return int(near)
            bits *= 2

    def sizes(self, index: Integers) -> Floats:
        """The size in the middle of each grid step: (1+α)^((i+½)/STEPS)."""
        with np.errstate(over="ignore"):
            sizes: Floats = np.exp((index + 0.5) / self._density())
        return sizes

    def _density(self) -> float:
        """Grid points per unit of ln A."""
        with precision(128):
            return float(STEPS / log_growth(self.alpha))

    def _meets(self, size: Fraction, j: int) -> bool:
        """Whether size^STEPS = (1+α)^j exactly, by numerators and denominators."""
        grown = 1 + self.alpha
        bits = j * (grown.numerator.bit_length() - 1)
        if j < 0 or bits > STEPS * size.numerator.bit_length():
            return False
        return size**STEPS == grown**j
