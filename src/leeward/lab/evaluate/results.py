"""Results: a workload with its points, its best mechanisms and its gaps."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

from leeward.core.show.numbers import listed
from leeward.lab.evaluate.contender import PRODUCT
from leeward.lab.evaluate.evaluation import EvaluatedTable, Evaluation
from leeward.lab.evaluate.figures import CHOSEN_ALPHA
from leeward.lab.evaluate.line import INFUSION, PARALLEL, MechanismLine, line_of
from leeward.lab.evaluate.point import ALL, RefusedSetting, ScoredPoint, ScoredSetting

CHOSEN_EPSILON, CHOSEN_FOR_WHOLE = 1.0, 4.0
"""The ε at which single counts are tabulated, and whole tables of worker cells: the nearest in the
grid."""

GridPoint = tuple[float | None, float | None]
"""α and ε; a promise of another kind has no α."""

NOTICEABLE = 1.01
"""Errors within this factor of each other count as equal."""

LETTERS = {"alpha": "α", "epsilon": "ε", "delta": "δ", "cells": "d"}

STRONGER = {"strong": ("strong",), "weak": ("weak", "strong")}
"""Which policies promise at least as much."""


@dataclass(frozen=True)
class WorkloadResult:
    """One workload: its table, its points in all strata, its gaps."""

    table: EvaluatedTable
    points: tuple[ScoredPoint, ...]
    refused: tuple[RefusedSetting, ...]

    @property
    def whole(self) -> bool:
        """Whether several worker cells of a workplace are released for one ε."""
        booked = {point.accounting for point in (*self.points, *self.refused)}
        return PRODUCT in booked or (self.table.worker_cells > 1 and booked != {"single"})

    @property
    def infusion(self) -> ScoredPoint | None:
        """Noise infusion on all cells."""
        every = (point for point in self.points if point.stratum == ALL)
        return next((point for point in every if point.mechanism == INFUSION), None)

    @cached_property
    def alpha(self) -> float | None:
        """The α of the reading: as in the figures, the nearest to a tenth."""
        alphas = {point.alpha for point in self.points if point.alpha is not None}
        return _nearest(alphas, CHOSEN_ALPHA)

    @cached_property
    def epsilon(self) -> float | None:
        """The ε of the reading."""
        wanted = CHOSEN_FOR_WHOLE if self.whole else CHOSEN_EPSILON
        mine = [(p.alpha, p.epsilon) for p in self.points if p.epsilon is not None]
        same = {epsilon for alpha, epsilon in mine if alpha == self.alpha}
        return _nearest(same or {epsilon for _, epsilon in mine}, wanted)

    @property
    def where(self) -> str:
        """The setting of the reading in words."""
        return setting_words(self.alpha, self.epsilon)

    @property
    def here(self) -> tuple[ScoredPoint, ...]:
        """The points of the reading, on all cells; those without α beside the others."""
        return tuple(
            point
            for point in self.points
            if point.stratum == ALL
            and point.epsilon is not None
            and point.epsilon == self.epsilon
            and point.alpha in (None, self.alpha)
        )

    @property
    def protected(self) -> tuple[ScoredPoint, ...]:
        """All points with α at their true price, on all cells."""
        return tuple(point for point in self.points if point.stratum == ALL and _proper(point))

    @cached_property
    def grid(self) -> tuple[GridPoint, ...]:
        """Every α and ε at which something with α was tried at its true price."""
        tried = (*self.points, *self.refused)
        return tuple(dict.fromkeys(grid_point(setting) for setting in tried if _proper(setting)))


def setting_words(alpha: float | None, epsilon: float | None) -> str:
    """A setting in words, without what it does not have."""
    known = (("α", alpha), ("ε", epsilon))
    return " and ".join(f"{name} = {value:g}" for name, value in known if value is not None)


def grid_point(setting: ScoredSetting) -> GridPoint:
    """The α and ε of a setting."""
    return setting.alpha, setting.epsilon


def workload_results(evaluation: Evaluation) -> tuple[WorkloadResult, ...]:
    """The result of each workload, in order."""
    return tuple(
        WorkloadResult(
            table,
            tuple(point for point in evaluation.points if point.workload == table.name),
            tuple(setting for setting in evaluation.refused if setting.workload == table.name),
        )
        for table in evaluation.tables
    )


def ranked(
    points: Iterable[ScoredPoint], wanted: Callable[[MechanismLine], bool]
) -> list[ScoredPoint]:
    """The wanted points with a finite error, the least first."""
    finite = (point for point in points if point.l1 is not None and isfinite(point.l1))
    return sorted((p for p in finite if wanted(line_of(p))), key=lambda point: point.l1 or 0.0)


def ours(line: MechanismLine) -> bool:
    """Whether it is one of ours."""
    return line.ours


def of_papers(line: MechanismLine) -> bool:
    """Whether it is a mechanism of the papers, published or tight, at its true price."""
    return line.paper and line.accounting != PARALLEL and not line.printed


def comparable(own: ScoredPoint, other: ScoredPoint) -> bool:
    """Whether ours promises at least as much as the other."""
    return own.policy in STRONGER.get(other.policy, (other.policy,)) and own.delta <= other.delta


def called(setting: ScoredSetting) -> str:
    """A setting's mechanism for people, in one line."""
    point = line_of(ScoredPoint(**{name: getattr(setting, name) for name in _SHARED}))
    return point.label([point]).replace("\n", " ")


