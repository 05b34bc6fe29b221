"""Radial law: the distance from the centre of noise whose density is a function of a norm.

In p dimensions a density ∝ e^−F(N(z)) has a direction of the norm's cone measure and an
independent radius of density ∝ ρ^(p−1)·e^−F(ρ). e^−F is made of pieces, exponential or powers. As p
is whole, every mass is a finite sum of positive terms.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import factorial
from typing import Any

from flint import arb, arb_poly, ctx

from leeward.core.exact import ball, exact_value, precision
from leeward.core.noise.law import read_pieces, symmetric
from leeward.core.noise.piece import Piece, power
from leeward.core.noise.radius_table import RadiusTable
from leeward.core.noise.tabulated import Floats, Words

BITS = 256
"""Working precision of constants that become float64."""

HALVINGS, MOST_STEPS, WIDER = 12, 32, 256
"""Halvings before Newton's steps towards a quantile, steps at most, and how fast a ball is widened
until it is certain."""


@dataclass(frozen=True)
class RadialLaw:
    """The radius of noise of density ∝ e^−F(N) in p dimensions; F begins with 0 at 0.

    `pieces` are those of e^−F from 0 to infinity, adjoining and continuous.
    """

    dimension: int
    pieces: tuple[Piece, ...]

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        # What is kept beside the law contains balls, which cannot travel to another process.
        return RadialLaw, (self.dimension, self.pieces)

    @cached_property
    def _hash(self) -> int:
        return hash((self.dimension, self.pieces))

    @property
    def joints(self) -> tuple[Fraction, ...]:
        """Where pieces meet."""
        return tuple(piece.high for piece in self.pieces if piece.high is not None)

    @property
    def tail(self) -> Fraction | None:
        """P(radius > ρ) falls as ρ to the power of minus this; None where it falls faster."""
        last = self.pieces[-1]
        return None if last.centre is None else -last.rate - self.dimension

    def falling(self, at: Fraction, order: int = 0) -> arb:
        """∫ (ρ−at)^(order−1)/(order−1)!·e^−F(ρ) over ρ > at; e^−F(at) of order 0.

        Each is minus the derivative of the next one.
        """
        if not order:
            piece, level = self._piece_at(at)
            return level * piece.height(at)
        total = arb(0)
        for piece, level in zip(self.pieces, self._levels(), strict=True):
            if piece.high is not None and piece.high <= at:
                continue
            low = max(piece.low or Fraction(0), at)
            seen = Piece(  # from the point, with its height at its start
                low - at,
                None if piece.high is None else piece.high - at,
                piece.rate,
                None if piece.centre is None else piece.centre - at,
            )
            total += level * piece.height(low) * _over(seen, order, low - at)
        return total / factorial(order - 1)

    def cell_tail(self, at: Fraction) -> arb:
        """P(|z_1| > at) of one coordinate where the norm is the sum of p coordinates' sizes.

        |z_1| is the radius times D, P(D > t) = (1−t)^(p−1). It is also the chance that all of some
        coordinates are farther out than numbers that add up to `at`.
        """
        return self.falling(at, self.dimension) / self.falling(Fraction(0), self.dimension)

    def tails(self, radius: Fraction) -> tuple[arb, arb]:
        """P(ρ < radius) and P(ρ > radius)."""
        if radius <= 0:
            return arb(0), arb(1)
        above = self._from(radius) / _whole(self, ctx.prec)
        return 1 - above, above

    def density(self, radius: Fraction) -> arb:
        """The density of the radius."""
        piece, level = self._piece_at(radius)
        weight = ball(radius) ** (self.dimension - 1)
        return weight * level * piece.height(radius) / _whole(self, ctx.prec)

    def quantile_ball(self, low: arb, high: arb) -> arb:
        """A ball around all radii with shares from `low` to `high`; infinite up to a share of 1."""
        if not high < 1:
            return arb(0, arb("inf"))
        inner = _near(self, low, None) if low > 0 else Fraction(0)
        outer = _near(self, high, inner or None)
        step = outer * Fraction(2) ** (8 - ctx.prec)
        while not self.tails(inner)[0] <= low:
            inner, step = inner - step, step * WIDER
        while not self.tails(outer)[0] >= high:
            outer, step = outer + step, step * WIDER
        return ball(inner).union(ball(outer))

    def rare(self, side: int, share: float) -> Fraction:
        """A radius whose tail on this side, below or above, is about this share."""
        low, high = -400.0, 400.0  # of log₂
        for _ in range(40):
            middle = (low + high) / 2
            beyond = float(self.tails(Fraction(2.0**middle))[side])
            larger = beyond < share if side == 0 else beyond > share
            low, high = (middle, high) if larger else (low, middle)
        return Fraction(2.0**low)

    def moment(self, order: int) -> float | None:
        """E ρ^order; None where it is infinite."""
        return _moment(self, order)

    @cached_property
    def table(self) -> RadiusTable:
        """Quantiles in float64."""
        return RadiusTable.of(self)

    def approximate(self, words: Words) -> tuple[Floats, Floats]:
        """The quantile at word/2^64 and a bound on its error, the undrawn bits included."""
        return self.table.quantiles(words)

    def stated(self) -> dict[str, Any]:
        """As plain numbers in double precision; `pieces` as `PiecewiseLaw` states them."""
        pieces = symmetric(self.pieces).stated()[len(self.pieces) :]
        return {"dimension": self.dimension, "pieces": pieces}

    def _levels(self) -> list[arb]:
        return _levels(self, ctx.prec)

    def _piece_at(self, radius: Fraction) -> tuple[Piece, arb]:
        at = sum(joint <= radius for joint in self.joints)
        return self.pieces[at], self._levels()[at]

    def _from(self, radius: Fraction) -> arb:
        """∫ ρ^(p−1)·e^−F(ρ) over ρ > radius."""
        total = arb(0)
        for piece, level in zip(self.pieces, self._levels(), strict=True):
            if piece.high is None or piece.high > radius:
                low = max(piece.low or Fraction(0), radius)
                total += level * (_over(piece, self.dimension, low))
        return total


def _near(law: RadialLaw, share: arb, start: Fraction | None) -> Fraction:
    """A radius near this quantile, by halving and then by Newton's steps; nothing is certain."""
    low, high = Fraction(0), start or Fraction(1)
    if start is None:
        while law.tails(high)[0] < share:
            low, high = high, 2 * high
        for _ in range(ctx.prec):
            if low or law.tails(high / 2)[0] < share:
                break
            high /= 2
        low = low or high / 2
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if law.tails(middle)[0] < share else (low, middle)
    for _ in range(MOST_STEPS):
        off = share - law.tails(high)[0]
        if off.contains(0):
            break
        high = max(exact_value((ball(high) + off / law.density(high)).mid()), high / 2)
    return high


