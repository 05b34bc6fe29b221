"""Labels: the names at the ends of the lines, placed so that none covers another."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

LETTER = 5.4
"""Mean width of a letter, in pixels, at the size of labels."""
LINE = 13.0
"""Height of a line of text, in pixels, at the size of labels."""


@dataclass(frozen=True)
class Label:
    """A text that wants to stand at a height, in pixels from the top."""

    text: str
    colour: str
    wanted: float

    @property
    def rows(self) -> int:
        """How many lines the text has."""
        return self.text.count("\n") + 1

    @property
    def height(self) -> float:
        """What the text needs, in pixels."""
        return LINE * self.rows


def width(text: str) -> float:
    """About how wide a text of one or more lines is, in pixels."""
    return LETTER * max(len(line) for line in text.split("\n"))


def dodged(labels: Sequence[Label], *, room: float) -> tuple[float, ...]:
    """Heights of the centres: none covers another, all between 0 and `room`, as near as can be.

    Written as q_i = centre_i − (what stands above it), the order must not fall: the nearest such
    q in squares is an isotonic regression, and its bounded form is the clipped one.
    """
    order = sorted(range(len(labels)), key=lambda one: labels[one].wanted)
    heights = [labels[one].height for one in order]
    above = [below - own / 2 for below, own in zip(accumulate(heights), heights, strict=True)]
    wanted = [labels[one].wanted - up for one, up in zip(order, above, strict=True)]
    most = max(0.0, room - sum(heights))
    placed = [0.0] * len(labels)
    for one, up, start in zip(order, above, _rising(wanted), strict=True):
        placed[one] = min(max(start, 0.0), most) + up
    return tuple(placed)


def _rising(wanted: Sequence[float]) -> list[float]:
    """The nearest numbers that do not fall: pools of neighbours share their mean."""
    pools: list[list[float]] = []
    for one in wanted:
        pools.append([one])
        while len(pools) > 1 and _mean(pools[-2]) >= _mean(pools[-1]):
            last = pools.pop()
            pools[-1].extend(last)
    return [_mean(pool) for pool in pools for _ in pool]


def _mean(pool: list[float]) -> float:
    return sum(pool) / len(pool)
