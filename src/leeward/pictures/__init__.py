"""Pictures: charts as SVG and PNG from plain rows, without a network."""

from leeward.pictures.axis import Axis
from leeward.pictures.chart import Panels, Reference, Series
from leeward.pictures.drawing import draw
from leeward.pictures.picture import Picture, require_pictures

__all__ = ["Axis", "Panels", "Picture", "Reference", "Series", "draw", "require_pictures"]
