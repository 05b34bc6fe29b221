"""Tidy: what can be made of a sealed bundle alone, at no cost in privacy."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leeward.tidy.derived import Derived, derive
    from leeward.tidy.fitting import least_squares
    from leeward.tidy.tidying import tidy

HOMES = {
    "Derived": "leeward.tidy.derived",
    "derive": "leeward.tidy.derived",
    "least_squares": "leeward.tidy.fitting",
    "tidy": "leeward.tidy.tidying",
}
"""The module of each name; it is loaded when the name is first used."""

__all__ = ["Derived", "derive", "least_squares", "tidy"]


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(HOMES[name]), name)
    globals()[name] = found
    return found
