"""Text that an entry may hold: short, and nothing in it that a terminal or a reader trips over."""

import re
from unicodedata import category

from leeward.errors import InvalidParameter, shown

LONGEST = 1000
NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
DIGEST = re.compile(r"[0-9a-f]{64}")


def plain(value: object, parameter: str) -> str:
    """Text of one line without control characters, of any script."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST or not _visible(value):
        raise InvalidParameter(
            parameter,
            rule=f"must be text of 1 to {LONGEST} characters without control characters",
            value=shown(value),
            next_step=f"Write {parameter} as one plain line.",
        )
    return value


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


def _visible(value: str) -> bool:
    # C* holds control, direction and unpaired characters; Zl and Zp break lines.
    return not any((kind := category(c))[0] == "C" or kind in {"Zl", "Zp"} for c in value)
