"""Experiment: one setting drawn many times and measured."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.errors import LeewardError
from leeward.evaluate.contender import Contender, Price, contenders
from leeward.evaluate.grid import Grid
from leeward.evaluate.measured import Results, measured
from leeward.evaluate.point import Point, Refused, Setting
from leeward.evaluate.scene import Scene, Stage
from leeward.evaluate.score import Trial
from leeward.evaluate.strata import Floats, Groups
from leeward.evaluate.truth import Truth
from leeward.evaluate.workload import Workload
from leeward.mechanisms.measurement import Measured, Measurement

WIDE_NOISE = 20
"""Noise of S/ε jobs or more counts as wide."""

MARGIN_CELLS = 40_000
"""Bought margins are tried on so many cells of a table in each trial, evenly chosen."""

Outcome = tuple[Point, ...] | Refused


@dataclass(frozen=True)
class Experiment:
    """A contender at one point of the grid, on one workload."""

    workload: Workload
    contender: Contender
    price: Price
    trials: int

    @property
    def setting(self) -> Setting:
        """How its points are labelled."""
        one, price = self.contender, self.price
        times = self.workload.worker_cells if one.accounting == "parallel" else 1
        delta = price.delta if one.kind.spends_delta else 0
        return Setting(
            workload=self.workload.name,
            mechanism=one.mechanism,
            calibration=one.calibration,
            policy=one.policy,
            accounting=one.accounting,
            alpha=None if price.alpha is None else float(price.alpha),
            epsilon=float(price.epsilon),
            epsilon_summed=float(price.epsilon * times),
            delta=float(delta),
            delta_summed=float(delta * times),
            theta=one.theta,
        )

    def run(self, scene: Scene) -> Outcome:
        """Calibrate, draw, measure; a gap where the conditions do not hold."""
        stage, cells = scene.stage(self.workload), self.workload.worker_cells
        try:
            made = self.contender.measurement(self.price, cells)
        except LeewardError as refusal:
            return Refused(**vars(self.setting), reason=str(refusal))
        trials, covered = self._drawn(made, stage)
        bought = self.contender.with_margins(self.price, cells)
        if bought is not None:
            covered = self._covered(bought, stage.truth)
        results = Results(tuple(trials), made.expected(stage.truth.columns(made)), tuple(covered))
        return measured(self.setting, stage, results)

    def _drawn(self, made: Measurement, stage: Stage) -> tuple[list[Trial], list[Floats]]:
        """The measures of each trial, and the share of margins that held where there are any."""
        scored, covered = [], []
        wide, columns = self.wide(stage.truth), stage.truth.columns(made)
        for _ in range(self.trials):
            drawn = made.measure(columns)
            scored.append(stage.referee.trial(drawn.values))
            covered += _held(drawn, stage.truth, stage.truth.groups, wide)
        return scored, covered

    def _covered(self, made: Measurement, truth: Truth) -> list[Floats]:
        """The same for margins that are bought, on a part of the table."""
        some = truth.thinned(MARGIN_CELLS)
        groups, wide = truth.groups.among(some.stratum_of_cell), self.wide(some)
        draws = (made.measure(some.columns(made)) for _ in range(self.trials))
        return [one for drawn in draws for one in _held(drawn, some, groups, wide)]

    def wide(self, truth: Truth) -> NDArray[np.bool_]:
        """Cells with so much noise that whole jobs, and S being at least 1, no longer matter."""
        if self.price.alpha is None:
            return np.zeros(truth.counts.shape, dtype=np.bool_)
        cells = truth.worker_cells if self.contender.accounting == "sum" else 1
        least = WIDE_NOISE * self.price.epsilon / cells / self.price.alpha
        return self.contender.sizes(truth) >= float(least)


def _held(drawn: Measured, truth: Truth, groups: Groups, wide: NDArray[np.bool_]) -> list[Floats]:
    """The share of margins that held: of all cells, and of those with wide noise."""
    if drawn.margins is None:
        return []
    inside = (np.abs(drawn.values - truth.counts) <= drawn.margins).ravel()
    return [np.stack([groups.means(inside), groups.means(inside, wide.ravel())])]


def experiments(workload: Workload, grid: Grid) -> Iterator[Experiment]:
    """All contenders of a workload at all points of the grid."""
    whole = workload.table_kind == "worker" and not workload.alone
    for one in contenders(workload, grid.thetas):
        for alpha in grid.alphas if one.needs_alpha else (None,):
            for epsilon in (*grid.epsilons, *(grid.further if whole else ())):
                price = Price(alpha, epsilon, grid.delta)
                yield Experiment(workload, one, price, grid.trials)
