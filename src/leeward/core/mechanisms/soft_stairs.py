"""Soft stairs: staircase noise whose steps fall over several jobs, in exact pieces for one size.

Between A and (1+α)A the density falls by e^−ε in q steps of at most ε_job, one job apart. Proof in
soft_staircase.proof.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain

from flint import arb

from leeward.core.exact import at_most, ball, dyadic_up, precision
from leeward.core.mechanisms.stairs import (
    BITS,
    HALF,
    MOST_STEPS,
    NEGLIGIBLE,
    SIZES,
    Edges,
    StepNoise,
    tail_of,
)
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.piece import Piece
from leeward.core.noise.scales import BOUND
from leeward.core.noise.step_table import Side, StepTable
from leeward.core.noise.tabulated import Floats

Lines = list[tuple[Fraction, Fraction]]
"""Places of steps in jobs, as functions of A: slope and constant."""


@dataclass(frozen=True)
class SoftStairs(StepNoise):
    """The constants of the theorem, all exact; a law of Z follows for every A.

    `growth` is α, `plus` Δ, `epsilon` ε, `falls` are h_0, …, h_{q−1}, `rises` d_0, …, d_{q−1},
    `order` is r, `up` K, `down` J, `left` c_l, `right` c_r, `before` ℓ and `behind` ρ.
    """

    growth: Fraction
    plus: Fraction
    epsilon: Fraction
    falls: tuple[Fraction, ...]
    rises: tuple[Fraction, ...]
    order: Fraction
    up: int
    down: int
    left: Fraction = HALF
    right: Fraction = HALF
    before: Fraction = HALF
    behind: Fraction = HALF

    @classmethod
    def of(cls, growth: Fraction, epsilon: Fraction, job: Fraction, plus: Fraction) -> "SoftStairs":
        """The steps of α, ε, ε_job ≤ ε and Δ ≥ ⌈ε/ε_job⌉, with c_l, c_r, ℓ and ρ still open."""
        with precision(256):
            rate = dyadic_up(ball(growth).log1p(), BITS)
            kept = job - dyadic_up(ball(growth / plus).log1p(), BITS)
        count = -(-epsilon // job)
        up = max(1, min(MOST_STEPS, int(NEGLIGIBLE / epsilon + HALF)))
        return cls(
            growth,
            plus,
            epsilon,
            falls=tuple(min(job, epsilon - k * job) for k in range(count)),
            rises=tuple(
                min(kept, max(Fraction(0), epsilon - rate - k * kept)) for k in range(count)
            ),
            order=epsilon / growth,
            up=up,
            down=max(1, min(up, int(2 / growth + HALF))),
        )

    @property
    def large(self) -> Fraction:
        """No size that is accepted reaches it: the law there is that of A → ∞."""
        return max(Fraction(BOUND), 2 * self.least)

    def sizes(self) -> list[Fraction]:
        return [self.least * SIZES / part for part in range(SIZES, 0, -1)]

    @cached_property
    def places_right(self) -> Lines:
        """x_ik in order, i up to K; below K the density falls there."""
        wide = 1 + self.right * self.growth
        grown = [(1 + self.growth) ** i * wide for i in range(self.up + 1)]
        rest = self.behind - self.right * self.plus
        return [(g - 1, g * k + rest) for g in grown for k in range(len(self.falls))]

    @cached_property
    def places_left(self) -> Lines:
        """P_jk in order, j up to J."""
        rest = self.before - self.left * self.plus
        slopes = [(self.left + j) * self.growth for j in range(self.down + 1)]
        return [(slope, k + rest) for slope in slopes for k in range(len(self.rises))]

    @property
    def start(self) -> Fraction:
        return -self.farthest(self.places_left)

    @property
    def top(self) -> Fraction:
        """T in units of A: where the right tail starts."""
        return self.farthest(self.places_right)

    def farthest(self, places: Lines) -> Fraction:
        """The largest of the last place in units of A, over all A: at A₀ or at infinity."""
        slope, constant = places[-1]
        return slope + max(Fraction(0), constant / self.least)

    def flat(self, size: Fraction) -> Edges:
        """StepNoise that meet, which they do at infinity, are one."""
        inverse = 0 if size >= self.large else 1 / size
        right, left = (
            [slope + constant * inverse for slope, constant in places[: -len(self.falls)]]
            for places in (self.places_right, self.places_left)
        )
        edges, jumps = [self.start], list[Fraction]()
        steps = chain(
            zip((-place for place in reversed(left)), self.rises[::-1] * self.down, strict=True),
            zip(right, (-fall for fall in self.falls * self.up), strict=True),
        )
        for edge, jump in steps:
            if jumps and edge == edges[-1]:
                jumps[-1] += jump
            elif jump:
                edges.append(edge)
                jumps.append(jump)
        return [*edges, self.top], jumps

    def tail_left(self) -> tuple[Piece, ...]:
        """|w|^{r−1} down to w = 1 − 1/r, e^{rw} to w = −1, then |w|^{−r}."""
        rates = self.order - 1, self.order, -self.order
        return tail_of(self.start, (-1 / self.order, Fraction(-2)), rates)

    def end(self, right: Floats) -> Floats:
        last, first = (
            replace(self, right=c, behind=c * self.plus).top / self.growth
            for c in (Fraction(1), Fraction(0))
        )
        return float(first) + right * float(last - first)

    @cached_property
    def table(self) -> StepTable:
        """All sizes at once."""
        q, tail = len(self.falls), Piece(self.top, None, -self.order, centre=Fraction(-1))
        left = [*self.places_left[:-q], (-self.start, Fraction(0))]
        right = [*self.places_right[:-q], (self.top, Fraction(0))]
        sides = (
            Side(left, self.rises * self.down, self.tail_left()),
            Side(right, self.falls * self.up, (tail,)),
        )
        return StepTable.of(sides, self.least)

    def grows(self) -> bool:
        """Whether N₀ ≥ 0 for certain: the normaliser then grows no faster than A."""
        return at_most(lambda: arb(0), self.constant_mass)

    def constant_mass(self) -> arb:
        """N₀, the part of the normaliser that does not depend on A."""
        total = arb(0)
        for places, steps in (
            (self.places_right, self.falls * self.up),
            (self.places_left, self.rises * self.down),
        ):
            level = Fraction(0)
            for (_, constant), step in zip(places, steps, strict=False):
                lost = ball(-level).exp() * -ball(-step).expm1()
                total += lost * ball(constant)
                level += step
        return total


@lru_cache(maxsize=128)  # a law of a thousand pieces has about two megabytes
def law_of_size(stairs: SoftStairs, size: Fraction) -> PiecewiseLaw:
    """The law of Z at A = size."""
    return stairs.law(size)
