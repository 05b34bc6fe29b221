"""Trial measures: points of the trials of one setting, one for each group of cells."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from leeward.core.mechanisms.measurement import Expected
from leeward.lab.evaluate.benchmark import Benchmark, InfusionBaseline
from leeward.lab.evaluate.point import ScoredPoint, ScoredSetting
from leeward.lab.evaluate.score import Trial, standard_error
from leeward.lab.evaluate.strata import Floats
from leeward.lab.evaluate.workloads import Workload

Columns = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class TrialResults:
    """Trials, closed forms, and in each trial the shares of margins that held.

    The first row of shares is of all cells, the second of those with wide noise.
    """

    trials: tuple[Trial, ...]
    expected: Expected
    covered: tuple[Floats, ...]


def measured(
    setting: ScoredSetting, benchmark: Benchmark, results: TrialResults
) -> tuple[ScoredPoint, ...]:
    """One point for each group."""
    mean = Trial.mean(results.trials, len(benchmark.scorer.groups.names))
    columns = {
        **_plain(mean),
        **_errors(benchmark, results, mean),
        **_coverage(results),
    }
    source = "trials" if results.expected.absolute is None else "closed form"
    return _rows(setting, benchmark, columns, (len(results.trials), source))


def infusion_points(workload: Workload, benchmark: Benchmark) -> tuple[ScoredPoint, ...]:
    """The baseline itself, and with its output perturbed, measured like everything else."""
    return (
        *_baseline_points(workload, benchmark, "infusion", benchmark.baseline),
        *_baseline_points(workload, benchmark, "infusion+output", benchmark.perturbed),
    )


def _baseline_points(
    workload: Workload, benchmark: Benchmark, name: str, baseline: InfusionBaseline
) -> tuple[ScoredPoint, ...]:
    mean = baseline.mean
    columns = {
        **_plain(mean),
        "l1": mean.absolute,
        "l1_trials_error": baseline.error,
        "l2": np.sqrt(mean.square),
        "bias": mean.signed,
        **_ratios(benchmark, mean.absolute, mean.where_published),
    }
    setting = ScoredSetting(workload.name, name, "published", "none", "single")
    return _rows(setting, benchmark, columns, (baseline.trials, "trials"))


def _plain(mean: Trial) -> Columns:
    """The measures that are means of the trials and nothing else."""
    return {
        "l1_trials": mean.absolute,
        "l2_trials": np.sqrt(mean.square),
        "relative_error": mean.relative,
        "spearman": mean.spearman,
        "spearman_infusion": mean.spearman_today,
        "bias_trials": mean.signed,
        "negative": mean.negative,
        "within_5_percent": mean.near,
    }


def _errors(benchmark: Benchmark, results: TrialResults, mean: Trial) -> Columns:
    """Mean absolute error and bias: closed forms where there are any."""
    groups, expected = benchmark.scorer.groups, results.expected
    nothing = np.full_like(mean.absolute, np.nan)
    settled = standard_error([trial.absolute for trial in results.trials] or [nothing])
    l1, shown, bias = mean.absolute, mean.where_published, mean.signed
    square = mean.square if expected.steady else nothing
    if expected.absolute is not None:
        exact = expected.absolute.ravel()
        l1, shown = groups.means(exact), groups.means(exact, benchmark.scorer.published)
    if expected.bias is not None:
        bias = groups.means(expected.bias.ravel())
    if expected.square is not None:
        square = groups.means(expected.square.ravel())
    if not expected.finite:  # the trials do not tend to anything
        l1 = shown = bias = nothing
    return {
        "l1": l1,
        "l1_trials_error": settled if expected.steady else nothing,
        "l2": np.sqrt(square),
        "bias": bias,
        **_ratios(benchmark, l1, shown),
    }


def _ratios(benchmark: Benchmark, l1: Floats, shown: Floats) -> Columns:
    today = benchmark.baseline.mean
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "ratio_to_infusion": l1 / today.absolute,
            "ratio_where_published": shown / today.where_published,
        }


def _coverage(results: TrialResults) -> Columns:
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
    setting: ScoredSetting, benchmark: Benchmark, columns: Columns, how: tuple[int, str]
) -> tuple[ScoredPoint, ...]:
    trials, source = how
    groups = benchmark.scorer.groups
    return tuple(
        ScoredPoint(
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
