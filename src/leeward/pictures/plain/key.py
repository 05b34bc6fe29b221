"""Key: swatches with their names, in lines as they fit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leeward.pictures.plain.letters import fitted
from leeward.pictures.plain.letters import width as wide
from leeward.pictures.plain.mark import Point, box, fold, path, stroke, words

LINE = 20.0
"""From one line of keys to the next."""
SWATCH, HIGH, AIR = 14.0, 10.0, 24.0


@dataclass(frozen=True)
class Key:
    """What a look stands for, with its number where it has one."""

    look: str
    name: str
    number: str = ""

    @property
    def tail(self) -> float:
        """The room of the number."""
        return 7 + wide(self.number) if self.number else 0.0


def keys(listed: Sequence[Key], top: float, width: int) -> tuple[list[str], float]:
    """The keys from the left, and the line on which the last one stands."""
    drawn, x, y = list[str](), 0.0, top
    for key in listed:
        name = fitted(key.name, width - SWATCH - 7 - key.tail, 11)
        long = SWATCH + 6 + wide(name, 11) + key.tail
        if x and x + long > width:
            x, y = 0.0, y + LINE
        drawn += _key(key, (x, y), long)
        x += long + AIR
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
