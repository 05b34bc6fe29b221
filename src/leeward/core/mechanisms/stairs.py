"""Stairs: the law of noise of steps for one size, in exact pieces."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
from flint import arb

from leeward.core.exact import at_most, ball, dyadic_down, precision
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.piece import Piece
from leeward.core.noise.tabulated import Floats

BITS = 96

HALF = Fraction(1, 2)


SIZES = 48
"""The coverage of margins is computed at this many sizes."""

MOST_STEPS, NEGLIGIBLE = 40, 30
"""Steps are made until the density has fallen by e^−NEGLIGIBLE, at most so many."""


Edges = tuple[list[Fraction], list[Fraction]]
"""Where the density jumps in units of A, with both ends, and the jumps of its logarithm between."""


class StepNoise(ABC):
    """Noise whose density is flat between steps, with the same tails in units of A at every A.

    `growth` is α, `plus` Δ, `epsilon` what the steps between A and (1+α)A add up to, `order` r and
    `up` the number of such rounds on the right.
    """

    growth: Fraction
    plus: Fraction
    epsilon: Fraction
    order: Fraction
    up: int

    @property
    def least(self) -> Fraction:
        """A₀ = Δ/α."""
        return self.plus / self.growth

    @property
    @abstractmethod
    def start(self) -> Fraction:
        """−τ in units of A: where the left tail starts."""

    @property
    @abstractmethod
    def large(self) -> Fraction:
        """From this A on one law serves all sizes."""

    @abstractmethod
    def sizes(self) -> list[Fraction]:
        """Sizes below it at which the coverage of margins is computed."""

    @abstractmethod
    def flat(self, size: Fraction) -> Edges:
        """The flat part at A = size, from −τ to T."""

    @abstractmethod
    def tail_left(self) -> tuple[Piece, ...]:
        """Left of −τ: a rising power, an exponential, a power; some may be empty."""

    @abstractmethod
    def end(self, right: Floats) -> Floats | float:
        """T in units of S for large sizes where c_r is this."""

    def law(self, size: Fraction) -> PiecewiseLaw:
        """The law of Z at A = size."""
        tail, (edges, steps) = self.tail_left(), self.flat(size)
        flat = [Piece(low, high, Fraction(0), centre=low) for low, high in pairwise(edges)]
        pieces = (*tail, *flat, Piece(edges[-1], None, -self.order, centre=Fraction(-1)))
        smooth = (Fraction(0),)
        return PiecewiseLaw(pieces, (*smooth * len(tail), *steps, *smooth))

    def tail_mass(self) -> tuple[arb, arb | None]:
        """Mass t and first moment of the left tail, in units of S and its height at −τ.

        They are read off a law of the tail and one flat piece of length S beside it.
        """
        tail, start, unit = self.tail_left(), self.start, self.growth
        flat = Piece(start, start + unit, Fraction(0), centre=start)
        law = PiecewiseLaw((*tail, flat), (Fraction(0),) * len(tail))
        below, above = law.tails(start)
        mean = law.moment_ball(1)
        if mean is None:
            return below / above, None
        return below / above, ball(start / unit + HALF) - mean / (ball(unit) * above)


def tail_of(
    start: Fraction, ends: tuple[Fraction, Fraction], rates: tuple[Fraction, ...]
) -> tuple[Piece, ...]:
    """Left of −τ = start in units of A: |w|^p down to the first end, e^(κw) to the second, |w|^p'.

    `rates` are p, κ and p'. Pieces that would begin beyond −τ are left out.
    """
    centre, (rise, rate, fall) = Fraction(-1), rates
    near, far = (min(start, end) for end in ends)
    candidates = (
        Piece(None, far, fall, centre),
        Piece(far, near, rate),
        Piece(near, start, rise, centre),
    )
    return tuple(piece for piece in candidates if piece.low != piece.high)


@dataclass(frozen=True)
class Stairs(StepNoise):
    """The constants of the theorem, all exact; a law of Z follows for every A.

    `growth` is α, `plus` Δ, `epsilon` D, `drop` D', `order` r, `reach` b, `up` K, `down` J, `left`
    c_l and `right` c_r. `steep` says that condition (*) holds.
    """

    growth: Fraction
    plus: Fraction
    epsilon: Fraction
    drop: Fraction
    order: Fraction
    reach: Fraction
    up: int
    down: int
    left: Fraction = HALF
    right: Fraction = HALF
    steep: bool = False

    @property
    def start(self) -> Fraction:
        return -self.growth * (self.down + HALF)

    @property
    def large(self) -> Fraction:
        """From this A on no edge is rounded up to half a job, and one law serves all sizes."""
        return max(self.least, 1 / (2 * self.growth * min(self.left, self.right)))

    def sizes(self) -> list[Fraction]:
        first, last = int(self.least) + 1, int(self.large)
        between = np.unique(np.geomspace(first, max(first, last), SIZES).round())
        return [self.least, *(Fraction(int(x)) for x in between)]

    def flat(self, size: Fraction) -> Edges:
        edges = [self.start, *self.edges_left(size), *self.edges_right(size)]
        rises = [self.drop] * (self.down - 1) + [self.first_drop(size)]
        return edges, [*rises, *[-self.epsilon] * self.up]

    def end(self, right: Floats) -> Floats | float:
        last = (1 + self.growth) ** self.up
        return float((last - 1) / self.growth) + float(last) / 2

    def edges_right(self, size: Fraction) -> list[Fraction]:
        """B_0, …, B_{K−1} and T in units of A."""
        grown = [(1 + self.growth) ** i for i in range(self.up + 1)]
        half, part = 1 / (2 * size), self.right * self.growth
        edges = [g - 1 + max(half, part * g) for g in grown[:-1]]
        return [*edges, grown[-1] * (1 + self.growth / 2) - 1]

    def edges_left(self, size: Fraction) -> list[Fraction]:
        """−L_{J−1}, …, −L_0 in units of A."""
        first = max(1 / (2 * size), self.left * self.growth)
        return [-first - j * self.growth for j in reversed(range(self.down))]

    def tail_left(self) -> tuple[Piece, ...]:
        joint = (self.order - 1) * self.reach
        rates = self.order - 1, 1 / self.reach, 1 - self.order
        return tail_of(self.start, (joint - 1, -1 - joint), rates)

    def first_drop(self, size: Fraction) -> Fraction:
        """D₁, the height of the first step on the left."""
        if not self.steep or size >= (1 + self.growth) * self.least:
            return self.drop
        with precision(256):
            rest = ball(self.epsilon) - ball(size / self.least).log()
            return max(self.drop, dyadic_down(rest, BITS))

    def weight(self) -> arb:
        """γ: what one S adds to the weight of all left levels and of the tail."""
        steps = [(-ball(self.drop) * j).exp() for j in range(self.down)]
        return sum(steps, arb(0)) + steps[-1] * (ball(HALF) + self.tail_mass()[0])

    def may_be_steep(self) -> bool:
        """Condition (*)."""
        grown = (1 + self.growth) * self.plus
        if max(self.left, self.right) * grown > HALF:
            return False

        def thin() -> arb:
            return (-ball(self.epsilon)).exp()

        return at_most(
            lambda: thin() * ball(grown * (1 + self.growth)) * self.weight(), lambda: 1 - thin() / 2
        )


@lru_cache(maxsize=512)
def _law(stairs: StepNoise, size: Fraction) -> PiecewiseLaw:
    return stairs.law(size)
