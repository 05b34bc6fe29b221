"""All margins: each for its share of ε, and added up from the finest table."""

from fractions import Fraction

import numpy as np
import pytest

from leeward.core.codebook import EveryJob, Marginal
from leeward.core.errors import InvalidParameter
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.economy import Economy
from leeward.lab.evaluate import PRESETS
from leeward.lab.evaluate.benchmark import benchmarks
from leeward.lab.evaluate.contender import ADDED, SPLIT
from leeward.lab.evaluate.evaluation import EvaluatedTable, Evaluation, Study, marginals
from leeward.lab.evaluate.experiment import experiments
from leeward.lab.evaluate.findings import margins_compared
from leeward.lab.evaluate.point import ALL, RefusedSetting, ScoredPoint
from leeward.lab.evaluate.presets import open_economy
from leeward.lab.evaluate.results import workload_results
from leeward.lab.evaluate.truth import Truth, added, read_truths
from leeward.lab.evaluate.workloads import Grid, Workload, exact

GRID = Grid(alphas=exact("0.1"), epsilons=exact("8"), further=(), thetas=(), trials=60)
Read = tuple[tuple[Workload, ...], dict[Marginal, Truth]]


@pytest.fixture(scope="module")
def read() -> Read:
    with open_economy(Economy(3_000, 200, places=10), lambda *_: None) as (engine, book):
        loads = PRESETS["quick"].with_workload("all_margins").workloads(book)
        return loads, read_truths(engine, book, EveryJob(), marginals(loads), "place")


@pytest.fixture(scope="module")
def points(read: Read) -> tuple[ScoredPoint, ...]:
    """Of the finest table and of all jobs, by slope."""
    loads, truths = read
    held = benchmarks(truths, Infusion(0.1, 0.25), 2, lambda _: None)
    asked = [one for load in (loads[0], loads[-1]) for one in experiments(load, GRID)]
    drawn = [one.run(held) for one in asked if one.contender.mechanism == "slope"]
    return tuple(point for one in drawn if not isinstance(one, RefusedSetting) for point in one)


def test_the_true_margins_are_sums_of_the_finest_table(read: Read) -> None:
    loads, truths = read
    assert [len(one.marginal.workplace) for one in loads] == [0, 1, 1, 1, 2, 2, 2, 3]
    finest = loads[-1].marginal
    for one in loads:
        coarse, fine = truths[one.marginal], truths[finest]
        sums = added(fine.counts, fine, coarse, (finest, one.marginal))
        assert np.array_equal(sums, coarse.counts)


def test_a_share_pays_for_a_margin_and_all_of_epsilon_for_the_finest_table(read: Read) -> None:
    paid = {one.contender.accounting: one for one in experiments(read[0][1], GRID)}
    assert paid[SPLIT].own_price.epsilon == Fraction(1)
    assert paid[ADDED].own_price.epsilon == paid[SPLIT].price.epsilon == 8
    assert paid[SPLIT].setting.epsilon == 8.0


def test_each_margin_has_a_point_for_both_ways(points: tuple[ScoredPoint, ...]) -> None:
    found = {(one.workload, one.accounting): one.l1 or 0.0 for one in points if one.stratum == ALL}
    finest, coarse = "all_margins.place_sector_ownership", "all_margins.all_jobs"
    assert set(found) == {(name, how) for name in (finest, coarse) for how in (SPLIT, ADDED)}
    assert found[finest, ADDED] < found[finest, SPLIT] / 3
    assert found[coarse, ADDED] > 3 * found[finest, ADDED]
    tables = (EvaluatedTable(coarse, "the margin all jobs", 1, 1, 0.0, 0.0),)
    study = Study("quick", "a test", True, (), GRID, Infusion(0.1, 0.25))
    (result,) = workload_results(Evaluation(study, tables, points, ()))
    rows = list(margins_compared(result))
    assert {(one.table, one.setting) for one in rows} == {
        ("The margin all jobs", "α = 0.1 and ε = 8")
    }
    assert list(dict.fromkeys(one.whose for one in rows)) == [
        "slope its own share of ε",
        "slope added from the finest table",
    ]
    assert [one.compared for one in rows[::2]] == 2 * ["mean error (jobs)"]
    assert [one.number for one in rows[::2]] == [found[coarse, how] for how in (SPLIT, ADDED)]


def test_another_workload_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="must be all_margins"):
        PRESETS["quick"].with_workload("some_margins")
