"""Marks: one panel as layers of Altair: rule, leaders and labels, lines, markers, bounds."""

from __future__ import annotations  # Altair is named in types and loaded only to draw

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from leeward.pictures.axis import Scale
from leeward.pictures.chart import Panels
from leeward.pictures.colour import BLACK, ink
from leeward.pictures.layout import Layout, Placed, placed
from leeward.pictures.panel import Panel

if TYPE_CHECKING:
    import altair as alt

SMALL = 11
"""Size of labels in pixels."""
NUMBER, LONG_NUMBER = ",.6~f", "~e"
BOUNDS = {"≤": "triangle-down", ">": "triangle-up"}
"""Markers of bounds, by the first letter of their text."""

Values: TypeAlias = dict[str, object]
Layers: TypeAlias = "Iterator[alt.Chart]"


@dataclass(frozen=True)
class Plane:
    """The axes of a panel, as every layer must name them to share them."""

    x: alt.X
    y: alt.Y

    def chart(self, values: list[Values]) -> alt.Chart:
        """A layer without a mark: values with columns x and y."""
        import altair as alt  # noqa: PLC0415 (an optional extra, and slow to load)

        layer: alt.Chart = alt.Chart(alt.InlineData(values=values)).encode(x=self.x, y=self.y)
        return layer


def plane(layout: Layout, x_title: str, y_title: str) -> Plane:
    """The axes as Altair names them; the scales are fixed, since labels are placed on them."""
    import altair as alt  # noqa: PLC0415 (as above)

    x, y = alt.X("x:Q"), alt.Y("y:Q")
    return Plane(
        x.scale(_scale(layout.x)).axis(_axis(layout.x)).title(x_title or None),
        y.scale(_scale(layout.y)).axis(_axis(layout.y)).title(y_title or None),
    )


def _scale(scale: Scale) -> alt.Scale:
    import altair as alt  # noqa: PLC0415 (as above)

    kind: Literal["log", "linear"] = "log" if scale.log else "linear"
    return alt.Scale(type=kind, domain=[scale.low, scale.high], nice=False, zero=False)


def _axis(scale: Scale) -> alt.Axis:
    import altair as alt  # noqa: PLC0415 (as above)

    ticks = list(scale.ticks)
    short = all(1e-4 <= abs(tick) <= 1e5 for tick in ticks if tick)
    return alt.Axis(
        values=ticks,
        format=NUMBER if short else LONG_NUMBER,
        labelOverlap="greedy",
        labelSeparation=4,
    )


def layers(panel: Panel, chart: Panels, layout: Layout, axes: Plane) -> Layers:
    """Everything that a panel shows, the lowest layer first; few layers, since each takes time."""
    if chart.reference:
        height = chart.reference.value
        ends: list[Values] = [{"x": at, "y": height} for at in (layout.x.low, layout.x.high)]
        yield axes.chart(ends).mark_line(color=BLACK, strokeWidth=0.8)
    names = tuple(placed(panel, chart, layout))
    yield _leaders(names, axes)
    yield _names(names, axes)
    yield _lines(panel, axes)
    yield _markers(panel, axes)
    yield from _bounds(panel, axes)


def _lines(panel: Panel, axes: Plane) -> alt.Chart:
    import altair as alt  # noqa: PLC0415 (as above)

    joined: list[Values] = [
        {
            "x": dot.x,
            "y": dot.y,
            "run": f"{line.series.name}/{number}",
            "colour": line.series.colour,
            "width": line.series.width,
            "dash": line.series.dash or (1, 0),
        }
        for line in panel.lines
        for number, run in enumerate(line.runs())
        for dot in run
    ]
    lines: alt.Chart = (
        axes.chart(joined)
        .mark_line()
        .encode(
            detail="run:N",
            color=alt.Color("colour:N", scale=None),
            strokeDash=alt.StrokeDash("dash:N", scale=None),
            strokeWidth=alt.StrokeWidth("width:Q", scale=None),
        )
    )
    return lines


def _markers(panel: Panel, axes: Plane) -> alt.Chart:
    """Full where a value is, open where a bound is."""
    import altair as alt  # noqa: PLC0415 (as above)

    dots: list[Values] = [
        {
            "x": dot.x,
            "y": dot.y,
            "colour": line.series.colour,
            "fill": "white" if dot.bound else line.series.colour,
            "shape": BOUNDS.get(dot.bound[:1], line.series.shape),
            "size": 60 if dot.bound else 26,
        }
        for line in panel.lines
        for dot in line.shown
    ]
    markers: alt.Chart = (
        axes.chart(dots)
        .mark_point(opacity=1)
        .encode(
            stroke=alt.Stroke("colour:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            shape=alt.Shape("shape:N", scale=None),
            size=alt.Size("size:Q", scale=None),
        )
    )
    return markers


def _bounds(panel: Panel, axes: Plane) -> Layers:
    """The texts of bounds, on a white ground beyond the tips of their markers."""
    import altair as alt  # noqa: PLC0415 (as above)

    for sign, beyond in (("≤", 11), (">", -11)):
        values: list[Values] = [
            {"x": dot.x, "y": dot.y, "text": dot.bound, "colour": ink(line.series.colour)}
            for line in panel.lines
            for dot in line.shown
            if dot.bound.startswith(sign)
        ]
        if values:
            layer = axes.chart(values).encode(text="text:N")
            yield layer.mark_text(dy=beyond, fontSize=SMALL, stroke="white", strokeWidth=3)
            coloured = layer.encode(color=alt.Color("colour:N", scale=None))
            yield coloured.mark_text(dy=beyond, fontSize=SMALL)


def _leaders(names: Sequence[Placed], axes: Plane) -> alt.Chart:
    """Hairs from the ends of lines to their labels, which may stand elsewhere."""
    import altair as alt  # noqa: PLC0415 (as above)

    ends: list[Values] = [
        {"x": x, "y": y, "run": number, "colour": one.label.colour}
        for number, one in enumerate(names)
        for x, y in (one.end, one.at)
    ]
    hairs: alt.Chart = (
        axes.chart(ends)
        .mark_line(strokeWidth=0.6, strokeDash=[1, 2])
        .encode(detail="run:N", color=alt.Color("colour:N", scale=None))
    )
    return hairs


def _names(names: Sequence[Placed], axes: Plane) -> alt.Chart:
    """The labels, line by line."""
    import altair as alt  # noqa: PLC0415 (as above)

    values: list[Values] = [
        {"x": one.at[0], "y": y, "text": text, "colour": one.label.colour}
        for one in names
        for text, y in zip(one.label.text.split("\n"), one.lines, strict=True)
    ]
    labels: alt.Chart = (
        axes.chart(values)
        .mark_text(align="left", baseline="middle", dx=3, fontSize=SMALL)
        .encode(text="text:N", color=alt.Color("colour:N", scale=None))
    )
    return labels
