"""Plots: pictures of findings as plain data; `charts.html.j2` draws them.

Three looks tell the same story on every picture: `theirs` is what another protection gives away,
`ours` what a release of Leeward does, and `nothing` what is known without any release.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

Look: TypeAlias = Literal["theirs", "ours", "nothing"]


@dataclass(frozen=True)
class Series:
    """Points (x, y) of one look: a line through them, or dots."""

    name: str
    look: Look
    points: Sequence[tuple[float, float]]
    joined: bool = True


@dataclass(frozen=True)
class Plot:
    """Series on two axes. `level` is a horizontal line with its name: a claimed ε, a bound."""

    kind: ClassVar[str] = "plot"

    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    diagonal: bool = False
    """Draw the line on which both numbers are equal."""
    level: tuple[float, str] | None = None


@dataclass(frozen=True)
class Share:
    """A bar with its number as text."""

    label: str
    value: float
    text: str
    look: Look


@dataclass(frozen=True)
class Shares:
    """Horizontal bars from zero; `most` is the end of the axis, the largest value if None."""

    kind: ClassVar[str] = "shares"

    title: str
    rows: tuple[Share, ...]
    most: float | None = None


@dataclass(frozen=True)
class Needle:
    """A needle that starts at 50 % and points at what the attacker believes afterwards."""

    label: str
    posterior: float
    text: str
    look: Look


@dataclass(frozen=True)
class Needles:
    """Needles beside each other."""

    kind: ClassVar[str] = "needles"

    title: str
    rows: tuple[Needle, ...]


@dataclass(frozen=True)
class Teeth:
    """Places on a line that can be reached."""

    name: str
    look: Look
    places: Sequence[float]


@dataclass(frozen=True)
class Comb:
    """Combs above each other on one axis from `low` to `high`."""

    kind: ClassVar[str] = "comb"

    title: str
    x: str
    low: float
    high: float
    rows: tuple[Teeth, ...]


@dataclass(frozen=True)
class Range:
    """An interval that an attacker is left with, and the true value if it may be shown."""

    label: str
    low: float
    high: float
    look: Look
    true: float | None = None


@dataclass(frozen=True)
class Ranges:
    """Intervals below each other on one axis."""

    kind: ClassVar[str] = "ranges"

    title: str
    x: str
    rows: tuple[Range, ...]
    log_x: bool = False
