"""End labels: names beside the ends of lines, moved so that none covers another.

Sizes are pixels; widths of letters are estimated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

LETTER, LINE = 5.4, 13.0
"""Mean width of a letter, and height of a line of text."""


@dataclass(frozen=True)
class EndLabel:
    """A text of one or more lines, its colour, and the end of its line, from the top left."""

    text: str
    colour: str
    end: tuple[float, float]

    @property
    def height(self) -> float:
        """The height of the text."""
        return text_height(self.text)

    def rows(self, centre: float) -> list[tuple[float, str]]:
        """Its lines of text around this centre, each with the height of its middle."""
        first = centre - (self.height - LINE) / 2
        return [(first + LINE * n, text) for n, text in enumerate(self.text.split("\n"))]


def text_height(text: str) -> float:
    """The height of a text of one or more lines."""
    return LINE * (text.count("\n") + 1)


def text_width(text: str) -> float:
    """The estimated width of a text of one or more lines."""
    return LETTER * max(len(line) for line in text.split("\n"))


def dodged(labels: Sequence[EndLabel], *, room: float) -> tuple[float, ...]:
    """Heights of the centres: none covers another, all between 0 and `room`, as near as can be.

    Written as q_i = centre_i − (what stands above it), the order must not fall: the nearest such
    q in squares is an isotonic regression, and its bounded form is the clipped one.
    """
    order = sorted(range(len(labels)), key=lambda at: labels[at].end[1])
    heights = [labels[at].height for at in order]
    above = [below - own / 2 for below, own in zip(accumulate(heights), heights, strict=True)]
    wanted = [labels[at].end[1] - up for at, up in zip(order, above, strict=True)]
    most = max(0.0, room - sum(heights))
    centres = [0.0] * len(labels)
    for at, up, start in zip(order, above, rising(wanted), strict=True):
        centres[at] = min(max(start, 0.0), most) + up
    return tuple(centres)


def rising(wanted: Sequence[float]) -> list[float]:
    """The nearest numbers that do not fall: pools of neighbours share their mean."""
    pools: list[list[float]] = []
    for value in wanted:
        pools.append([value])
        while len(pools) > 1 and _mean(pools[-2]) >= _mean(pools[-1]):
            last = pools.pop()
            pools[-1].extend(last)
    return [_mean(pool) for pool in pools for _ in pool]


def _mean(pool: list[float]) -> float:
    return sum(pool) / len(pool)
