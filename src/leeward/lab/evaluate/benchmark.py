"""Benchmark: the truth of a table, how trials on it are scored, and the score of noise infusion."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

import numpy as np

from leeward.core.codebook import Marginal
from leeward.core.codebook.cells import Floats, Integers
from leeward.core.mechanisms.measurement import Expected
from leeward.lab.baselines.noise_infusion import DISTORTED, Infusion, owners, suppressed
from leeward.lab.evaluate.point import ScoredPoint, ScoredSetting
from leeward.lab.evaluate.score import Scorer, Trial, standard_error
from leeward.lab.evaluate.truth import Truth
from leeward.lab.evaluate.workloads import Workload

Columns: TypeAlias = Mapping[str, Floats]
"""The measures of a point by name, a number for each group."""


@dataclass(frozen=True, eq=False, repr=False)
class InfusionBaseline:
    """Noise infusion on one table: the mean of many worlds, each with factors of its own."""

    trials: int
    mean: Trial
    error: Floats
    suppressed: float
    distorted: float


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark:
    """One table: what every mechanism on it is compared with."""

    truth: Truth
    scorer: Scorer
    baseline: InfusionBaseline
    perturbed: InfusionBaseline
    """The same worlds with small counts of the output drawn anew."""


Benchmarks: TypeAlias = Mapping[Marginal, Benchmark]
"""The benchmark of each table; several workloads may share one."""


def benchmarks(
    truths: Mapping[Marginal, Truth],
    infusion: Infusion,
    worlds: int,
    progress: Callable[[str], None],
) -> Benchmarks:
    """Draw the worlds of noise infusion; an establishment has one factor in all tables of a world.

    `progress` is called with each step.
    """
    employer = owners(truth.entries for truth in truths.values())
    progress(f"noise infusion, {worlds} worlds")
    factors = [infusion.factors(employer) for _ in range(worlds + 1)]
    every = {}
    for marginal, truth in truths.items():
        published = ~suppressed(truth.counts, truth.employers)
        # Today's world is not among the trials: infusion would be compared with itself.
        today, *infused = (infusion.infused(truth.entries, factor) for factor in factors)
        scorer = Scorer.of(truth, published, today)
        baseline = _baseline(truth, infusion, scorer, infused)
        smeared = [infusion.perturbed(world) for world in infused]
        perturbed = _baseline(truth, infusion, scorer, smeared)
        every[marginal] = Benchmark(truth, scorer, baseline, perturbed)
    return every


def _baseline(
    truth: Truth, infusion: Infusion, scorer: Scorer, worlds: Sequence[Integers]
) -> InfusionBaseline:
    trials = [scorer.trial(world) for world in worlds]
    flags = [infusion.flags(truth.counts, truth.employers, world) for world in worlds]
    published = scorer.published
    return InfusionBaseline(
        len(trials),
        Trial.mean(trials, len(scorer.groups.names)),
        standard_error([trial.absolute for trial in trials]),
        float(1 - published.mean()) if published.size else 0.0,
        float(np.mean([(flag == DISTORTED).mean() for flag in flags])) if published.size else 0.0,
    )


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
    columns = {**_plain(mean), **_errors(benchmark, results, mean)}
    if results.covered:
        share, error = np.mean(results.covered, axis=0), standard_error(results.covered)
        columns |= {
            "coverage": share[0],
            "coverage_error": error[0],
            "coverage_wide": share[1],
            "coverage_wide_error": error[1],
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
            **{
                key: float(column[number])
                for key, column in columns.items()
                if np.isfinite(column[number])
            },  # type: ignore[arg-type]
        )
        for number, name in enumerate(groups.names)
    )
