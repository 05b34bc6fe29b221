"""Numbers: counts, shares, losses, sizes and times as text, the same on every page and command.

A no-break space keeps a number and its unit on one line.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import floor, isfinite, log10
from typing import Protocol, TypeAlias

from leeward.core.exact import alpha_text, number_text

NOTHING = "–"
MOST_LETTERS = 300
"""Maximum length of a label; shorter ones wrap."""

DIGITS = 3
"""Significant digits of a rounded number."""

MILLION, BILLION = 10**6, 10**9
BYTES = ("bytes", "kB", "MB", "GB", "TB", "PB")
UNITS = ((10**3, "k"), (10**6, "M"), (10**9, "bn"), (10**12, "tn"))


class Losses(Protocol):
    """A statement of ε and δ as exact texts; some statements have ρ too."""

    @property
    def epsilon(self) -> str:
        """ε as an exact text."""

    @property
    def delta(self) -> str:
        """δ as an exact text."""


def crossed(names: Iterable[str]) -> str:
    """The attributes of a table: place × sex; a table without any is one total."""
    return " × ".join(names) or "one total"


BEYOND_USE = 10**12
"""A margin of this many jobs or more is of no use, and its digits are not shown."""


def count(number: int) -> str:
    """Every digit: 1,234 or −1,234."""
    return f"{number:,}".replace("-", "−")


def bounded(number: int) -> str:
    """A count of which only the size matters where it is beyond all use."""
    return count(number) if number < BEYOND_USE else "over 10^12"


def counted(number: int, noun: str) -> str:
    """`1 table`, `2 tables`."""
    return f"{count(number)} {noun}" if number == 1 else f"{count(number)} {noun}s"


NO_MARGIN = "no margin"


Ends: TypeAlias = tuple[int | None, int | None]
"""The lowest and the highest number that a value may stand for; None where nothing bounds it."""


def reach(value: int, ends: Ends) -> str:
    """How far off a value may be: ± where both sides are alike, else from where to where."""
    low, high = ends
    if low is None or high is None:
        known = "at most" if low is None else "at least"
        return NO_MARGIN if low is high else f"{known} {count(low or high or 0)}"
    if value - low == high - value:
        return f"± {count(high - value)}"
    return f"{count(low)} to {count(high)}"


def short(number: int) -> str:
    """Two or three digits: 999, 1.2k, 12k, 123k, 1.2M."""
    size, sign = abs(number), "−" if number < 0 else ""
    if size < 1000:
        return f"{sign}{size}"
    unit, letter = next((named for named in UNITS if size < 999.5 * named[0]), UNITS[-1])
    amount = size / unit
    return f"{sign}{amount:.1f}{letter}" if amount < 9.95 else f"{sign}{amount:,.0f}{letter}"


def tick(number: float) -> str:
    """A round number of an axis with all its digits: 500, 2,500, 10k, 1.5M."""
    size, sign = abs(number), "−" if number < 0 else ""
    units = [named for named in UNITS if size >= max(named[0], 10**4)]
    unit, letter = units[-1] if units else (1, "")
    return f"{sign}{f'{size / unit:,.6f}'.rstrip('0').rstrip('.')}{letter}"


def significant(value: float | None) -> str:
    """Three digits, thousands separated, never an exponent; a dash for a missing number."""
    if value is None or not isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    rounded = float(f"{value:.{DIGITS}g}")
    after = max(0, DIGITS - 1 - floor(log10(abs(rounded))))
    text = f"{rounded:,.{after}f}"
    return text.rstrip("0").rstrip(".") if after else text


def percent(value: float | None) -> str:
    """A share in per cent with three digits; a dash for a missing number."""
    missing = value is None or not isfinite(value)
    return NOTHING if missing else f"{significant(100 * (value or 0.0))}\u00a0%"


def rank_text(ranks: tuple[int, int] | None) -> str:
    """A set of ranks as text; empty where there is none."""
    if ranks is None:
        return ""
    first, last = ranks
    return count(first) if first == last else f"{count(first)}–{count(last)}"


def share(part: int, whole: int) -> str:
    """A share in per cent; a share above 0 is never rounded to 0, nor one below 1 to 100."""
    if whole == 0 or part in (0, whole):
        return "0\u00a0%" if part == 0 else "100\u00a0%"
    hundredths = 100 * part / whole
    if hundredths < 0.1:
        return "less than 0.1\u00a0%"
    return "more than 99.9\u00a0%" if hundredths > 99.9 else f"{hundredths:.1f}\u00a0%"


def correlation(value: float | None) -> str:
    """Three decimals; a dash for a missing number."""
    return NOTHING if value is None or not isfinite(value) else f"{value:.3f}"


def error(number: float | None) -> str:
    """A mean error, in the unit of its table."""
    if number is None:
        return "no mean"
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def size(number: int) -> str:
    """Bytes in the unit that leaves few digits."""
    amount, unit = float(number), 0
    while amount >= 1000 and unit < len(BYTES) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.3g} {BYTES[unit]}" if amount < 999.5 else f"{amount:.0f} {BYTES[unit]}"


def time(written: str) -> str:
    """An ISO time in UTC, to the minute."""
    day, _, clock = written.partition("T")
    return f"{day} {clock[:5]} UTC" if clock else day


def cases(part: Fraction) -> str:
    """How often something holds: in tenths where these are exact."""
    tenths = part * 10
    return f"{tenths} in 10 cases" if tenths.denominator == 1 else f"{alpha_text(part)} of cases"


def listed(words: Iterable[str], last: str = "and") -> str:
    """Words as a list: "a, b and c"."""
    every = list(words)
    return f" {last} ".join([*([", ".join(every[:-1])] if every[:-1] else []), *every[-1:]])


def capital(text: str) -> str:
    """A text with a capital first letter, for the beginning of a sentence or heading."""
    return text[:1].upper() + text[1:]


def cut(text: str) -> str:
    """A label of at most MOST_LETTERS; somebody else's bundle may have longer ones."""
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1].rstrip() + "…"


