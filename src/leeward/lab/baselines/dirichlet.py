"""Dirichlet: synthetic homes as OnTheMap has drawn them since 2008, for movers alone.

Machanavajjhala et al. (2008) draw the homes of a group of workers who share a workplace from a
Dirichlet-multinomial law: the counts of areas plus a prior. With enough prior in *every* area the
home of one mover is protected (dirichlet.proof.md). There is no guarantee for employers: if many
workers come or go at once, as those of an employer do, the loss is many times as large.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Protocol, Self, final

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import Number, at_most, ball, dyadic_up, positive, precision
from leeward.core.noise.exact_selection import below
from leeward.core.randomness import SecretBits

NOTICE = "no guarantee for employers"

BITS = 20
"""A prior is rounded up to a multiple of 2^-BITS."""
MOST = 2**61
"""Bound of the weights of all areas, so that one word of random bits decides a draw."""


class Picks(Protocol):
    """What drawing from an urn asks for; releases get `SECRET`, the auditor has its own."""

    def pick(self, weights: Sequence[int]) -> int:
        """A place, with probability in proportion to its weight."""


@final
class SecretPicks:
    """Exact picks by the system's bits."""

    __slots__ = ()

    def pick(self, weights: Sequence[int]) -> int:
        """The place in which a uniform whole number below the sum of all weights falls."""
        ends = list(accumulate(weights))
        return bisect_right(ends, below(ends[-1], SecretBits()))


SECRET = SecretPicks()


@dataclass(frozen=True)
class DirichletHomes:
    """As many synthetic homes as `draws` says, by the prior weight of each area.

    `draws` must be public or released: the true number of workers would be published with it.
    """

    prior: tuple[Fraction, ...]
    draws: int

    def __post_init__(self) -> None:
        if not self.prior or min(self.prior) <= 0 or self.draws < 0:
            raise InvalidParameter(
                "prior, draws",
                rule="must be a weight above 0 for every area, empty ones too, and a number of "
                "homes that is not negative",
                value=f"{shown(min(self.prior, default=None))}, {shown(self.draws)}",
                next_step="Take DirichletHomes.calibrated.",
            )
        if (sum(self.prior) + self.draws) * self._unit > MOST:
            raise InvalidParameter(
                "prior, draws",
                rule=f"must be below {MOST} in units of the prior",
                value="more",
                next_step="Take fewer draws or areas, or a larger epsilon.",
            )

    @classmethod
    def calibrated(cls, areas: int, draws: int, epsilon: Number) -> Self:
        """The least equal prior that protects a mover at ε: m/(e^ε − 1) in every area."""
        with precision(128):
            least = dyadic_up(draws / ball(positive(epsilon, "epsilon")).expm1(), BITS)
        return cls((max(least, Fraction(1, 1 << BITS)),) * areas, draws)

    def protects(self, epsilon: Number) -> bool:
        """Whether 1 + m/aᵢ ≤ e^ε for every area."""
        wanted, worst = positive(epsilon, "epsilon"), 1 + self.draws / min(self.prior)
        return at_most(lambda: ball(worst), lambda: ball(wanted).exp())

    def release(self, counts: Sequence[int]) -> list[int]:
        """Synthetic homes by area, of a workplace group with these homes."""
        return self._release(counts, SECRET)

    def _release(self, counts: Sequence[int], picks: Picks) -> list[int]:
        """Pólya's urn: whatever is drawn is put back with one more of its kind."""
        unit, pairs = self._unit, zip(counts, self.prior, strict=True)
        weights = [int((count + prior) * unit) for count, prior in pairs]
        drawn = [0] * len(weights)
        for _ in range(self.draws):
            area = picks.pick(weights)
            drawn[area] += 1
            weights[area] += unit
        return drawn

    @property
    def _unit(self) -> int:
        """What a worker weighs, so that all weights are whole."""
        return lcm(*(prior.denominator for prior in self.prior))
