"""Local privacy: surveys whose answers are randomised before anyone else sees them."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leeward.systems.local.collection import encode
    from leeward.systems.local.result import aggregate
    from leeward.systems.local.survey import read_survey

HOMES = {
    "aggregate": "leeward.systems.local.result",
    "encode": "leeward.systems.local.collection",
    "read_survey": "leeward.systems.local.survey",
}
"""The module of each name; it is loaded when the name is first used."""

__all__ = ["aggregate", "encode", "read_survey"]


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(HOMES[name]), name)
    globals()[name] = found
    return found
