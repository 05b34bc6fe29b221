"""Everything that Leeward refuses, and how it says so.

LeewardError
├── InvalidParameter   a number, name or array that cannot be used
├── NotCovered         a guarantee was asked for that no proof supports
├── CannotCompose      guarantees that do not add up to a guarantee
└── UntrustedMachine   a machine whose arithmetic is not what the proofs assume

Every message names the parameter, the rule, the value and the next step. A value is shown
only where it is public: arrays of counts and sizes are confidential and never appear.
"""

from decimal import Decimal
from fractions import Fraction
from functools import partial

LONGEST = 60


def shown(value: object) -> str:
    """A value for a message: plain ones in short, of anything else its type alone."""
    if value is None or isinstance(value, (str, bool, float, Decimal)):
        text = repr(value)
    elif isinstance(value, (int, Fraction)):
        big = value.numerator.bit_length() + value.denominator.bit_length() > 4 * LONGEST
        text = "a number of very many digits" if big else str(value)
    else:
        return f"a {type(value).__name__} (not shown)"
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


class LeewardError(Exception):
    """A refusal in four parts: what it is about, the rule, what was given, what to do next."""

    def __init__(self, parameter: str, *, rule: str, value: object, next_step: str) -> None:
        self.parameter = parameter
        self.rule = rule
        self.value = value
        self.next_step = next_step
        super().__init__(f"{parameter}: {rule}; got {value}. {next_step}")

    def __reduce__(self) -> tuple[object, ...]:
        parts = {"rule": self.rule, "value": str(self.value), "next_step": self.next_step}
        return partial(type(self), self.parameter, **parts), ()


class InvalidParameter(LeewardError, ValueError):
    """A number, name or array that cannot be used."""


class NotCovered(LeewardError):
    """A guarantee was asked for that no proof supports."""


class CannotCompose(LeewardError):
    """Guarantees that do not add up to a guarantee."""


class UntrustedMachine(LeewardError):
    """A machine whose arithmetic is not what the proofs assume."""
