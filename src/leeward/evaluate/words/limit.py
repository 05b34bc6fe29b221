"""Reading limits: where ours do not help, and what could not be calibrated at all."""

import re
from collections.abc import Callable, Iterator
from math import log1p

from leeward.evaluate.figures.line import Line
from leeward.evaluate.point import ALL, Point
from leeward.evaluate.words.case import (
    Case,
    called,
    comparable,
    ours,
    published,
    ranked,
    tightened,
)
from leeward.evaluate.words.region import Spot, region, spot
from leeward.evaluate.words.sentence import listed, number, opened, several

NOTICEABLE = 1.01
"""Errors within this factor of each other are called equal."""
SLIGHT = f"{100 * (NOTICEABLE - 1):.0f} %"

LETTERS = {"alpha": "α", "epsilon": "ε", "delta": "δ", "cells": "d"}


def limits(case: Case) -> tuple[str, ...]:
    """The settings at which ours are missing, or have more error than something else."""
    if not case.grid:
        return ()
    return (*_missing(case), *_above_today(case), *_beaten(case))


def _missing(case: Case) -> Iterator[str]:
    there = {spot(one) for one in ranked(case.protected, ours)}
    gone = [one for one in case.grid if one not in there]
    if gone:
        yield (
            f"None of ours has a finite mean error {region(gone, case.grid, 'any')} "
            f"({len(gone)} of {several(len(case.grid), 'setting')})."
        )


def _above_today(case: Case) -> Iterator[str]:
    """Settings at which even the best of ours has more error than noise infusion."""
    best = {where: one for where in case.grid if (one := _best(case, where, ours))}
    ratios = {where: one.ratio_to_infusion for where, one in best.items()}
    known = {where: ratio for where, ratio in ratios.items() if ratio is not None}
    worse = [where for where, ratio in known.items() if ratio > NOTICEABLE]
    if worse:
        yield (
            "Even the best of ours has more error than noise infusion "
            f"{region(worse, case.grid)} "
            f"({len(worse)} of {several(len(known), 'setting')}), up to "
            f"{number(max(known[one] for one in worse))} times as much."
        )


def _beaten(case: Case) -> Iterator[str]:
    """Settings at which a mechanism of the papers has less error than the best comparable ours."""
    tried = 0
    lost: dict[bool, dict[Spot, tuple[float, str]]] = {False: {}, True: {}}
    for where in case.grid:
        pairs = list(_pairs(case, where))
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
                f"{region(found, case.grid)} ({len(found)} of {several(tried, 'setting')} that "
                f"have both); ours has up to {number(worst)} times as much"
                f"{', for a promise without δ' if failing else ''}."
            )
    if tried and not any(lost.values()):
        yield (
            f"In none of {several(tried, 'setting')} that have both does a mechanism of the "
            f"papers, printed or tight, have less error, by more than {SLIGHT}, "
            "than the best of ours at the same promise or a stronger one."
        )


def _pairs(case: Case, where: Spot) -> Iterator[tuple[Point, Point]]:
    """Each mechanism of the papers with the best of ours that promises at least as much."""
    here = [one for one in case.protected if spot(one) == where]
    mine = ranked(here, ours)
    for other in ranked(here, lambda line: published(line) or tightened(line)):
        own = next((one for one in mine if comparable(one, other)), None)
        if own is not None:
            yield own, other


def _best(case: Case, where: Spot, wanted: Callable[[Line], bool]) -> Point | None:
    here = (one for one in case.protected if spot(one) == where)
    return next(iter(ranked(here, wanted)), None)


def gaps(case: Case) -> tuple[str, ...]:
    """What was refused, a sentence for each mechanism, with the rule it broke."""
    found: dict[str, list[tuple[Spot, str]]] = {}
    tried: dict[str, set[Spot]] = {}
    for one in case.refused:
        found.setdefault(called(one), []).append((spot(one), rule(one.reason)))
    for setting in (*case.refused, *(one for one in case.points if one.stratum == ALL)):
        tried.setdefault(called(setting), set()).add(spot(setting))
    told = [
        f"{opened(name)} cannot be calibrated "
        f"{region([at for at, _ in gone], tried[name], 'any')}: "
        f"{listed(dict.fromkeys(why for _, why in gone), 'or')}."
        for name, gone in found.items()
    ]
    return (*told, *_infinite(case, tried), *_steps(case))


def _infinite(case: Case, tried: dict[str, set[Spot]]) -> Iterator[str]:
    """Points without a mean: drawn, but not in the figures."""
    found: dict[str, list[Spot]] = {}
    for one in case.points:
        if one.stratum == ALL and one.l1 is None and one.epsilon is not None:
            found.setdefault(called(one), []).append(spot(one))
    for name, spots in found.items():
        yield f"{opened(name)} has no finite mean error {region(spots, tried[name])}."


def _steps(case: Case) -> Iterator[str]:
    """Why whole tables need a large ε: d·ln(1+α), beside the refusals that it explains."""
    d, alphas = case.table.worker_cells, sorted({one[0] for one in case.grid if one[0]})
    if case.whole and case.refused and alphas:
        values = listed(f"{number(d * log1p(alpha))} at α = {alpha:g}" for alpha in alphas)
        yield (
            f"With d = {d} worker cells, d·ln(1+α) is {values}: noise that follows the largest "
            "establishment needs an ε above that, and grows without limit near it."
        )


def rule(reason: str) -> str:
    """The rule of a refusal in the letters of the figures, without value and next step."""
    said = reason.partition("; got ")[0].replace(": ", " ", 1).rstrip(".")
    return re.sub(r"\b(?:alpha|epsilon|delta|cells)\b", lambda word: LETTERS[word[0]], said)
