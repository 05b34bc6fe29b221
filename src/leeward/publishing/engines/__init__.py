"""Where the data live: describe, check, tabulate in batches, close.

Importing this package loads no database driver and no Ibis; each name is loaded when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leeward.publishing.engines.engine import Engine
    from leeward.publishing.engines.opening import connect

__all__ = ["Engine", "connect"]

HOMES = {
    "Engine": "leeward.publishing.engines.engine",
    "connect": "leeward.publishing.engines.opening",
}
"""The module of each name."""


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)
