"""Odds: what an ε means to a suspicion of one in a hundred."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from leeward.exact import START_BITS, ball, exact_value, precision

if TYPE_CHECKING:
    from leeward.privacy.guarantee import Guarantee

OF = 100
"""A suspicion of one in so many."""

CALM, ATTENTION = 10, 50
"""The largest results that need no attention, and that are of use at all."""

SURE = 10
"""From this ε on the result is rounded up to 100: e^ε is above 99²."""

Level = Literal["calm", "attention", "no useful bound"]


@dataclass(frozen=True)
class Odds:
    """A suspicion of 1 in 100 becomes at most `to` in 100, rounded up."""

    to: int

    @property
    def level(self) -> Level:
        """How much attention the number needs."""
        if self.to <= CALM:
            return "calm"
        return "attention" if self.to <= ATTENTION else "no useful bound"

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {"from": 1, "of": OF, "to": self.to, "level": self.level}


def odds(guarantee: "Guarantee") -> Odds | None:
    """What becomes of a suspicion about one job; None where δ or ρ leaves no such bound."""
    if guarantee.delta > 0 or guarantee.rho > 0:
        return None
    return Odds(_posterior_up(guarantee.for_jobs(1).epsilon))


def _posterior_up(epsilon: Fraction) -> int:
    """⌈100·e^ε/(99+e^ε)⌉, by Bayes' rule from prior odds of 1 to 99."""
    if epsilon > SURE:
        return OF
    # e^ε is irrational for a rational ε above 0, so the ceiling is decided at some precision.
    bits = START_BITS
    while True:
        with precision(bits):
            factor = ball(epsilon).exp()
            rounded = (OF * factor / (OF - 1 + factor)).ceil()
            if rounded.rad() == 0:
                return int(exact_value(rounded))
        bits *= 2
