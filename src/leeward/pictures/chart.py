"""Chart: what a figure shows, as plain values, before anything is drawn."""

from dataclasses import dataclass

from leeward.pictures.axis import Axis
from leeward.pictures.colour import BLACK


@dataclass(frozen=True)
class Series:
    """A line: the name its rows carry, what it is called, and how it looks.

    The dash and the shape of the markers say the same as the colour, for those who cannot see it.
    """

    name: str
    label: str
    colour: str = BLACK
    dash: tuple[int, ...] = ()
    shape: str = "circle"
    width: float = 1.5


@dataclass(frozen=True)
class Reference:
    """A horizontal rule at a value worth comparing with."""

    value: float
    label: str


@dataclass(frozen=True)
class Panels:
    """A figure of several panels with the same axes, a line for each series in each.

    Rows say in the column `panel` where they belong, in `by` to which series. A row with a text
    in the column `bound` ("≤ 1", "> 4") is no value but a bound: an open marker beside its text,
    which no line reaches. `mark` is a warning, drawn in red above everything.
    """

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    subtitle: str = ""
    panel: str = "panel"
    by: str = "series"
    bound: str = "bound"
    reference: Reference | None = None
    mark: str | None = None
