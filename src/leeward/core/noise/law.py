"""Laws of real noise whose distribution function is known exactly.

Slope, Laplace, Pareto, Log-Laplace and discrete Laplace noise are all of one form: adjoining
pieces, each exponential or a power.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import erfc, sqrt
from typing import Protocol

import numpy as np
from flint import arb, ctx

from leeward.core.exact import ball, precision
from leeward.core.noise.piece import Piece
from leeward.core.noise.tabulated import Floats, Masses, Table, Words


class FloatTails(Protocol):
    """A distribution of real noise Z in floats: all that a picture needs."""

    def float_tails(self, z: Floats) -> tuple[Floats, Floats]:
        """The tails in float64, for error measures; no guarantee depends on them."""


class Law(FloatTails, Protocol):
    """The same with exact tails for the truth."""

    def tails(self, z: Fraction) -> tuple[arb, arb]:
        """P(Z < z) and P(Z > z) as balls at the working precision."""

    def between(self, low: Fraction, high: Fraction) -> arb:
        """P(low < Z < high), accurate relative to its own size."""

    def approximate(self, words: Words) -> tuple[Floats, Floats]:
        """The quantile at word/2^64 and a bound on its error, the undrawn bits included."""

    def moment(self, order: int, *, absolute: bool = False) -> float | None:
        """E Z^order or E |Z|^order; None where infinite."""


_far = np.vectorize(lambda z: erfc(z / sqrt(2)) / 2, otypes=[float])


@dataclass(frozen=True)
class Normal:
    """The standard normal law, for pictures: Gaussian noise itself is discrete (`sampling`)."""

    def float_tails(self, z: Floats) -> tuple[Floats, Floats]:
        """P(Z < z) and P(Z > z) in float64."""
        return _far(-z), _far(z)


@dataclass(frozen=True)
class PiecewiseLaw:
    """A density made of adjoining pieces, continuous but for the stated jumps.

    `jumps[i]` is the logarithm of the factor by which the density jumps at the joint between
    piece i and piece i+1.
    """

    pieces: tuple[Piece, ...]
    jumps: tuple[Fraction, ...]

    @cached_property
    def joints(self) -> tuple[Fraction, ...]:
        """Where pieces meet."""
        return tuple(piece.high for piece in self.pieces[:-1] if piece.high is not None)

    @cached_property
    def float_joints(self) -> Floats:
        """The joints in float64."""
        return np.array([float(joint) for joint in self.joints])

    def tails(self, z: Fraction) -> tuple[arb, arb]:
        """P(Z < z) and P(Z > z), each a sum of positive terms."""
        masses = self._masses()
        i = bisect_right(self.joints, z)
        piece = self.pieces[i]
        if (piece.low is not None and z < piece.low) or (piece.high is not None and z > piece.high):
            return (arb(0), arb(1)) if i == 0 else (arb(1), arb(0))
        near = masses.thick[i] * piece.remaining(z) - masses.thin[i]
        far = masses.whole[i] - near
        left, right = (far, near) if piece.thin_right else (near, far)
        return masses.below[i] + left, masses.above[i] + right

    def between(self, low: Fraction, high: Fraction) -> arb:
        """P(low < Z < high); inside one piece a difference of that piece alone."""
        masses = self._masses()
        first = self.pieces[0].low
        last = self.pieces[-1].high
        low = low if first is None else max(low, first)
        high = high if last is None else min(high, last)
        if low >= high:
            return arb(0)
        start, stop = bisect_right(self.joints, low), bisect_left(self.joints, high)
        cuts = (low, *self.joints[start:stop], high)
        total = arb(0)
        for i, (a, b) in enumerate(pairwise(cuts), start):
            piece = self.pieces[i]
            total += masses.thick[i] * abs(piece.remaining(a) - piece.remaining(b))
        return total

    def moment(self, order: int, *, absolute: bool = False) -> float | None:
        """E Z^order or E |Z|^order; None where infinite."""
        return _moment(self, order, absolute)

    def moment_ball(self, order: int, *, absolute: bool = False) -> arb | None:
        """The moment as a ball at the working precision."""
        masses = self._masses()
        total = arb(0)
        for piece, height in zip(self.pieces, masses.heights, strict=True):
            for low, high, sign in _halves(piece, split=absolute and order % 2 == 1):
                part = piece.moment(order, low, high)
                if part is None:
                    return None
                total += height * part * sign
        return total

    def stated(self) -> list[dict[str, float | None]]:
        """The pieces in double precision; a piece ends where the next one starts.

        Each by its start, the jump there, and its shape: κ of exp(κz), or centre and p+1 of
        |z−centre|^p, since p+1 may be tiny, or nothing where it is flat. What does not apply is
        None. A piece that is empty in double precision is left out; the next one has its jump.
        """
        if self.pieces[-1].high is not None:
            raise ValueError("only a law without an end on the right is stated")
        stated, jump = list[dict[str, float | None]](), Fraction(0)
        for piece, step in zip(self.pieces, (Fraction(0), *self.jumps), strict=True):
            jump += step
            low, high = (None if end is None else float(end) for end in (piece.low, piece.high))
            if low is None or low != high:
                curved = piece.centre is not None and piece.rate != 0
                stated.append(
                    {
                        "low": low,
                        "jump": float(jump) if jump else None,
                        "rate": float(piece.rate) if piece.centre is None else None,
                        "power": float(piece.rate + 1) if curved else None,
                        "centre": float(piece.centre or 0) if curved else None,
                    }
                )
                jump = Fraction(0)
        return stated

    def _masses(self) -> Masses:
        known = self._known
        if ctx.prec not in known:
            known[ctx.prec] = _masses(self, ctx.prec)
        return known[ctx.prec]

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        # What is kept beside the law holds balls, which cannot travel to another process.
        return PiecewiseLaw, (self.pieces, self.jumps)

    @cached_property
    def _hash(self) -> int:
        return hash((self.pieces, self.jumps))

    @cached_property
    def _known(self) -> dict[int, Masses]:
        """Masses by precision: asked for at every evaluation, so kept beside the law."""
        return {}

    @cached_property
    def _table(self) -> Table:
        with precision(256):
            return Table.of(self.pieces, self._masses())

    def approximate(self, words: Words) -> tuple[Floats, Floats]:
        """Quantiles in float64 with certain error bounds; infinite where nothing is known."""
        return self._table.quantiles(words)

    def float_tails(self, z: Floats) -> tuple[Floats, Floats]:
        """The tails in float64."""
        return self._table.tails(z, np.searchsorted(self.float_joints, z, side="right"))


def read_law(stated: Sequence[Mapping[str, float | None]]) -> PiecewiseLaw:
    """The law of stated pieces; ValueError or ArithmeticError later on where there is none."""
    jumps = tuple(Fraction(entry["jump"] or 0) for entry in stated[1:])
    return PiecewiseLaw(read_pieces(stated), jumps)


def read_pieces(stated: Sequence[Mapping[str, float | None]]) -> tuple[Piece, ...]:
    """Adjoining pieces from what states them; the last one is without end."""
    starts = [None if entry["low"] is None else Fraction(entry["low"]) for entry in stated]
    pieces = []
    for entry, (low, high) in zip(stated, pairwise([*starts, None]), strict=True):
        rate, power, centre = entry["rate"], entry["power"], entry["centre"]
        if rate is not None:
            pieces.append(Piece(low, high, Fraction(rate)))
        elif power is None:
            pieces.append(Piece(low, high, Fraction(0), centre=low))
        else:
            pieces.append(Piece(low, high, Fraction(power) - 1, Fraction(centre or 0)))
    return tuple(pieces)


def _halves(piece: Piece, *, split: bool) -> Sequence[tuple[Fraction | None, Fraction | None, int]]:
    """The parts of a piece below and above zero, with the sign that makes moments absolute."""
    if not split:
        return [(piece.low, piece.high, 1)]
    if piece.low is not None and piece.low >= 0:
        return [(piece.low, piece.high, 1)]
    if piece.high is not None and piece.high <= 0:
        return [(piece.low, piece.high, -1)]
    return [(piece.low, Fraction(0), -1), (Fraction(0), piece.high, 1)]


@lru_cache(maxsize=256)  # the errors of every size ask for the same moments
def _moment(law: PiecewiseLaw, order: int, absolute: bool) -> float | None:
    with precision(512):
        value = law.moment_ball(order, absolute=absolute)
        return None if value is None else float(value)


def _masses(law: PiecewiseLaw, bits: int) -> Masses:
    with precision(bits + 32):
        # Each piece's height at its anchor, following continuity and jumps from the first joint.
        level, heights = arb(1), []
        for i, piece in enumerate(law.pieces):
            start = piece.low if i else piece.high
            if start is None:
                raise ValueError("a law needs at least two pieces")
            heights.append(level / piece.height(start))
            if i < len(law.jumps) and piece.high is not None:
                level = heights[-1] * piece.height(piece.high) * ball(law.jumps[i]).exp()
        thick = [h * p.thickness() for h, p in zip(heights, law.pieces, strict=True)]
        thin = [
            v * p.remaining(p.high if p.thin_right else p.low)
            for v, p in zip(thick, law.pieces, strict=True)
        ]
        whole = [a - b for a, b in zip(thick, thin, strict=True)]
        total = sum(whole, arb(0))
        below = [sum(whole[:i], arb(0)) / total for i in range(len(whole))]
        above = [sum(whole[i + 1 :], arb(0)) / total for i in range(len(whole))]
        heights, whole, thick, thin = (
            [value / total for value in column] for column in (heights, whole, thick, thin)
        )
    return Masses(*map(tuple, (heights, whole, thick, thin, below, above)))


def symmetric(right: Sequence[Piece]) -> PiecewiseLaw:
    """The law whose right half is given, mirrored at zero."""
    left = [
        Piece(
            low=None if p.high is None else -p.high,
            high=None if p.low is None else -p.low,
            rate=-p.rate if p.centre is None else p.rate,
            centre=None if p.centre is None else -p.centre,
        )
        for p in reversed(right)
    ]
    pieces = (*left, *right)
    return PiecewiseLaw(pieces, jumps=(Fraction(0),) * (len(pieces) - 1))


@lru_cache(maxsize=256)  # one law, so that what is known of it is found again
def laplace(scale: Fraction = Fraction(1)) -> PiecewiseLaw:
    """Laplace: density ½·exp(−|z|/scale)/scale."""
    return symmetric([Piece(Fraction(0), None, rate=-1 / scale)])


@lru_cache(maxsize=256)
def discrete_laplace(scale: Fraction) -> PiecewiseLaw:
    """A law whose rounding ⌊Z+½⌋ is discrete Laplace: P(j) ∝ exp(−|j|/scale).

    Right of −½ the density is exp(−(z+½)/scale); left of it, it is lower by the factor
    exp(−1/scale), because the values −1 and +1 have equal mass.
    """
    rate, seam = 1 / scale, Fraction(-1, 2)
    return PiecewiseLaw(
        pieces=(Piece(None, seam, rate=rate), Piece(seam, None, rate=-rate)), jumps=(rate,)
    )


def pareto(shape: Fraction) -> PiecewiseLaw:
    """The two-sided Pareto: P(|Z| > z) = (1+z)^−shape."""
    return symmetric([Piece(Fraction(0), None, rate=-(shape + 1), centre=Fraction(-1))])