_SHARED = tuple(ScoredSetting.__dataclass_fields__)


def promise(setting: ScoredSetting) -> str:
    """What it promises, in a word or two."""
    if setting.policy == "none":
        return "none"
    return f"{setting.policy}, δ = {setting.delta:.3g}" if setting.delta else setting.policy


def _proper(setting: ScoredSetting) -> bool:
    """Whether it has an α and is counted at its true price; a form without a promise has none."""
    known = setting.alpha is not None and setting.epsilon is not None
    return known and setting.accounting != PARALLEL and setting.policy != "none"


def _nearest(values: set[float], wanted: float) -> float | None:
    return min(values, key=lambda number: (abs(number - wanted), number), default=None)


@dataclass(frozen=True)
class Best:
    """One setting: the best of ours, and the best of the papers that promises no more than it.

    `factor` is the largest error of ours divided by that of such a mechanism of the papers.
    """

    alpha: float | None
    epsilon: float | None
    own: ScoredPoint | None
    other: ScoredPoint | None
    factor: float = 1.0

    @property
    def above(self) -> bool:
        """Whether ours have more error than noise infusion."""
        ratio = None if self.own is None else self.own.ratio_to_infusion
        return ratio is not None and ratio > NOTICEABLE

    @property
    def beaten(self) -> bool:
        """Whether a mechanism of the papers has less error than ours."""
        return self.factor > NOTICEABLE


def bests(result: WorkloadResult) -> list[Best]:
    """Every setting of the grid at its true price."""
    settings = []
    for setting in result.grid:
        here = [point for point in result.protected if grid_point(point) == setting]
        mine = ranked(here, ours)
        pairs = [
            (next(own for own in mine if comparable(own, other)), other)
            for other in ranked(here, of_papers)
            if any(comparable(own, other) for own in mine)
        ]
        factor = max(((own.l1 or 0.0) / other.l1 for own, other in pairs if other.l1), default=1.0)
        other = pairs[0][1] if pairs else None
        settings.append(Best(*setting, next(iter(mine), None), other, factor))
    return settings


@dataclass(frozen=True)
class MechanismGap:
    """A mechanism that cannot be calibrated, or has no finite mean error, at some settings."""

    name: str
    settings: int
    tried: int
    why: str


def gaps(result: WorkloadResult) -> list[MechanismGap]:
    """Every mechanism with gaps, with the rules that it broke."""
    reasons, tried = dict[str, list[str]](), Counter[str]()
    for refused in result.refused:
        tried[called(refused)] += 1
        reasons.setdefault(called(refused), []).append(rule(refused.reason))
    for point in result.points:
        if point.stratum == ALL and point.epsilon is not None:
            tried[called(point)] += 1
            if point.l1 is None:
                reasons.setdefault(called(point), []).append("no finite mean error")
    return [
        MechanismGap(name, len(why), tried[name], listed(dict.fromkeys(why), "or"))
        for name, why in reasons.items()
    ]


def rule(reason: str) -> str:
    """The rule of a refusal in the letters of the figures, without value and next step."""
    said = reason.partition("; got ")[0].replace(": ", " ", 1).rstrip(".")
    return re.sub(r"\b(?:alpha|epsilon|delta|cells)\b", lambda word: LETTERS[word[0]], said)
