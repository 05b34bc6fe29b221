"""Everything that Leeward refuses, and how it says so.

LeewardError
├── InvalidParameter   a number, name or array that cannot be used
├── NotCovered         a guarantee was asked for that no proof supports
├── CannotCompose      guarantees that do not add up to a guarantee
└── UntrustedMachine   a machine whose arithmetic is not what the proofs assume

Every message names the parameter, the rule, the value and the next step. A value is shown
only where it is public: arrays of counts and sizes are confidential and never appear.
"""


class LeewardError(Exception):
    """A refusal in four parts: what it is about, the rule, what was given, what to do next."""

    def __init__(self, parameter: str, *, rule: str, value: object, next_step: str) -> None:
        self.parameter = parameter
        self.rule = rule
        self.value = value
        self.next_step = next_step
        super().__init__(f"{parameter}: {rule}; got {value}. {next_step}")


class InvalidParameter(LeewardError, ValueError):
    """A number, name or array that cannot be used."""


class NotCovered(LeewardError):
    """A guarantee was asked for that no proof supports."""


class CannotCompose(LeewardError):
    """Guarantees that do not add up to a guarantee."""


class UntrustedMachine(LeewardError):
    """A machine whose arithmetic is not what the proofs assume."""
