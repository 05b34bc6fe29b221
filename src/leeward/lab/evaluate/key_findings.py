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
from leeward.lab.evaluate.point import ALL, Point

SMOOTH = (SMOOTH_GAMMA, SMOOTH_LAPLACE)

STRAIGHT = 0.02
"""How far the slope of ln L1 on ln ε may be from −1."""

Numbers: TypeAlias = dict[str, Any]
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


def key_findings(points: Iterable[Point], form: str) -> tuple[KeyFinding, ...]:
    """The five findings for one form of the smooth algorithms."""
    mine = _Compared(form, compared(points, form))
    return (mine.straight(), mine.cheap(), mine.rising(), mine.crossing(), mine.helped())


def findings_json(points: Sequence[Point], mark: str | None) -> dict[str, Any]:
    """The findings for programs: with the forms of 2015 where they were run, and those of 2016."""
    forms = (H15, PUBLISHED) if has_printed(points) else (PUBLISHED,)
    first, *others = ([asdict(one) for one in key_findings(points, form)] for form in forms)
    return {
        "source": "[H15] section 6",
        "mark": mark,
        "findings": first,
        "with_forms_of_2016": others[0] if others else [],
    }


def compared(points: Iterable[Point], form: str) -> tuple[Point, ...]:
    """The points of the three algorithms as the paper counts them, from coarse to fine tables."""
    wanted = {LOG_LAPLACE: PUBLISHED, SMOOTH_GAMMA: form, SMOOTH_LAPLACE: form}
    found = [
        one
        for one in points
        if one.stratum == ALL
        and wanted.get(one.mechanism) == one.calibration
        and one.accounting in ("single", PARALLEL)
        and one.l1 is not None
    ]
    return tuple(sorted(found, key=lambda one: one.cells))


def has_printed(points: Iterable[Point]) -> bool:
    """Whether the forms of 2015 are among the points."""
    return any(one.calibration == H15 for one in points)


