"""Yearly epsilons: what the counts and means of people who left an institution cost in a year.

ε = Σ_t (ε_emp,t + ε_earn,t), where count and mean of a cell are drawn apart; one ε_t for both where
they are drawn together.
"""

from dataclasses import dataclass
from fractions import Fraction

from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.apd import ApdTarget

CAP_IN_MEANS = 3
"""The planned cap in mean pays, for a target."""

DIGITS = 1000
"""A computed ε is rounded up to a thousandth."""


@dataclass(frozen=True)
class YearlyEpsilons:
    """ε of a year's counts, of its means, and of both where they are drawn together."""

    counts: Fraction = Fraction(1, 10)
    means: Fraction = Fraction(3, 10)
    together: Fraction = Fraction(4, 10)

    @classmethod
    def read(cls, written: str | None, size: int | None) -> "YearlyEpsilons":
        """The usual ones, or about the least that reach a target in cells of a planned size."""
        if written is None:
            return cls()
        target = ApdTarget.read(written)
        if size is None:
            raise InvalidParameter(
                "--size",
                rule="must be given beside --target: the number of people in a cell that should "
                "reach it, from figures that are published already",
                value="nothing",
                next_step="Write --size 30, never a count of these data.",
            )
        both = _rounded(target.mean_and_count(size, CAP_IN_MEANS))
        return cls(_rounded(target.count(size)), both, both)


def _rounded(epsilon: Fraction) -> Fraction:
    return Fraction(-(-epsilon.numerator * DIGITS // epsilon.denominator), DIGITS)
