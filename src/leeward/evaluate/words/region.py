"""Region: some settings of a grid, said compactly."""

from collections.abc import Collection

from leeward.evaluate.point import Setting
from leeward.evaluate.words.sentence import listed

Spot = tuple[float | None, float | None]
"""α and ε; a promise of another kind has no α."""


def spot(setting: Setting) -> Spot:
    """Where in the grid a setting lies."""
    return setting.alpha, setting.epsilon


def region(found: Collection[Spot], grid: Collection[Spot], each: str = "every") -> str:
    """Which spots of the grid these are: "at α = 0.1 with ε ≤ 0.5", or "at every setting"."""
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


def _epsilons(spots: Collection[Spot], alpha: float | None) -> list[float]:
    return sorted({one[1] for one in spots if one[0] == alpha and one[1] is not None})


def _range(found: list[float], grid: list[float]) -> str:
    """A run from an end of the grid is said with ≤ or ≥; it was measured on the grid alone."""
    if found == grid and len(grid) > 1:
        return "every ε of the grid"
    if len(found) > 1 and found == grid[: len(found)]:
        return f"ε ≤ {found[-1]:g}"
    if len(found) > 1 and found == grid[-len(found) :]:
        return f"ε ≥ {found[0]:g}"
    return f"ε = {listed(f'{one:g}' for one in found)}"
