"""Elements: SVG marks, rulers, keys and the frame that plain pictures are made of."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from leeward.errors import InvalidParameter
from leeward.pictures.axis import Axis, Scale
from leeward.pictures.picture import FONT, Picture
from leeward.pictures.plain.style import LOOKS, dressed
from leeward.pictures.plain.text import cleaned, escaped, fitted
from leeward.pictures.plain.text import width as wide

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, width and height."""

NARROWEST = 280
"""Minimum width of a picture in units."""

WIDE = 480
"""Width in units from which labels are drawn beside their marks instead of above them."""

KEY_LINE = 20.0
"""Distance between lines of keys in units."""

SWATCH, HIGH, KEY_AIR = 14.0, 10.0, 24.0
"""Width and height of a swatch, and the space between two keys, in units."""

FARTHEST = 10**18
"""Largest number on a scale; larger ones are drawn at its end."""

TICK_AIR = 12.0
"""Minimum space between the numbers of two ticks in units."""


@dataclass(frozen=True)
class Key:
    """The name of a look, and its number if it has one."""

    look: str
    name: str
    number: str = ""

    @property
    def tail(self) -> float:
        """The room of the number."""
        return 7 + wide(self.number) if self.number else 0.0


@dataclass(frozen=True)
class Ruler:
    """A scale between two ends of the picture, in its units."""

    scale: Scale
    start: float
    end: float

    def at(self, value: float) -> float:
        """The place of a value."""
        return self.start + self.scale.share(near(value)) * (self.end - self.start)

    def written(self, texts: dict[float, str], most: float) -> list[tuple[float, float]]:
        """Ticks and the middles of their texts, between 0 and `most`.

        Every tick, or every second, fifth or tenth, so that their texts do not touch.
        """
        for step in (1, 2, 5, 10):
            kept = [tick for at, tick in enumerate(texts) if self._rank(tick, at) % step == 0]
            halves = [wide(texts[tick], 11) / 2 for tick in kept]
            middles = [
                min(max(self.at(tick), half), most - half)
                for tick, half in zip(kept, halves, strict=True)
            ]
            if all(
                left + own + TICK_AIR <= right - other
                for (left, own), (right, other) in pairwise(zip(middles, halves, strict=True))
            ):
                return list(zip(kept, middles, strict=True))
        return []

    def _rank(self, tick: float, at: int) -> int:
        """The number of a tick, counted from zero if there is one, so that zero is kept."""
        ticks = self.scale.ticks
        return abs(at - ticks.index(0.0)) if 0.0 in ticks else at


