"""Radius table: quantiles of a radial law in float64, by polynomials with certain error bounds.

On a stretch of one piece about m the density f of the radius has an analytic continuation to the
disc |t| ≤ δ about m. There |ln f(m+t)/f(m)| ≤ .4, so |f(m+t)/f(m) − 1| ≤ e^.4 − 1 < ½: the
distribution function is one to one and the image of the disc contains the disc of radius
R = δ·f(m)/2. So the quantile is analytic on that disc and stays within δ of m: its Taylor
coefficients are at most δ/R^n, and after n coefficients at most δ·x^n/(1−x) is left out, x the
distance over R (Cauchy). sampling.proof.md has the proof with all roundings.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf, sqrt
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

CHANGE, ROOM, STRETCH = 0.4, 0.3, 0.08
"""Most change of ln f on a disc; most of δ over m and over the distance to a centre; the length of
a stretch in units of δ."""

TINY = 1e-300
FINEST = 2.0**-50
"""The shortest stretch, in units of where it begins."""

BITS, SHARP = 256, 2.0**-100
"""Working precision, and the widest ball of a share or of a coefficient."""

SELDOM = 2.0**-40
"""Radii that are rarer on either side are left to balls."""


@dataclass(frozen=True)
class QuantileStretch:
    """A polynomial in (word + ½ − share)/length from a word on.

    The share, that of the middle, is `centre` + ½ − `offset`. `joint`: a piece begins here.
    """

    start: int
    centre: int
    offset: float
    length: float
    coefficients: list[float]
    error: float
    joint: bool

    @classmethod
    def of(
        cls,
        law: "RadialLaw",
        piece: Piece,
        ends: tuple[Fraction, Fraction],
        shares: tuple[arb, arb],
        joint: bool,
    ) -> "QuantileStretch":
        """From one radius to another inside a piece, which have these shares below."""
        middle = (ends[0] + ends[1]) / 2
        disc = Fraction(_disc(law.dimension, piece, middle) * (1 - 2.0**-20))
        share = law.tails(middle)[0]
        length = ball(disc) * law.density(middle) / 2
        far = ((share - shares[0]) / length).max((shares[1] - share) / length)
        x = float(far.upper()) * (1 + 2.0**-20) + float(arb(2) ** -60 / length)
        centre, rest = _word(share)
        terms = _inverse(law.dimension, piece, middle, disc)
        if not all(number.rad() < SHARP for number in (share, *shares, *terms)):
            raise ArithmeticError("a radius needs more precision than its table has")
        if not (x < 0.5 and shares[1] - shares[0] < 0.5):  # too short for words to tell it apart
            coefficients = [float(middle), *[0.0] * (TERMS - 1)]
            return cls(_word(shares[0])[0], centre, 0.0, 1.0, coefficients, inf, joint)
        left_out = float(disc) * x**TERMS / (1 - x)
        wide = float(length * arb(2) ** 64)
        coefficients = [float(c) * float(disc) for c in terms]
        coefficients[0] = float(middle)
        error = left_out * (1 + 2.0**-20) + 4 * float(disc) / wide + 16 * ROUNDING * float(middle)
        return cls(_word(shares[0])[0], centre, 0.5 - rest, wide, coefficients, error, joint)


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
        """From the radius that is rarely undercut to the one that is rarely exceeded."""
        stretches = list[QuantileStretch]()
        with precision(BITS):
            low, last = (law.rare(side, SELDOM) for side in (0, 1))
            at_low = law.tails(low)[0]
            for piece in law.pieces:
                end, joint = last if piece.high is None else min(piece.high, last), True
                while low < end:
                    disc = _disc(law.dimension, piece, low)
                    width = Fraction(max(STRETCH * disc, FINEST * float(low)))
                    high = end if low + width * 9 / 8 > end else low + width
                    at_high, ends = law.tails(high)[0], (low, high)
                    stretch = QuantileStretch.of(law, piece, ends, (at_low, at_high), joint)
                    stretches.append(stretch)
                    low, at_low, joint = high, at_high, False
        return cls(
            np.array([row.start for row in stretches], dtype=np.uint64),
            np.uint64(_word(at_low)[0]),
            np.array([row.centre for row in stretches], dtype=np.uint64),
            np.array([row.offset for row in stretches]),
            np.array([row.length for row in stretches]),
            np.array([row.coefficients for row in stretches]),
            np.array([row.error for row in stretches]),
            # A joint, or the first radius, is within the word that its stretch begins at.
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


def _disc(dimension: int, piece: Piece, at: Fraction) -> float:
    """δ at a radius: |Σ of first terms|·δ + Σ of all others is at most CHANGE."""
    here = float(at)
    slope, bend, room = (dimension - 1) / here, (dimension - 1) / here**2, here
    if piece.centre is None:
        slope += float(piece.rate)
    else:
        away, rate = float(at - piece.centre), float(piece.rate)
        slope, bend, room = slope + rate / away, bend + abs(rate) / away**2, min(here, abs(away))
    bend /= 2 * (1 - ROOM)
    slope = abs(slope)
    return min(ROOM * room, 2 * CHANGE / max(slope + sqrt(slope**2 + 4 * CHANGE * bend), TINY))


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
