"""Number: counts, shares, margins and losses as a report writes them.

A no-break space keeps a number and its unit on one line.
"""

from fractions import Fraction
from math import floor

from leeward.bundle import LeftStatement, PromiseStatement, ReleaseGuarantee, TableGuarantee
from leeward.privacy.words import alpha_text, number_text
from leeward.report.summary import Range

MILLION = 10**6

Losses = TableGuarantee | ReleaseGuarantee | PromiseStatement | LeftStatement


def count(number: int) -> str:
    """1,234 or −1,234."""
    return f"{number:,}".replace("-", "−")


def counted(number: int, noun: str) -> str:
    """`1 table`, `2 tables`."""
    return f"{count(number)} {noun}" if number == 1 else f"{count(number)} {noun}s"


def share(part: int, whole: int) -> str:
    """A share in per cent; a share above 0 is never rounded to 0, nor one below 1 to 100."""
    if whole == 0 or part in (0, whole):
        return "0\u00a0%" if part == 0 else "100\u00a0%"
    percent = 100 * part / whole
    if percent < 0.1:
        return "less than 0.1\u00a0%"
    return "more than 99.9\u00a0%" if percent > 99.9 else f"{percent:.1f}\u00a0%"


def margin(width: Range | None) -> str:
    """A margin in jobs, or the range that holds it."""
    if width is None:
        return "none"
    if width.low == width.high:
        return count(width.low)
    return f"{count(width.low)} to {count(width.high)}"


def losses(given: Losses) -> str:
    """The losses ε, δ and ρ; those that are 0 are left out, unless all are."""
    named = {"ε": given.epsilon, "δ": given.delta, "ρ": getattr(given, "rho", "0")}
    told = [f"{letter}\u00a0{loss(text)}" for letter, text in named.items() if text != "0"]
    return ", ".join(told) or "ε\u00a00"


def loss(text: str) -> str:
    """An exact loss as it is read: a short decimal, else rounded up to three digits."""
    return number_text(Fraction(text))


def amount_left(text: str) -> str:
    """What is left, which is never rounded up."""
    number = Fraction(text)
    short = number if number * 10**9 % 1 == 0 else Fraction(floor(number * MILLION), MILLION)
    return alpha_text(short)


def alpha(text: str | None) -> str:
    """α, exactly."""
    return alpha_text(None if text is None else Fraction(text))
