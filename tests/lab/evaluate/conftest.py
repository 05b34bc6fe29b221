"""A small economy, tabulated once for all tests, and one run of it."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from leeward.core.codebook import Marginal, SingleJob
from leeward.core.show.progress import Silent
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.economy import Economy
from leeward.lab.evaluate.evaluation import Evaluation, Study, evaluate, marginals
from leeward.lab.evaluate.presets import PRESETS, economy_words, open_economy
from leeward.lab.evaluate.truth import Truth, read_truths
from leeward.lab.evaluate.workloads import Grid, Workload, exact

ECONOMY = Economy(40_000, 2_000, places=150)
GRID = Grid(
    alphas=exact("0.05", "0.1"),
    epsilons=exact("0.5", "1", "4"),
    further=(),
    thetas=(100,),
    trials=2,
)


@dataclass(frozen=True, eq=False)
class Village:
    """The workplace table and the whole worker table of a small economy."""

    loads: tuple[Workload, Workload]
    truths: Mapping[Marginal, Truth]


@pytest.fixture(scope="session")
def village() -> Village:
    with open_economy(ECONOMY, lambda *_: None) as (engine, book):
        first, _, whole = PRESETS["quick"].workloads(book)
        loads = (first, whole)
        truths = read_truths(engine, book, SingleJob(), marginals(loads), "place")
    return Village(loads, truths)


@pytest.fixture(scope="session")
def run(village: Village) -> Evaluation:
    """Every contender on both tables."""
    study = Study("village", economy_words(ECONOMY), True, village.loads, GRID, Infusion())
    return evaluate(study, village.truths, Silent())