def tied(text: str) -> str:
    """A text whose signs `=` and `>` stay on one line with what they compare."""
    return text.replace(" = ", "\u00a0=\u00a0").replace(" > ", "\u00a0>\u00a0")


def losses(given: Losses) -> str:
    """The losses ε, δ and ρ; those that are 0 are left out, unless all are."""
    named = {"ε": given.epsilon, "δ": given.delta, "ρ": getattr(given, "rho", "0")}
    shown = [f"{letter}\u00a0{loss(text)}" for letter, text in named.items() if text != "0"]
    job = getattr(given, "epsilon_job", None)
    beside = f" (ε\u00a0{loss(job)} for one job)" if job not in (None, "0") else ""
    return (", ".join(shown) or "ε\u00a00") + beside


def loss(text: str) -> str:
    """An exact loss for a reader: a short decimal, else rounded up to three digits."""
    return number_text(Fraction(text))


def amount_left(text: str) -> str:
    """The rest of a budget, which is never rounded up."""
    number = Fraction(text)
    exact = number * BILLION % 1 == 0
    return alpha_text(number if exact else Fraction(floor(number * MILLION), MILLION))


class Rest(Protocol):
    """A statement of what is left of a budget."""

    @property
    def epsilon(self) -> str:
        """ε as an exact text."""

    @property
    def delta(self) -> str:
        """δ as an exact text."""

    @property
    def rho(self) -> str | None:
        """ρ as an exact text; None where the cap is not in ρ."""


def rest(left: Rest) -> str:
    """What is left of a budget: ρ of a cap in ρ, else ε, and δ and ρ where some is."""
    rho = "" if left.rho is None else f"ρ\u00a0{amount_left(left.rho)}"
    if rho and left.epsilon == left.delta == "0":
        return rho
    delta = "" if left.delta == "0" else f", δ\u00a0{amount_left(left.delta)}"
    job = getattr(left, "epsilon_job", None)
    beside = "" if job is None else f" (ε\u00a0{amount_left(job)} for one job)"
    return f"ε\u00a0{amount_left(left.epsilon)}{delta}{rho and f', {rho}'}{beside}"


def alpha(text: str | None) -> str:
    """α, exactly."""
    return alpha_text(None if text is None else Fraction(text))


class Protection(Protocol):
    """A statement of a policy with its α, Δ and unit, None where there is none or the usual."""

    @property
    def policy(self) -> str:
        """The name of the policy."""

    @property
    def alpha(self) -> str | None:
        """α as an exact text."""

    @property
    def plus(self) -> int | None:
        """Δ, if it is above 1."""

    @property
    def unit(self) -> str | None:
        """The unit, if it is not the establishment."""


def protected(given: Protection) -> str:
    """What is protected: the policy with its α, and its Δ and unit where they are unusual."""
    growth = "" if given.alpha is None else f", α\u00a0{alpha(given.alpha)}"
    plus = "" if given.plus is None else f", Δ\u00a0{counted(given.plus, 'job')}"
    unit = "" if given.unit is None else f", unit\u00a0{given.unit}"
    return f"{given.policy}{growth}{plus}{unit}"
