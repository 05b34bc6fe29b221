"""Ruler: a scale laid along a line of the picture, with ticks that leave each other room."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from leeward.pictures.axis import Axis, Scale
from leeward.pictures.plain.letters import width

FARTHEST = 10**18
"""Beyond it a number is drawn at the end of the scale; it is still written in full."""
AIR = 12.0
"""Between two ticks' numbers."""


@dataclass(frozen=True)
class Ruler:
    """A scale between two ends of the picture, in its units."""

    scale: Scale
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a value lies; never beyond the ends."""
        share = self.scale.share(near(value))
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def ticks(self, texts: dict[float, str]) -> list[float]:
        """Every tick, or every second, fifth or tenth, so that their texts do not touch."""
        most = max((width(text, 11) for text in texts.values()), default=0.0)
        for step in (1, 2, 5, 10):
            kept = [t for at, t in enumerate(texts) if not (self._rank(t, at) % step)]
            places = sorted(self.at(tick) for tick in kept)
            apart = min((b - a for a, b in pairwise(places)), default=most * 9)
            if apart >= most + AIR:
                return kept
        return []

    def _rank(self, tick: float, at: int) -> int:
        """Counted from zero where there is one, so that it is kept."""
        ticks = self.scale.ticks
        return abs(at - ticks.index(0.0)) if 0.0 in ticks else at


def near(value: float) -> float:
    """A number that floating point can place."""
    return float(min(max(value, -FARTHEST), FARTHEST))


def ruler(values: Iterable[float], start: float, end: float, *, zero: bool = True) -> Ruler:
    """The ruler that shows these values, with ticks at whole numbers."""
    seen = [near(value) for value in values] + ([0.0] if zero else [])
    reaches = _around(max(seen), zero=zero) if max(seen) == min(seen) else ()
    scale = Axis("", "", reaches=reaches, margin=0).scale(seen)
    whole = tuple(tick for tick in scale.ticks if tick == int(tick))
    return Ruler(Scale(scale.low, scale.high, False, whole), start, end)


def _around(value: float, *, zero: bool) -> tuple[float, float]:
    """What a scale shows where all its values are the same."""
    step = max(1.0, abs(value) / 10**6)  # one alone is lost beside a very large value
    return (value if zero else value - step), value + step
