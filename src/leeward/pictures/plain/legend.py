"""Legend: what the shades of a heat map mean."""

from collections.abc import Iterator, Sequence

from leeward.pictures.plain.letters import width as wide
from leeward.pictures.plain.mark import box, hatched, path, words
from leeward.pictures.plain.number import short
from leeward.pictures.plain.shade import Shades

KEY, HIGH = 46.0, 12.0
"""Width and height of a swatch."""


def legend(
    shades: Shades, cells: Sequence[int | None], unit: str, corner: tuple[int, float]
) -> tuple[list[str], float]:
    """The swatches under a heat map, and where they end."""
    width, top = corner
    parts = list(_scale(shades, unit, top, width)) if any(c is not None for c in cells) else []
    x, y = 0.0, top + (56 if parts else 10)
    if shades.rule and parts:
        parts.append(words(shades.rule, (0, y), "soft", room=width))
        y += 20
    if any(cell is not None and cell < 0 for cell in cells):
        parts += _below(x, y)
        x += 30 + wide("below zero", 11) + 22
    if any(cell is None for cell in cells):
        parts += _none(x, y)
        x += 1
    return parts, y + (8 if x else -12)


def _scale(shades: Shades, unit: str, top: float, width: int) -> Iterator[str]:
    yield words(unit, (0, top + 10), "soft", room=width)
    key = min(KEY, width / 6)
    for at, start in enumerate(shades.starts):
        yield box((at * key, top + 17, key - 1, HIGH), f"shade-{shades.of(start)}")
        text = short(start) if at + 1 < len(shades.starts) else f"{short(start)}+"
        yield words(text, (at * key, top + 17 + HIGH + 12), "soft")


def _below(x: float, y: float) -> list[str]:
    swatch = (x, y - 10.0, 24.0, HIGH)
    return [
        box(swatch, "below"),
        path(hatched(swatch), "hatch"),
        words("below zero", (x + 30, y), "soft"),
    ]


def _none(x: float, y: float) -> list[str]:
    return [
        box((x + 4, y - 5, 2, 2), "none"),
        words("no establishment", (x + 14, y), "soft"),
    ]