@dataclass(frozen=True)
class _Compared:
    """What the findings of one form are judged by."""

    form: str
    points: tuple[Point, ...]

    def straight(self) -> KeyFinding:
        """The first."""
        numbers: list[Numbers] = [
            {"workload": load, "mechanism": name, "alpha": alpha, "slope": _slope(found)}
            for (load, name, alpha), found in self._curves("alpha")
            if len(found) > 2
        ]
        smooth = [
            abs(one["slope"] + 1) <= STRAIGHT for one in numbers if one["mechanism"] in SMOOTH
        ]
        return self._all(
            1,
            "The logarithm of the error falls as that of ε rises; for the smooth algorithms the "
            "error is in proportion to 1/ε.",
            f"the slope of ln L1 on ln ε is −1 ± {STRAIGHT} for both smooth algorithms",
            smooth,
            numbers,
        )

    def cheap(self) -> KeyFinding:
        """The second."""
        numbers: list[Numbers] = [
            {
                "workload": load,
                "mechanism": name,
                "alpha": alpha,
                "epsilon": next((p.epsilon for p in found if _less(p.ratio_to_infusion)), None),
            }
            for (load, name, alpha), found in self._curves("alpha")
        ]
        return self._all(
            2,
            "For larger ε the algorithms have less error than today's noise infusion.",
            "every algorithm has a ratio to infusion below 1 at some ε, in every table, at every α",
            [one["epsilon"] is not None for one in numbers],
            numbers,
        )

    def rising(self) -> KeyFinding:
        """The third."""
        numbers: list[Numbers] = [
            {
                "workload": load,
                "mechanism": name,
                "epsilon": epsilon,
                "alphas": [one.alpha for one in found],
                "l1": [one.l1 for one in found],
            }
            for (load, name, epsilon), found in self._curves("epsilon")
            if len(found) > 1
        ]
        return self._all(
            3,
            "As α increases, so does the error of all three algorithms.",
            "L1 rises with α at every ε, in every table",
            [all(a < b for a, b in pairwise(one["l1"])) for one in numbers],
            numbers,
        )

    def crossing(self) -> KeyFinding:
        """The fourth: it may hold at some α alone, and must not be reversed at another."""
        pairs = self._pairs(LOG_LAPLACE, SMOOTH_GAMMA)
        tables = list(dict.fromkeys(one.workload for one in self.points))
        numbers: list[Numbers] = [
            {
                "alpha": alpha,
                "epsilon": epsilon,
                "coarse": _difference(found[tables[0]]),
                "fine": _difference(found[tables[-1]]),
            }
            for (alpha, epsilon), found in pairs.items()
            if len(tables) > 1 and tables[0] in found and tables[-1] in found
        ]
        holds = sum(one["coarse"] < 0 < one["fine"] for one in numbers)
        reversed_ = sum(one["coarse"] > 0 > one["fine"] for one in numbers)
        return KeyFinding(
            4,
            self.form,
            "Log-Laplace has less error where data are aggregated coarsely, Smooth Gamma where "
            "they are disaggregated.",
            "Log-Laplace − Smooth Gamma is below 0 in the coarsest table and above 0 in the finest "
            "at some α and ε, and never the other way round",
            bool(holds and not reversed_) if numbers else None,
            holds,
            len(numbers),
            tuple(numbers),
        )

    def helped(self) -> KeyFinding:
        """The fifth."""
        numbers: list[Numbers] = [
            {"workload": load, "alpha": alpha, "epsilon": epsilon, "ratio": ratio, "delta": delta}
            for (alpha, epsilon), found in self._pairs(SMOOTH_LAPLACE, SMOOTH_GAMMA).items()
            for load, (laplace, gamma) in found.items()
            for ratio, delta in [((laplace.l1 or 0.0) / (gamma.l1 or 1.0), laplace.delta)]
        ]
        return self._all(
            5,
            "A small probability of failure, as Smooth Laplace has, helps to improve the error.",
            "Smooth Laplace has less error than Smooth Gamma wherever both exist",
            [one["ratio"] < 1 for one in numbers],
            numbers,
        )

    def _all(
        self, number: int, statement: str, rule: str, kept: list[bool], numbers: list[Numbers]
    ) -> KeyFinding:
        """A finding that must hold everywhere."""
        verdict = all(kept) if kept else None
        count, found = sum(kept), tuple(numbers)
        return KeyFinding(number, self.form, statement, rule, verdict, count, len(kept), found)

    def _curves(self, shared: str) -> Iterator[tuple[Curve, list[Point]]]:
        """The points of each table and algorithm that share α, by ε, or the other way round."""
        found: dict[Curve, list[Point]] = {}
        for one in self.points:
            key = one.workload, one.mechanism, float(getattr(one, shared))
            found.setdefault(key, []).append(one)
        for key, mine in found.items():
            yield key, sorted(mine, key=lambda one: (one.alpha or 0, one.epsilon or 0))

    def _pairs(
        self, first: str, second: str
    ) -> Mapping[tuple[float, float], dict[str, tuple[Point, Point]]]:
        """Two algorithms side by side, by α and ε and then by table."""
        known = {(p.workload, p.mechanism, p.alpha, p.epsilon): p for p in self.points}
        found: dict[tuple[float, float], dict[str, tuple[Point, Point]]] = {}
        for (load, name, alpha, epsilon), one in known.items():
            other = known.get((load, second, alpha, epsilon))
            if name == first and other is not None:
                at = float(alpha or 0), float(epsilon or 0)
                found.setdefault(at, {})[load] = (one, other)
        return found


def _slope(found: Sequence[Point]) -> float:
    """Least squares of ln L1 on ln ε."""
    x = np.array([log(one.epsilon or 1) for one in found])
    y = np.array([log(one.l1 or 1) for one in found])
    x -= x.mean()
    return float((x * y).sum() / (x * x).sum())


def _less(ratio: float | None) -> bool:
    return ratio is not None and ratio < 1


def _difference(pair: tuple[Point, Point]) -> float:
    return (pair[0].l1 or 0.0) - (pair[1].l1 or 0.0)
