"""Tidy: what can be made of a sealed bundle alone, at no cost in privacy."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leeward.derived.derive.derived import Derived, derive
    from leeward.derived.settle.fitting import least_squares
    from leeward.derived.settle.tidying import tidy

HOMES = {
    "Derived": "leeward.derived.derive.derived",
    "derive": "leeward.derived.derive.derived",
    "least_squares": "leeward.derived.settle.fitting",
    "tidy": "leeward.derived.settle.tidying",
}
"""The module of each name; it is loaded when the name is first used."""

__all__ = ["Derived", "derive", "least_squares", "tidy"]


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(HOMES[name]), name)
    globals()[name] = found
    return found
