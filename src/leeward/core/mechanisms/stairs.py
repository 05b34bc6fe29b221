"""Stairs: the law of staircase noise for one size, in exact pieces."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from flint import arb

from leeward.core.exact import at_most, ball, dyadic_down, precision
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.piece import Piece

BITS = 96


HALF = Fraction(1, 2)


MOST_STEPS, NEGLIGIBLE = 40, 30
"""Steps are made until the density has fallen by e^−NEGLIGIBLE, at most so many."""


@dataclass(frozen=True)
class Stairs:
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
    def least(self) -> Fraction:
        """A₀ = Δ/α."""
        return self.plus / self.growth

    @property
    def start(self) -> Fraction:
        """−τ in units of A: where the left tail starts."""
        return -self.growth * (self.down + HALF)

    @property
    def large(self) -> Fraction:
        """From this A on no edge is rounded up to half a job, and one law serves all sizes."""
        return max(self.least, 1 / (2 * self.growth * min(self.left, self.right)))

    def law(self, size: Fraction) -> PiecewiseLaw:
        """The law of Z at A = size."""
        tail = self.tail_left()
        edges = (self.start, *self.edges_left(size), *self.edges_right(size))
        flat = [Piece(low, high, Fraction(0), centre=low) for low, high in pairwise(edges)]
        pieces = (*tail, *flat, Piece(edges[-1], None, -self.order, centre=Fraction(-1)))
        smooth = (Fraction(0),)
        rises = (*(self.drop,) * (self.down - 1), self.first_drop(size))
        jumps = (*smooth * len(tail), *rises, *(-self.epsilon,) * self.up, *smooth)
        return PiecewiseLaw(pieces, jumps)

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
        """Left of −τ: a rising power, an exponential, a power; some may be empty."""
        centre, joint = Fraction(-1), (self.order - 1) * self.reach
        far, near = min(self.start, centre - joint), min(self.start, centre + joint)
        candidates = (
            Piece(None, far, 1 - self.order, centre),
            Piece(far, near, 1 / self.reach),
            Piece(near, self.start, self.order - 1, centre),
        )
        return tuple(p for p in candidates if p.low != p.high)

    def first_drop(self, size: Fraction) -> Fraction:
        """D₁, the height of the first step on the left."""
        if not self.steep or size >= (1 + self.growth) * self.least:
            return self.drop
        with precision(256):
            rest = ball(self.epsilon) - ball(size / self.least).log()
            return max(self.drop, dyadic_down(rest, BITS))

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
def _law(stairs: Stairs, size: Fraction) -> PiecewiseLaw:
    return stairs.law(size)
