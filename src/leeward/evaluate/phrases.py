"""Phrases: numbers, shares, lists and parts of a grid as text."""

from collections.abc import Collection, Iterable
from math import floor, isfinite, log10

from leeward.evaluate.point import Setting

NOTHING = "–"
DIGITS = 3
"""Significant digits of a printed number; the files have all digits."""


def number(value: float | None) -> str:
    """Three digits that matter, thousands separated, never an exponent; a dash for nothing."""
    if value is None or not isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    rounded = float(f"{value:.{DIGITS}g}")
    after = max(0, DIGITS - 1 - floor(log10(abs(rounded))))
    text = f"{rounded:,.{after}f}"
    return text.rstrip("0").rstrip(".") if after else text


def share(value: float | None) -> str:
    """A share in per cent."""
    return NOTHING if value is None or not isfinite(value) else f"{number(100 * value)} %"


def correlation(value: float | None) -> str:
    """Three decimals: what matters of a correlation is how far it is from 1."""
    return NOTHING if value is None or not isfinite(value) else f"{value:.3f}"


def several(count: int, noun: str) -> str:
    """A count with its noun, in the plural if need be."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(words: Iterable[str], last: str = "and") -> str:
    """Words as a list: "a, b and c"."""
    every = list(words)
    return f" {last} ".join([*([", ".join(every[:-1])] if every[:-1] else []), *every[-1:]])


def opened(text: str) -> str:
    """The text as the beginning of a sentence or heading."""
    return text[:1].upper() + text[1:]


GridPoint = tuple[float | None, float | None]
"""α and ε; a promise of another kind has no α."""


def grid_point(setting: Setting) -> GridPoint:
    """The point of the grid that a setting has."""
    return setting.alpha, setting.epsilon


def region(found: Collection[GridPoint], grid: Collection[GridPoint], each: str = "every") -> str:
    """Which part of the grid these points are: "at α = 0.1 with ε ≤ 0.5", or "at every setting"."""
    if set(found) >= set(grid):
        return f"at {each} setting of the grid"
    by_alpha: dict[str, list[str]] = {}
    for alpha in sorted({one[0] for one in found}, key=_known):
        mine = _epsilons(found, alpha)
        by_alpha.setdefault(_range(mine, _epsilons(grid, alpha)), []).append(_alpha(alpha))
    parts = [_part(alphas, epsilons) for epsilons, alphas in by_alpha.items()]
    return "at " + "; at ".join(parts)


def _part(alphas: list[str], epsilons: str) -> str:
    named = [one for one in alphas if one]
    return f"α = {listed(named)} with {epsilons}" if named else epsilons


def _known(value: float | None) -> float:
    return -1.0 if value is None else value


def _alpha(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _epsilons(grid_points: Collection[GridPoint], alpha: float | None) -> list[float]:
    return sorted({one[1] for one in grid_points if one[0] == alpha and one[1] is not None})


def _range(found: list[float], grid: list[float]) -> str:
    """A run from an end of the grid is said with ≤ or ≥; it was measured on the grid alone."""
    if found == grid and len(grid) > 1:
        return "every ε of the grid"
    if len(found) > 1 and found == grid[: len(found)]:
        return f"ε ≤ {found[-1]:g}"
    if len(found) > 1 and found == grid[-len(found) :]:
        return f"ε ≥ {found[0]:g}"
    return f"ε = {listed(f'{one:g}' for one in found)}"
