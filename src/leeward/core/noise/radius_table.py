"""Radius table: quantiles of a radial law in float64, by polynomials with certain error bounds.

On a stretch of one piece about m the density f of the radius has an analytic continuation to the
disc |t| ≤ δ about m. Where δ is at most 3/10 of 1/|(ln f)'| by parts, of m and of the distance to
the piece's centre, |f(m+t)/f(m) − 1| ≤ e^.357 − 1 < ½ on it. There the distribution function is one
to one and its image has the disc of radius R = δ·f(m)/2. So the quantile is analytic on that disc
and stays within δ of m: its Taylor coefficients are at most δ/R^n, and after n of them at most
δ·x^n/(1−x) is left out, x the distance over R (Cauchy).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from flint import arb, arb_series, ctx

from leeward.core.exact import ball, exact_value, precision
from leeward.core.noise.piece import Piece
from leeward.core.noise.tabulated import ROUNDING, Floats, Words

if TYPE_CHECKING:
    from leeward.core.noise.radial_law import RadialLaw

TERMS = 11
"""Coefficients of a polynomial."""

DISC, STRETCH = 0.3, 0.125
"""δ in units of the lengths on which ln f changes; the length of a stretch in units of δ."""

BITS = 192
SELDOM = 2.0**-40
"""Radii that are rarer on either side are left to balls."""


@dataclass(frozen=True)
class Stretch:
    """A polynomial in (word + ½ − centre)/length from a word on.

    `joint` says that another piece begins here.
    """

    start: int
    centre: int
    offset: float
    length: float
    coefficients: list[float]
    error: float
    joint: bool


@dataclass(frozen=True, eq=False)
class RadiusTable:
    """The stretches in columns; from the word `end` on nothing is known."""

    starts: Words
    end: np.uint64
    centres: Words
    offsets: Floats
    lengths: Floats
    coefficients: Floats
    errors: Floats
    torn: Words

    @classmethod
    def of(cls, law: "RadialLaw") -> "RadiusTable":
        """The stretches of a law between its rare radii."""
        with precision(BITS):
            stretches, end = _stretches(law)
        return cls(
            np.array([row.start for row in stretches], dtype=np.uint64),
            np.uint64(end),
            np.array([row.centre for row in stretches], dtype=np.uint64),
            np.array([row.offset for row in stretches]),
            np.array([row.length for row in stretches]),
            np.array([row.coefficients for row in stretches]),
            np.array([row.error for row in stretches]),
            # A joint is within the word that its stretch begins at.
            np.array([row.start for row in stretches if row.joint], dtype=np.uint64),
        )

    def quantiles(self, words: Words) -> tuple[Floats, Floats]:
        """Radii, and bounds on their errors."""
        at = np.searchsorted(self.starts, words, side="right") - 1
        outside = (at < 0) | (words >= self.end)
        for word in self.torn:
            outside |= words == word
        at = np.maximum(at, 0)
        away = (words - self.centres[at]).view(np.int64).astype(np.float64)
        x = (away + self.offsets[at]) / self.lengths[at]
        rows = self.coefficients[at]
        radius = rows[:, -1].copy()
        for n in range(TERMS - 2, -1, -1):
            radius *= x
            radius += rows[:, n]
        return radius, np.where(outside, np.inf, self.errors[at])


def _stretches(law: "RadialLaw") -> tuple[list[Stretch], int]:
    """From the radius that is rarely undercut to the one that is rarely exceeded."""
    first, last = _rare(law, 0), _rare(law, 1)
    stretches, low, at_low = list[Stretch](), first, law.tails(first)[0]
    for piece in law.pieces:
        end = last if piece.high is None else min(piece.high, last)
        joint = bool(stretches)
        while low < end:
            width = Fraction(STRETCH * _disc(law.dimension, piece, float(low)))
            high = end if low + width * 9 / 8 > end else low + width
            at_high = law.tails(high)[0]
            stretches.append(_stretch(law, piece, (low, high), (at_low, at_high), joint))
            low, at_low, joint = high, at_high, False
    return stretches, _word(at_low)[0]


def _disc(dimension: int, piece: Piece, at: float) -> float:
    """δ at a radius."""
    slope, room = (dimension - 1) / at, at
    if piece.centre is None:
        slope += abs(float(piece.rate))
    else:
        away = abs(at - float(piece.centre))
        slope, room = slope + abs(float(piece.rate)) / away, min(at, away)
    return DISC * min(1 / slope if slope else room, room)


def _stretch(
    law: "RadialLaw",
    piece: Piece,
    ends: tuple[Fraction, Fraction],
    shares: tuple[arb, arb],
    joint: bool,
) -> Stretch:
    middle = Fraction(float(sum(ends) / 2))
    disc = Fraction(_disc(law.dimension, piece, float(middle)) * (1 - 2.0**-20))
    share = law.tails(middle)[0]
    length = ball(disc) * law.density(middle) / 2
    far = max(float((share - shares[0]) / length), float((shares[1] - share) / length))
    x = far * (1 + 2.0**-20) + float(arb(2) ** -60 / length)
    if not 0 < x < 1:
        raise ArithmeticError("a stretch of a radius is too long for its polynomial")
    left_out = float(disc) * x**TERMS / (1 - x)
    wide = float(length * arb(2) ** 64)
    centre, rest = _word(share)
    coefficients = [float(c) * float(disc) for c in _inverse(law.dimension, piece, middle, disc)]
    coefficients[0] = float(middle)
    error = left_out * (1 + 2.0**-20) + 4 * float(disc) / wide + 16 * ROUNDING * float(middle)
    return Stretch(_word(shares[0])[0], centre, 0.5 - rest, wide, coefficients, error, joint)


def _inverse(dimension: int, piece: Piece, middle: Fraction, disc: Fraction) -> list[arb]:
    """Taylor coefficients of τ, radius = m + δτ, in the share's distance from its middle over R."""
    cap, ctx.cap = ctx.cap, TERMS
    try:
        slope = _log_power(disc / middle, Fraction(dimension - 1))
        if piece.centre is None:
            slope += arb_series([arb(0), ball(piece.rate * disc)], TERMS)
        else:
            slope += _log_power(disc / (middle - piece.centre), piece.rate)
        density = 2 * slope.exp()  # f(m + δτ)·δ/R
        series = density.integral().reversion()
        return [series[n] for n in range(TERMS)]
    finally:
        ctx.cap = cap


def _log_power(step: Fraction, exponent: Fraction) -> arb_series:
    """exponent·ln(1 + step·τ)."""
    return ball(exponent) * arb_series([arb(1), ball(step)], TERMS).log()


def _word(share: arb) -> tuple[int, float]:
    """⌊share·2^64⌋ and the rest."""
    scaled = exact_value((share * arb(2) ** 64).mid())
    whole = int(scaled // 1)
    return whole, float(scaled - whole)


def _rare(law: "RadialLaw", side: int) -> Fraction:
    """A radius whose tail on this side is about SELDOM."""
    low, high = -400.0, 400.0  # of log₂
    for _ in range(40):
        middle = (low + high) / 2
        beyond = float(law.tails(Fraction(2.0**middle))[side])
        larger = beyond < SELDOM if side == 0 else beyond > SELDOM
        low, high = (middle, high) if larger else (low, middle)
    return Fraction(2.0**low)
