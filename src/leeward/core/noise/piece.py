"""A piece of a noise law: a stretch of the line with an exponential or a power density.

Inside a piece the density is H·exp(κ(z−a)) or H·(|z−c|/|a−c|)^p, with a the anchor (the thick
end, always finite) and H its height there. Either has a *thin* end, towards which the mass
v(z) = K·exp(κ(z−a)) or K·(|z−c|/|a−c|)^(p+1) vanishes, so that distribution function and
quantile need one exponential or one logarithm and never subtract nearly equal numbers.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb

from flint import arb

from leeward.core.exact import ball


@dataclass(frozen=True)
class Piece:
    """A stretch of the line with an exponential (centre None) or a power density.

    `rate` is κ of exp(κz), or p of |z−centre|^p. An end of None is infinite.
    """

    low: Fraction | None
    high: Fraction | None
    rate: Fraction
    centre: Fraction | None = None

    @cached_property
    def anchor(self) -> Fraction:
        """The end at which heights are measured: the thick one, which is always finite."""
        end = self.low if self.thin_right else self.high
        if end is None:
            raise ValueError("a piece must be finite at its thick end")
        return end

    @cached_property
    def thin_right(self) -> bool:
        """Whether the mass vanishes to the right."""
        if self.centre is None:
            return self.rate < 0
        right_of_centre = self.low is not None and self.low >= self.centre
        return right_of_centre == (self.rate < -1)

    @cached_property
    def reach(self) -> Fraction:
        """The length by which the quantile is stretched: 1/κ, or anchor − centre."""
        return 1 / self.rate if self.centre is None else self.anchor - self.centre

    def height(self, z: Fraction) -> arb:
        """The density at z relative to the anchor."""
        if self.centre is None:
            return ball(self.rate * (z - self.anchor)).exp()
        if not self.rate:  # flat: most pieces of a staircase are
            return arb(1)
        return power(ball((z - self.centre) / self.reach), self.rate)

    def thickness(self) -> arb:
        """v(anchor)/H: the mass that reaches from the anchor to where the shape vanishes."""
        if self.centre is None:
            return ball(abs(self.reach))
        return ball(abs(self.reach / (self.rate + 1)))

    def remaining(self, z: Fraction | None) -> arb:
        """v(z)/v(anchor); zero at an infinite thin end."""
        if z is None or z == self.centre:
            return arb(0)
        if self.centre is None:
            return ball(self.rate * (z - self.anchor)).exp()
        return power(ball((z - self.centre) / self.reach), self.rate + 1)

    def moment(self, order: int, low: Fraction | None, high: Fraction | None) -> arb | None:
        """∫ z^order over part of the piece, for height one at the anchor."""
        ends = [self._primitive(order, end) for end in (low, high)]
        if ends[0] is None or ends[1] is None:
            return None
        return ends[1] - ends[0]

    def _primitive(self, order: int, z: Fraction | None) -> arb | None:
        if self.centre is None:
            if z is None:
                return arb(0)
            series, factor = Fraction(0), Fraction(1)
            for i in range(order + 1):
                series += factor * z ** (order - i) / self.rate ** (i + 1)
                factor *= -(order - i)
            return ball(series) * self.height(z)
        total = arb(0)
        for i in range(order + 1):
            grown = self.rate + i + 1
            if z is None and grown >= 0:
                return None
            if z is not None and z != self.centre:
                weight = comb(order, i) * self.centre ** (order - i) * self.reach ** (i + 1)
                stretch = ball((z - self.centre) / self.reach)
                total += ball(weight) * (power(stretch, grown) / ball(grown) if grown
                                         else stretch.log())  # fmt: skip
        return total


def power(base: arb, exponent: Fraction) -> arb:
    """base^exponent, quickly where the exponent is whole."""
    return (
        base ** int(exponent) if exponent.denominator == 1 else (base.log() * ball(exponent)).exp()
    )
