"""Break-even: the ε at which provable privacy has no more error than noise infusion; its figure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, isfinite, log
from typing import Literal, TypeAlias

from leeward.lab.evaluate.line import PARALLEL, drawable, line_of, lines_of
from leeward.lab.evaluate.panels import (
    BLUE,
    ORANGE,
    PURPLE,
    Direction,
    Facet,
    FacetPlot,
    Stroke,
    Trace,
    TracePoint,
)
from leeward.lab.evaluate.point import ALL, ScoredPoint

Family = Literal["ours", "published", "published with δ"]
FAMILIES: tuple[Family, ...] = ("ours", "published", "published with δ")
"""Ours, and what the papers printed: promises that always hold, and those that may fail."""

Crossing: TypeAlias = tuple[float, str, str, str, float]
"""ε, bound, name, policy and δ of a mechanism that was measured."""

AT_MOST, ABOVE, REACHED = "≤", ">", ""

STEP = 2.4
"""Factor from the grid to a bound beyond it, and from there to the next."""
APART = 3.5
"""Least factor between two ticks."""


@dataclass(frozen=True)
class BreakEven:
    """Where the best of a family of mechanisms reaches the error of noise infusion.

    `bound` says what `epsilon` is: "" the ε itself, between two of the grid; "≤" a value at which
    the error is already as small, and nothing smaller was measured; ">" the largest ε measured,
    at which it is not. `mechanism` is the name of the one that does it, for people, and `policy`
    and `delta` what that one promises; none does it above a bound. Without any measure `epsilon`
    is None too.
    """

    workload: str
    family: Family
    alpha: float
    epsilon: float | None = None
    bound: str = REACHED
    mechanism: str | None = None
    policy: str | None = None
    delta: float = 0.0

    @property
    def words(self) -> str:
        """The value for a table: "0.8", "≤ 0.25", "> 4", or a dash."""
        if self.epsilon is None:
            return "–"
        return f"{self.bound} {self.epsilon:.2g}".strip()


def break_even(points: Iterable[ScoredPoint]) -> tuple[BreakEven, ...]:
    """The break-even of each family for every workload and α of these points.

    A mechanism counts only at its true price: what the papers book in parallel does not.
    """
    proper = [
        point
        for point in drawable(points)
        if point.stratum == ALL and point.alpha is not None and point.accounting != PARALLEL
    ]
    places = dict.fromkeys((point.workload, point.alpha) for point in proper)
    return tuple(
        _best(workload, alpha, family, proper)
        for workload, alpha in sorted(places, key=lambda place: (place[0], place[1] or 0))
        for family in FAMILIES
        if alpha is not None
    )


def _best(workload: str, alpha: float, family: Family, points: Sequence[ScoredPoint]) -> BreakEven:
    here = [point for point in points if point.workload == workload and point.alpha == alpha]
    grid = sorted({point.epsilon for point in here if point.epsilon is not None})
    lines = lines_of(here)
    crossings: list[Crossing] = []
    if family == "ours":
        of_family = [line for line in lines if line.ours]
    else:
        may_fail = family == "published with δ"
        of_family = [line for line in lines if line.published and line.delta == may_fail]
    for line in of_family:
        mine = [(point.epsilon or 0.0, point) for point in here if line_of(point) == line]
        ratios = {
            epsilon: point.ratio_to_infusion
            for epsilon, point in mine
            if point.ratio_to_infusion is not None and isfinite(point.ratio_to_infusion)
        }
        if ratios:
            least, bound = crossing(ratios, grid)
            # The δ is that of the first ε that was measured from there on.
            further = [(epsilon, point) for epsilon, point in mine if epsilon >= least]
            delta = min(further, key=lambda pair: pair[0])[1].delta
            crossings.append((least, bound, line.label(lines), line.policy, delta))
    if not crossings:
        return BreakEven(workload, family, alpha)
    reached = [at for at in crossings if at[1] != ABOVE]
    if not reached:
        return BreakEven(workload, family, alpha, max(least for least, *_ in crossings), ABOVE)
    return BreakEven(workload, family, alpha, *min(reached, key=lambda at: at[0]))


def crossing(ratios: Mapping[float, float], grid: Sequence[float]) -> tuple[float, str]:
    """The smallest ε at which the ratio is 1, between neighbours of the grid, both axes in logs."""
    for before, at in pairwise([-inf, *grid]):
        if ratios.get(at, inf) > 1:
            continue
        if before not in ratios or ratios[at] <= 0:
            return at, AT_MOST
        above, below = log(ratios[before]), log(ratios[at])
        share = above / (above - below)
        return exp(log(before) + share * (log(at) - log(before))), REACHED
    return max(ratios), ABOVE


FAMILY_LINES: Mapping[Family, tuple[str, Stroke]] = {
    "ours": ("best of ours", Stroke(BLUE, width=2.6)),
    "published": ("best published, δ = 0", Stroke(ORANGE, "6 3", "square")),
    "published with δ": ("best published, δ > 0", Stroke(PURPLE, "6 3", "triangle-up")),
}
"""What the figure calls a family, and how it draws it."""


def summary(points: Iterable[ScoredPoint], names: Mapping[str, str]) -> FacetPlot:
    """A panel for each workload, α across, the break-even ε upwards."""
    given = tuple(points)
    evens = [even for even in break_even(given) if even.epsilon is not None]
    grid = sorted({point.epsilon for point in given if point.epsilon is not None})
    facets = []
    for workload, name in names.items():
        traces = []
        here = sorted((e for e in evens if e.workload == workload), key=lambda even: even.alpha)
        for family, (label, stroke) in FAMILY_LINES.items():
            mine = (even for even in here if even.family == family)
            places = tuple(_place(even, evens, grid[0]) for even in mine)
            traces.append(Trace(label, stroke, places))
        if here:
            facets.append(Facet(name, tuple(traces)))
    ticks: list[float] = []  # so far apart that their labels have room
    for epsilon in grid:
        if not ticks or epsilon >= APART * ticks[-1]:
            ticks.append(epsilon)
    alphas = tuple(sorted({even.alpha for even in evens}))
    # Which of them promise less than the others: the figure must not hide it.
    weaker = sorted({f"{even.mechanism} (δ = {even.delta:.3g})" for even in evens if even.delta})
    return FacetPlot(
        "At which ε does provable privacy cost nothing?",
        Direction("α", log=True, ticks=alphas, air=0.16),
        Direction("ε of equal error", log=True, ticks=tuple(ticks), air=0.12),
        tuple(facets),
        "The smallest ε at which the mean error is that of today's noise infusion, each mechanism "
        "counted by the sum over worker cells. ≤: already so at that ε, the smallest measured. "
        ">: not up to that ε, the largest measured; marks of one bound are in no order."
        + (f" With a promise that may fail: {'; '.join(weaker)}." if weaker else ""),
    )


def _place(even: BreakEven, evens: Sequence[BreakEven], smallest: float) -> TracePoint:
    """Bounds at an end of the grid stand beyond it, those of several families one by one."""
    place = even.epsilon or smallest
    key = even.workload, even.alpha, even.bound, even.epsilon
    like = [e for e in evens if (e.workload, e.alpha, e.bound, e.epsilon) == key]
    beyond = STEP ** (like.index(even) + 1)
    if even.bound == ABOVE:
        place *= beyond
    elif even.bound and place == smallest:
        place /= beyond
    return TracePoint(even.alpha, place, even.words if even.bound else "")
