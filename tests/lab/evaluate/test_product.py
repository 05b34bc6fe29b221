"""Products: all tables together, or each for a share of ε; the cells and the total."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest

from leeward.core.codebook import Breakdown, EveryJob, Marginal
from leeward.core.show.progress import Silent
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.economy import Economy
from leeward.lab.evaluate import PRESETS
from leeward.lab.evaluate.contender import PRODUCT, SPLIT, Contender, Price, released
from leeward.lab.evaluate.evaluation import Evaluation, Study, evaluate, marginals
from leeward.lab.evaluate.experiment import experiments
from leeward.lab.evaluate.findings import margins_compared, products_compared
from leeward.lab.evaluate.point import ALL
from leeward.lab.evaluate.presets import open_economy
from leeward.lab.evaluate.results import workload_results
from leeward.lab.evaluate.truth import Truth, read_truths
from leeward.lab.evaluate.workloads import Grid, exact, product_workloads
from tests.lab.evaluate.test_truth import read, town
from tests.publishing.engines.small import OWNED, codebook, whole

GRID = Grid(alphas=exact("0.1"), epsilons=exact("2", "8"), further=(), thetas=(), trials=2)
TOGETHER = tuple((name, PRODUCT) for name in ("joint_radial", "joint_pareto", "joint_clipped"))
APART = tuple((name, SPLIT) for name in ("radial_slope", "vector_pareto", "clipped"))


@pytest.fixture(scope="module")
def found() -> Evaluation:
    """The six breakdowns of a small economy, by all six mechanisms."""
    with open_economy(Economy(4_000, 200, places=8), lambda *_: None) as (engine, book):
        loads = PRESETS["quick"].with_workload("lodes_six").workloads(book)
        truths = read_truths(engine, book, EveryJob(), marginals(loads), "place")
    study = Study("quick", "a test", True, loads, GRID, Infusion())
    return evaluate(study, truths, Silent())


Read = tuple[Marginal, Mapping[Marginal, Truth]]


@pytest.fixture(scope="module")
def incomplete(tmp_path_factory: pytest.TempPathFactory) -> Read:
    """A product whose first table leaves jobs out, and its tables read one by one."""
    folder = tmp_path_factory.mktemp("incomplete")
    book = codebook(folder, OWNED)
    place, *worker = whole(book, "place", "education", "age", "sex")
    parts = Breakdown((worker[0],)), Breakdown((worker[1], worker[2]))
    product = Marginal("product", (place,), (), breakdowns=parts)
    assert parts[0].rest
    return product, read(town(1), [product, *product.published], folder)


def test_the_tables_of_a_product_are_those_read_one_by_one(incomplete: Read) -> None:
    product, truths = incomplete
    together, (total, *tables) = truths[product], [truths[one] for one in product.published]
    for name in ("counts", "employers"):
        beside = np.concatenate([getattr(one, name) for one in tables], axis=1)
        assert np.array_equal(getattr(together, name), beside)
    assert together.whole is not None
    assert together.whole.counts.shape[1] == product.worker_cells > together.worker_cells
    first = product.breakdowns[0].cells
    assert np.array_equal(together.whole.counts[:, :first].sum(axis=1), total.counts[:, 0])


@pytest.mark.parametrize(("mechanism", "accounting"), [*TOGETHER, *APART])
def test_without_noise_to_speak_of_values_are_the_total_and_the_published_cells(
    mechanism: str, accounting: str, incomplete: Read
) -> None:
    """Apart, the total is the sum of the smallest table, which may leave jobs out."""
    product, truths = incomplete
    price = Price(Fraction(1, 100), Fraction(1000), Fraction(0))
    made = released(Contender(mechanism, "strong", accounting), price, product, truths[product])
    tables = [truths[one].counts for one in product.published]
    least = tables[0] if accounting == PRODUCT else min(tables[1:], key=lambda one: one.shape[1])
    wanted = np.concatenate([least.sum(axis=1, keepdims=True), *tables[1:]], axis=1)
    assert np.array_equal(made.draw().values, wanted)


def test_six_tables_of_21_cells_share_epsilon_or_pay_together(found: Evaluation) -> None:
    cells, total = found.study.workloads
    assert (cells.worker_cells, cells.shares, total.worker_cells) == (21, 6, 1)
    for load in (cells, total):
        paid = {
            (one.contender.mechanism, one.contender.accounting): one.own_price.epsilon
            for one in experiments(load, GRID)
            if one.price.epsilon == 8
        }
        assert paid == dict.fromkeys(TOGETHER, 8) | dict.fromkeys(APART, Fraction(8, 6))


def test_together_is_better_than_a_share_for_each(found: Evaluation) -> None:
    errors = {
        (one.workload, one.mechanism): one.l1 or 0.0
        for one in found.points
        if one.stratum == ALL and one.epsilon in (None, 8)
    }
    assert 1.5 * errors["lodes_six", "joint_pareto"] < errors["lodes_six", "vector_pareto"]
    assert errors["lodes_six", "joint_radial"] < errors["lodes_six", "joint_pareto"]
    assert 1.5 * errors["lodes_six", "joint_clipped"] < errors["lodes_six", "clipped"]
    assert 3 * errors["lodes_six.total", "joint_clipped"] < errors["lodes_six.total", "clipped"]
    assert errors["lodes_six", "joint_pareto"] < errors["lodes_six", "joint_clipped"]
    assert errors["lodes_six.total", "joint_clipped"] < errors["lodes_six.total", "joint_pareto"]
    assert errors["lodes_six.total", "infusion"] > 2 * errors["lodes_six", "infusion"]
    covered = {one.mechanism: one.coverage for one in found.points if one.stratum == ALL}
    assert {name for name, share in covered.items() if (share or 0) > 0.7} == dict(TOGETHER).keys()


def test_a_share_that_is_too_small_leaves_a_gap(found: Evaluation) -> None:
    gaps = {(one.workload, one.mechanism, one.epsilon) for one in found.refused}
    assert gaps == {
        (load, name, 2.0)
        for load in ("lodes_six", "lodes_six.total")
        for name in ("radial_slope", "vector_pareto")
    }


def test_the_sentence_has_all_of_them_side_by_side(found: Evaluation) -> None:
    results = workload_results(found)
    rows = [row for result in results for row in products_compared(result)]
    words = "place × sector × ownership by age, earnings, race, ethnicity, schooling and sex"
    assert list(dict.fromkeys((one.table, one.setting) for one in rows)) == [
        (name, setting)
        for name in (words.capitalize(), "Place × sector × ownership, the total of 6 breakdowns")
        for setting in ("", *(f"α = 0.1 and ε = {epsilon}" for epsilon in (2, 8)))
    ]
    for setting in {one.setting for one in rows} - {""}:
        whose = {one.whose for one in rows if one.setting == setting}
        assert {"joint Pareto", "joint clipped"} < whose
        assert any(one.startswith("clipped, its own share") for one in whose)
        assert ("Pareto, its own share of ε" in whose) == setting.endswith("8")
    assert [one.whose for one in rows if not one.setting] == 2 * ["noise infusion"]
    ratios = [one for one in rows if "÷" in one.compared]
    assert {one.verdict for one in ratios} <= {"less", "more"}
    assert [row for result in results for row in margins_compared(result)] == []


def test_the_product_of_a_plan_is_evaluated_the_same(found: Evaluation) -> None:
    cells, total = found.study.workloads
    assert product_workloads(cells.marginal) == (cells, total)
