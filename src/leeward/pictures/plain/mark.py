"""Mark: the elements that plain pictures are made of, as SVG text."""

from collections.abc import Iterable
from typing import Literal

from leeward.pictures.plain.letters import cleaned, escaped, fitted
from leeward.pictures.plain.style import LOOKS, dressed

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, width, height."""


def place(value: float) -> str:
    """A coordinate: tenths are finer than any screen shows."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def measure(look: str) -> float:
    """The size of a text of this look, for its width: bold letters are wider."""
    always = LOOKS[look].always
    size = float(always.partition('font-size="')[2].partition('"')[0])
    return size * 1.08 if "font-weight" in always else size


def _told(text: str) -> str:
    return f"<title>{escaped(text)}</title>" if text else ""


def box(at: Box, look: str = "", *, told: str = "") -> str:
    """A rectangle; without a look it wears that of its group."""
    x, y, wide, high = (place(one) for one in at)
    wear = f"{dressed(look)} " if look else ""
    start = f'<rect {wear}x="{x}" y="{y}" width="{wide}" height="{high}"'
    return f"{start}>{_told(told)}</rect>" if told else f"{start}/>"


def path(steps: str, look: str = "", *, told: str = "") -> str:
    """A path of any form."""
    wear = f"{dressed(look)} " if look else ""
    return f'<path {wear}d="{steps}">{_told(told)}</path>' if told else f'<path {wear}d="{steps}"/>'


def stroke(start: Point, end: Point) -> str:
    """A straight line, as steps of a path."""
    return f"M{place(start[0])} {place(start[1])}L{place(end[0])} {place(end[1])}"


def polygon(points: Iterable[Point]) -> str:
    """A closed form, as steps of a path."""
    return "M" + "L".join(f"{place(x)} {place(y)}" for x, y in points) + "Z"


def group(look: str, parts: Iterable[str]) -> str:
    """Elements that look the same."""
    inside = "".join(parts)
    return f"<g {dressed(look)}>{inside}</g>" if inside else ""


def words(
    text: str, at: Point, look: str = "label", *, anchor: Anchor = "start", room: float = 1e6
) -> str:
    """A line of text, cut to its room; what was cut is told when pointed at."""
    shown = fitted(text, room, measure(look))
    told = _told(text) if shown != cleaned(text) else ""
    end = "" if anchor == "start" else f' text-anchor="{anchor}"'
    start = f'<text {dressed(look)} x="{place(at[0])}" y="{place(at[1])}"{end}'
    return f"{start}>{told}{escaped(shown)}</text>"


def upright(
    text: str, at: Point, look: str = "soft", *, anchor: Anchor = "start", room: float
) -> str:
    """A line of text that is read upwards."""
    flat = words(text, (0, 0), look, anchor=anchor, room=room)
    turn = f'transform="translate({place(at[0])} {place(at[1])}) rotate(-90)"'
    return flat.replace('x="0" y="0"', turn, 1)


def fold(at: Box) -> str:
    """The turned-down corner of a rectangle, as steps of a path."""
    return f"M{place(at[0])} {place(at[1])}h6l-6 6Z"
