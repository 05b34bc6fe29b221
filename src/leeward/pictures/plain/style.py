"""Style: the colours of plain pictures, by day, by night and on paper, and the classes they dress.

Every look is written twice from the same table: as attributes of the elements, so that a picture
stands alone in light colours, and as rules over custom properties, so that a page recolours it.
"""

from dataclasses import dataclass

LIGHT = {
    "ink": "#1F2328",
    "soft": "#59636E",
    "line": "#818B98",
    "grid": "#E4E8EC",
    "ground": "#FFFFFF",
    "bar": "#3F7FAE",
    "less": "#C2571A",
    "pale": "#DDE9F2",
    "past": "#C6CDD4",
    "mark": "#B04A12",
    "dot": "#3F7FAE",
    "below": "#F7DCC6",
    "fold": "#B04A12",
    "on-below": "#1F2328",
    "shade-0": "#EEF3F7",
    "shade-1": "#D6E5F0",
    "shade-2": "#B3D0E5",
    "shade-3": "#86B5D6",
    "shade-4": "#5596C2",
    "shade-5": "#2B6FA3",
    "shade-6": "#123F66",
    "on-0": "#1F2328",
    "on-1": "#1F2328",
    "on-2": "#1F2328",
    "on-3": "#1F2328",
    "on-4": "#0B0E11",
    "on-5": "#FFFFFF",
    "on-6": "#FFFFFF",
    "core": "#8DBADB",
}
DARK = {
    "ink": "#E6EAEE",
    "soft": "#A3ADB8",
    "line": "#7A8591",
    "grid": "#2D343B",
    "ground": "#14181C",
    "bar": "#3F86B8",
    "less": "#C46A2C",
    "pale": "#22394B",
    "past": "#4A545E",
    "mark": "#F0A368",
    "dot": "#6FB1DF",
    "below": "#4A2A14",
    "fold": "#E08A4C",
    "on-below": "#FBE3D0",
    "shade-0": "#1C252D",
    "shade-1": "#20384B",
    "shade-2": "#265070",
    "shade-3": "#2F6C99",
    "shade-4": "#5C9DCB",
    "shade-5": "#93C7EA",
    "shade-6": "#D6ECFB",
    "on-0": "#E6EAEE",
    "on-1": "#E6EAEE",
    "on-2": "#FFFFFF",
    "on-3": "#FFFFFF",
    "on-4": "#0B0E11",
    "on-5": "#0B0E11",
    "on-6": "#0B0E11",
    "core": "#2F6C99",
}
SHADES = 7
"""How many steps a heat map has."""


@dataclass(frozen=True)
class Look:
    """How one kind of element is dressed: names of colours, and what no theme changes."""

    fill: str = ""
    stroke: str = ""
    always: str = ""

    @property
    def colours(self) -> tuple[tuple[str, str], ...]:
        """Properties and the names of their colours."""
        return tuple((k, v) for k, v in (("fill", self.fill), ("stroke", self.stroke)) if v)


BOLD = 'font-size="13" font-weight="600"'
IN_CELL = 'font-size="11" text-anchor="middle"'
HAIR = 'stroke-width="1"'
LOOKS = {
    "head": Look(fill="ink", always=BOLD),
    "label": Look(fill="ink", always='font-size="12"'),
    "number": Look(fill="ink", always='font-size="12"'),
    "soft": Look(fill="soft", always='font-size="11"'),
    "grid": Look(stroke="grid", always=HAIR),
    "line": Look(stroke="line", always=HAIR),
    "dashed": Look(stroke="line", always=HAIR + ' stroke-dasharray="4 4"'),
    "whisker": Look(stroke="ink", always='stroke-width="1.2" fill="none"'),
    "bar": Look(fill="bar"),
    "less": Look(fill="less"),
    "past": Look(fill="past", stroke="line", always=HAIR),
    "hill": Look(fill="pale"),
    "core": Look(fill="core"),
    "edge": Look(stroke="bar", always='stroke-width="1.2" fill="none"'),
    "left": Look(fill="ground", stroke="line", always=HAIR),
    "true": Look(stroke="ink", always='stroke-width="1.5"'),
    "dots": Look(fill="dot", always='fill-opacity="0.55"'),
    "marked": Look(fill="ground", stroke="mark", always='stroke-width="1.5"'),
    "below": Look(fill="below"),
    "fold": Look(fill="fold"),
    "none": Look(fill="line"),
    "on-below": Look(fill="on-below", always=IN_CELL),
    **{f"shade-{n}": Look(fill=f"shade-{n}") for n in range(SHADES)},
    **{f"on-{n}": Look(fill=f"on-{n}", always=IN_CELL) for n in range(SHADES)},
}


def dressed(look: str) -> str:
    """The attributes of an element: its class, and its colours by day."""
    colours = "".join(f' {name}="{LIGHT[of]}"' for name, of in LOOKS[look].colours)
    always = LOOKS[look].always
    return f'class="picture-{look}"{colours}' + (f" {always}" if always else "")


def _properties(colours: dict[str, str]) -> str:
    return ":root{" + ";".join(f"--picture-{k}:{v}" for k, v in colours.items()) + "}"


def _rules() -> str:
    return "\n".join(
        f".picture-{name}{{"
        + ";".join(f"{key}:var(--picture-{of})" for key, of in look.colours)
        + "}"
        for name, look in LOOKS.items()
    )


STYLE = f"""{_properties(LIGHT)}
@media (prefers-color-scheme:dark){{{_properties(DARK)}}}
@media print{{{_properties(LIGHT)}}}
.picture{{display:block;width:100%;height:auto;font-variant-numeric:tabular-nums;\
print-color-adjust:exact;-webkit-print-color-adjust:exact}}
{_rules()}
.picture-wide{{max-width:800px}}
.picture-middle{{max-width:600px}}
.picture-narrow{{max-width:400px}}
.picture-pair>.picture-narrow{{display:none}}
@media screen and (max-width:559px){{
.picture-pair>.picture{{display:none}}
.picture-pair>.picture-narrow{{display:block}}
}}
"""
"""The style sheet of a page with plain pictures.

An element of the class picture-pair holds a picture twice, wide and narrow, and shows the one that
suits the screen.
"""
