"""Scatter plot: pairs of numbers on two equal axes, to compare two releases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import copysign, isfinite, log10
from statistics import median

from leeward.pictures.axis import Scale
from leeward.pictures.picture import Picture
from leeward.pictures.plain.elements import (
    Ruler,
    at_most,
    checked,
    empty,
    finished,
    group,
    near,
    path,
    place,
    ruler,
    stroke,
    upright,
    words,
)
from leeward.pictures.plain.text import escaped, full, round_number
from leeward.pictures.plain.text import width as wide

MOST_DOTS = 3000
MOST_TOOLTIPS = 400
"""Maximum number of dots with a tooltip each."""
DECADES = 30
"""Ratio of the largest to the median value from which the scale is logarithmic."""
TOP = 10.0


@dataclass(frozen=True)
class Dot:
    """A pair of numbers; marked ones have another shape and colour."""

    x: float
    y: float
    marked: bool = False
    label: str = ""


@dataclass(frozen=True)
class Plane:
    """Two rulers with the same scale, linear or symmetric-logarithmic."""

    across: Ruler
    up: Ruler
    log: bool

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The place of a pair of numbers."""
        return self.across.at(self.bent(x)), self.up.at(self.bent(y))

    def bent(self, value: float) -> float:
        """Jobs on the scale: linear near zero, logarithmic far from it on both sides."""
        return bent(value) if self.log else value

    @property
    def ticks(self) -> dict[float, str]:
        """Places on the scale, and their numbers as text."""
        return _texts(self.across.scale, log=self.log)


def bent(value: float) -> float:
    """Signed log₁₀(1 + |value|)."""
    return copysign(log10(1 + abs(near(value))), value)


def _texts(scale: Scale, *, log: bool) -> dict[float, str]:
    """The numbers at the ticks; in full where their short forms would be the same."""
    values = {t: copysign(10 ** abs(t) - 1, t) if log else t for t in scale.ticks}
    short = {tick: round_number(round(value)) for tick, value in values.items()}
    if len(set(short.values())) == len(short):
        return short
    return {tick: full(round(value)) for tick, value in values.items()}


def scatter(
    dots: Sequence[Dot], *, title: str, x: str, y: str, diagonal: bool = True, width: int = 520
) -> Picture:
    """The dots on axes of one scale; on the diagonal both numbers are equal."""
    checked(width)
    at_most(MOST_DOTS, len(dots), "dots")
    seen = [dot for dot in dots if isfinite(dot.x) and isfinite(dot.y)]
    if not seen:
        return empty(title, width)
    plane = _plane(seen, width)
    parts = [
        *_frame(plane, width),
        path(_diagonal(plane), "dashed") if diagonal else "",
        *_drawn(seen, plane),
        *_titles(plane, x, y, diagonal=diagonal),
    ]
    high = plane.up.start + 40 + 16 * (diagonal + plane.log)
    return finished(parts, (width, high), title=title, description=_description(seen, x, y))


def _plane(dots: Sequence[Dot], width: int) -> Plane:
    values = [near(one) for dot in dots for one in (dot.x, dot.y)]
    sizes = [abs(value) for value in values]
    log = max(sizes) >= 1000 and max(sizes) > DECADES * (1 + median(sizes))
    scale = _log_scale(values) if log else _padded(ruler(values, 0, 1, zero=False).scale)
    left = 30 + max((wide(text, 11) for text in _texts(scale, log=log).values()), default=0)
    high = width - left - 8
    return Plane(Ruler(scale, left, width - 8), Ruler(scale, TOP + high, TOP), log)


def _padded(scale: Scale) -> Scale:
    air = 0.03 * (scale.high - scale.low)
    return Scale(scale.low - air, scale.high + air, False, scale.ticks)


def _log_scale(values: Sequence[float]) -> Scale:
    low, high = bent(min(*values, 0)), bent(max(*values, 0))
    powers = [bent(float(10**n)) for n in range(1, 19)]
    ticks = sorted({0.0, *powers, *(-p for p in powers)})
    return _padded(Scale(low, high, False, tuple(t for t in ticks if low <= t <= high)))


def _frame(plane: Plane, width: int) -> Iterator[str]:
    texts = plane.ticks
    foot, left = plane.up.start, plane.across.start
    steps = []
    for tick, middle in plane.across.written(texts, width):
        x, y = plane.across.at(tick), plane.up.at(tick)
        steps += [stroke((x, TOP), (x, foot)), stroke((left, y), (plane.across.end, y))]
        yield words(texts[tick], (middle, foot + 16), "soft", anchor="middle")
        yield words(texts[tick], (left - 8, y + 4), "soft", anchor="end")
    yield path("".join(steps), "grid") if steps else ""
    yield path(
        stroke((left, foot), (plane.across.end, foot)) + stroke((left, TOP), (left, foot)), "line"
    )


def _diagonal(plane: Plane) -> str:
    return stroke((plane.across.start, plane.up.start), (plane.across.end, plane.up.end))


def _drawn(dots: Sequence[Dot], plane: Plane) -> Iterator[str]:
    tooltips = len(dots) <= MOST_TOOLTIPS
    yield group("dots", (_dot(d, plane, tooltips=tooltips) for d in dots if not d.marked))
    yield group("marked", (_diamond(d, plane, tooltips=tooltips) for d in dots if d.marked))


def _dot(dot: Dot, plane: Plane, *, tooltips: bool) -> str:
    x, y = plane.at(dot.x, dot.y)
    start = f'<circle cx="{place(x)}" cy="{place(y)}" r="2.5"'
    title = f"<title>{escaped(dot.label)}</title>" if tooltips and dot.label else ""
    return f"{start}>{title}</circle>" if title else f"{start}/>"


def _diamond(dot: Dot, plane: Plane, *, tooltips: bool) -> str:
    x, y = plane.at(dot.x, dot.y)
    steps = f"M{place(x)} {place(y - 5)}l5 5l-5 5l-5-5Z"
    return path(steps, tooltip=dot.label if tooltips else "")


def _titles(plane: Plane, x: str, y: str, *, diagonal: bool) -> Iterator[str]:
    foot, left = plane.up.start, plane.across.start
    long = plane.across.end - left
    yield words(x, (left + long / 2, foot + 34), "soft", anchor="middle", room=long)
    yield upright(y, (11, TOP + long / 2), anchor="middle", room=long)
    for at, note in enumerate(_notes(plane, diagonal=diagonal)):
        yield words(note, (left, foot + 52 + 16 * at), "soft", room=long)


def _notes(plane: Plane, *, diagonal: bool) -> Iterator[str]:
    if diagonal:
        yield "On the dashed line both are equal."
    if plane.log:
        yield "Far from zero the scale is logarithmic."


def _description(dots: Sequence[Dot], x: str, y: str) -> str:
    return (
        f"Across: {x}. Upwards: {y}. {len(dots)} dots, "
        f"{sum(dot.marked for dot in dots)} of them marked."
    )
