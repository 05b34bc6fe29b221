"""Findings: standing at each setting, gaps, agreement and coverage of an evaluation."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leeward.core.mechanisms import REGISTRY
from leeward.core.show.numbers import listed
from leeward.lab.evaluate.figures import NOMINAL
from leeward.lab.evaluate.line import line_of
from leeward.lab.evaluate.point import ALL, ScoredPoint, ScoredSetting
from leeward.lab.evaluate.results import (
    WorkloadResult,
    called,
    comparable,
    grid_point,
    of_papers,
    ours,
    ranked,
)

WIDE = 4.0
"""Standard errors beyond which a closed form or a nominal coverage and the trials disagree."""

NOTICEABLE = 1.01
"""Errors within this factor of each other count as equal."""

LETTERS = {"alpha": "α", "epsilon": "ε", "delta": "δ", "cells": "d"}


@dataclass(frozen=True)
class Agreement:
    """The number of settings compared and within WIDE, the furthest apart, and the mean ratio."""

    compared: int
    within: int
    furthest: float
    ratio: float


def agreement(points: Iterable[ScoredPoint]) -> Agreement:
    """Compare all cells of every setting; those without a variance cannot be compared."""
    apart, ratios = [], []
    for point in points:
        known = point.stratum == ALL and point.l1_source == "closed form"
        if known and point.l1 and point.l1_trials is not None and point.l1_trials_error:
            apart.append(abs(point.l1_trials - point.l1) / point.l1_trials_error)
            ratios.append(point.l1_trials / point.l1)
    within = sum(one <= WIDE for one in apart)
    mean = sum(ratios) / len(ratios) if ratios else 1.0
    return Agreement(len(apart), within, max(apart, default=0.0), mean)


@dataclass(frozen=True)
class Coverage:
    """Coverage of a mechanism's margins over its settings.

    `short` counts settings below the nominal coverage by more than WIDE standard errors.
    """

    name: str
    ours: bool
    biased: bool
    mean: float
    least: float
    largest: float
    settings: int
    short: int


def coverage(points: Iterable[ScoredPoint]) -> list[Coverage]:
    """The coverage of every mechanism that has margins."""
    by_name = dict[str, list[ScoredPoint]]()
    for point in points:
        if point.stratum == ALL and point.coverage is not None:
            by_name.setdefault(called(point), []).append(point)
    return [_coverage(name, scored_points) for name, scored_points in by_name.items()]


def _coverage(name: str, points: Sequence[ScoredPoint]) -> Coverage:
    shares = [point.coverage or 0.0 for point in points]
    known = REGISTRY.get(points[0].mechanism)
    return Coverage(
        name,
        line_of(points[0]).ours,
        known is not None and known.words.bias is not None,
        sum(shares) / len(shares),
        min(shares),
        max(shares),
        len(shares),
        sum(_short(scored_point) for scored_point in points),
    )


def _short(point: ScoredPoint) -> bool:
    missing = NOMINAL - (point.coverage or 0.0)
    return point.coverage_error is not None and missing > WIDE * point.coverage_error


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
    return [_best(result, alpha, epsilon) for alpha, epsilon in result.grid]


def _best(result: WorkloadResult, alpha: float | None, epsilon: float | None) -> Best:
    here = [point for point in result.protected if grid_point(point) == (alpha, epsilon)]
    mine = ranked(here, ours)
    pairs = [
        (next(own for own in mine if comparable(own, other)), other)
        for other in ranked(here, of_papers)
        if any(comparable(own, other) for own in mine)
    ]
    factors = [(own.l1 or 0.0) / other.l1 for own, other in pairs if other.l1]
    other = pairs[0][1] if pairs else None
    return Best(alpha, epsilon, next(iter(mine), None), other, max(factors, default=1.0))


@dataclass(frozen=True)
class MechanismGap:
    """A mechanism that cannot be calibrated, or has no finite mean error, at some settings."""

    name: str
    settings: int
    tried: int
    why: str


def gaps(result: WorkloadResult) -> list[MechanismGap]:
    """Every mechanism with gaps, with the rules that it broke."""
    found, tried = dict[str, list[str]](), dict[str, int]()
    for refused in result.refused:
        found.setdefault(called(refused), []).append(rule(refused.reason))
    points = [
        scored_point
        for scored_point in result.points
        if scored_point.stratum == ALL and scored_point.epsilon is not None
    ]
    for point in points:
        if point.l1 is None:
            found.setdefault(called(point), []).append("no finite mean error")
    every: list[ScoredSetting] = [*result.refused, *points]
    for setting in every:
        tried[called(setting)] = tried.get(called(setting), 0) + 1
    return [
        MechanismGap(name, len(why), tried[name], listed(dict.fromkeys(why), "or"))
        for name, why in found.items()
    ]


def rule(reason: str) -> str:
    """The rule of a refusal in the letters of the figures, without value and next step."""
    said = reason.partition("; got ")[0].replace(": ", " ", 1).rstrip(".")
    return re.sub(r"\b(?:alpha|epsilon|delta|cells)\b", lambda word: LETTERS[word[0]], said)
