"""Summary: one figure of the ε at which provable privacy costs no more than noise infusion."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leeward.evaluate.figures.break_even import ABOVE, BreakEven, break_even
from leeward.evaluate.point import Point
from leeward.pictures import Axis, Panels, Series
from leeward.pictures import colour as okabe_ito

STEP = 2.4
"""From the grid to a bound beyond it, and from there to the next, as a factor."""


APART = 3.5
"""The least factor between two ticks."""


def summary(
    points: Iterable[Point], names: Mapping[str, str]
) -> tuple[Panels, list[dict[str, Any]]]:
    """Chart and rows: a panel for each workload, α across, the break-even ε upwards."""
    given = tuple(points)
    found = [one for one in break_even(given) if one.epsilon is not None]
    grid = sorted({point.epsilon for point in given if point.epsilon is not None})
    rows = [
        {"panel": name, **_row(one, found, grid[0])}
        for workload, name in names.items()
        for one in found
        if one.workload == workload
    ]
    alphas = tuple(sorted({one.alpha for one in found}))
    chart = Panels(
        "At which ε does provable privacy cost nothing?",
        Axis("alpha", "α", log=True, ticks=alphas, margin=0.16),
        Axis("epsilon", "ε of equal error", log=True, ticks=_ticks(grid), margin=0.12),
        (
            Series("ours", "best of ours", okabe_ito.BLUE, width=2.6),
            Series("published", "best published, δ = 0", okabe_ito.ORANGE, (6, 3), "square"),
            Series(
                "published with δ",
                "best published, δ > 0",
                okabe_ito.PURPLE,
                (6, 3),
                "triangle-up",
            ),
        ),
        "The smallest ε at which the mean error is that of today's noise infusion, each mechanism "
        "counted by the sum over worker cells. ≤: already so at that ε, the smallest measured. "
        ">: not up to that ε, the largest measured; marks of one bound are in no order."
        + _failing(found),
    )
    return chart, rows


def _ticks(grid: Sequence[float]) -> tuple[float, ...]:
    """Values of the grid so far apart that their labels have room."""
    kept: list[float] = []
    for one in grid:
        if not kept or one >= APART * kept[-1]:
            kept.append(one)
    return tuple(kept)


def _failing(found: Iterable[BreakEven]) -> str:
    """Which of them promise less than the others: the figure must not hide it."""
    weaker = sorted({f"{one.mechanism} (δ = {one.delta:g})" for one in found if one.delta})
    return f" With a promise that may fail: {'; '.join(weaker)}." if weaker else ""


def _row(one: BreakEven, found: Sequence[BreakEven], smallest: float) -> dict[str, Any]:
    """Bounds at an end of the grid stand beyond it, those of several families one by one."""
    place = one.epsilon or smallest
    like = [other for other in found if _key(other) == _key(one)]
    beyond = STEP ** (like.index(one) + 1)
    if one.bound == ABOVE:
        place *= beyond
    elif one.bound and place == smallest:
        place /= beyond
    return {
        "series": one.family,
        "alpha": one.alpha,
        "epsilon": place,
        "bound": one.words if one.bound else "",
    }


def _key(one: BreakEven) -> object:
    return one.workload, one.alpha, one.bound, one.epsilon
