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
        """Where a value lies."""
        return self.start + self.scale.share(near(value)) * (self.end - self.start)

    def written(self, texts: dict[float, str], most: float) -> list[tuple[float, float]]:
        """Ticks and the middles of their texts, between 0 and `most`.

        Every tick, or every second, fifth or tenth, so that their texts do not touch.
        """
        for step in (1, 2, 5, 10):
            kept = [tick for at, tick in enumerate(texts) if self._rank(tick, at) % step == 0]
            halves = [width(texts[tick], 11) / 2 for tick in kept]
            middles = [
                min(max(self.at(tick), half), most - half)
                for tick, half in zip(kept, halves, strict=True)
            ]
            if all(
                left + own + AIR <= right - other
                for (left, own), (right, other) in pairwise(zip(middles, halves, strict=True))
            ):
                return list(zip(kept, middles, strict=True))
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
