"""Everything that Leeward rejects, and how it says so.

LeewardError
├── InvalidParameter   a number, name or array that cannot be used
├── NotCovered         a guarantee was asked for that no proof supports
├── CannotCompose      guarantees that do not add up to a guarantee
├── UntrustedMachine   a machine whose arithmetic is not what the proofs assume
├── BadFile            a file, folder or table that cannot be read or written as asked
├── BadData            confidential tables that do not agree with the codebook
│   └── Undisclosed    the same, in one sentence whatever is wrong
├── OverBudget         a charge that would pass the cap of an account
├── AlreadyReleased    the same plan, or the same establishments, were charged before
├── Damaged            a ledger or bundle that is not what was written
├── Problems           several of these at once
└── FailedAfterCharge  a release that broke off when its charge already stood

Every message names the parameter, the rule, the value and the next step. A value is shown
only where it is public: arrays of counts and sizes are confidential and never appear.

The rules that many places have are written once, as constructors of every kind: `missing`,
`unwanted`, `meaningless`, `unknown` and `not_whole`. A name that is nearly right is offered by
`did_you_mean`; `exact.whole_within` reads a whole number of a range.
"""

from collections.abc import Iterable
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from functools import partial
from typing import Self

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


def nearest(written: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant."""
    near = get_close_matches(written.lower(), tuple(known), n=1, cutoff=0.5)
    return near[0] if near else None


def did_you_mean(written: str, known: Iterable[str], otherwise: str) -> str:
    """The next step after a name that is not known: the name that was meant, or another step."""
    near = nearest(written, known)
    return f"Did you mean {near!r}?" if near else otherwise


class LeewardError(Exception):
    """A refusal in four parts: what it is about, the rule, what was given, what to do next.

    Everything that is refused is one of its kinds.

    Parameters
    ----------
    parameter
        What it is about: a parameter, a key of a plan, an option of a command.
    rule
        What must hold.
    value
        What was given, where that is public.
    next_step
        What to do.

    Examples
    --------
    >>> try:
    ...     leeward.mechanism("slop", alpha="0.1", epsilon=1)
    ... except leeward.LeewardError as refusal:
    ...     print(refusal.parameter, refusal.next_step)
    name Did you mean 'slope'?
    """

    def __init__(self, parameter: str, *, rule: str, value: object, next_step: str) -> None:
        self.parameter = parameter
        self.rule = rule
        self.value = value
        self.next_step = next_step
        super().__init__(f"{parameter}: {rule}; got {value}. {next_step}")

    @classmethod
    def missing(
        cls,
        parameter: str,
        *,
        where: str = "",
        value: object = "nothing",
        next_step: str = "Add the key.",
    ) -> Self:
        """A parameter that must be given; `where` says under which condition."""
        rule = f"must be given {where}".rstrip()
        return cls(parameter, rule=rule, value=value, next_step=next_step)

    @classmethod
    def unwanted(
        cls, parameter: str, where: str, *, value: object, next_step: str = "Leave it out."
    ) -> Self:
        """A parameter that must be left out; `where` says beside what."""
        rule = f"must be left out {where}"
        return cls(parameter, rule=rule, value=value, next_step=next_step)

    @classmethod
    def meaningless(
        cls, parameter: str, where: str, *, value: object, next_step: str = "Leave it out."
    ) -> Self:
        """A parameter without an effect; `where` says why, such as under another policy."""
        rule = f"has no meaning {where}"
        return cls(parameter, rule=rule, value=value, next_step=next_step)

    @classmethod
    def unknown(
        cls,
        parameter: str,
        value: object,
        known: Iterable[str],
        *,
        next_step: str = "Choose one of these.",
    ) -> Self:
        """A name other than the known ones."""
        rule = f"must be one of {', '.join(known)}"
        return cls(parameter, rule=rule, value=shown(value), next_step=next_step)

    @classmethod
    def not_whole(
        cls,
        parameter: str,
        value: object,
        least: int,
        most: int | None = None,
        *,
        next_step: str,
    ) -> Self:
        """A value that is not a whole number in the range; without `most` its upper end is open."""
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        rule = f"must be a whole number {bounds}"
        return cls(parameter, rule=rule, value=shown(value), next_step=next_step)

    def __reduce__(self) -> tuple[object, ...]:
        parts = {"rule": self.rule, "value": str(self.value), "next_step": self.next_step}
        return partial(type(self), self.parameter, **parts), ()


class InvalidParameter(LeewardError, ValueError):
    """A number, name or array that cannot be used: raised where it is given, before any work."""


class NotCovered(LeewardError):
    """A guarantee was asked for that no proof supports: raised by plans, mechanisms, guarantees."""


class CannotCompose(LeewardError):
    """Guarantees that do not add up to a guarantee: raised where losses of releases are added."""


class UntrustedMachine(LeewardError):
    """A machine whose arithmetic is not what the proofs assume."""


class BadFile(LeewardError):
    """A file, folder or table that cannot be read or written as asked."""


class BadData(LeewardError):
    """Confidential tables that do not agree with the codebook; the message shows none of them."""


class Undisclosed(BadData):
    """Confidential tables that are not released, in the same words whatever is wrong with them.

    `inside` is the refusal that says more: about rows, types or a file. Only internal commands show
    it.
    """

    def __init__(self, inside: LeewardError | None = None) -> None:
        self.inside = inside
        super().__init__(
            "data",
            rule="must be readable and agree with the codebook in every row",
            value="files or rows that do not (not shown)",
            next_step="Run `leeward check`, whose output is confidential.",
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.inside,)


class OverBudget(LeewardError):
    """A charge that would pass the cap of an account."""


class AlreadyReleased(LeewardError):
    """The same plan, or the same establishments in another account, were charged before."""


class Damaged(LeewardError):
    """A ledger or bundle that is not what was written."""


class Problems(LeewardError):
    """Several refusals at once, so that a user mends them in one go."""

    def __init__(self, problems: Iterable[LeewardError]) -> None:
        self.problems = tuple(problems)
        kinds: dict[tuple[str, str], list[LeewardError]] = {}
        for problem in self.problems:
            kinds.setdefault((problem.rule, problem.next_step), []).append(problem)
        texts: list[str] = []
        for first, *others in kinds.values():
            if len(others) < MOST_OF_A_KIND:
                texts.extend(map(str, (first, *others)))
                continue
            names = ", ".join(other.parameter for other in others[:NAMED])
            more = ", …" if len(others) > NAMED else ""
            texts.append(f"{first} And {len(others)} more of this kind: {names}{more}")
        lines = "".join(f"\n  {number}. {text}" for number, text in enumerate(texts, start=1))
        Exception.__init__(self, f"{len(self.problems)} problems:{lines}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.problems,)


MOST_OF_A_KIND = 3
"""How many refusals with the same rule and next step are told one by one."""

NAMED = 8


class FailedAfterCharge(LeewardError):
    """A release that broke off when its charge already stood."""


def raise_all(problems: Iterable[LeewardError]) -> None:
    """Raise what was found: nothing, the one refusal, or all of them as one."""
    errors = tuple(problems)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise Problems(errors)
