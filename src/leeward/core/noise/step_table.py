"""Step table: quantiles and errors of noise of steps, for a column of sizes that each have a law.

Where a density is flat between steps, and all its places are affine in 1/A, so are the masses
beyond them. One table of these serves every size: no law is made but for the few draws that float64
leaves open. Error bounds are proved in sampling.proof.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.noise.piece import Piece
from leeward.core.noise.scales import Error
from leeward.core.noise.tabulated import ROUNDING, Floats, Words, quantile_in

BITS = 256
UNIT = 2.0**-64
AT_ONCE = 1 << 10
"""Sizes whose errors are worked on together."""


class Side(NamedTuple):
    """One side of zero, outwards: places of steps in units of A, and by what factor e^−step.

    A place is slope + constant/A. The last one is where the tail starts; there is no step.
    """

    places: Sequence[tuple[Fraction, Fraction]]
    steps: Sequence[Fraction]
    tail: Sequence[Piece]


class TailPiece(NamedTuple):
    """A piece of a tail: masses in units of A and of the density around zero."""

    beyond: float
    thick: float
    thin: float
    anchor: float
    linear: float
    stretch: float
    turn: float


@dataclass(frozen=True, eq=False)  # arrays have no hash
class StepTable:
    """Places left of zero and then right of it, each padded to a power of two.

    `columns` are slope and constant of each place, the density just within, the mass beyond as
    mass + change/A, and what float64 may err in that mass and in the place.
    """

    columns: Floats
    counts: tuple[int, int]
    halves: Floats
    """Mass and change of each side, in all."""

    tails: tuple[tuple[TailPiece, ...], tuple[TailPiece, ...]]
    moments: Floats
    """First and second absolute moment of each tail, not a number where infinite."""

    @classmethod
    def of(cls, sides: tuple[Side, Side], least: Fraction) -> "StepTable":
        """The columns of both sides, for sizes from `least` on."""
        width = 1 << max(len(side.places) for side in sides).bit_length()
        columns = np.zeros((7, 2, width))
        halves, moments, tails = np.zeros((2, 2)), np.zeros((2, 2)), list[tuple[TailPiece, ...]]()
        with precision(BITS):
            for i, side in enumerate(sides):
                levels = [
                    (-ball(fall)).exp() for fall in accumulate(side.steps, initial=Fraction(0))
                ]
                tail = tail_pieces(side.tail, levels[-1])
                rows, whole = masses_beyond(side, levels, tail[1], least)
                columns[:, i, : len(rows)] = np.array(rows).T
                halves[i], moments[i] = whole, tail[2]
                tails.append(tail[0])
        counts = (len(sides[0].places), len(sides[1].places))
        return cls(columns.reshape(7, -1), counts, halves, (tails[0], tails[1]), moments)

    def quantiles(self, words: Words, sizes: Floats) -> tuple[Floats, Floats]:
        """The quantile of Z at word/2^64 for each size, and a bound on its error."""
        slope, constant, level, outside, change, slips, place_slips = self.columns
        inverse = 1 / sizes
        left = self.halves[0, 0] + self.halves[0, 1] * inverse
        whole = left + (self.halves[1, 0] + self.halves[1, 1] * inverse)
        most = np.abs(self.halves[:, 0]).sum() + np.abs(self.halves[:, 1]).sum() * inverse
        rightward = words.astype(np.float64) * UNIT * whole >= left
        distance = np.where(rightward, ~words, words).astype(np.float64) * UNIT
        mass = distance * whole
        first = np.where(rightward, len(slope) // 2, 0)
        at, step = first.copy(), len(slope) // 4
        while step:  # how many places have more beyond them
            probe = at + (step - 1)
            at += step * (outside[probe] + change[probe] * inverse > mass)
            step //= 2
        beyond = outside[at] + change[at] * inverse
        slip = (2 * ROUNDING * distance + 2 * UNIT) * most + slips[at] + ROUNDING * (mass + beyond)
        tail = np.flatnonzero(at - first == np.where(rightward, self.counts[1], self.counts[0]))
        with np.errstate(all="ignore"):
            z = slope[at] + constant[at] * inverse
            z -= (mass - beyond) / level[at]
            error = 2 * slip / level[at] + place_slips[at]
            error[mass - beyond <= slip] = np.inf
            for side in (0, 1):
                some = tail[rightward[tail] == side]
                z[some], error[some] = self.in_tail(side, mass[some], slip[some])
        return np.where(rightward, z, -z), error

    def in_tail(self, side: int, mass: Floats, slip: Floats) -> tuple[Floats, Floats]:
        """The same in the tail, where no step is farther out."""
        z, error = np.full_like(mass, np.nan), np.full_like(mass, np.inf)
        for piece in self.tails[side]:  # inwards
            some = mass > piece.beyond + slip
            y = (mass[some] - piece.beyond + piece.thin) / piece.thick
            off = slip[some] + ROUNDING * (piece.beyond + piece.thin)
            shape = (np.full_like(y, number) for number in piece[3:])
            z[some], error[some] = quantile_in(y, 2 * off / (y * piece.thick), *shape)
            error[some & (mass <= piece.beyond + 2 * slip)] = np.inf
        inner = self.tails[side][-1]
        error[mass + 2 * slip >= inner.beyond + inner.thick - inner.thin] = np.inf
        return (z if side else -z), error

    def errors(self, sizes: Floats) -> Error:
        """Moments of the rounded noise at each size: the tails are as of the real noise."""
        unique, inverse = np.unique(sizes, return_inverse=True)
        columns = np.empty((3, len(unique)))
        for start in range(0, len(unique), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            columns[:, part] = self.rounded_moments(unique[part])
        mean, absolute, square = columns[:, inverse]
        return Error(mean, absolute, None if np.isnan(self.moments[:, 1]).any() else square)

    def rounded_moments(self, sizes: Floats) -> Floats:
        """A side is a mixture of uniform noise up to each place, and the tail."""
        first, second = np.empty((2, 2, len(sizes)))
        slope, constant, level = self.columns[:3]
        width = len(slope) // 2
        for side, count in enumerate(self.counts):
            part = slice(side * width, side * width + count)
            places = np.outer(sizes, slope[part]) + constant[part]
            weights = -np.diff(level[part], append=0.0)
            jobs = np.rint(places)
            halves = places**2 - (places - jobs) ** 2
            first[side] = (halves * weights).sum(axis=1) / 2 + self.moments[side, 0] * sizes**2
            squares = places * jobs**2 - 2 * jobs**3 / 3 + jobs / 6
            second[side] = (squares * weights).sum(axis=1) + self.moments[side, 1] * sizes**3
        whole = self.halves[:, 0].sum() * sizes + self.halves[:, 1].sum()
        columns: Floats = np.stack([first[1] - first[0], first.sum(0), second.sum(0)]) / whole
        return columns


def masses_beyond(
    side: Side, levels: list[arb], tail: arb, least: Fraction
) -> tuple[list[tuple[float, ...]], tuple[float, float]]:
    """The entries of a side, outwards, and what there is in all."""
    mass, change = tail, arb(0)
    entries = list[tuple[float, ...]]()
    inwards = [*reversed(side.places), (Fraction(0), Fraction(0))]
    for ((slope, constant), (low, less)), level in zip(
        pairwise(inwards), reversed(levels), strict=True
    ):
        numbers = [float(number) for number in (slope, constant, level, mass, change)]
        reach = 1 / float(least)
        slip = ROUNDING * (numbers[3] + abs(numbers[4]) * reach)
        place = 2 * ROUNDING * (numbers[0] + abs(numbers[1]) * reach)
        entries.append((*numbers, slip, place))
        mass += level * ball(slope - low)
        change += level * ball(constant - less)
    return entries[::-1], (float(mass), float(change))


def tail_pieces(
    pieces: Sequence[Piece], level: arb
) -> tuple[tuple[TailPiece, ...], arb, list[float]]:
    """The pieces of a tail inwards, its mass, and its two moments."""
    beyond, entries = arb(0), list[TailPiece]()
    heights = [level]
    for piece in reversed(pieces[1:]):  # from the inner end, where the height is known
        heights.append(heights[-1] * piece.height(Fraction(piece.low or 0)))
    moments: list[arb | None] = [arb(0), arb(0)]
    for piece, height in zip(pieces, reversed(heights), strict=True):
        thick = height * piece.thickness()
        thin = thick * piece.remaining(piece.high if piece.thin_right else piece.low)
        curved, reach = piece.centre is not None, float(piece.reach)
        turn = float(1 / (piece.rate + 1)) if curved else 0.0
        linear, stretch = (0.0, reach) if curved else (reach, 0.0)
        masses = float(beyond), float(thick), float(thin)
        entries.append(TailPiece(*masses, float(piece.anchor), linear, stretch, turn))
        beyond += thick - thin
        for order in (1, 2):
            part, sum_ = piece.moment(order, piece.low, piece.high), moments[order - 1]
            moments[order - 1] = None if part is None or sum_ is None else sum_ + abs(height * part)
    return tuple(entries), beyond, [float("nan") if m is None else float(m) for m in moments]
