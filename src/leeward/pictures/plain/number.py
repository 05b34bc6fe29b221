"""Number: how plain pictures write numbers, in full and in short."""

from fractions import Fraction

UNITS = ((10**3, "k"), (10**6, "M"), (10**9, "bn"), (10**12, "tn"))
LARGEST = 10**18
"""From here on nobody counts digits, and a file may hold thousands of them."""
LONGEST_FRACTION = 11


def full(value: int) -> str:
    """Every digit: 1,234 or −1,234."""
    return _beyond(value) or f"{_sign(value)}{abs(value):,}"


def short(value: int) -> str:
    """Two or three digits: 999, 1.2k, 12k, 123k, 1.2M."""
    unit, letter = _unit(abs(value))
    tenths = _divided(10 * abs(value), unit)
    if unit == 1 or tenths >= 100:
        return shortest(value)
    return f"{_sign(value)}{tenths // 10}.{tenths % 10}{letter}"


def shortest(value: int) -> str:
    """As many digits as stand before the point: 999, 1k, 12k, 123k, 1M."""
    unit, letter = _unit(abs(value))
    return _beyond(value) or f"{_sign(value)}{_divided(abs(value), unit):,}{letter}"


def round_number(value: float) -> str:
    """A round number of an axis: 500, 2,500, 10k, 1.5M; no digit of it is lost."""
    size = abs(value)
    units = [one for one in UNITS if size >= max(one[0], 10**4)]
    unit, letter = units[-1] if units else (1, "")
    digits = f"{size / unit:,.6f}".rstrip("0").rstrip(".")
    return f"{_sign(value)}{digits}{letter}"


def exact(value: Fraction) -> str:
    """A loss: the decimal where it is short, else the fraction, else about so much."""
    size, sign = abs(value), _sign(value)
    if size >= LARGEST:
        return f"about {sign}10¹⁸ or more"
    millionths = round(size * 10**6)
    whole, rest = divmod(millionths, 10**6)
    decimal = f"{sign}{whole:,}.{rest:06d}".rstrip("0").rstrip(".")
    if millionths == size * 10**6:
        return decimal
    terms = max(size.numerator, size.denominator)
    fraction = f"{sign}{size}" if terms < 10**LONGEST_FRACTION else ""
    return fraction if 0 < len(fraction) <= LONGEST_FRACTION else f"about {decimal}"


def _sign(value: float | Fraction) -> str:
    return "−" if value < 0 else ""


def _beyond(value: int) -> str:
    if abs(value) < LARGEST:
        return ""
    return "over 10¹⁸" if value > 0 else "under −10¹⁸"


def _unit(size: int) -> tuple[int, str]:
    """The unit in which at most three digits stand before the point."""
    if size < 1000:
        return 1, ""
    return next((one for one in UNITS if _divided(size, one[0]) < 1000), UNITS[-1])


def _divided(size: int, unit: int) -> int:
    """Rounded to the nearest, halves up."""
    return (size + unit // 2) // unit
