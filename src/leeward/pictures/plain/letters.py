"""Letters: text from anywhere made harmless, measured, and cut to the room there is."""

import re
from functools import lru_cache
from html import escape
from unicodedata import category, combining, east_asian_width, normalize

ELLIPSIS = "…"
LONGEST = 2000
"""Letters of a text that is kept whole beside its cut form."""
ACCENTS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
STACK = re.compile(f"({ACCENTS}{{2}}){ACCENTS}+")
"""Accents upon accents, which would grow over the lines above: two are kept."""
UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
TURNING = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
"""Marks that turn the direction of writing: a label may be Arabic, but not turn its neighbours."""
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
    "⸺": 2.1,
    "⸻": 3.1,
    "﷽𒐫": 11.0,
}
SHARES = {letter: share for letters, share in WIDTHS.items() for letter in letters}


def cleaned(text: str) -> str:
    """One line of text that XML can hold."""
    kept = TURNING.sub("", UNUSABLE.sub("\ufffd", text[:LONGEST]))
    return " ".join(STACK.sub(r"\1", kept).split())


def escaped(text: str) -> str:
    """A text for the inside of an element or an attribute."""
    return escape(cleaned(text))


def width(text: str, size: float = 12) -> float:
    """How wide a text is about, in units of the picture; rather too wide than too narrow."""
    return size * sum(_share(letter) for letter in text)


@lru_cache(maxsize=4096)
def _share(letter: str) -> float:
    """The width of a letter, as a share of the size of the text."""
    if letter in SHARES:
        return SHARES[letter]
    if letter.isascii():
        return 0.56
    parts = normalize("NFKD", letter)  # one sign may stand for a whole sentence
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
    """Whether a letter stands upon the one before it."""
    return bool(letter) and (combining(letter) > 0 or category(letter) in {"Mn", "Me", "Cf", "Sk"})
