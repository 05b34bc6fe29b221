"""Drawing: a chart and its rows become a picture, the same one every time."""

from __future__ import annotations  # Altair is named in types and loaded only to draw

from collections.abc import Iterable, Sequence
from html import escape
from io import StringIO
from textwrap import wrap
from typing import TYPE_CHECKING

from leeward.pictures.chart import Panels
from leeward.pictures.colour import RED
from leeward.pictures.layout import PAGE, Layout, laid_out
from leeward.pictures.marks import SMALL, layers, plane
from leeward.pictures.panel import Panel, Row, arranged
from leeward.pictures.picture import FONT, Picture, require_pictures

if TYPE_CHECKING:
    import altair as alt

TITLE, TEXT = 16, 12
"""Sizes of text in pixels."""
BOLD, PLAIN = 0.56, 0.46
"""Mean widths of a letter, as shares of its size."""


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


def _wrapped(text: str, letter: float, width: float = PAGE) -> list[str]:
    return wrap(text, int(width / letter))


def _description(panels: Sequence[Panel], chart: Panels) -> str:
    """What is to be seen, for those who do not see it."""
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
