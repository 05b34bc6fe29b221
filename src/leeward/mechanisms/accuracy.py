"""Values of balls to as many digits as asked for, however much cancels on the way."""

from collections.abc import Callable
from decimal import Context, Decimal

from flint import arb

from leeward.exact import exact_value, precision

MOST_BITS = 1 << 16


def accurate(value: Callable[[], arb], good: int = 64) -> arb:
    """Evaluate with as many bits as it takes for `good` correct ones; an exact zero is exact."""
    bits = 2 * good
    while True:
        with precision(bits):
            result = value()
        if result.rel_accuracy_bits() >= good or result.is_exact() or bits > MOST_BITS:
            return result
        bits *= 2


def to_decimal(value: Callable[[], arb], digits: int) -> Decimal:
    """A ball's value to so many significant digits."""
    middle = exact_value(accurate(value, good=4 * digits).mid())
    return Context(prec=digits).divide(Decimal(middle.numerator), Decimal(middle.denominator))
