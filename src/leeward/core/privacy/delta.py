"""Delta: how large it may be, told from the number of establishments alone.

A mechanism that publishes one of n records as it is, chosen by chance, has δ = 1/n. So [H15] asks
for δ < 1/n. How many jobs there are is confidential; a hundred for each establishment is a public
number that is larger.
"""

from fractions import Fraction
from math import ceil

from leeward.core.errors import InvalidParameter, shown

JOBS_EACH = 100
PLENTY = 10**12
"""More establishments than any frame has."""

REASON = (
    "a delta of 1/n allows one of n jobs to be published as it is (Haney et al. 2015); n is "
    "confidential, and a hundred jobs for each establishment bound it"
)


def most_establishments(delta: Fraction) -> int:
    """The largest frame for which a δ above 0 is small enough: E with δ < 1/(100 E)."""
    return ceil(1 / (JOBS_EACH * delta)) - 1


def delta_rule(delta: Fraction) -> str:
    """The rule in words, for whoever does not know the frame yet; δ is above 0."""
    most = most_establishments(delta)
    frames = f"at most {most:,} establishments" if most < PLENTY else "any number of them"
    return (
        "Delta must be below 1/(100 × establishments of the frame), which this one is for "
        f"{frames}: {REASON}."
    )


def too_large(
    parameter: str, delta: Fraction, establishments: int, next_step: str
) -> InvalidParameter | None:
    """The refusal of a δ for the size of a frame in establishments; a δ of 0 is never refused."""
    if delta == 0 or establishments <= most_establishments(delta):
        return None
    return InvalidParameter(
        parameter,
        rule=f"must be below 1/(100 × establishments of the frame): {REASON}",
        value=f"{shown(delta)} for {establishments} establishments",
        next_step=next_step,
    )
