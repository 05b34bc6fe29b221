"""Sentence: numbers, shares and lists as people write them."""

from collections.abc import Iterable
from math import floor, isfinite, log10

NOTHING = "–"
DIGITS = 3
"""What a reader can use; the files have all of them."""


def number(value: float | None) -> str:
    """Three digits that matter, thousands separated, never an exponent; a dash for nothing."""
    if value is None or not isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    rounded = float(f"{value:.{DIGITS}g}")
    after = max(0, DIGITS - 1 - floor(log10(abs(rounded))))
    text = f"{rounded:,.{after}f}"
    return text.rstrip("0").rstrip(".") if after else text


def share(value: float | None) -> str:
    """A share in per cent."""
    return NOTHING if value is None or not isfinite(value) else f"{number(100 * value)} %"


def correlation(value: float | None) -> str:
    """Three decimals: what matters of a correlation is how far it is from 1."""
    return NOTHING if value is None or not isfinite(value) else f"{value:.3f}"


def several(count: int, noun: str) -> str:
    """A count with its noun, in the plural if need be."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(words: Iterable[str], last: str = "and") -> str:
    """Words as a list: "a, b and c"."""
    every = list(words)
    return f" {last} ".join([*([", ".join(every[:-1])] if every[:-1] else []), *every[-1:]])


def opened(text: str) -> str:
    """The text as the beginning of a sentence or heading."""
    return text[:1].upper() + text[1:]
