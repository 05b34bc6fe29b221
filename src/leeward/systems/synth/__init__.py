"""Synthetic data: rows of one table, drawn of noisy counts, and linked rows of a whole release."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leeward.systems.synth.linking import linked

HOMES = {"linked": "leeward.systems.synth.linking"}
"""The module of each name; it is loaded when the name is first used."""

__all__ = ["linked"]


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(HOMES[name]), name)
    globals()[name] = found
    return found
