"""Cell tail: P(|z_1| > x) of noise whose density is a function of Σ|z_i|, quickly and many times.

Minus the p-th derivative of the tail is e^−F. So on each piece of e^−F the tail is what integrates
that piece's own shape, in closed form, and a polynomial of degree p−1 in the distance from the
piece's end.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, factorial

from flint import arb, ctx

from leeward.core.exact import ball
from leeward.core.noise.piece import Piece, power
from leeward.core.noise.radial_law import RadialLaw


@dataclass(frozen=True)
class TailStretch:
    """The tail on one piece."""

    piece: Piece
    factor: arb
    order: Fraction
    """Of the power that integrates the piece; its rate where it is exponential."""

    end: arb
    coefficients: Sequence[arb]

    @classmethod
    def of(cls, radius: RadialLaw, piece: Piece, whole: arb) -> "TailStretch":
        """That of a piece; `whole` is the normaliser."""
        p, end = radius.dimension, piece.high
        factor = radius.falling(piece.low or Fraction(0)) / whole
        start = ball(piece.low or Fraction(0))
        if piece.centre is None:
            factor /= (start * ball(piece.rate)).exp()
        else:
            factor /= power(abs(start - ball(piece.centre)), piece.rate)
        integrals = [factor]
        for m in range(1, p + 1):
            if piece.centre is None:
                integrals.append(integrals[-1] / ball(-piece.rate))
            else:
                integrals.append(integrals[-1] / ball(abs(piece.rate + m)))
        order = piece.rate if piece.centre is None else piece.rate + p
        if end is None:
            return cls(piece, integrals[p], order, arb(0), ())
        coefficients = []
        for k in reversed(range(p)):
            m = p - k
            if piece.centre is None:
                own = (ball(end * piece.rate)).exp()
            else:
                own = power(abs(ball(end - piece.centre)), piece.rate + m)
            rest = radius.falling(end, m) / whole - integrals[m] * own
            coefficients.append(rest / factorial(k))
        return cls(piece, integrals[p], order, ball(end), coefficients)

    @classmethod
    @lru_cache(maxsize=256)
    def all_of(cls, radius: RadialLaw, _bits: int) -> tuple["TailStretch", ...]:
        """Those of all pieces at this precision, which is the present one."""
        whole = radius.falling(Fraction(0), radius.dimension)
        return tuple(cls.of(radius, piece, whole) for piece in radius.pieces)

    def at(self, x: arb) -> arb:
        """The tail there."""
        if self.piece.centre is None:
            own = (x * ball(self.piece.rate)).exp()
        else:
            own = power(abs(x - ball(self.piece.centre)), self.order)
        rest, away = arb(0), self.end - x
        for coefficient in self.coefficients:
            rest = rest * away + coefficient
        return self.factor * own + rest


@dataclass(frozen=True)
class CellTails:
    """The tail at whole multiples of a unit."""

    unit: arb
    stretches: tuple[TailStretch, ...]
    ends: tuple[int, ...]
    """From which multiple on the next stretch is right."""

    @classmethod
    @lru_cache(maxsize=1 << 12)
    def of(cls, radius: RadialLaw, unit: Fraction, bits: int) -> "CellTails":
        """That of a law at this precision, which is the present one."""
        ends = tuple(ceil(joint / unit) for joint in radius.joints)
        return cls(ball(unit), TailStretch.all_of(radius, bits), ends)

    def at(self, multiple: int) -> arb:
        """P(|z_1| > multiple·unit)."""
        number = sum(end <= multiple for end in self.ends)
        return self.stretches[number].at(multiple * self.unit)


def cell_tail(radius: RadialLaw, unit: Fraction) -> CellTails:
    """At the present precision."""
    return CellTails.of(radius, unit, ctx.prec)
