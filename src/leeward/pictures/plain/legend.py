"""Legend: what the shades of a heat map mean."""

from collections.abc import Iterator, Sequence

from leeward.pictures.plain.key import Key, keys
from leeward.pictures.plain.mark import Point, box, words
from leeward.pictures.plain.number import short
from leeward.pictures.plain.shade import Shades

SWATCH, HIGH = 46.0, 12.0


def legend(
    shades: Shades, cells: Sequence[int | None], unit: str, corner: tuple[int, float]
) -> tuple[list[str], float]:
    """The swatches under a heat map, and where the picture ends."""
    width, top = corner
    parts, foot = list[str](), top - 6
    if any(cell is not None and cell >= 0 for cell in cells):
        parts, foot = list(_scale(shades, unit, corner)), top + 41
        if shades.rule:
            foot += 19
            parts.append(words(shades.rule, (0, foot), "soft", room=width))
    other = list(_others(cells))
    if other:
        drawn, foot = keys(other, foot + 21, width)
        parts += drawn
    return parts, foot + 8


def _scale(shades: Shades, unit: str, corner: Point) -> Iterator[str]:
    """A row of swatches, each with the number from which on it is used."""
    width, top = corner
    yield words(unit, (1, top + 10), "soft", room=width - 1)
    long, last = min(SWATCH, width / len(shades.starts)), len(shades.starts) - 1
    for at, start in enumerate(shades.starts):
        yield box((at * long, top + 17, long - 1, HIGH), f"shade-{shades.of(start)}")
        text = short(start) + ("+" if last and at == last else "")
        yield words(text, (at * long, top + 17 + HIGH + 12), "soft", room=long - 4)


def _others(cells: Sequence[int | None]) -> Iterator[Key]:
    if any(cell is not None and cell < 0 for cell in cells):
        yield Key("below", "below zero")
    if None in cells:
        yield Key("none", "no establishment")
