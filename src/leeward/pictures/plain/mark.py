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


def size_of(look: str) -> float:
    """The size of a text of this look."""
    return float(LOOKS[look].always.partition('font-size="')[2].partition('"')[0] or 12)


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
    shown = fitted(text, room, size_of(look))
    told = _told(text) if shown != cleaned(text) else ""
    end = "" if anchor == "start" else f' text-anchor="{anchor}"'
    start = f'<text {dressed(look)} x="{place(at[0])}" y="{place(at[1])}"{end}'
    return f"{start}>{told}{escaped(shown)}</text>"


def upright(text: str, at: Point, look: str = "soft", *, room: float) -> str:
    """A line of text that is read upwards, from its foot."""
    turned = words(text, (0, 0), look, room=room)
    move = f'transform="translate({place(at[0])} {place(at[1])}) rotate(-90)"'
    return turned.replace('x="0" y="0"', move, 1)


def hatched(at: Box) -> str:
    """Slanting lines over a rectangle, as steps of a path."""
    left, top, wide, high = at
    steps = []
    for foot in range(4, int(wide + high), 5):
        lower = (left + max(foot - high, 0), top + min(foot, high))
        upper = (left + min(foot, wide), top + max(foot - wide, 0))
        steps.append(stroke(lower, upper))
    return "".join(steps)
