"""Notation: how an entry writes text, digests and guarantees, and which of them it accepts."""

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from unicodedata import category

from leeward.core.errors import Damaged, InvalidParameter, shown
from leeward.core.privacy import Guarantee, Policy, policy
from leeward.core.privacy.guarantee import JOB_LOSSES
from leeward.core.privacy.policy import with_unit
from leeward.core.privacy.words import READING

PARTS = ("policy", "alpha", "epsilon", "delta", "rho")
PLUS = "plus"
"""Part of a guarantee whose Δ is above 1; entries of Δ = 1 do not have it."""

UNIT = "unit"
"""Part of a guarantee of the unit employer; entries of the unit establishment do not have it."""

READ_AT = "reading"
"""Part of a guarantee with a ρ that is read at another δ than the usual one."""

FURTHER = frozenset({PLUS, UNIT, READ_AT, *JOB_LOSSES})
"""Parts that not every guarantee has; those of one job only where it costs less than its steps."""

WHOLE = re.compile(r"[1-9][0-9]{0,8}")
RATIONAL = re.compile(r"[0-9]{1,4000}(/[1-9][0-9]{0,3999})?")


def written(guarantee: Guarantee) -> dict[str, str | None]:
    """A guarantee as plain text, nothing rounded."""
    return {
        "policy": guarantee.policy.name,
        "alpha": None if guarantee.alpha is None else str(guarantee.alpha),
        "epsilon": str(guarantee.epsilon),
        "delta": str(guarantee.delta),
        "rho": str(guarantee.rho),
        **({PLUS: str(guarantee.plus)} if (guarantee.plus or 1) > 1 else {}),
        **({UNIT: "employer"} if guarantee.unit == "employer" else {}),
        **({} if guarantee.reading == READING else {READ_AT: str(guarantee.reading)}),
        **guarantee.job_texts(),
    }


def read_guarantee(parts: object) -> Guarantee:
    """Read a guarantee from its parts; there is one way to write each."""
    if not isinstance(parts, Mapping) or parts.keys() - FURTHER != set(PARTS):
        raise unreadable()
    texts = [parts[name] for name in PARTS]
    if not all(text is None or isinstance(text, str) for text in texts):
        raise unreadable()
    if parts.get(UNIT, "employer") != "employer":
        raise unreadable()
    named, *numbers = texts
    protected = with_unit(policy(named), parts.get(UNIT))
    plus = parts.get(PLUS, "1")
    if not isinstance(plus, str) or not WHOLE.fullmatch(plus) or (plus == "1" and PLUS in parts):
        raise unreadable()
    guarantee = _guarantee(protected, *numbers, plus=int(plus) if PLUS in parts else None)
    if READ_AT in parts:
        delta = exact_number(parts[READ_AT])
        if guarantee.rho == 0 or delta == READING or not 0 < delta < 1:
            raise unreadable()
        guarantee = replace(guarantee, reading=delta)
    if parts.keys().isdisjoint(JOB_LOSSES):
        return guarantee
    losses = [exact_number(parts.get(name)) for name in JOB_LOSSES]
    if losses == [guarantee.epsilon_job, guarantee.rho_job]:
        raise unreadable()
    return replace(guarantee, epsilon_job=losses[0], rho_job=losses[1])


@lru_cache(maxsize=4096)  # a ledger repeats few charges many times
def _guarantee(
    protected: Policy, alpha: str | None, epsilon: str, delta: str, rho: str, plus: int | None
) -> Guarantee:
    growth = None if alpha is None else exact_number(alpha)
    return Guarantee(
        protected, growth, exact_number(epsilon), exact_number(delta), exact_number(rho), plus=plus
    )


@lru_cache(maxsize=4096)
def exact_number(text: object) -> Fraction:
    """A rational number from its text, which may be very long."""
    # `exact.rational` refuses such long text; sums of charges have large denominators.
    if not isinstance(text, str) or not RATIONAL.fullmatch(text):
        raise unreadable()
    return Fraction(text)


def unreadable() -> Damaged:
    """The error for numbers that were not written so."""
    return Damaged(
        "guarantee",
        rule=f"must hold {', '.join(PARTS)} as exact text",
        value="something else",
        next_step="Run `leeward ledger verify`.",
    )


LONGEST = 1000
NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
DIGEST = re.compile(r"[0-9a-f]{64}")


def plain(value: object, parameter: str) -> str:
    """Text of one line without control characters, of any script."""
    # C* holds control, direction and unpaired characters; Zl and Zp break lines.
    hidden = (kind[0] == "C" or kind in {"Zl", "Zp"} for kind in map(category, str(value)))
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST or any(hidden):
        raise InvalidParameter(
            parameter,
            rule=f"must be text of 1 to {LONGEST} characters without control characters",
            value=shown(value),
            next_step=f"Write {parameter} as one plain line.",
        )
    return value


def words(value: object, parameter: str) -> str:
    """A reason that a person gives: text of one line with a word in it."""
    text = plain(value, parameter)
    if text.isspace():
        raise InvalidParameter(
            parameter,
            rule="must give the reason in words",
            value=shown(text),
            next_step=f"Write {parameter} as one plain line.",
        )
    return text


def account_name(value: object) -> str:
    """The name of an account, which appears in plans, messages and entries."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise InvalidParameter(
            "account",
            rule="must be 1 to 64 letters, digits, dots, underscores or hyphens",
            value=shown(value),
            next_step="Choose a name such as 'lodes-2026'.",
        )
    return value


def digest(value: object, parameter: str) -> str:
    """A SHA-256 sum as it is written: 64 hexadecimal digits."""
    if not isinstance(value, str) or not DIGEST.fullmatch(value):
        raise InvalidParameter(
            parameter,
            rule="must be 64 hexadecimal digits in lower case",
            value=shown(value),
            next_step="Give a SHA-256 sum.",
        )
    return value
