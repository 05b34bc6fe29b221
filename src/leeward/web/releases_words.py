"""Words: how the templates of Releases and Ledger write numbers, sizes and times.

Templates are given this module as `say`.
"""

from leeward.report.number import alpha, amount_left, count, counted, losses

__all__ = ["alpha", "amount_left", "count", "counted", "losses", "size", "time"]

UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def size(number: int) -> str:
    """Bytes in the unit that leaves few digits."""
    amount, unit = float(number), 0
    while amount >= 1000 and unit < len(UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.3g} {UNITS[unit]}" if amount < 999.5 else f"{amount:.0f} {UNITS[unit]}"


def time(written: str) -> str:
    """A time as certificates and ledgers write it, for a person: they all write UTC."""
    day, _, clock = written.partition("T")
    return f"{day} {clock[:5]} UTC" if clock else day
