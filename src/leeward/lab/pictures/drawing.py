"""Drawing: a chart and its rows become a picture by Altair, the same one every time."""

from __future__ import annotations  # Altair is named in types and loaded only to draw

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from io import StringIO
from textwrap import wrap
from typing import TYPE_CHECKING, Literal, TypeAlias

from leeward.lab.pictures.axis import Scale
from leeward.lab.pictures.chart import Panel, Panels, Row, arranged
from leeward.lab.pictures.colour import BLACK, RED, ink
from leeward.lab.pictures.layout import PAGE, Layout, Placed, laid_out, placed
from leeward.lab.pictures.picture import FONT, Picture, require_pictures

if TYPE_CHECKING:
    import altair as alt

SMALL = 11
"""Size of labels in pixels."""

NUMBER, LONG_NUMBER = ",.6~f", "~e"
BOUNDS = {"≤": "triangle-down", ">": "triangle-up"}
"""Markers of bounds, by the first letter of their text."""

Values: TypeAlias = dict[str, object]
Layers: TypeAlias = "Iterator[alt.Chart]"
TITLE, TEXT = 16, 12
"""Sizes of text in pixels."""

BOLD, PLAIN = 0.56, 0.46
"""Mean widths of a letter, as shares of its size."""


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


def draw(rows: Iterable[Row], chart: Panels) -> Picture:
    """Draw the rows as the chart says."""
    panels = arranged(rows, chart)
    require_pictures()
    layout = laid_out(panels, chart)
    parts = [_panel(panels, at, chart, layout) for at in range(len(panels))]
    text = StringIO()
    _whole(parts, chart, layout).save(text, format="svg")
    description = _description(panels, chart)
    svg = _accessible(text.getvalue(), chart.title, description)
    return Picture(svg, chart.title, description)


def _panel(panels: Sequence[Panel], at: int, chart: Panels, layout: Layout) -> alt.LayerChart:
    """One panel; titles of axes stand only at the left and where nothing lies below."""
    import altair as alt  # noqa: PLC0415 (an optional extra, and slow to load)

    left, lowest = at % layout.columns == 0, at + layout.columns >= len(panels)
    axes = plane(layout, chart.x.title if lowest else "", chart.y.title if left else "")
    words = _wrapped(panels[at].title, BOLD * TEXT, layout.width + layout.beside)
    title = alt.TitleParams(words, anchor="start", fontSize=TEXT, offset=6)
    stack = alt.LayerChart(layer=list(layers(panels[at], chart, layout, axes)))
    return stack.properties(width=layout.width, height=layout.height, title=title)


def _whole(parts: list[alt.LayerChart], chart: Panels, layout: Layout) -> alt.VConcatChart:
    """The grid under its title, and all of it under the mark."""
    import altair as alt  # noqa: PLC0415 (as above)

    title = alt.TitleParams(
        _wrapped(chart.title, BOLD * TITLE),
        subtitle=_wrapped(chart.subtitle, PLAIN * TEXT),
        anchor="start",
        fontSize=TITLE,
        subtitleFontSize=TEXT,
        subtitleColor="#444444",
        offset=14,
    )
    grid = alt.concat(*parts, columns=layout.columns, spacing=18, title=title)
    whole = alt.vconcat(grid, background="white", padding=12)
    if chart.mark:
        whole = whole.properties(
            title=alt.TitleParams(
                _wrapped(chart.mark, BOLD * TITLE),
                color=RED,
                anchor="start",
                fontSize=TITLE,
                offset=10,
            )
        )
    configured: alt.VConcatChart = (
        whole.configure(font=FONT, aria=False)
        .configure_view(stroke="#CCCCCC")
        .configure_axis(
            gridColor="#EEEEEE", labelFontSize=SMALL, titleFontSize=TEXT, titleFontWeight="normal"
        )
    )
    return configured


def plane(layout: Layout, x_title: str, y_title: str) -> Plane:
    """The axes as Altair names them; the scales are fixed, since labels are placed on them."""
    import altair as alt  # noqa: PLC0415 (as above)

    x, y = alt.X("x:Q"), alt.Y("y:Q")
    return Plane(
        x.scale(_scale(layout.x)).axis(_axis(layout.x)).title(x_title or None),
        y.scale(_scale(layout.y)).axis(_axis(layout.y)).title(y_title or None),
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
    """Thin lines from the ends of lines to their labels."""
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


def _wrapped(text: str, letter: float, width: float = PAGE) -> list[str]:
    return wrap(text, int(width / letter))


def _description(panels: Sequence[Panel], chart: Panels) -> str:
    """The description for readers who do not see the picture."""
    lines = dict.fromkeys(
        line.series.label.replace("\n", " ") for panel in panels for line in panel.lines
    )
    parts = [
        chart.subtitle,
        f"Panels: {'; '.join(panel.title for panel in panels)}.",
        f"Across: {chart.x.title}. Upwards: {chart.y.title}.",
        f"Lines: {'; '.join(lines)}.",
        f"A rule at {chart.reference.value:g}: {chart.reference.label}." if chart.reference else "",
    ]
    return " ".join(part for part in [chart.mark or "", *parts] if part)


def _accessible(svg: str, title: str, description: str) -> str:
    """The SVG as one image with a name and a description."""
    start, opened, rest = svg.partition("<svg ")
    attributes, _, inside = rest.partition(">")
    name = f'role="img" aria-label="{escape(title)}"'
    words = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    return f"{start}{opened}{name} {attributes}>{words}{inside}"
