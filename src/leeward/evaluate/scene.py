"""Scene: the tables of an evaluation as they are, and what noise infusion makes of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leeward.baselines.infusion import DISTORTED, Infusion, owners, suppressed
from leeward.engines import Engine
from leeward.evaluate.score import Referee, Trial, standard_error
from leeward.evaluate.strata import Floats
from leeward.evaluate.truth import Truth
from leeward.evaluate.workload import Workload
from leeward.model import Codebook, JobsRule, Marginal

Told = Callable[[str], None]

PLACE = "place"
"""The strata go by the jobs of this attribute unless another is named."""


@dataclass(frozen=True, eq=False, repr=False)
class Baseline:
    """Noise infusion on one table: the mean of many worlds, each with factors of its own."""

    trials: int
    mean: Trial
    error: Floats
    suppressed: float
    distorted: float


@dataclass(frozen=True, eq=False, repr=False)
class Stage:
    """One table: the truth, the referee, the baseline."""

    truth: Truth
    referee: Referee
    baseline: Baseline


@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """The stage of each table; several workloads may share one."""

    stages: Mapping[Marginal, Stage]

    def stage(self, workload: Workload) -> Stage:
        """Where a workload plays."""
        return self.stages[workload.marginal]


def read_truths(
    engine: Engine, codebook: Codebook, rule: JobsRule, tables: Sequence[Marginal], place: str
) -> dict[Marginal, Truth]:
    """Tabulate all tables in one pass over the data and open them."""
    marginals = tuple(dict.fromkeys(tables))
    engine.prepare(codebook, rule, marginals, marginals, owners=True)
    return {one: Truth.read(engine, one, place_position(one, place)) for one in marginals}


def strata_attribute(marginal: Marginal, place: str) -> str:
    """The name of that dimension; of a table without workplace attributes, the whole of it."""
    names = [one.name for one in marginal.workplace]
    return names[place_position(marginal, place)] if names else "table"


def place_position(marginal: Marginal, place: str) -> int:
    """Which workplace dimension the strata go by: the one of this name, else the first."""
    names = [one.name for one in marginal.workplace]
    return names.index(place) if place in names else 0


def set_scene(
    truths: Mapping[Marginal, Truth], infusion: Infusion, worlds: int, told: Told
) -> Scene:
    """Draw the worlds: a factor is kept for every table of its world."""
    employer = owners(one.entries for one in truths.values())
    told(f"noise infusion, {worlds} worlds")
    factors = [infusion.factors(employer) for _ in range(worlds + 1)]
    return Scene({key: _stage(truth, infusion, factors) for key, truth in truths.items()})


def _stage(truth: Truth, infusion: Infusion, factors: Sequence[Floats]) -> Stage:
    published = ~suppressed(truth.counts, truth.employers)
    # The world of today is none of the trials: infusion would be compared with itself.
    today, *worlds = (infusion.infused(truth.entries, one) for one in factors)
    referee = Referee.of(truth, published, today)
    trials = [referee.trial(world) for world in worlds]
    flags = [infusion.flags(truth.counts, truth.employers, world) for world in worlds]
    baseline = Baseline(
        len(trials),
        Trial.mean(trials),
        standard_error([one.absolute for one in trials]),
        float(1 - published.mean()) if published.size else 0.0,
        float(np.mean([(one == DISTORTED).mean() for one in flags])) if published.size else 0.0,
    )
    return Stage(truth, referee, baseline)
