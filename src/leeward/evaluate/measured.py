"""Measured: the results of an experiment as points, one a group of cells."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from leeward.evaluate.point import Point, Setting
from leeward.evaluate.scene import Stage
from leeward.evaluate.score import Trial, standard_error
from leeward.evaluate.strata import Floats
from leeward.evaluate.workload import Workload
from leeward.mechanisms.measurement import Expected

Columns = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class Results:
    """Trials, closed forms, and in each trial the shares of margins that held.

    The first row of shares is of all cells, the second of those with wide noise.
    """

    trials: tuple[Trial, ...]
    expected: Expected
    covered: tuple[Floats, ...]


def measured(setting: Setting, stage: Stage, results: Results) -> tuple[Point, ...]:
    """One point for each group."""
    mean = Trial.mean(results.trials)
    columns = {
        **_plain(mean),
        **_errors(stage, results, mean),
        **_coverage(results),
    }
    source = "trials" if results.expected.absolute is None else "closed form"
    return _rows(setting, stage, columns, (len(results.trials), source))


def infusion_points(workload: Workload, stage: Stage) -> tuple[Point, ...]:
    """The baseline itself, measured like everything else."""
    setting = Setting(workload.name, "infusion", "published", "none", "single")
    mean = stage.baseline.mean
    columns = {
        **_plain(mean),
        "l1": mean.absolute,
        "l1_trials_error": stage.baseline.error,
        "bias": mean.signed,
        **_ratios(stage, mean.absolute, mean.where_published),
    }
    return _rows(setting, stage, columns, (stage.baseline.trials, "trials"))


def _plain(mean: Trial) -> Columns:
    """The measures that are means of the trials and nothing else."""
    return {
        "l1_trials": mean.absolute,
        "relative_error": mean.relative,
        "spearman": mean.spearman,
        "spearman_infusion": mean.spearman_today,
        "bias_trials": mean.signed,
        "negative": mean.negative,
        "within_5_percent": mean.near,
    }


def _errors(stage: Stage, results: Results, mean: Trial) -> Columns:
    """Mean absolute error and bias: closed forms where there are any."""
    groups, expected = stage.referee.groups, results.expected
    settled = standard_error([one.absolute for one in results.trials])
    nothing = np.full_like(mean.absolute, np.nan)
    l1, shown, bias = mean.absolute, mean.where_published, mean.signed
    if expected.absolute is not None:
        exact = expected.absolute.ravel()
        l1, shown = groups.means(exact), groups.means(exact, stage.referee.published)
    if expected.bias is not None:
        bias = groups.means(expected.bias.ravel())
    if not expected.finite:  # the trials do not tend to anything
        l1 = shown = bias = nothing
    return {
        "l1": l1,
        "l1_trials_error": settled if expected.steady else nothing,
        "bias": bias,
        **_ratios(stage, l1, shown),
    }


def _ratios(stage: Stage, l1: Floats, shown: Floats) -> Columns:
    today = stage.baseline.mean
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "ratio_to_infusion": l1 / today.absolute,
            "ratio_where_published": shown / today.where_published,
        }


def _coverage(results: Results) -> Columns:
    if not results.covered:
        return {}
    mean, error = np.mean(results.covered, axis=0), standard_error(results.covered)
    return {
        "coverage": mean[0],
        "coverage_error": error[0],
        "coverage_wide": mean[1],
        "coverage_wide_error": error[1],
    }


def _rows(
    setting: Setting, stage: Stage, columns: Columns, told: tuple[int, str]
) -> tuple[Point, ...]:
    trials, source = told
    groups = stage.referee.groups
    return tuple(
        Point(
            **asdict(setting),
            stratum=name,
            cells=int(groups.cells[number]),
            trials=trials,
            l1_source=source,
            **{key: _number(column[number]) for key, column in columns.items()},  # type: ignore[arg-type]
        )
        for number, name in enumerate(groups.names)
    )


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