def place(value: float) -> str:
    """A coordinate, rounded to tenths of a unit."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def measure(look: str) -> float:
    """The size of a text of this look, for its width: bold letters are wider."""
    always = LOOKS[look].always
    size = float(always.partition('font-size="')[2].partition('"')[0])
    return size * 1.08 if "font-weight" in always else size


def _tooltip(text: str) -> str:
    return f"<title>{escaped(text)}</title>" if text else ""


def box(at: Box, look: str = "", *, tooltip: str = "") -> str:
    """A rectangle; without a look it has that of its group."""
    x, y, wide, high = (place(one) for one in at)
    wear = f"{dressed(look)} " if look else ""
    start = f'<rect {wear}x="{x}" y="{y}" width="{wide}" height="{high}"'
    return f"{start}>{_tooltip(tooltip)}</rect>" if tooltip else f"{start}/>"


def path(steps: str, look: str = "", *, tooltip: str = "") -> str:
    """A path of any form."""
    wear = f"{dressed(look)} " if look else ""
    return (
        f'<path {wear}d="{steps}">{_tooltip(tooltip)}</path>'
        if tooltip
        else f'<path {wear}d="{steps}"/>'
    )


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
    """A line of text, cut to its room; a cut text is whole in its tooltip."""
    shown = fitted(text, room, measure(look))
    tooltip = _tooltip(text) if shown != cleaned(text) else ""
    end = "" if anchor == "start" else f' text-anchor="{anchor}"'
    start = f'<text {dressed(look)} x="{place(at[0])}" y="{place(at[1])}"{end}'
    return f"{start}>{tooltip}{escaped(shown)}</text>"


def upright(
    text: str, at: Point, look: str = "soft", *, anchor: Anchor = "start", room: float
) -> str:
    """A line of text that is read upwards."""
    flat = words(text, (0, 0), look, anchor=anchor, room=room)
    turn = f'transform="translate({place(at[0])} {place(at[1])}) rotate(-90)"'
    return flat.replace('x="0" y="0"', turn, 1)


def fold(at: Box) -> str:
    """The folded corner of a rectangle, as steps of a path."""
    return f"M{place(at[0])} {place(at[1])}h6l-6 6Z"


def checked(width: int) -> int:
    """The width; one below the minimum is refused."""
    if width < NARROWEST:
        raise InvalidParameter(
            "width",
            rule=f"a picture is at least {NARROWEST} units wide",
            value=width,
            next_step=f"Give a width of {NARROWEST} or more.",
        )
    return width


def at_most(limit: int, given: int, what: str) -> None:
    """Refuse more than a picture can show."""
    if given > limit:
        raise InvalidParameter(
            what,
            rule=f"a picture shows at most {limit} {what}",
            value=given,
            next_step="Choose those to show.",
        )


def finished(
    parts: Iterable[str], size: tuple[int, float], *, title: str, description: str
) -> Picture:
    """The picture of these marks."""
    wide, high = size
    name = f'role="img" aria-label="{escaped(title)}" class="picture picture-{_kind(wide)}"'
    shape = f'width="{wide}" height="{place(high)}" viewBox="0 0 {wide} {place(high)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {name} {shape} font-family="{FONT}">'
    described = f"<title>{escaped(title)}</title><desc>{escaped(description)}</desc>"
    svg = head + described + "".join(parts) + "</svg>"
    return Picture(svg, cleaned(title), cleaned(description))


def _kind(width: int) -> str:
    """The class that limits the width of the picture on a page."""
    if width < WIDE:
        return "narrow"
    return "middle" if width < 600 else "wide"


def empty(title: str, width: int) -> Picture:
    """A picture without marks, with a sentence instead."""
    text = words("Nothing to show.", (width / 2, 34), "soft", anchor="middle")
    return finished([text], (width, 60), title=title, description="Nothing to show.")


def keys(listed: Sequence[Key], top: float, width: int) -> tuple[list[str], float]:
    """The keys from the left, in as many lines as needed, and the height of the last line."""
    drawn, x, y = list[str](), 0.0, top
    for key in listed:
        name = fitted(key.name, width - SWATCH - 7 - key.tail, 11)
        long = SWATCH + 6 + wide(name, 11) + key.tail
        if x and x + long > width:
            x, y = 0.0, y + KEY_LINE
        drawn += _key(key, (x, y), long)
        x += long + KEY_AIR
    return drawn, y


def _key(key: Key, at: Point, long: float) -> Iterator[str]:
    x, y = at
    yield from _swatch(key.look, at)
    room = long - SWATCH - 6 - key.tail
    yield words(key.name, (x + SWATCH + 6, y), "soft", room=room + 0.5)
    if key.number:
        yield words(key.number, (x + long - key.tail + 7, y), "number")


def _swatch(look: str, at: Point) -> Iterator[str]:
    x, y = at[0], at[1] - HIGH + 1
    if look == "true":
        yield path(stroke((x + SWATCH / 2, y - 1), (x + SWATCH / 2, y + HIGH + 1)), look)
    elif look == "none":
        yield box((x + SWATCH / 2 - 1, y + HIGH / 2 - 1, 2, 2), look)
    else:
        yield box((x + 0.5, y, SWATCH - 1, HIGH), look)
    if look == "below":
        yield path(fold((x + 0.5, y, SWATCH, HIGH)), "fold")


def near(value: float) -> float:
    """A number within the range of a scale."""
    return float(min(max(value, -FARTHEST), FARTHEST))


def ruler(values: Iterable[float], start: float, end: float, *, zero: bool = True) -> Ruler:
    """The ruler that shows these values, with ticks at whole numbers."""
    seen = [near(value) for value in values] + ([0.0] if zero else [])
    reaches = _around(max(seen), zero=zero) if max(seen) == min(seen) else ()
    scale = Axis("", "", reaches=reaches, margin=0).scale(seen)
    whole = tuple(tick for tick in scale.ticks if tick == int(tick))
    return Ruler(Scale(scale.low, scale.high, False, whole), start, end)


def _around(value: float, *, zero: bool) -> tuple[float, float]:
    """The ends of a scale whose values are all equal."""
    step = max(1.0, abs(value) / 10**6)  # one alone is lost beside a very large value
    return (value if zero else value - step), value + step
