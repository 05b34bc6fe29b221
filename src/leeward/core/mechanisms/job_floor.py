"""The floor that a cap on one job asks for: the smallest Δ of the noise at which it is kept.

It follows from α, ε, the cap and public figures, so it is as public as they are.
"""

from collections.abc import Callable
from fractions import Fraction

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import three_digits_up
from leeward.core.privacy.policy import MOST_PLUS

STEP = Fraction(1, 1 << 32)
"""The grid of floors."""

Cost = Callable[[Fraction], Fraction]
"""What one job costs at most with this floor; it never rises with the floor."""


def floor_for(cost: Cost, plus: int, cap: Fraction, *, name: str, of: str = "") -> Fraction:
    """The smallest Δ ≥ `plus` on the grid with cost(Δ) ≤ cap; rejects a cap that none keeps.

    `name` and `of` are the mechanism and what it is for, in the message.
    """
    low, high = Fraction(plus), Fraction(plus)
    while cost(high) > cap:
        if high >= MOST_PLUS:
            smallest = f"{three_digits_up(cost(high)):f}"
            raise InvalidParameter(
                "epsilon_job",
                rule=f"must be at least what one job costs with a floor of {high} jobs ({name})",
                value=shown(cap) + of,
                next_step=f"Give one job at least {smallest} here, or use another mechanism.",
            )
        low, high = high, min(2 * high, Fraction(MOST_PLUS))
    while high - low > STEP:
        middle = low + ((high - low) / 2 // STEP) * STEP
        low, high = (middle, high) if cost(middle) > cap else (low, middle)
    return high
