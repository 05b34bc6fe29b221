"""Evaluation: a study with its tables, its points and its gaps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from leeward.core.codebook import Marginal
from leeward.core.processes import on_all_cores
from leeward.core.show.notebook import INTERNAL
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.evaluate.benchmark import Benchmarks, benchmarks, infusion_points
from leeward.lab.evaluate.classical import Classical, compared
from leeward.lab.evaluate.experiment import Outcome, ScoredExperiment, experiments
from leeward.lab.evaluate.point import RefusedSetting, ScoredPoint
from leeward.lab.evaluate.truth import PLACE, Truth, strata_attribute
from leeward.lab.evaluate.workloads import Grid, Workload


class Progress(Protocol):
    """Progress callbacks; they receive public numbers only."""

    def step(self, words: str) -> None:
        """A new step begins."""

    def part(self, words: str, done: int, of: int) -> None:
        """`done` parts of `of` are finished."""


@dataclass(frozen=True)
class Study:
    """What is evaluated. `data` describes the data in words."""

    preset: str
    data: str
    made_up: bool
    workloads: tuple[Workload, ...]
    grid: Grid
    infusion: Infusion
    place: str = PLACE
    classical: bool = False

    def __post_init__(self) -> None:
        if len({workload.name for workload in self.workloads}) < len(self.workloads):
            raise ValueError("workloads must differ in name: points are identified by it")

    @property
    def mark(self) -> str | None:
        """The warning on every figure and page; None for made-up data."""
        return None if self.made_up else INTERNAL


@dataclass(frozen=True)
class EvaluatedTable:
    """A workload as it turned out.

    `strata_by` is the attribute whose jobs make its strata. Shares are of its cells, under noise
    infusion.
    """

    name: str
    words: str
    workplace_cells: int
    worker_cells: int
    suppressed: float
    distorted: float
    strata_by: str = PLACE

    @property
    def cells(self) -> int:
        """All cells."""
        return self.workplace_cells * self.worker_cells


@dataclass(frozen=True)
class Evaluation:
    """The points and gaps of a study, and the tables they describe."""

    study: Study
    tables: tuple[EvaluatedTable, ...]
    points: tuple[ScoredPoint, ...]
    refused: tuple[RefusedSetting, ...]
    classical: tuple[Classical, ...] = ()

    def __repr__(self) -> str:
        size = f"{len(self.tables)} tables, {len(self.points)} points"
        return f"<Evaluation {self.study.preset} of {self.study.data}: {size}>"

    @property
    def words(self) -> Mapping[str, str]:
        """What people call the workloads."""
        return {table.name: table.words for table in self.tables}

    @property
    def strata_by(self) -> Mapping[str, str]:
        """The attribute whose jobs make the strata of each workload."""
        return {table.name: table.strata_by for table in self.tables}

    def as_json(self) -> dict[str, Any]:
        """The evaluation for programs."""
        study = self.study
        classical = [asdict(protection) for protection in self.classical]
        return {
            "preset": study.preset,
            "data": study.data,
            "made_up": study.made_up,
            "mark": study.mark,
            "trials": study.grid.trials,
            "plus": study.grid.plus,
            "infusion": asdict(study.infusion),
            "workloads": [asdict(table) for table in self.tables],
            "points": [point.as_json() for point in self.points],
            "refused": [asdict(setting) for setting in self.refused],
            **({"classical": classical} if classical else {}),
        }


def evaluate(study: Study, truths: Mapping[Marginal, Truth], progress: Progress) -> Evaluation:
    """Draw every contender at every point of the grid and measure it against the truth."""
    compared_with = benchmarks(truths, study.infusion, study.grid.trials, progress.step)
    settings = [
        experiment for load in study.workloads for experiment in experiments(load, study.grid)
    ]
    outcomes = run_all(
        settings, compared_with, lambda done, of: progress.part("settings", done, of)
    )
    tables, refused = [], []
    points: list[ScoredPoint] = []
    for load in study.workloads:
        benchmark = compared_with[load.marginal]
        points += infusion_points(load, benchmark)
        tables.append(
            EvaluatedTable(
                load.name,
                load.words,
                benchmark.truth.cells.shape[0],
                benchmark.truth.worker_cells,
                benchmark.baseline.suppressed,
                benchmark.baseline.distorted,
                strata_attribute(load.marginal, study.place),
            )
        )
    for outcome in outcomes:
        if isinstance(outcome, RefusedSetting):
            refused.append(outcome)
        else:
            points += outcome
    classical: tuple[Classical, ...] = ()
    if study.classical:
        progress.step("withholding and rounding")
        classical = compared(study.workloads, truths)
    return Evaluation(study, tuple(tables), tuple(points), tuple(refused), classical)


def run_all(
    settings: Sequence[ScoredExperiment], against: Benchmarks, progress: Callable[[int, int], None]
) -> list[Outcome]:
    """The outcomes in the order of the experiments; progress gets how many of how many are done."""
    outcomes: dict[int, Outcome] = {}
    count = len(settings)
    for number, outcome in on_all_cores(lambda n: settings[n].run(against), count, "evaluate"):
        outcomes[number] = outcome
        progress(len(outcomes), count)
    return [outcomes[number] for number in range(count)]


def marginals(workloads: Sequence[Workload]) -> tuple[Marginal, ...]:
    """The tables behind workloads, each once."""
    return tuple(dict.fromkeys(workload.marginal for workload in workloads))
