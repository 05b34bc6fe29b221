"""Limits: where ours do not help, and what could not be calibrated at all."""

import re
from collections.abc import Callable, Iterator
from math import log1p

from leeward.evaluate.line import Line
from leeward.evaluate.phrases import GridPoint, grid_point, listed, number, opened, region, several
from leeward.evaluate.point import ALL, Point
from leeward.evaluate.results import (
    WorkloadResult,
    called,
    comparable,
    ours,
    published,
    ranked,
    tightened,
)

NOTICEABLE = 1.01
"""Errors within this factor of each other are called equal."""
SLIGHT = f"{100 * (NOTICEABLE - 1):.0f} %"

LETTERS = {"alpha": "α", "epsilon": "ε", "delta": "δ", "cells": "d"}


def limits(result: WorkloadResult) -> tuple[str, ...]:
    """The settings at which ours are missing, or have more error than something else."""
    if not result.grid:
        return ()
    return (*_missing(result), *_above_today(result), *_beaten(result))


def _missing(result: WorkloadResult) -> Iterator[str]:
    there = {grid_point(one) for one in ranked(result.protected, ours)}
    gone = [one for one in result.grid if one not in there]
    if gone:
        yield (
            f"None of ours has a finite mean error {region(gone, result.grid, 'any')} "
            f"({len(gone)} of {several(len(result.grid), 'setting')})."
        )


def _above_today(result: WorkloadResult) -> Iterator[str]:
    """Settings at which even the best of ours has more error than noise infusion."""
    best = {where: one for where in result.grid if (one := _best(result, where, ours))}
    ratios = {where: one.ratio_to_infusion for where, one in best.items()}
    known = {where: ratio for where, ratio in ratios.items() if ratio is not None}
    worse = [where for where, ratio in known.items() if ratio > NOTICEABLE]
    if worse:
        yield (
            "Even the best of ours has more error than noise infusion "
            f"{region(worse, result.grid)} "
            f"({len(worse)} of {several(len(known), 'setting')}), up to "
            f"{number(max(known[one] for one in worse))} times as much."
        )


def _beaten(result: WorkloadResult) -> Iterator[str]:
    """Settings at which a mechanism of the papers has less error than the best comparable ours."""
    tried = 0
    lost: dict[bool, dict[GridPoint, tuple[float, str]]] = {False: {}, True: {}}
    for where in result.grid:
        pairs = list(_pairs(result, where))
        tried += bool(pairs)
        for own, other in pairs:
            factor = (own.l1 or 0.0) / other.l1 if other.l1 else 1.0
            known = lost[bool(other.delta)].get(where, (NOTICEABLE, ""))
            if factor > known[0]:
                lost[bool(other.delta)][where] = factor, called(other)
    for failing, found in lost.items():
        if found:
            worst, names = (
                max(one for one, _ in found.values()),
                {name for _, name in found.values()},
            )
            yield (
                f"{opened(listed(sorted(names), 'or'))} has less error than the best of ours, by "
                f"more than {SLIGHT}, "
                f"{region(found, result.grid)} ({len(found)} of {several(tried, 'setting')} that "
                f"have both); ours has up to {number(worst)} times as much"
                f"{', for a promise without δ' if failing else ''}."
            )
    if tried and not any(lost.values()):
        yield (
            f"In none of {several(tried, 'setting')} that have both does a mechanism of the "
            f"papers, printed or tight, have less error, by more than {SLIGHT}, "
            "than the best of ours at the same promise or a stronger one."
        )


def _pairs(result: WorkloadResult, where: GridPoint) -> Iterator[tuple[Point, Point]]:
    """Each mechanism of the papers with the best of ours that promises at least as much."""
    here = [one for one in result.protected if grid_point(one) == where]
    mine = ranked(here, ours)
    for other in ranked(here, lambda line: published(line) or tightened(line)):
        own = next((one for one in mine if comparable(one, other)), None)
        if own is not None:
            yield own, other


def _best(result: WorkloadResult, where: GridPoint, wanted: Callable[[Line], bool]) -> Point | None:
    here = (one for one in result.protected if grid_point(one) == where)
    return next(iter(ranked(here, wanted)), None)


def gaps(result: WorkloadResult) -> tuple[str, ...]:
    """What was refused, a sentence for each mechanism, with the rule it broke."""
    found: dict[str, list[tuple[GridPoint, str]]] = {}
    tried: dict[str, set[GridPoint]] = {}
    for one in result.refused:
        found.setdefault(called(one), []).append((grid_point(one), rule(one.reason)))
    for setting in (*result.refused, *(one for one in result.points if one.stratum == ALL)):
        tried.setdefault(called(setting), set()).add(grid_point(setting))
    told = [
        f"{opened(name)} cannot be calibrated "
        f"{region([at for at, _ in gone], tried[name], 'any')}: "
        f"{listed(dict.fromkeys(why for _, why in gone), 'or')}."
        for name, gone in found.items()
    ]
    return (*told, *_infinite(result, tried), *_steps(result))


def _infinite(result: WorkloadResult, tried: dict[str, set[GridPoint]]) -> Iterator[str]:
    """Points without a mean: drawn, but not in the figures."""
    found: dict[str, list[GridPoint]] = {}
    for one in result.points:
        if one.stratum == ALL and one.l1 is None and one.epsilon is not None:
            found.setdefault(called(one), []).append(grid_point(one))
    for name, grid_points in found.items():
        yield f"{opened(name)} has no finite mean error {region(grid_points, tried[name])}."


def _steps(result: WorkloadResult) -> Iterator[str]:
    """Why whole tables need a large ε: d·ln(1+α), beside the refusals that it explains."""
    d, alphas = result.table.worker_cells, sorted({one[0] for one in result.grid if one[0]})
    if result.whole and result.refused and alphas:
        values = listed(f"{number(d * log1p(alpha))} at α = {alpha:g}" for alpha in alphas)
        yield (
            f"With d = {d} worker cells, d·ln(1+α) is {values}: noise that follows the largest "
            "establishment needs an ε above that, and grows without limit near it."
        )


def rule(reason: str) -> str:
    """The rule of a refusal in the letters of the figures, without value and next step."""
    said = reason.partition("; got ")[0].replace(": ", " ", 1).rstrip(".")
    return re.sub(r"\b(?:alpha|epsilon|delta|cells)\b", lambda word: LETTERS[word[0]], said)
