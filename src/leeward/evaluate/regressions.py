"""Regressions: MOSE, other baselines and private lines on the same cells, at the same ε.

Everything computed here is a function of the truth. On cells that are not made up it stays inside.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from leeward.baselines.mose import METHODS, Method, Mose, Prepared, prepared, standard_noise
from leeward.baselines.scatter import SLOPE, Estimand, Scatter, prediction
from leeward.errors import InvalidParameter
from leeward.evaluate.evaluation import INTERNAL, Progress
from leeward.model.cells import Floats
from leeward.randomness import SeededBits
from leeward.show.progress import Silent

MOSE = "mose"
"""The preset of this comparison."""

EPSILONS = tuple(Fraction(one) for one in ("1/2", "1", "2", "4", "8", "16"))
POINT_OF_ATLAS = 8.0
"""The ε of the Opportunity Atlas (Chetty and Friedman 2019)."""

TRIALS = 40
TAILS = 5
"""The outer fifths."""

FEWEST_CELLS = 2 * TAILS
ESTIMANDS = (prediction(0.25), SLOPE)


@dataclass(frozen=True)
class RegressionPoint:
    """What one method does to one statistic at one ε.

    `error` is the median over cells of the mean absolute difference from least squares, over the
    cells that have an estimate, whose share is `published`; `ratio_to_se` divides it by the median
    standard error of least squares. `tails` is the share of the cells of both outer fifths that
    the released estimates put into the same fifth.
    """

    method: str
    private: bool
    statistic: str
    epsilon: float
    cells: int
    trials: int
    error: float | None
    ratio_to_se: float | None
    published: float
    tails: float


REGRESSION_COLUMNS = tuple(one.name for one in fields(RegressionPoint))


@dataclass(frozen=True)
class Line:
    """A statistic on all cells: its median standard error, χ, and χ by the local sensitivity.

    The last two differ where a removal, or a point that is no corner, does more.
    """

    statistic: str
    se: float
    chi: float
    chi_local: float


@dataclass(frozen=True)
class Regressions:
    """The points of a comparison; `data` describes the cells in words."""

    data: str
    made_up: bool
    cells: int
    trials: int
    lines: tuple[Line, ...]
    points: tuple[RegressionPoint, ...]

    @property
    def mark(self) -> str | None:
        """The warning on every figure and page; None for made-up cells."""
        return None if self.made_up else INTERNAL

    def as_json(self) -> dict[str, Any]:
        """The comparison for programs."""
        return {"preset": MOSE, "mark": self.mark} | asdict(self)


class Contender(Protocol):
    """A method on cells that it knows."""

    @property
    def private(self) -> bool:
        """Whether it has a guarantee."""

    def draws(self, epsilon: Fraction, trials: int) -> Mapping[str, Floats]:
        """Estimates (trials, cells) of every statistic; nan where there is none."""


@dataclass(frozen=True, eq=False, repr=False)
class Baseline:
    """A method without a guarantee, which pays ε for each statistic."""

    ready: Mapping[str, Prepared]
    private: bool = False

    @classmethod
    def of(cls, method: Method, cells: Mapping[str, Scatter]) -> "Baseline":
        """Lines and sensitivities are found once."""
        return cls({of.name: prepared(method, cells, of) for of in ESTIMANDS})

    def draws(self, epsilon: Fraction, trials: int) -> Mapping[str, Floats]:
        """Laplace noise, as in all private methods here."""
        return {
            name: one.released(
                float(epsilon), *standard_noise("laplace", (2, trials, len(one.cells)))
            ).estimate
            for name, one in self.ready.items()
        }


def compare(
    cells: Mapping[str, Scatter] | None = None,
    *,
    data: str = "cells of the caller",
    epsilons: Sequence[Fraction] = (),
    trials: int | None = None,
    progress: Progress | None = None,
) -> Regressions:
    """Draw every method at every ε; without cells on made-up ones."""
    made_up = cells is None
    held = made_up_cells() if cells is None else cells
    _refuse_few(held)
    lines, words = tuple(_lines(held)), MADE_UP if made_up else data
    drawn = trials or TRIALS
    points = _points(held, epsilons or EPSILONS, drawn, progress or Silent())
    return Regressions(words, made_up, len(held), drawn, lines, tuple(points))


def contenders(cells: Mapping[str, Scatter]) -> dict[str, Contender]:
    """All methods by name, the baselines first."""
    return {name: Baseline.of(method, cells) for name, method in METHODS.items()}


def _points(
    cells: Mapping[str, Scatter], epsilons: Sequence[Fraction], trials: int, progress: Progress
) -> Iterator[RegressionPoint]:
    truth = {of.name: _truth(cells, of) for of in ESTIMANDS}
    known = contenders(cells)
    of = len(known) * len(epsilons)
    settings = [(name, epsilon) for name in known for epsilon in epsilons]
    for done, (name, epsilon) in enumerate(settings, 1):
        drawn = known[name].draws(epsilon, trials)
        for statistic, (estimate, se) in truth.items():
            released = drawn[statistic]
            error = _median_error(released, estimate)
            yield RegressionPoint(
                name,
                known[name].private,
                statistic,
                float(epsilon),
                len(cells),
                trials,
                error,
                None if error is None else error / se,
                float(np.mean(~np.isnan(released))),
                float(np.mean([tail_share(one, estimate) for one in released])),
            )
        progress.part("settings", done, of)


def _truth(cells: Mapping[str, Scatter], of: Estimand) -> tuple[Floats, float]:
    """Estimates by least squares, and their median standard error."""
    lines = [one.fit for one in cells.values()]
    errors = [one.standard_error(of) for one in lines]
    return np.array([one.estimate(of) for one in lines]), float(np.nanmedian(errors))


def _median_error(released: Floats, truth: Floats) -> float | None:
    """The median over cells of the mean over the trials that have an estimate."""
    off = np.abs(released - truth)
    known = ~np.isnan(off)
    trials = known.sum(axis=0)
    if not trials.any():
        return None
    mean = np.where(known, off, 0).sum(axis=0)[trials > 0] / trials[trials > 0]
    return float(np.median(mean))


def tail_share(released: Floats, truth: Floats) -> float:
    """Share of the cells of the outer fifths of the truth that are released in the same fifth.

    Cells without an estimate are in no fifth. By chance it is a fifth.
    """
    size = int(np.sum(~np.isnan(truth))) // TAILS
    found = 0
    for sign in (1, -1):
        true, seen = (set(_lowest(sign * one, size)) for one in (truth, released))
        found += len(true & seen)
    return found / (2 * size)


def _lowest(values: Floats, size: int) -> list[int]:
    """The places of the smallest values; nan has none."""
    order = np.argsort(values, kind="stable")  # nan last
    return [int(at) for at in order[:size] if not np.isnan(values[at])]


def _lines(cells: Mapping[str, Scatter]) -> Iterator[Line]:
    for of in ESTIMANDS:
        local = [one.fit.count * one.local_sensitivity(of) for one in cells.values()]
        chi = Mose().envelopes(cells, of)[""].chi
        yield Line(of.name, _truth(cells, of)[1], chi, float(np.nanmax(local)))


def _refuse_few(cells: Mapping[str, Scatter]) -> None:
    if sum(one.fit.exists for one in cells.values()) < FEWEST_CELLS:
        raise InvalidParameter(
            "--cells",
            rule=f"must hold at least {FEWEST_CELLS} cells with two different x each",
            value="fewer",
            next_step="Compare on more cells, or leave --cells out for made-up ones.",
        )


COUNT, LEAST, MOST = 120, 5, 200
MADE_UP = f"{COUNT} made-up cells of {LEAST} to {MOST} people"


def made_up_cells(seed: int = 1) -> dict[str, Scatter]:
    """Cells like neighbourhoods: ranks of children on those of their parents, both in [0, 1].

    Neighbourhoods differ in size, in the parents' mean rank, in height and in slope.
    """
    draw = SeededBits(seed).generator
    cells = {}
    for number in range(COUNT):
        people = int(draw.integers(LEAST, MOST + 1))
        middle, height, slope = draw.normal((0.5, 0.4, 0.35), (0.1, 0.06, 0.1))
        x = np.clip(draw.normal(middle, 0.25, people), 0, 1)
        y = np.clip(height + slope * (x - 0.25) + draw.normal(0, 0.2, people), 0, 1)
        cells[f"{number + 1:03}"] = Scatter(x, y)
    return cells
