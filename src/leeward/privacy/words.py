"""Words for numbers: factors, losses and growth as a reader can check them."""

from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from leeward.errors import InvalidParameter, NotCovered
from leeward.exact import START_BITS, ball, precision, three_digits_up

if TYPE_CHECKING:
    from leeward.privacy.guarantee import Guarantee

READING = Fraction(1, 10**6)
"""The extra probability at which a zCDP part is read as a factor."""

LARGEST_EPSILON = 500
"""Beyond this the factor has hundreds of digits and is no protection worth a number."""

BILLION = 10**9

LONGEST_FRACTION = 40
"""Characters of the longest fraction that is written out."""


def bound(guarantee: "Guarantee", steps: int, *, named: bool = False) -> str:
    """How far the odds move between possibilities that are so many steps apart.

    The factor is followed by the power that it is, or, `named`, by the losses it comes from.
    """
    try:
        over = guarantee.over_steps(steps)
        read = over.to_approximate(over.delta + READING) if over.rho > 0 else over
    except (NotCovered, InvalidParameter):  # nothing is left of 1 − δ
        return "without any bound"
    if read.epsilon > LARGEST_EPSILON:
        return f"without any useful bound (epsilon above {LARGEST_EPSILON})"
    factor = factor_text(read.epsilon)
    further = f", up to a further probability of {number_text(read.delta)}" if read.delta else ""
    if named:
        return f"by at most a factor {factor}{further} ({losses_text(over)})"
    power = "" if guarantee.rho > 0 else f" (e^{'ε' if steps == 1 else f'({steps}ε)'})"
    return f"by at most a factor {factor}{power}{further}"


def losses_text(guarantee: "Guarantee") -> str:
    """ε, δ and ρ with their names; those that are 0 are left out."""
    named = {"epsilon": guarantee.epsilon, "delta": guarantee.delta, "rho": guarantee.rho}
    return ", ".join(f"{name} {number_text(one)}" for name, one in named.items() if one)


def factor_text(epsilon: Fraction) -> str:
    """e^ε rounded up; beyond a billion as a power, since nobody reads so many digits."""
    with precision(START_BITS):
        factor = three_digits_up(ball(epsilon).exp())
    if factor > BILLION:
        return f"e^{number_text(epsilon)}, more than a billion"
    return f"{factor:,f}"


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
    short = f"{about}{decimal.normalize()}"
    exact = str(number)
    if len(exact) > LONGEST_FRACTION:
        return short
    return exact if "/" not in exact else f"{exact} ({short})"


def _decimal(number: Fraction) -> str | None:
    if number * 10**9 != int(number * 10**9):
        return None
    whole, digits = divmod(int(number * 10**9), 10**9)
    return f"{whole}.{digits:09d}".rstrip("0").rstrip(".")
