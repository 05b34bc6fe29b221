"""Text: labels of any origin cleaned, measured and cut to their room; numbers as text."""

import re
from fractions import Fraction
from functools import lru_cache
from html import escape
from unicodedata import category, combining, east_asian_width, normalize

ELLIPSIS = "…"
LONGEST = 2000
"""Maximum length of a text in characters."""

ACCENTS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
STACK = re.compile(f"({ACCENTS}{{2}}){ACCENTS}+")
"""Stacked accents, which would cover the lines above: two are kept."""

UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
TURNING = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
"""Control characters of the writing direction, which would reorder neighbouring labels."""

WIDTHS = {
    "ijl.,:;'|!·": 0.28,
    " It/f\\[]": 0.3,
    'r()-`{}"': 0.37,
    "*^": 0.47,
    "ckszvxyJ": 0.51,
    "FTZ": 0.62,
    "ABEKPSVXY&": 0.68,
    "CDHNRUw": 0.73,
    "GOQ": 0.79,
    "mM": 0.84,
    "W%": 0.95,
    "@…": 1.02,
    "−±+<>=~": 0.59,
    "–": 0.56,
}
SHARES = {letter: share for letters, share in WIDTHS.items() for letter in letters}
UNITS = ((10**3, "k"), (10**6, "M"), (10**9, "bn"), (10**12, "tn"))
LARGEST = 10**18
"""Numbers from here on are not written in digits."""

LONGEST_FRACTION = 11


def cleaned(text: str) -> str:
    """One line of text that XML can hold."""
    kept = TURNING.sub("", UNUSABLE.sub("\ufffd", text[:LONGEST]))
    return " ".join(STACK.sub(r"\1", kept).split())


def escaped(text: str) -> str:
    """A text for the inside of an element or an attribute."""
    return escape(cleaned(text))


def width(text: str, size: float = 12) -> float:
    """The width of a text in units, estimated rather too large than too small."""
    return size * sum(_share(letter) for letter in text)


@lru_cache(maxsize=4096)
def _share(letter: str) -> float:
    """The width of a letter, as a share of the size of the text."""
    if letter in SHARES:
        return SHARES[letter]
    if letter.isascii():
        return 0.56
    parts = normalize("NFKD", letter)  # a ligature is as wide as its letters
    if len(parts) > 1:
        return sum(_share(part) for part in parts)
    if combining(letter) or category(letter) in {"Mn", "Me", "Cf"}:
        return 0.0
    if category(letter) in {"So", "Sk"}:
        return 1.4
    return 1.05 if east_asian_width(letter) in {"W", "F"} else 0.75


def fitted(text: str, room: float, size: float = 12) -> str:
    """The text, or as much of its beginning as fits with an ellipsis."""
    whole = cleaned(text)
    if width(whole, size) <= room and len(whole) <= room:
        return whole
    left, kept = room - width(ELLIPSIS, size), 0
    for letter in whole[: int(room)]:
        left -= width(letter, size)
        if left < 0:
            break
        kept += 1
    while kept and _belongs(whole[kept : kept + 1]):
        kept -= 1
    return whole[:kept].rstrip() + ELLIPSIS


def _belongs(letter: str) -> bool:
    """Whether a letter is combined with the one before it."""
    return bool(letter) and (combining(letter) > 0 or category(letter) in {"Mn", "Me", "Cf", "Sk"})


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
    """Digits before the point alone: 999, 1k, 12k, 123k, 1M."""
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
    """A loss as a short decimal, else as a short fraction, else rounded with "about"."""
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
    """The unit that leaves at most three digits before the point."""
    if size < 1000:
        return 1, ""
    return next((one for one in UNITS if _divided(size, one[0]) < 1000), UNITS[-1])


def _divided(size: int, unit: int) -> int:
    """Rounded to the nearest, halves up."""
    return (size + unit // 2) // unit
