"""Targets: the smallest ε of three digits that reaches an error, and no smaller one does."""

from fractions import Fraction
from pathlib import Path

import pytest

from leeward.errors import InvalidParameter
from leeward.publishing.prediction import mean_error
from leeward.publishing.target import (
    MeanError,
    Target,
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
    ],
)
def test_a_target_is_a_table_and_a_number(written: str, target: Target) -> None:
    assert read_target(written) == target


@pytest.mark.parametrize(
    "written", ["", "a", "a:", ": 5", "a: -5", "a: 0", "a: 0.0", "a: 5%", "a: 1e3", "a b: 5"]
)
def test_anything_else_is_refused(written: str) -> None:
    with pytest.raises(InvalidParameter, match="such as 'place_industry: 5 jobs'"):
        read_target(written)


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
