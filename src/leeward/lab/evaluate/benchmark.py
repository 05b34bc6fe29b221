"""Benchmark: the truth of a table, how trials are scored, and the score of noise infusion."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from leeward.core.codebook import Marginal
from leeward.lab.baselines.noise_infusion import DISTORTED, Infusion, owners, suppressed
from leeward.lab.evaluate.score import Scorer, Trial, standard_error
from leeward.lab.evaluate.strata import Floats, Integers
from leeward.lab.evaluate.truth import Truth


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
    employer = owners(one.entries for one in truths.values())
    progress(f"noise infusion, {worlds} worlds")
    factors = [infusion.factors(employer) for _ in range(worlds + 1)]
    return {key: _benchmark(truth, infusion, factors) for key, truth in truths.items()}


def _benchmark(truth: Truth, infusion: Infusion, factors: Sequence[Floats]) -> Benchmark:
    published = ~suppressed(truth.counts, truth.employers)
    # Today's world is not among the trials: infusion would be compared with itself.
    today, *worlds = (infusion.infused(truth.entries, factor) for factor in factors)
    scorer = Scorer.of(truth, published, today)
    baseline = _baseline(truth, infusion, scorer, worlds)
    perturbed = _baseline(truth, infusion, scorer, [infusion.perturbed(world) for world in worlds])
    return Benchmark(truth, scorer, baseline, perturbed)


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
