"""Number: how plain pictures write numbers, in full and in short."""

from fractions import Fraction

UNITS = ((10**3, "k"), (10**6, "M"), (10**9, "bn"), (10**12, "tn"))
LONGEST_FRACTION = 11


def full(value: int) -> str:
    """Every digit: 1,234 or −1,234."""
    return f"{value:,}".replace("-", "−")


def short(value: int) -> str:
    """Two or three digits: 999, 1.2k, 12k, 123k, 1.2M."""
    size, sign = abs(value), "−" if value < 0 else ""
    if size < 1000:
        return f"{sign}{size}"
    for unit, letter in UNITS:
        tenths = (size * 10 + unit // 2) // unit
        if tenths < 100:
            return f"{sign}{tenths // 10}.{tenths % 10}{letter}"
        whole = (size + unit // 2) // unit
        if whole < 1000 or letter == UNITS[-1][1]:
            return f"{sign}{min(whole, 9999)}{letter}" if whole < 10**4 else f"{sign}>9999{letter}"
    raise AssertionError


def round_number(value: float) -> str:
    """A round number of an axis: 500, 2,500, 10k, 1.5M; no digit of it is lost."""
    size, sign = abs(value), "−" if value < 0 else ""
    unit, letter = next(((u, c) for u, c in reversed(UNITS) if size >= u * 10), (1, ""))
    return f"{sign}{size / unit:,.6f}".rstrip("0").rstrip(".") + letter


def exact(value: Fraction) -> str:
    """A loss: the decimal where it is short, else the fraction, else about so much."""
    size, sign = abs(value), "−" if value < 0 else ""
    decimal = f"{float(round(size, 6)):,.6f}".rstrip("0").rstrip(".")
    if round(size, 6) == size:
        return sign + decimal
    fraction = sign + str(size)
    return fraction if len(fraction) <= LONGEST_FRACTION else f"about {sign}{decimal}"
