"""Values of balls to as many digits as asked for, however much cancels on the way."""

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from flint import arb

from leeward.core.errors import InvalidParameter
from leeward.core.exact import precision

MOST_BITS = 1 << 16


def accurate(value: Callable[[], arb], good: int = 64) -> arb:
    """Evaluate with as many bits as it takes for `good` correct ones; an exact zero is exact."""
    bits = 2 * good
    while True:
        with precision(bits):
            result = value()
        if result.rel_accuracy_bits() >= good or result.is_exact():
            return result
        if bits > MOST_BITS:
            raise InvalidParameter(
                "noise",
                rule=f"must not lie so far out that {MOST_BITS} bits cannot tell its probability",
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
