"""Key findings: the five of [H15] section 6, each a rule that the points of a run keep or break.

They speak of Log-Laplace, Smooth Gamma and Smooth Laplace as the paper counts them: each worker
cell at ε, in parallel. `form` is h15 for the two smooth algorithms as printed in 2015, published
for those of 2016; Log-Laplace is the same in both.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import log
from typing import Any, TypeAlias

import numpy as np

from leeward.lab.baselines.printed import LOG_LAPLACE, SMOOTH_GAMMA, SMOOTH_LAPLACE
from leeward.lab.evaluate.contender import H15
from leeward.lab.evaluate.line import PARALLEL, PUBLISHED
from leeward.lab.evaluate.point import ALL, ScoredPoint

SMOOTH = (SMOOTH_GAMMA, SMOOTH_LAPLACE)

STRAIGHT = 0.02
"""How far the slope of ln L1 on ln ε may be from −1."""

STATED = (
    (
        "The logarithm of the error falls as that of ε rises; for the smooth algorithms the "
        "error is in proportion to 1/ε.",
        f"the slope of ln L1 on ln ε is −1 ± {STRAIGHT} for both smooth algorithms",
    ),
    (
        "For larger ε the algorithms have less error than today's noise infusion.",
        "every algorithm has a ratio to infusion below 1 at some ε, in every table, at every α",
    ),
    (
        "As α increases, so does the error of all three algorithms.",
        "L1 rises with α at every ε, in every table",
    ),
    (
        "Log-Laplace has less error where data are aggregated coarsely, Smooth Gamma where "
        "they are disaggregated.",
        "Log-Laplace − Smooth Gamma is below 0 in the coarsest table and above 0 in the finest "
        "at some α and ε, and never the other way round",
    ),
    (
        "A small probability of failure, as Smooth Laplace has, helps to improve the error.",
        "Smooth Laplace has less error than Smooth Gamma wherever both exist",
    ),
)
"""What the paper states, each with the rule that it is judged by here."""

Numbers: TypeAlias = dict[str, Any]
Judgement: TypeAlias = tuple[bool | None, int, int, tuple[Numbers, ...]]
"""A verdict, in how many of all cases the rule holds, and the numbers of each case."""

Curve: TypeAlias = tuple[str, str, float]
"""A workload, an algorithm, and the α or the ε that its points share."""


@dataclass(frozen=True)
class KeyFinding:
    """A finding: in words, the rule it is judged by, how often that holds, and the numbers.

    `verdict` is None where a run has nothing to compare.
    """

    number: int
    form: str
    statement: str
    rule: str
    verdict: bool | None
    holds: int
    of: int
    numbers: tuple[Numbers, ...]


def key_findings(points: Iterable[ScoredPoint], form: str) -> tuple[KeyFinding, ...]:
    """The five findings for one form of the smooth algorithms."""
    mine = _Compared(compared(points, form))
    judged = (mine.straight(), mine.cheap(), mine.rising(), mine.crossing(), mine.helped())
    return tuple(
        KeyFinding(number, form, statement, rule, *judgement)
        for number, ((statement, rule), judgement) in enumerate(zip(STATED, judged, strict=True), 1)
    )


def findings_json(points: Sequence[ScoredPoint], mark: str | None) -> dict[str, Any]:
    """The findings for programs: with the forms of 2015 where they were run, and those of 2016."""
    forms = (H15, PUBLISHED) if has_printed(points) else (PUBLISHED,)
    first, *others = (
        [asdict(key_finding) for key_finding in key_findings(points, form)] for form in forms
    )
    return {
        "source": "[H15] section 6",
        "mark": mark,
        "findings": first,
        "with_forms_of_2016": others[0] if others else [],
    }


def compared(points: Iterable[ScoredPoint], form: str) -> tuple[ScoredPoint, ...]:
    """The points of the three algorithms as the paper counts them, from coarse to fine tables."""
    wanted = {LOG_LAPLACE: PUBLISHED, SMOOTH_GAMMA: form, SMOOTH_LAPLACE: form}
    scored_points = [
        point
        for point in points
        if point.stratum == ALL
        and wanted.get(point.mechanism) == point.calibration
        and point.accounting in ("single", PARALLEL)
        and point.l1 is not None
    ]
    return tuple(sorted(scored_points, key=lambda point: point.cells))


def has_printed(points: Iterable[ScoredPoint]) -> bool:
    """Whether the forms of 2015 are among the points."""
    return any(point.calibration == H15 for point in points)


@dataclass(frozen=True)
class _Compared:
    """What the findings of one form are judged by."""

    points: tuple[ScoredPoint, ...]

    def straight(self) -> Judgement:
        """The first."""
        numbers: list[Numbers] = [
            {"workload": load, "mechanism": name, "alpha": alpha, "slope": _slope(curve)}
            for (load, name, alpha), curve in self._curves("alpha")
            if len(curve) > 2
        ]
        smooth = [case for case in numbers if case["mechanism"] in SMOOTH]
        return _everywhere([abs(case["slope"] + 1) <= STRAIGHT for case in smooth], numbers)

    def cheap(self) -> Judgement:
        """The second."""
        numbers: list[Numbers] = [
            {
                "workload": load,
                "mechanism": name,
                "alpha": alpha,
                "epsilon": next(
                    (
                        point.epsilon
                        for point in curve
                        if point.ratio_to_infusion is not None and point.ratio_to_infusion < 1
                    ),
                    None,
                ),
            }
            for (load, name, alpha), curve in self._curves("alpha")
        ]
        return _everywhere([case["epsilon"] is not None for case in numbers], numbers)

    def rising(self) -> Judgement:
        """The third."""
        numbers: list[Numbers] = [
            {
                "workload": load,
                "mechanism": name,
                "epsilon": epsilon,
                "alphas": [point.alpha for point in curve],
                "l1": [point.l1 for point in curve],
            }
            for (load, name, epsilon), curve in self._curves("epsilon")
            if len(curve) > 1
        ]
        rising = [all(a < b for a, b in pairwise(case["l1"])) for case in numbers]
        return _everywhere(rising, numbers)

    def crossing(self) -> Judgement:
        """The fourth: it may hold at some α alone, and must not be reversed at another."""
        pairs = self._pairs(LOG_LAPLACE, SMOOTH_GAMMA)
        tables = list(dict.fromkeys(point.workload for point in self.points))
        numbers: list[Numbers] = [
            {
                "alpha": alpha,
                "epsilon": epsilon,
                "coarse": _difference(pair[tables[0]]),
                "fine": _difference(pair[tables[-1]]),
            }
            for (alpha, epsilon), pair in pairs.items()
            if len(tables) > 1 and tables[0] in pair and tables[-1] in pair
        ]
        holds = sum(case["coarse"] < 0 < case["fine"] for case in numbers)
        reverse = any(case["coarse"] > 0 > case["fine"] for case in numbers)
        verdict = bool(holds and not reverse) if numbers else None
        return verdict, holds, len(numbers), tuple(numbers)

    def helped(self) -> Judgement:
        """The fifth."""
        numbers: list[Numbers] = [
            {"workload": load, "alpha": alpha, "epsilon": epsilon, "ratio": ratio, "delta": delta}
            for (alpha, epsilon), pair in self._pairs(SMOOTH_LAPLACE, SMOOTH_GAMMA).items()
            for load, (laplace, gamma) in pair.items()
            for ratio, delta in [((laplace.l1 or 0.0) / (gamma.l1 or 1.0), laplace.delta)]
        ]
        return _everywhere([case["ratio"] < 1 for case in numbers], numbers)

    def _curves(self, shared: str) -> Iterator[tuple[Curve, list[ScoredPoint]]]:
        """The points of each table and algorithm that share α, by ε, or the other way round."""
        curves: dict[Curve, list[ScoredPoint]] = {}
        for point in self.points:
            key = point.workload, point.mechanism, float(getattr(point, shared))
            curves.setdefault(key, []).append(point)
        for key, mine in curves.items():
            yield key, sorted(mine, key=lambda point: (point.alpha or 0, point.epsilon or 0))

    def _pairs(
        self, first: str, second: str
    ) -> Mapping[tuple[float, float], dict[str, tuple[ScoredPoint, ScoredPoint]]]:
        """Two algorithms side by side, by α and ε and then by table."""
        known = {(p.workload, p.mechanism, p.alpha, p.epsilon): p for p in self.points}
        pairs: dict[tuple[float, float], dict[str, tuple[ScoredPoint, ScoredPoint]]] = {}
        for (load, name, alpha, epsilon), point in known.items():
            other = known.get((load, second, alpha, epsilon))
            if name == first and other is not None:
                at = float(alpha or 0), float(epsilon or 0)
                pairs.setdefault(at, {})[load] = (point, other)
        return pairs


def _everywhere(kept: Sequence[bool], numbers: Sequence[Numbers]) -> Judgement:
    """The judgement of a rule that must hold in every case."""
    return all(kept) if kept else None, sum(kept), len(kept), tuple(numbers)


def _slope(points: Sequence[ScoredPoint]) -> float:
    """Least squares of ln L1 on ln ε."""
    x = np.array([log(point.epsilon or 1) for point in points])
    y = np.array([log(point.l1 or 1) for point in points])
    x -= x.mean()
    return float((x * y).sum() / (x * x).sum())


def _difference(pair: tuple[ScoredPoint, ScoredPoint]) -> float:
    return (pair[0].l1 or 0.0) - (pair[1].l1 or 0.0)
