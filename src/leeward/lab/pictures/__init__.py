"""Pictures: charts as SVG and PNG from plain rows, without a network.

Names are looked up when they are asked for: a report draws plain pictures alone, and every release
waits for its report.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leeward.lab.pictures.axis import Axis
    from leeward.lab.pictures.chart import Panels, Reference, Series
    from leeward.lab.pictures.drawing import draw
    from leeward.lab.pictures.picture import Picture, require_pictures

__all__ = ["Axis", "Panels", "Picture", "Reference", "Series", "draw", "require_pictures"]

HOMES = {
    "Axis": "axis",
    "Panels": "chart",
    "Picture": "picture",
    "Reference": "chart",
    "Series": "chart",
    "draw": "drawing",
    "require_pictures": "picture",
}


def __getattr__(name: str) -> object:
    """One of the names above, from the module in which it stands."""
    if name not in HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
