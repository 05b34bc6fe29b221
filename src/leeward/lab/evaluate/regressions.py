"""Regressions: MOSE, other baselines and private lines on the same cells, at the same ε.

Everything computed here is a function of the truth. On cells that are not made up it stays inside.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from math import isfinite
from typing import Any, Protocol

import numpy as np

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.errors import InvalidParameter
from leeward.core.exact import Number
from leeward.core.mechanisms.moments import Establishments, Moments, lattice_points, row_sums
from leeward.core.mechanisms.theil_sen import FEWEST, TheilSen
from leeward.core.show.notebook import INTERNAL
from leeward.core.show.progress import Silent
from leeward.lab.evaluate.evaluation import Progress
from leeward.lab.evaluate.regression_cells import MADE_UP, made_up_cells
from leeward.lab.evaluate.workloads import Grid, exact
from leeward.systems.regress.cell_lines import Lines, MedianLines, MomentLines
from leeward.systems.regress.mose import METHODS, Method, Mose, Prepared, prepared, standard_noise
from leeward.systems.regress.scatter import SLOPE, Estimand, ScaledPoints, prediction

MOSE = "mose"
"""The preset of this comparison."""

GRID = Grid(epsilons=exact("1/2", "1", "2", "4", "8", "16"), further=(), trials=40)
POINT_OF_ATLAS = 8.0
"""The ε of the Opportunity Atlas (Chetty and Friedman 2019)."""

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


REGRESSION_COLUMNS = tuple(field.name for field in fields(RegressionPoint))


@dataclass(frozen=True)
class StatisticOfCells:
    """A statistic on all cells: its median standard error, χ, and χ by the local sensitivity.

    The last two differ where a removal, or a point that is no corner, does more; the last is None
    where a removal leaves no line.
    """

    statistic: str
    se: float
    chi: float
    chi_local: float | None


@dataclass(frozen=True)
class Regressions:
    """The points of a comparison; `data` describes the cells in words."""

    data: str
    made_up: bool
    cells: int
    trials: int
    lines: tuple[StatisticOfCells, ...]
    points: tuple[RegressionPoint, ...]

    @property
    def mark(self) -> str | None:
        """The warning on every figure and page; None for made-up cells."""
        return None if self.made_up else INTERNAL

    def as_json(self) -> dict[str, Any]:
        """The comparison for programs."""
        return {"preset": MOSE, "mark": self.mark} | asdict(self)


class RegressionMethod(Protocol):
    """A method on cells that it knows."""

    @property
    def private(self) -> bool:
        """Whether it has a guarantee."""

    def draws(self, epsilon: Fraction, trials: int) -> Mapping[str, Floats]:
        """Estimates (trials, cells) of every statistic; nan where there is none."""


@dataclass(frozen=True, eq=False, repr=False)
class SensitivityMethod:
    """A method without a guarantee, which pays ε for each statistic."""

    ready: Mapping[str, Prepared]
    private: bool = False

    @classmethod
    def of(cls, method: Method, cells: Mapping[str, ScaledPoints]) -> "SensitivityMethod":
        """Lines and sensitivities are found once."""
        return cls({of.name: prepared(method, cells, of) for of in ESTIMANDS})

    def draws(self, epsilon: Fraction, trials: int) -> Mapping[str, Floats]:
        """Laplace noise, as in all private methods here."""
        return {
            name: prepared.released(
                float(epsilon), *standard_noise("laplace", (2, trials, len(prepared.cells)))
            ).estimate
            for name, prepared in self.ready.items()
        }


@dataclass(frozen=True, eq=False, repr=False)
class Private:
    """A method with a guarantee: one ε pays for the lines of all cells, and all that they show."""

    lines: Callable[[Fraction], Lines]
    private: bool = True

    def draws(self, epsilon: Fraction, trials: int) -> Mapping[str, Floats]:
        """Each trial is a release, calibrated and drawn as `leeward regress` does."""
        estimates: dict[str, list[Floats]] = {of.name: [] for of in ESTIMANDS}
        for _ in range(trials):
            lines = self.lines(epsilon)
            for of in ESTIMANDS:  # lines are of a, b in [−1, 1], statistics of x, y in [0, 1]
                if of.level:
                    values = (1 + lines.predictions(2 * of.rank - 1).value) / 2
                else:
                    values = lines.slopes().value
                estimates[of.name].append(values)
        return {name: np.array(drawn) for name, drawn in estimates.items()}


def _moments(cells: Mapping[str, ScaledPoints]) -> Callable[[Fraction], Lines]:
    sums = [row_sums(*_lattice(cell)).sum(axis=0) for cell in cells.values()]
    ones = np.arange(len(cells))
    establishments = Establishments(np.array(sums), np.ones_like(ones), ones, len(cells))
    return lambda epsilon: MomentLines.of(Moments.calibrated(epsilon).release(establishments))


def _theil_sen(cells: Mapping[str, ScaledPoints]) -> Callable[[Fraction], Lines]:
    counts = np.array([cell.fit.count for cell in cells.values()])
    known = counts >= FEWEST
    points = [_lattice(cell) for cell in cells.values()]

    def release(epsilon: Fraction) -> Lines:
        sen = TheilSen.calibrated(epsilon)
        ends = [
            sen.release(*point, count) if count >= FEWEST else (0, 0)
            for point, count in zip(points, counts.tolist(), strict=True)
        ]
        return MedianLines.of(np.array(ends), counts, known)

    return release


def _lattice(cell: ScaledPoints) -> tuple[Integers, Integers]:
    ends = Fraction(0), Fraction(1)
    return lattice_points(cell.x, *ends), lattice_points(cell.y, *ends)


def compare(
    cells: Mapping[str, ScaledPoints] | None = None,
    *,
    data: str = "cells of the caller",
    epsilons: Iterable[Number] = (),
    trials: int | None = None,
    progress: Progress | None = None,
) -> Regressions:
    """Draw every method at every ε; without cells on made-up ones.

    With cells the result is a function of the truth, and CONFIDENTIAL.
    """
    grid = (GRID if trials is None else GRID.with_trials(trials)).with_settings((), epsilons)
    made_up = cells is None
    cells = made_up_cells() if cells is None else cells
    if sum(cell.fit.exists for cell in cells.values()) < FEWEST_CELLS:
        raise InvalidParameter(
            "--cells",
            rule=f"must hold at least {FEWEST_CELLS} cells with two different x each",
            value="fewer",
            next_step="Compare on more cells, or leave --cells out for made-up ones.",
        )
    lines = []
    for of in ESTIMANDS:
        local = [cell.fit.count * cell.local_sensitivity(of) for cell in cells.values()]
        chi, most = Mose().envelopes(cells, of)[""].chi, float(np.nanmax(local))
        chi_local = most if isfinite(most) else None
        lines.append(StatisticOfCells(of.name, _truth(cells, of)[1], chi, chi_local))
    words = MADE_UP if made_up else data
    points = tuple(_points(cells, grid, progress or Silent()))
    return Regressions(words, made_up, len(cells), grid.trials, tuple(lines), points)


def contenders(cells: Mapping[str, ScaledPoints]) -> dict[str, RegressionMethod]:
    """All methods by name, the baselines first."""
    return {
        **{name: SensitivityMethod.of(method, cells) for name, method in METHODS.items()},
        "moments": Private(_moments(cells)),
        "theil-sen": Private(_theil_sen(cells)),
    }


def _points(
    cells: Mapping[str, ScaledPoints], grid: Grid, progress: Progress
) -> Iterator[RegressionPoint]:
    truth = {of.name: _truth(cells, of) for of in ESTIMANDS}
    known = contenders(cells)
    settings = [(name, epsilon) for name in known for epsilon in grid.epsilons]
    for done, (name, epsilon) in enumerate(settings, 1):
        drawn = known[name].draws(epsilon, grid.trials)
        for statistic, (estimate, se) in truth.items():
            released = drawn[statistic]
            error = median_error(released, estimate)
            yield RegressionPoint(
                name,
                known[name].private,
                statistic,
                float(epsilon),
                len(cells),
                grid.trials,
                error,
                None if error is None else error / se,
                float(np.mean(~np.isnan(released))),
                float(np.mean([tail_share(drawn, estimate) for drawn in released])),
            )
        progress.part("settings", done, len(settings))


def _truth(cells: Mapping[str, ScaledPoints], of: Estimand) -> tuple[Floats, float]:
    """Estimates by least squares, and their median standard error."""
    lines = [cell.fit for cell in cells.values()]
    errors = [line.standard_error(of) for line in lines]
    return np.array([squares.estimate(of) for squares in lines]), float(np.nanmedian(errors))


def median_error(released: Floats, truth: Floats) -> float | None:
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
    right = 0
    for sign in (1, -1):
        fifths = []
        for values in (truth, released):
            outer = np.argsort(sign * values, kind="stable")[:size]  # nan is last
            fifths.append({int(at) for at in outer if not np.isnan(values[at])})
        right += len(fifths[0] & fifths[1])
    return right / (2 * size)
