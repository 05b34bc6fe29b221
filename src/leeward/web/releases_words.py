"""Words: how the templates of Releases and Ledger write numbers, sizes and times.

Templates are given this module as `say`.
"""

from fractions import Fraction

from leeward.privacy.words import alpha_text
from leeward.report.number import alpha, amount_left, count, counted, losses

__all__ = ["alpha", "amount_left", "cases", "count", "counted", "losses", "size", "time"]

UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def size(number: int) -> str:
    """Bytes in the unit that leaves few digits."""
    amount, unit = float(number), 0
    while amount >= 1000 and unit < len(UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.3g} {UNITS[unit]}" if amount < 999.5 else f"{amount:.0f} {UNITS[unit]}"


def cases(share: Fraction) -> str:
    """How often something holds: in tenths where they say it exactly."""
    tenths = share * 10
    return f"{tenths} in 10 cases" if tenths.denominator == 1 else f"{alpha_text(share)} of cases"


def time(written: str) -> str:
    """A time as certificates and ledgers write it, for a person: they all write UTC."""
    day, _, clock = written.partition("T")
    return f"{day} {clock[:5]} UTC" if clock else day