@lru_cache(maxsize=64)
def _levels(law: RadialLaw, bits: int) -> list[arb]:
    """Heights at the anchors of the pieces, which begin there, at this precision."""
    level, levels = arb(1), []
    with precision(bits):
        for piece in law.pieces:
            levels.append(level)
            if piece.high is not None:
                level = level * piece.height(piece.high)
    return levels


@lru_cache(maxsize=64)
def _whole(law: RadialLaw, bits: int) -> arb:
    """The normaliser at this precision."""
    with precision(bits):
        return law._from(Fraction(0))


def read_radius(stated: Mapping[str, Any]) -> RadialLaw:
    """The law that plain numbers state."""
    return RadialLaw(stated["dimension"], read_pieces(stated["pieces"]))


def pareto_radius(dimension: int, shape: Fraction) -> RadialLaw:
    """Density ∝ (1+N)^−(p+shape)."""
    return RadialLaw(dimension, (Piece(Fraction(0), None, -(dimension + shape), Fraction(-1)),))


def _over(piece: Piece, order: int, low: Fraction) -> arb:
    """∫ t^(order−1)·height from `low` to the end of the piece; heights are 1 at its start."""
    whole = _tail(piece, order, low, ctx.prec)
    return whole if piece.high is None else whole - _tail(piece, order, piece.high, ctx.prec)


@lru_cache(maxsize=1024)
def _tail(piece: Piece, order: int, low: Fraction, bits: int) -> arb:
    """The same to where the piece's own shape ends: infinity, or its centre.

    With a whole order the tails of Gamma(order) and of Beta(order, other) are sums.
    """
    start, centre = piece.low or Fraction(0), piece.centre
    with precision(bits):
        if centre is None:
            rate = ball(-piece.rate)
            scale = arb.fac_ui(order - 1) / rate**order * ball(piece.rate * (low - start)).exp()
            return scale * _series(order, None, bits)(rate * ball(low))
        inner = centre > start  # (1 − t/centre)^rate; else (1 + t/reach)^rate, reach = −centre
        other = piece.rate + 1 if inner else -piece.rate - order
        share = low / centre if inner else low / (low - centre)
        scale = power(ball(centre / (centre - start)), piece.rate) * ball(abs(centre)) ** order
        scale *= arb.fac_ui(order - 1) / ball(other).rising(order)  # the Beta function
        return scale * power(ball(1 - share), other) * _series(order, other, bits)(ball(share))


@lru_cache(maxsize=64)
def _series(order: int, other: Fraction | None, bits: int) -> arb_poly:
    """Σ x^j/j!, j below the order; (other)_j·x^j/j! with another one."""
    with precision(bits):
        terms, rising = [arb(1)], ball(other or Fraction(0))
        for j in range(1, order):
            terms.append(terms[-1] * (1 if other is None else rising + j - 1) / j)
        return arb_poly(terms)


@lru_cache(maxsize=1024)
def _moment(law: RadialLaw, order: int) -> float | None:
    if law.tail is not None and law.tail <= order:
        return None
    with precision(BITS):
        higher = replace(law, dimension=law.dimension + order)
        return float(higher._from(Fraction(0)) / law._from(Fraction(0)))
