"""Targets: the smallest ε of three digits that reaches an accuracy, and no smaller one does."""

from fractions import Fraction
from math import ceil, log
from pathlib import Path

import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.apd import ApdTarget
from leeward.publishing.plan.prediction import mean_error
from leeward.publishing.plan.target import (
    FORMS,
    MeanError,
    Target,
    TopRight,
    Within,
    read_target,
    smallest_budget,
    three_digits,
    with_budget,
)
from tests.publishing.plans import WORKER, planned

PLACE = "{name: a, by: [place, sector], share: 1/2}"
SEX = "{name: b, by: [place, sex], share: 1/2, margins: none}"


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("place_industry: 5 jobs", Target("place_industry", MeanError(5.0, "jobs"))),
        ("a:1job", Target("a", MeanError(1.0, "job"))),
        ("pay: 50 cents per month ", Target("pay", MeanError(50.0, "cents per month"))),
        ("  a-b : 0.25 ", Target("a-b", MeanError(0.25))),
        ("a: 10 %", Target("a", Within(Fraction(1, 2), Fraction(1, 10)))),
        ("a: 90% within 2.5 %", Target("a", Within(Fraction(9, 10), Fraction(1, 40)))),
        ("a: 95 % of top 10 % right", Target("a", TopRight(Fraction(19, 20), Fraction(1, 10)))),
        ("a: 95% of the top 10% right", Target("a", TopRight(Fraction(19, 20), Fraction(1, 10)))),
    ],
)
def test_a_target_is_a_table_and_a_number(written: str, target: Target) -> None:
    assert read_target(written) == target


@pytest.mark.parametrize(
    "written",
    [
        *(
            "",
            "a",
            "a:",
            ": 5",
            "a: -5",
            "a: 0",
            "a: 0.0",
            "a: 1e3",
            "a b: 5",
            "a: 0 %",
            "a: 5 % x",
        ),
        *("a: 100 % within 10 %", "a: 0 % within 10 %", "a: 90 % within 0 %", "a: 9 within 1 %"),
        *("a: 95 % of top 100 % right", "a: 95 % of top 10 %", "a: 95 % of bottom 10 % right"),
    ],
)
def test_anything_else_is_refused_and_the_four_forms_are_shown(written: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        read_target(written)
    assert all(f"'place_industry: {form}'" in str(refused.value) for form in FORMS)


def test_numbers_of_three_digits_are_all_there_in_order() -> None:
    numbers = [three_digits(place) for place in range(-2700, 2701)]
    assert numbers == sorted(set(numbers))
    ends = (numbers[0], numbers[2700], numbers[-1])
    assert ends == (Fraction(1, 1000), Fraction(1), Fraction(1000))
    assert [float(three_digits(n)) for n in (-1, 0, 1, 899, 900)] == [0.999, 1.0, 1.01, 9.99, 10.0]


@pytest.mark.parametrize(("name", "jobs"), [("a", 3.0), ("b", 30.0)])
def test_the_smallest_epsilon_reaches_and_the_next_smaller_misses(
    tmp_path: Path, name: str, jobs: float
) -> None:
    plan = planned(tmp_path, PLACE, SEX)
    found = smallest_budget(plan, Target(name, MeanError(jobs)))
    epsilon = found.asked.epsilon
    place = next(n for n in range(-2700, 2701) if three_digits(n) == epsilon)
    before = with_budget(plan, three_digits(place - 1))
    reached, missed = (
        mean_error(next(t for t in one.tables if t.name == name), one.profile)
        for one in (found, before)
    )
    assert reached is not None
    assert reached <= jobs
    assert missed is None or missed > jobs


def test_everything_but_epsilon_stays_as_it_was(tmp_path: Path) -> None:
    plan = planned(tmp_path, PLACE, SEX)
    found = smallest_budget(plan, Target("a", MeanError(10.0)))
    assert found.request.tables == plan.request.tables
    assert found.asked.alpha == plan.asked.alpha
    assert [table.name for table in found.tables] == ["a", "b"]
    assert found.charge.epsilon == found.asked.epsilon


def test_the_worker_policy_has_targets_too(tmp_path: Path) -> None:
    plan = planned(tmp_path, PLACE, protect=WORKER)
    found = smallest_budget(plan, Target("a", MeanError(2.0)))
    assert mean_error(found.tables[0], found.profile) == pytest.approx(2.0, rel=0.02)


def test_a_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="must name a table of the plan: a; got 'c'"):
        smallest_budget(planned(tmp_path, PLACE), Target("c", MeanError(1.0)))


SIZES = "largest,cells,n\n" + "".join(f"{5 + n},2,{20 + 5 * n}\n" for n in range(0, 200, 5))
SLOPE = "{name: a, by: [place, sector], mechanism: slope, margins: none}"
PARETO = "{name: a, by: [place, sex], mechanism: vector_pareto, margins: none}"


@pytest.mark.parametrize(
    ("table", "goal"),
    [(SLOPE, "3 %"), (PARETO, "80 % within 10 %"), (SLOPE, "95 % of top 10 % right")],
)
def test_a_relative_goal_is_reached_and_the_next_smaller_epsilon_misses(
    tmp_path: Path, table: str, goal: str
) -> None:
    (tmp_path / "sizes.csv").write_text(SIZES)
    plan = planned(tmp_path, table, more="sizes: sizes.csv\n")
    target = read_target(f"a: {goal}")
    found = smallest_budget(plan, target)
    place = next(n for n in range(-2700, 2701) if three_digits(n) == found.asked.epsilon)
    before = with_budget(plan, three_digits(place - 1))
    assert target.goal.met(found.tables[0], found.profile)
    assert not target.goal.met(before.tables[0], before.profile)


def test_laplace_counts_need_the_epsilon_of_the_closed_form(tmp_path: Path) -> None:
    """n = 100, 10 %, in 90 % of cells: ln(10)/10 for continuous noise; whole jobs need less."""
    (tmp_path / "sizes.csv").write_text("largest,cells,n\n50,1,100\n")
    table = PLACE.replace("1/2", "1")
    plan = planned(tmp_path, table, protect=WORKER, more="sizes: sizes.csv\n")
    found = smallest_budget(plan, read_target("a: 90 % within 10 %"))
    exact = ApdTarget.read("APD 10 % in 90 %").count(100)
    assert found.asked.epsilon == Fraction(ceil(exact * 1000), 1000)
    assert log(10) / 10 == pytest.approx(0.2303, abs=5e-5)
    assert exact < log(10) / 10


def test_what_is_out_of_reach_is_refused_with_the_best(tmp_path: Path) -> None:
    table = "{name: a, by: [place, sex], mechanism: clipped}"
    with pytest.raises(InvalidParameter, match=r"at most 1000, where a has [0-9.]+\u00a0% within"):
        smallest_budget(planned(tmp_path, table), read_target("a: 99.999999 % within 0.0001 %"))


def test_too_few_cells_have_no_top(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="must have at least 10 cells"):
        smallest_budget(planned(tmp_path, SLOPE), read_target("a: 95 % of top 10 % right"))
