"""Point: what one mechanism does at one α and ε to one workload, in one stratum."""

from dataclasses import asdict, dataclass, fields
from typing import Any

ALL = "all"
"""The stratum of all cells."""


@dataclass(frozen=True)
class ScoredSetting:
    """A mechanism, what it promises and for how much.

    `policy` is what is protected; noise infusion and the forms of 2015 keep no promise ("none").
    `accounting` says how the worker cells of a workplace add up to ε: "single" (one count),
    "joint" (one price for the block), "sum" (each at ε/d), or "parallel" (each at ε, as if
    they cost no more together: [H15] section 5); of the tables of a product "product" (one price
    for all) or "split" (a share of ε each). `epsilon_summed` and `delta_summed` are what the sum
    over worker cells promises for it.
    """

    workload: str
    mechanism: str
    calibration: str
    policy: str
    accounting: str
    alpha: float | None = None
    epsilon: float | None = None
    epsilon_summed: float | None = None
    delta: float = 0.0
    delta_summed: float = 0.0
    theta: int | None = None


@dataclass(frozen=True)
class ScoredPoint(ScoredSetting):
    """Measures of a setting in one stratum, all in jobs or shares.

    `l1` is the mean absolute error of a cell: in closed form where `l1_source` says so, else the
    mean of the trials. `l2` is the root of the mean square, by the same rule. None stands for what
    does not exist: an infinite mean, a margin that is not published, a correlation without
    variation. `auto` is whether `auto` takes the mechanism for such a table at this α and ε.
    """

    auto: bool = False
    stratum: str = ALL
    cells: int = 0
    trials: int = 0
    l1: float | None = None
    l1_source: str = "trials"
    l1_trials: float | None = None
    l1_trials_error: float | None = None
    l2: float | None = None
    l2_trials: float | None = None
    ratio_to_infusion: float | None = None
    ratio_where_published: float | None = None
    relative_error: float | None = None
    spearman: float | None = None
    spearman_infusion: float | None = None
    bias: float | None = None
    bias_trials: float | None = None
    negative: float | None = None
    within_5_percent: float | None = None
    coverage: float | None = None
    coverage_error: float | None = None
    coverage_wide: float | None = None
    coverage_wide_error: float | None = None

    def as_json(self) -> dict[str, Any]:
        """The point for programs and for a line of the CSV file."""
        return asdict(self)


COLUMNS = tuple(field.name for field in fields(ScoredPoint))
"""The columns of the tidy file, in order."""


@dataclass(frozen=True)
class RefusedSetting(ScoredSetting):
    """A setting whose conditions do not hold, and why: a gap in the figures."""

    reason: str = ""
