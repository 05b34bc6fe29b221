"""Frontier: points of the grid are what predictions say, and weights mark one of them."""

import csv
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest

from leeward.core.errors import LeewardError
from leeward.publishing.plan.fitness import Fitness
from leeward.publishing.plan.frontier import (
    AID,
    COLUMNS,
    Frontier,
    Weights,
    make_frontier,
    read_alphas,
)
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.prediction import mean_error
from leeward.publishing.plan.target import with_budget
from tests.publishing.plans import WORKER, planned

TABLES = ("{name: a, by: [place, sector], share: 1/2, mechanism: slope, margins: none}",
          "{name: b, by: [place, sex], share: 1/2, mechanism: vector_pareto}")  # fmt: skip
GRID = tuple(map(Fraction, (1, 4, 8)))


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "sizes.csv").write_text("largest,cells,n\n8,40,10\n90,30,100\n300,10,1000\n")
    return planned(tmp_path, *TABLES, more="sizes: sizes.csv\n")


def weighted(plan: Plan, text: str) -> Weights:
    path = plan.path.parent / "weights.yaml"
    path.write_text(text)
    return Weights.read(path, plan)


def test_a_point_is_the_prediction_of_the_plan_at_that_epsilon(plan: Plan) -> None:
    found = make_frontier(plan, alphas=[Fraction(1, 10)], grid=GRID)
    at = with_budget(plan, Fraction(8))
    for table in at.tables:
        (point,) = [
            one for one in found.points if (one.table, one.amount) == (table.name, Fraction(8))
        ]
        fitness = Fitness.of(table.measurement, plan.profile)
        assert fitness is not None
        assert point.mechanism == table.measurement.name
        assert point.mean_error == mean_error(table, plan.profile)
        assert point.within_10 == fitness.within(Fraction(1, 10))


def test_csv_and_page_have_every_point(plan: Plan) -> None:
    found = make_frontier(plan, grid=GRID)
    rows = list(csv.DictReader(StringIO(found.csv())))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["alpha"] for row in rows[:9]] == ["0.05"] * 3 + ["0.1"] * 3 + ["0.2"] * 3
    assert {row["odds_factor"] for row in rows} == {"2.72", "54.6", "2990"}
    assert {row["suspicion_of_1_in_100"] for row in rows} == {"3", "36", "97"}
    page = found.page()
    assert page.count('<div class="trend plotted">') == len(plan.tables)
    assert "http://" not in page
    assert AID not in page


def test_the_mark_is_where_a_unit_is_no_longer_worth_its_price(plan: Plan) -> None:
    alphas = [Fraction(1, 10)]
    shares = [one.within_10 or 0.0 for one in make_frontier(plan, alphas=alphas, grid=GRID).points]
    rates = 100 * (shares[1] - shares[0]) / 3, 100 * (shares[2] - shares[1]) / 4
    weights = weighted(plan, f"price: {sum(rates) / 2:.6f}\ntables: {{a: 1}}\n")
    found = make_frontier(plan, alphas=alphas, grid=GRID, weights=weights)
    (mark,) = found.marks
    assert mark.amount == GRID[1]
    assert (mark.before, mark.after) == pytest.approx(rates)
    assert found.mark_words(mark).endswith(f"This is {AID}.")
    assert f"worth its price: {AID}" in found.page()
    dear = weighted(plan, "{price: 1000, tables: {a: 1}}")
    assert ends(make_frontier(plan, alphas=[Fraction(1, 10)], grid=GRID, weights=dear))


def ends(found: Frontier) -> bool:
    return all("an end of the grid" in found.mark_words(one) for one in found.marks)


@pytest.mark.parametrize(
    "text",
    [
        *("price: 1", "{price: 0, tables: {a: 1}}", "{price: 1, tables: {c: 1}}"),
        *("{price: 1, tables: {a: -1}}", "{price: x, tables: {a: 1}}"),
    ],
)
def test_weights_that_make_no_sense_are_refused(plan: Plan, text: str) -> None:
    with pytest.raises(LeewardError, match="must"):
        weighted(plan, text)


@pytest.mark.parametrize("text", ["0", "-1", "x", "", "1,2,3,4,5,6,7"])
def test_alphas_that_make_no_sense_are_refused(plan: Plan, text: str) -> None:
    with pytest.raises(LeewardError, match="must be"):
        read_alphas(text, plan)


def test_a_policy_without_alpha_has_one_line(tmp_path: Path) -> None:
    plan = planned(tmp_path, "{name: a, by: [place]}", protect=WORKER)
    found = make_frontier(plan, grid=GRID)
    assert {one.alpha for one in found.points} == {None}
    assert "each is taken to be one establishment" in found.cells
    with pytest.raises(LeewardError, match="for a policy that has an alpha"):
        read_alphas("0.1", plan)
