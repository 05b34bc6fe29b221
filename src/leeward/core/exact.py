"""Exact numbers: rationals for what is promised, balls for what is irrational.

A ball (Arb, through python-flint) is an interval that certainly contains the real number it
stands for. Names say which way a result is rounded: `_down` never exceeds the true value,
`_up` never falls below it.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isqrt
from numbers import Integral
from threading import RLock
from typing import TypeAlias, TypeGuard

from flint import arb, ctx, fmpq

from leeward.core.errors import InvalidParameter, shown

Number: TypeAlias = str | int | Fraction
"""What a user may write for a number that a guarantee depends on. Never a float."""

SLACK = Fraction(1, 2**40)
"""Calibration aims at ε(1 - SLACK), so that rounding constants can never reach past ε."""

BILLION = 10**9
LONGEST_FRACTION = 40
"""Maximum length of a fraction that is written out, in characters."""

NUMBER = re.compile(r"[+-]?([0-9]{1,200}(\.[0-9]{0,200})?|\.[0-9]{1,200})([eE][+-]?[0-9]{1,3})?")
RATIO = re.compile(r"[+-]?[0-9]{1,200}/[0-9]{1,200}")
"""What text may be a number: plain digits, and no exponent that fills the memory."""

MOST_DIGITS = 4000

_ALONE = RLock()

START_BITS = 96
MOST_BITS = 1 << 17


def rational(value: Number, parameter: str) -> Fraction:
    """Read a number exactly as written; a float is refused since it is not what was meant."""
    number = None
    if isinstance(value, str) and (NUMBER.fullmatch(value) or RATIO.fullmatch(value)):
        with suppress(ZeroDivisionError):
            number = Fraction(value)
    elif isinstance(value, (Fraction, int)) and not isinstance(value, bool):
        bits = value.numerator.bit_length() + value.denominator.bit_length()
        number = Fraction(value) if bits <= 3 * MOST_DIGITS else None
    if number is None:
        raise InvalidParameter(
            parameter,
            rule="must be an exact number: text such as '0.1' or '1/10', an int or a Fraction",
            value=f"{shown(value)} ({type(value).__name__})",
            next_step=f"Write {parameter} as text.",
        )
    return number


def printed(text: str) -> Fraction:
    """A fraction as `str` prints it, of any length that Python reads; ValueError for other texts.

    `rational` reads what people write and stops at 200 digits; computed numbers have more.
    """
    top, _, bottom = text.partition("/")
    if bottom and not int(bottom):
        raise ValueError("a fraction over zero")
    return Fraction(int(top), int(bottom or 1))


def positive(value: Number, parameter: str) -> Fraction:
    """Read an exact number that must be above zero."""
    number = rational(value, parameter)
    if number <= 0:
        raise InvalidParameter(
            parameter,
            rule="must be above 0",
            value=shown(number),
            next_step="Give a positive number.",
        )
    return number


def probability(p: str | float | Fraction, parameter: str = "p") -> Fraction:
    """Read a number strictly between 0 and 1; no guarantee depends on it, so floats will do."""
    try:
        share = Fraction(p) if isinstance(p, float) else rational(p, parameter)
    except (ValueError, OverflowError):
        share = Fraction(0)
    if not 0 < share < 1:
        raise InvalidParameter(
            parameter,
            rule="must be above 0 and below 1",
            value=shown(p),
            next_step="Use '0.9' for 90 percent.",
        )
    return share


def whole_number(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number; True and False are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def whole_within(
    value: object, parameter: str, least: int, most: int | None = None, *, next_step: str
) -> int:
    """Read a whole number in a range; without `most` its upper end is open."""
    if not whole_number(value) or value < least or (most is not None and value > most):
        raise InvalidParameter.not_whole(parameter, value, least, most, next_step=next_step)
    return int(value)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute balls with this many bits inside the block.

    The working precision belongs to the whole process, so other threads wait meanwhile.
    """
    with _ALONE:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


def ball(number: Fraction | int) -> arb:
    """A ball around a rational, as narrow as the working precision allows."""
    if isinstance(number, int):
        return arb(number)
    return arb(fmpq(number.numerator, number.denominator))


