"""Releases with a known defect, as mass functions: what the auditor must see through."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log

from flint import arb

from leeward.audit.loss import INFINITE, NONE, Loss
from leeward.audit.outputs import HALF, Rounded
from leeward.exact import ball


@dataclass(frozen=True)
class Infused:
    """Input noise infusion of one establishment: size·f, ramp density of Abowd et al. 2012."""

    size: int
    low: Fraction = Fraction(11, 10)
    high: Fraction = Fraction(5, 4)

    def mass(self, output: tuple[int, ...]) -> arb:
        """P(⌊size·f + ½⌋ = output): a difference of the exact rational distribution function."""
        if self.size == 0:
            return arb(output[0] == 0)
        below, above = ((output[0] + half) / self.size for half in (-HALF, HALF))
        return ball(self._distribution(above) - self._distribution(below))

    def _distribution(self, f: Fraction) -> Fraction:
        """Half the mass on [2−b, 2−a] rising, half on [a, b] falling."""
        a, b = self.low, self.high
        width = (b - a) ** 2
        left = min(max(f, 2 - b), 2 - a) - (2 - b)
        right = b - min(max(f, a), b)
        return left**2 / (2 * width) + HALF - right**2 / (2 * width)

    def landmarks(self) -> Iterable[tuple[int, ...]]:
        """Every output from nothing to the largest."""
        return ((output,) for output in range(int(self.size * self.high) + 2))


@dataclass(frozen=True)
class DerivedFrame:
    """A cell that is published only when somebody works there: the empty tuple is its absence."""

    released: Rounded

    def mass(self, output: tuple[int, ...]) -> arb:
        """All mass on absence for an empty cell, none for the others."""
        if self.released.true == 0:
            return arb(output == ())
        return self.released.mass(output) if output else arb(0)

    def landmarks(self) -> Iterator[tuple[int, ...]]:
        """Absence, and what a present cell may show."""
        yield ()
        yield from self.released.landmarks()


def float_laplace(scale: float, steps: int = 1 << 53) -> Loss:
    """A count plus float64 Laplace noise: an output of count 0 that count 1 can never give.

    The noise is −scale·ln(k/2^53) for whole k. Far from zero these values are sparser than the
    floats around them, so adding one to another of them need not meet the same float.
    """
    start = int(steps * exp(-5))
    for k in range(start, start + 1000):
        output = 0.0 + _noise(k, scale, steps)
        if not reachable(output, 1.0, scale, steps):
            return Loss(INFINITE, INFINITE, arb("nan"))
    return NONE


def reachable(output: float, count: float, scale: float, steps: int) -> bool:
    """Whether any k gives this output; noise falls with k, so only neighbours can."""
    middle = int(steps * exp(-(output - count) / scale))
    return any(
        count + _noise(k, scale, steps) == output for k in range(middle - 5000, middle + 5001)
    )


def _noise(k: int, scale: float, steps: int) -> float:
    return -scale * log(k / steps)
