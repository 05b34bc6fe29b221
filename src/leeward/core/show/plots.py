"""Plots: pictures of findings as plain data; `charts.html.j2` draws them.

Three looks tell the same story on every picture: `theirs` is what another protection gives away,
`ours` what a release of Leeward does, and `nothing` what is known without any release.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import cos, isfinite, pi, sin
from typing import ClassVar, Literal, TypeAlias

from leeward.core.show.axes import NARROW, Axis, AxisScale
from leeward.core.show.numbers import significant

Look: TypeAlias = Literal["theirs", "ours", "nothing"]


Line: TypeAlias = Literal["line-one", "line-two", "line-three", "mark"]
"""Series that are no parties: lines in their order, and points that stand out."""


LINES: tuple[Line, ...] = ("line-one", "line-two", "line-three")


LOOKS: dict[Look, str] = {
    "theirs": "another protection",
    "ours": "Leeward",
    "nothing": "no release at all",
}
"""The looks with what they stand for, where a picture has no names of its own."""


Place: TypeAlias = tuple[float, float]
"""A point in per cent, from the left and from the top."""


@dataclass(frozen=True)
class PlotSeries:
    """Points (x, y) of one look: a line through them, or dots."""

    name: str
    look: Look | Line
    points: Sequence[tuple[float, float]]
    joined: bool = True

    @property
    def line(self) -> bool:
        """Whether there is a line: one point has none."""
        return self.joined and len(self.points) > 1


@dataclass(frozen=True)
class PlacedSeries:
    """A series as it is drawn; `path` is its line in a box of 1000 by 1000.

    One of a look that an earlier series has is drawn `again`: thinner, with hollow marks.
    """

    series: PlotSeries
    places: tuple[Place, ...]
    again: bool = False

    @property
    def look(self) -> str:
        return f"{self.series.look} again" if self.again else self.series.look

    @property
    def path(self) -> str:
        return " ".join(f"{10 * x:.0f},{10 * y:.0f}" for x, y in self.places)


@dataclass(frozen=True)
class Plot:
    """Series on two axes. `level` is a horizontal line with its name: a claimed ε, a bound."""

    kind: ClassVar[str] = "plot"

    title: str
    x: str
    y: str
    series: tuple[PlotSeries, ...]
    log_x: bool = False
    log_y: bool = False
    diagonal: bool = False
    """Draw the line on which both numbers are equal."""
    level: tuple[float, str] | None = None

    @cached_property
    def axes(self) -> tuple[Axis, Axis]:
        """Across and upwards; both are the same where a diagonal is drawn."""
        across = [x for series in self.series for x, _ in series.points]
        upwards = [y for plot_series in self.series for _, y in plot_series.points]
        upwards += [] if self.level is None else [self.level[0]]
        if self.diagonal:
            both = Axis.of((*across, *upwards), log=self.log_x)
            return both, both
        return Axis.of(across, log=self.log_x), Axis.of(upwards, log=self.log_y)

    @cached_property
    def drawn(self) -> tuple[PlacedSeries, ...]:
        """The series with their places; points that have none on an axis are left out."""
        across, upwards = self.axes
        return tuple(
            PlacedSeries(
                series,
                tuple(
                    (across.at(x), round(100 - upwards.at(y), 2))
                    for x, y in series.points
                    if across.has(x) and upwards.has(y)
                ),
                series.look in (before.look for before in self.series[:at]),
            )
            for at, series in enumerate(self.series)
        )

    @property
    def level_named(self) -> Literal["start", "end"]:
        """The end of the level at which its name is farther from the series."""
        level = 100 - self.axes[1].at(self.level[0] if self.level else 0.0)
        near = {"start": 100.0, "end": 100.0}
        for series in self.drawn:
            for x, y in series.places:
                side = "start" if x < 50 else "end"
                near[side] = min(near[side], abs(y - level))
        return "start" if near["start"] >= near["end"] else "end"

    @property
    def description(self) -> str:
        shown = []
        for series in self.series:
            points = f"{len(series.points):,} points"
            if series.line and series.points:
                ends = (series.points[0], series.points[-1])
                points = " to ".join(f"{significant(y)} at {significant(x)}" for x, y in ends)
            if series.points:
                shown.append(f"{series.name}: {points}")
        return f"Across: {self.x}. Upwards: {self.y}. {'; '.join(shown)}."


class Parties:
    """A picture whose rows have looks."""

    rows: "tuple[Share | Needle | GuessRange, ...]"

    @property
    def looks(self) -> tuple[tuple[Look, str], ...]:
        """The looks of its rows, with what they stand for."""
        present = {row.look for row in self.rows}
        return tuple((look, words) for look, words in LOOKS.items() if look in present)


@dataclass(frozen=True)
class Share:
    """A bar with its number as text."""

    label: str
    value: float
    text: str
    look: Look


@dataclass(frozen=True)
class Shares(Parties):
    """Horizontal bars from zero; `most` is the end of the axis, the largest value if None."""

    kind: ClassVar[str] = "shares"

    title: str
    rows: tuple[Share, ...]
    most: float | None = None

    def length(self, row: Share) -> float:
        """The length of a bar in per cent."""
        most = (
            max((share.value for share in self.rows), default=0.0)
            if self.most is None
            else self.most
        )
        return round(100 * min(1.0, max(0.0, row.value / most)), 2) if most else 0.0


@dataclass(frozen=True)
class Needle:
    """A needle that starts at 50 % and points at what the attacker believes afterwards."""

    label: str
    posterior: float
    text: str
    look: Look

    @property
    def tip(self) -> Place:
        """The end of the needle on a half circle of radius 1 around (0, 0): 0 % is on the left."""
        angle = pi * (1 - self.posterior)
        return round(cos(angle), 4), round(-sin(angle), 4)


@dataclass(frozen=True)
class Needles(Parties):
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

    @cached_property
    def axis(self) -> Axis:
        return Axis(AxisScale(self.low, self.high), letters=NARROW)

    def places(self, row: Teeth) -> tuple[float, ...]:
        """The teeth in sight, in per cent."""
        return tuple(self.axis.at(place) for place in row.places if self.low <= place <= self.high)


@dataclass(frozen=True)
class GuessRange:
    """An interval that an attacker is left with, and the true value if it may be shown."""

    label: str
    low: float
    high: float
    look: Look
    true: float | None = None

    @property
    def text(self) -> str:
        """The interval as text: one number where nothing is left to guess."""
        low, high = significant(self.low), significant(self.high)
        if isfinite(self.low) and isfinite(self.high):
            return f"exactly {low}" if self.low == self.high else f"{low} to {high}"
        if not isfinite(self.low) and not isfinite(self.high):
            return "anything"
        return f"at least {low}" if isfinite(self.low) else f"at most {high}"


@dataclass(frozen=True)
class Ranges(Parties):
    """Intervals below each other on one axis."""

    kind: ClassVar[str] = "ranges"

    title: str
    x: str
    rows: tuple[GuessRange, ...]
    log_x: bool = False

    @cached_property
    def axis(self) -> Axis:
        ends = (end for row in self.rows for end in (row.low, row.high))
        true = (row.true for row in self.rows if row.true is not None)
        return Axis.of((*ends, *true), log=self.log_x, letters=NARROW)

    def ends(self, row: GuessRange) -> tuple[float | None, float | None]:
        """Both ends in per cent; None where they are out of sight."""
        low, high = (
            self.axis.at(end) if self.axis.has(end) else None for end in (row.low, row.high)
        )
        return low, high