def log_growth(alpha: Fraction) -> arb:
    """λ = ln(1+α)."""
    return ball(alpha).log1p()


def exact_value(point: arb) -> Fraction:
    """The rational that an exact ball (radius zero) holds."""
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def dyadic_down(value: arb, bits: int = 64) -> Fraction:
    """The largest multiple of 2^-bits that is certainly at most the value."""
    scaled = value * arb(2) ** bits
    return exact_value(scaled.lower().floor()) / (1 << bits)


def dyadic_up(value: arb, bits: int = 64) -> Fraction:
    """The smallest multiple of 2^-bits that is certainly at least the value."""
    return -dyadic_down(-value, bits)


def root_up(number: int) -> Fraction:
    """A rational just above √number."""
    return Fraction(isqrt(number << 64) + 1, 1 << 32)


def decide(question: Callable[[], bool | None]) -> bool:
    """Ask with more and more bits until the balls are narrow enough to answer."""
    bits = START_BITS
    while bits <= MOST_BITS:
        with precision(bits):
            answer = question()
        if answer is not None:
            return answer
        bits *= 2
    return False


def at_most(left: Callable[[], arb], right: Callable[[], arb]) -> bool:
    """Whether left ≤ right for certain; equality that no precision can show counts as no."""

    def compare() -> bool | None:
        low, high = left(), right()
        if low <= high:
            return True
        return False if low > high else None

    return decide(compare)


def three_digits_up(value: arb | Fraction) -> Decimal:
    """A number rounded up to three significant digits: the smallest value to recommend."""
    point = exact_value(value.upper()) if isinstance(value, arb) else value
    context = Context(prec=3, rounding=ROUND_CEILING)
    return context.divide(Decimal(point.numerator), Decimal(point.denominator))


def alpha_text(number: Fraction | None) -> str:
    """A number that must not be rounded up: a short decimal or the fraction itself."""
    return "none" if number is None else _decimal(number) or str(number)


def number_text(number: Fraction) -> str:
    """A loss: a short decimal where it is exact, otherwise rounded up to three digits."""
    return _decimal(number) or f"{three_digits_up(number):f}"


def exact_text(number: Fraction) -> str:
    """An exact number and a decimal that is never above it: '3/2 (1.5)', '1/3 (about 0.333333)'."""
    context = Context(prec=6, rounding=ROUND_FLOOR)
    decimal = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    about = "" if Fraction(decimal) == number else "about "
    rounded = f"{about}{decimal.normalize()}"
    exact = str(number)
    if len(exact) > LONGEST_FRACTION:
        return rounded
    return exact if "/" not in exact else f"{exact} ({rounded})"


def _decimal(number: Fraction) -> str | None:
    if number * BILLION != int(number * BILLION):
        return None
    whole, digits = divmod(int(number * BILLION), BILLION)
    return f"{whole}.{digits:09d}".rstrip("0").rstrip(".")


LAST_BITS = 1 << 16
"""What this many bits do not decide is rejected."""


def accurate(value: Callable[[], arb], good: int = 64) -> arb:
    """Evaluate with as many bits as it takes for `good` correct ones; an exact zero is exact."""
    bits = 2 * good
    while True:
        with precision(bits):
            result = value()
        if result.rel_accuracy_bits() >= good or result.is_exact():
            return result
        if bits > LAST_BITS:
            raise InvalidParameter(
                "noise",
                rule=f"must not lie so far out that {LAST_BITS} bits cannot tell its probability",
                value="one that does",
                next_step="Ask for a value nearer to zero.",
            )
        bits *= 2


def to_decimal(value: Callable[[], arb], digits: int) -> Decimal:
    """A ball's value to `digits` significant digits, also where no fraction could hold it."""
    mantissa, exponent = accurate(value, good=4 * digits).mid().man_exp()
    wide, narrow = (Context(prec=p, Emin=MIN_EMIN, Emax=MAX_EMAX) for p in (2 * digits, digits))
    power = wide.power(Decimal(2), Decimal(int(exponent)))
    return narrow.plus(wide.multiply(Decimal(int(mantissa)), power))
