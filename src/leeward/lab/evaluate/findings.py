"""Findings: break-even, standing at each setting, gaps, agreement and coverage of an evaluation."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from leeward.core.mechanisms import REGISTRY
from leeward.core.show.numbers import capital, counted, listed, percent, significant
from leeward.lab.evaluate.break_even import FAMILIES, BreakEven, break_even
from leeward.lab.evaluate.contender import ADDED, PRODUCT, SPLIT
from leeward.lab.evaluate.evaluation import Evaluation, Study
from leeward.lab.evaluate.figures import NOMINAL
from leeward.lab.evaluate.line import ACCOUNTS, line_of
from leeward.lab.evaluate.point import ALL, Point, Setting
from leeward.lab.evaluate.results import (
    WorkloadResult,
    called,
    comparable,
    grid_point,
    of_papers,
    ours,
    ranked,
    workload_results,
)

WIDE = 4.0
"""Standard errors beyond which a closed form or a nominal coverage and the trials disagree."""

NOTICEABLE = 1.01
"""Errors within this factor of each other count as equal."""

LETTERS = {"alpha": "α", "epsilon": "ε", "delta": "δ", "cells": "d"}


def findings(evaluation: Evaluation) -> tuple[str, ...]:
    """The sentences of the command: break-even, agreement, coverage of ours, and a caution."""
    return (
        *answers(evaluation),
        *margins_compared(evaluation),
        *products_compared(evaluation),
        *agreed(evaluation.points),
        *covered(evaluation.points),
        *caution(evaluation.study),
    )


def answers(evaluation: Evaluation) -> Iterator[str]:
    """For each workload, the ε from which on each family has no more error than infusion."""
    found = break_even(evaluation.points)
    for result in workload_results(evaluation):
        here = {
            one.family: one
            for one in found
            if one.workload == result.table.name and one.alpha == result.alpha
        }
        if any(one.epsilon is not None for one in here.values()):
            by_family = "; ".join(f"{family} {reached(here[family])}" for family in FAMILIES)
            yield (
                f"{capital(result.table.words)}, α = {result.alpha:g}: no more error than noise "
                f"infusion from this ε on: {by_family}."
            )


def margins_compared(evaluation: Evaluation) -> Iterator[str]:
    """For each margin the best of ours for its share of ε, and added from the finest table."""
    for result in workload_results(evaluation):
        best = {
            how: next(iter(ranked(result.here, lambda line, how=how: line.accounting == how)), None)  # type: ignore[misc]
            for how in (SPLIT, ADDED)
        }
        if best[ADDED] is None:
            continue
        said = [
            f"{significant(one.l1)} jobs {ACCOUNTS[how]} ({one.mechanism})"
            for how, one in best.items()
            if one is not None and one.l1 is not None
        ]
        if said:
            yield f"{capital(result.table.words)}, {result.where}: mean error {', '.join(said)}."


def products_compared(evaluation: Evaluation) -> Iterator[str]:
    """Of each product, at each ε, the error of noise infusion and of every mechanism."""
    for result in workload_results(evaluation):
        today = result.infusion
        if today is None or not any(one.accounting == PRODUCT for one in result.points):
            continue
        here = [one for one in result.protected if one.alpha == result.alpha]
        for epsilon in sorted({one.epsilon for one in here if one.epsilon is not None}):
            found = ranked((one for one in here if one.epsilon == epsilon), lambda _: True)
            said = [
                f"{called(one).replace(' (ours)', '')} {significant(one.l1)} "
                f"({significant(one.ratio_to_infusion)} times as much)"
                for one in found
            ]
            yield (
                f"{capital(result.table.words)}, α = {result.alpha:g} and ε = {epsilon:g}: mean "
                f"error in jobs: {'; '.join((f'noise infusion {significant(today.l1)}', *said))}."
            )


def reached(one: BreakEven) -> str:
    """The break-even of a family, with the mechanism that reaches it."""
    if one.mechanism is None:
        return one.words
    name = one.mechanism.removesuffix(", as published").removesuffix(" (ours)")
    more = f", δ = {one.delta:.3g}" if one.delta else ""
    return f"{one.words} ({name}, {one.policy}{more})"


def agreed(points: Iterable[Point]) -> Iterator[str]:
    """Whether closed forms and trials agree; nothing where no setting has both."""
    found = agreement(points)
    if found.compared:
        yield (
            f"Closed forms against trials: {found.within:,} of "
            f"{counted(found.compared, 'setting')} agree within {WIDE:g} standard errors; the "
            f"furthest is {significant(found.furthest)} apart, and trials are {found.ratio:.3f} "
            "times the closed forms on average. The standard errors come from the same trials: "
            "with few trials, some settings are further apart by chance."
        )


@dataclass(frozen=True)
class Agreement:
    """The number of settings compared and within WIDE, the furthest apart, and the mean ratio."""

    compared: int
    within: int
    furthest: float
    ratio: float


def agreement(points: Iterable[Point]) -> Agreement:
    """Compare all cells of every setting; those without a variance cannot be compared."""
    apart, ratios = [], []
    for one in points:
        known = one.stratum == ALL and one.l1_source == "closed form"
        if known and one.l1 and one.l1_trials is not None and one.l1_trials_error:
            apart.append(abs(one.l1_trials - one.l1) / one.l1_trials_error)
            ratios.append(one.l1_trials / one.l1)
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


def coverage(points: Iterable[Point]) -> list[Coverage]:
    """The coverage of every mechanism that has margins."""
    by_name = dict[str, list[Point]]()
    for one in points:
        if one.stratum == ALL and one.coverage is not None:
            by_name.setdefault(called(one), []).append(one)
    return [_coverage(name, found) for name, found in by_name.items()]


def _coverage(name: str, found: Sequence[Point]) -> Coverage:
    shares = [one.coverage or 0.0 for one in found]
    known = REGISTRY.get(found[0].mechanism)
    return Coverage(
        name,
        line_of(found[0]).ours,
        known is not None and known.words.bias is not None,
        sum(shares) / len(shares),
        min(shares),
        max(shares),
        len(shares),
        sum(_short(one) for one in found),
    )


def _short(one: Point) -> bool:
    missing = NOMINAL - (one.coverage or 0.0)
    return one.coverage_error is not None and missing > WIDE * one.coverage_error


def covered(points: Iterable[Point]) -> Iterator[str]:
    """The coverage of ours in a sentence, and of others where ours have none."""
    every = coverage(points)
    shown = [one for one in every if one.ours] or every
    if shown:
        means = listed(f"{percent(one.mean)} ({one.name})" for one in shown)
        yield f"Margins made for {percent(NOMINAL)} cover, on average over settings, {means}."
    for one in shown:
        if one.short:
            why = (
                "they leave out its bias"
                if one.biased
                else f"by more than {WIDE:g} standard errors"
            )
            yield (
                f"The margins of {one.name} cover less than {percent(NOMINAL)} in {one.short} of "
                f"{counted(one.settings, 'setting')}, at worst {percent(one.least)}: {why}."
            )


@dataclass(frozen=True)
class Best:
    """One setting: the best of ours, and the best of the papers that promises no more than it.

    `factor` is the largest error of ours divided by that of such a mechanism of the papers.
    """

    alpha: float | None
    epsilon: float | None
    own: Point | None
    other: Point | None
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
    here = [one for one in result.protected if grid_point(one) == (alpha, epsilon)]
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
class Gap:
    """A mechanism that cannot be calibrated, or has no finite mean error, at some settings."""

    name: str
    settings: int
    tried: int
    why: str


def gaps(result: WorkloadResult) -> list[Gap]:
    """Every mechanism with gaps, with the rules that it broke."""
    found, tried = dict[str, list[str]](), dict[str, int]()
    for refused in result.refused:
        found.setdefault(called(refused), []).append(rule(refused.reason))
    points = [one for one in result.points if one.stratum == ALL and one.epsilon is not None]
    for one in points:
        if one.l1 is None:
            found.setdefault(called(one), []).append("no finite mean error")
    every: list[Setting] = [*result.refused, *points]
    for setting in every:
        tried[called(setting)] = tried.get(called(setting), 0) + 1
    return [
        Gap(name, len(why), tried[name], listed(dict.fromkeys(why), "or"))
        for name, why in found.items()
    ]


def rule(reason: str) -> str:
    """The rule of a refusal in the letters of the figures, without value and next step."""
    said = reason.partition("; got ")[0].replace(": ", " ", 1).rstrip(".")
    return re.sub(r"\b(?:alpha|epsilon|delta|cells)\b", lambda word: LETTERS[word[0]], said)


def caution(study: Study) -> Iterator[str]:
    """Why the ratios do not carry over unchanged to other data."""
    noise = study.infusion
    if study.made_up:
        yield (
            "The economy is made up. How much error a mechanism has depends on how large the "
            "largest establishments of cells are, so other data have other numbers."
        )
    yield (
        "The bounds of infusion that offices use are confidential. Those here "
        f"({significant(noise.lower)} and {significant(noise.upper)}) are parameters, and every "
        "ratio to infusion depends on them: ratios carry over in shape, not in size."
    )
