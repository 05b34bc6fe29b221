"""Results: a workload with its points, and the setting at which they are tabulated."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

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
        found = (
            point for point in self.points if point.mechanism == INFUSION and point.stratum == ALL
        )
        return next(found, None)

    @cached_property
    def alpha(self) -> float | None:
        """The α of the reading: as in the figures, the nearest to a tenth."""
        alphas = {point.alpha for point in self.points if point.alpha is not None}
        return _nearest(alphas, CHOSEN_ALPHA)

    @cached_property
    def epsilon(self) -> float | None:
        """The ε of the reading."""
        wanted = CHOSEN_FOR_WHOLE if self.whole else CHOSEN_EPSILON
        mine = [point for point in self.points if point.epsilon is not None]
        same = [scored_point for scored_point in mine if scored_point.alpha == self.alpha]
        return _nearest(
            {point.epsilon for point in same or mine if point.epsilon is not None}, wanted
        )

    @property
    def where(self) -> str:
        """The setting of the reading in words."""
        known = (("α", self.alpha), ("ε", self.epsilon))
        return " and ".join(f"{name} = {one:g}" for name, one in known if one is not None)

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
    scored_points = [point for point in points if wanted(line_of(point)) and _measured(point)]
    return sorted(scored_points, key=lambda scored_point: scored_point.l1 or 0.0)


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


def _measured(point: ScoredPoint) -> bool:
    return point.l1 is not None and isfinite(point.l1)


def _nearest(values: set[float], wanted: float) -> float | None:
    return min(values, key=lambda number: (abs(number - wanted), number), default=None)
