"""How a guarantee is written in an entry: exact rationals as text, and back."""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from leeward.errors import Damaged
from leeward.privacy import Guarantee

PARTS = ("policy", "alpha", "epsilon", "delta", "rho")
RATIONAL = re.compile(r"[0-9]{1,4000}(/[1-9][0-9]{0,3999})?")


def written(guarantee: Guarantee) -> dict[str, str | None]:
    """A guarantee as plain text, nothing rounded."""
    return {
        "policy": guarantee.policy.name,
        "alpha": None if guarantee.alpha is None else str(guarantee.alpha),
        "epsilon": str(guarantee.epsilon),
        "delta": str(guarantee.delta),
        "rho": str(guarantee.rho),
    }


def read_guarantee(parts: object) -> Guarantee:
    """The guarantee that was written so."""
    if not isinstance(parts, Mapping) or parts.keys() != set(PARTS):
        raise _unreadable()
    texts = [parts[name] for name in PARTS]
    if not all(text is None or isinstance(text, str) for text in texts):
        raise _unreadable()
    return _guarantee(*texts)


@lru_cache(maxsize=4096)  # a ledger repeats few charges many times
def _guarantee(policy: str, alpha: str | None, epsilon: str, delta: str, rho: str) -> Guarantee:
    growth = None if alpha is None else _number(alpha)
    return Guarantee(policy, growth, _number(epsilon), _number(delta), _number(rho))


@lru_cache(maxsize=4096)
def _number(text: str | None) -> Fraction:
    # Longer than what a person may write: sums of charges have large denominators.
    if text is None or not RATIONAL.fullmatch(text):
        raise _unreadable()
    return Fraction(text)


def _unreadable() -> Damaged:
    return Damaged(
        "guarantee",
        rule=f"must hold {', '.join(PARTS)} as exact text",
        value="something else",
        next_step="Run `leeward ledger verify`.",
    )
