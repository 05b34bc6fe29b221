"""Who is better than whom, all in one run: the findings that the figures rest on."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from math import sqrt
from statistics import mean, stdev

import pytest

from leeward.core.mechanisms.measurement import Expected
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.evaluate.benchmark import Benchmarks, benchmarks
from leeward.lab.evaluate.contender import Contender, Price
from leeward.lab.evaluate.evaluation import Evaluation
from leeward.lab.evaluate.experiment import ScoredExperiment
from leeward.lab.evaluate.point import ALL, RefusedSetting, ScoredPoint
from tests.lab.evaluate.conftest import Village

TABLE, WHOLE = "place_sector_ownership", "whole_marginal"
PAPERS = ("log_laplace", "smooth_gamma", "smooth_laplace")
Drawn = Callable[[Contender, str, str], ScoredPoint]
"""Who competes, α and ε."""
TRIALS = 100
WIDE = 6.0
"""Standard errors."""
REPEATED = 12
"""Draws of all trials, where the error of a mean of squares is measured."""


@pytest.fixture(scope="module")
def held(village: Village) -> Benchmarks:
    return benchmarks(village.truths, Infusion(), TRIALS, lambda _: None)


@pytest.fixture(scope="module")
def drawn(anew: Drawn) -> Drawn:
    """A setting drawn once, and so often that means of trials tell as much as closed forms."""
    return cache(anew)


@pytest.fixture(scope="module")
def anew(village: Village, held: Benchmarks) -> Drawn:
    """A setting drawn again with every call."""

    def draw(one: Contender, alpha: str, epsilon: str) -> ScoredPoint:
        load = village.loads[0 if one.accounting == "single" else 1]
        price = Price(Fraction(alpha), Fraction(epsilon), Fraction("0.05"))
        outcome = ScoredExperiment(load, one, price, TRIALS).run(held)
        assert not isinstance(outcome, RefusedSetting)
        assert outcome[0].stratum == ALL
        return outcome[0]

    return draw


def both(points: list[ScoredPoint]) -> Iterator[list[float]]:
    """Mean absolute errors in closed form, and as the trials have them."""
    for name in ("l1", "l1_trials"):
        found: list[float] = [getattr(one, name) for one in points]
        yield found
    for one in points:
        assert one.l1_source == "closed form"
        assert one.l1 is not None
        assert one.l1_trials is not None
        assert one.l1_trials_error is not None
        assert abs(one.l1_trials - one.l1) < WIDE * one.l1_trials_error
        assert one.l1_trials_error < one.l1 / 10


def test_the_order_of_the_papers_mechanisms_and_slope(drawn: Drawn) -> None:
    """α = 0.1, ε = 1, place × sector × ownership."""
    order = [
        Contender("slope", "strong"),
        Contender("smooth_laplace", "strong", "single", "published"),
        Contender("log_laplace", "strong", "single", "published"),
        Contender("smooth_gamma", "strong", "single", "published"),
    ]
    for errors in both([drawn(one, "0.1", "1") for one in order]):
        assert errors == sorted(errors)
        assert len(set(errors)) == 4
        assert errors[3] >= 8 * errors[0]


def test_a_whole_worker_table_is_best_released_as_a_block(drawn: Drawn) -> None:
    """α = 0.05, ε = 4: one price for the block, and the stronger promise."""
    block = Contender("vector_pareto", "strong", "joint")
    papers = [Contender(name, "weak", "sum", "published") for name in PAPERS]
    for errors in both([drawn(one, "0.05", "4") for one in (block, *papers)]):
        assert errors[0] < min(errors[1:])


@pytest.mark.parametrize("name", PAPERS)
def test_tight_forms_are_better_than_published_ones(drawn: Drawn, name: str) -> None:
    for policy, accounting, epsilon in (("strong", "single", "1"), ("weak", "sum", "4")):
        forms = [Contender(name, policy, accounting, c) for c in ("tight", "published")]
        found = [drawn(one, "0.05", epsilon) for one in forms]
        for tight, published in both(found):
            assert tight < published


def test_tight_forms_are_better_wherever_both_exist(run: Evaluation) -> None:
    found = {
        (p.workload, p.mechanism, p.accounting, p.alpha, p.epsilon, p.calibration): p.l1
        for p in run.points
        if p.stratum == ALL and p.mechanism in PAPERS
    }
    compared = 0
    for (*key, calibration), published in found.items():
        tight = found.get((*key, "tight"))  # type: ignore[arg-type]
        if calibration == "published" and tight is not None and published is not None:
            compared += 1
            assert tight < published
    assert compared >= 15


def curves(run: Evaluation) -> dict[object, list[ScoredPoint]]:
    found: dict[object, list[ScoredPoint]] = {}
    for one in run.points:
        if one.stratum == ALL and one.epsilon is not None:
            key = (one.workload, one.mechanism, one.calibration, one.accounting, one.alpha)
            found.setdefault((*key, one.theta), []).append(one)
    return found


def test_more_epsilon_is_less_error(run: Evaluation) -> None:
    checked = 0
    for held in curves(run).values():
        exact = [p.l1 for p in held if p.l1 is not None and p.l1_source == "closed form"]
        assert exact == sorted(exact, reverse=True)
        checked += len(set(exact)) > 2
    assert checked > 8


def test_an_infinite_mean_is_no_number(run: Evaluation) -> None:
    """Published Log-Laplace at ε/8 for each worker cell: no mean below 2λ = 0.19 at α = 0.1."""
    held = [
        p
        for p in run.points
        if (p.mechanism, p.calibration, p.accounting) == ("log_laplace", "published", "sum")
        and p.alpha == 0.1
    ]
    assert {p.epsilon for p in held if p.l1 is None} == {0.5, 1}
    assert {p.epsilon for p in held if p.l1 is not None} == {4}
    for one in held:
        assert (one.ratio_to_infusion is None) == (one.bias is None) == (one.l1 is None)
        assert (one.l1_trials_error is None) == (one.l1 is None)
        assert (one.l1_trials is None) == (one.spearman is None) == (one.l1 is None)
        assert (one.trials == 0) == (one.l1 is None)  # trials would not tend to anything


def test_every_setting_is_a_point_or_a_gap(run: Evaluation) -> None:
    """Each group of cells once; a gap where the conditions fail, with its reason."""
    assert len({p.workload for p in run.points}) == 2
    points = [p for p in run.points if p.stratum == ALL]
    settings = [
        (p.workload, p.mechanism, p.calibration, p.accounting, p.alpha, p.epsilon, p.theta)
        for p in (*points, *run.refused)
    ]
    assert len(settings) == len(set(settings))
    alphas, epsilons = 2, 3
    # Infusion in two forms; the papers' six and our five lines; edge and node, which have no α.
    each = 2 + alphas * epsilons * (6 + 5) + epsilons * 2
    parallel = alphas * epsilons * 3
    assert len(settings) == 2 * each + parallel
    assert run.refused
    assert all(one.reason for one in run.refused)


def test_the_baseline_is_the_measure_of_all(run: Evaluation) -> None:
    for workload in (TABLE, WHOLE):
        (today,) = [
            p
            for p in run.points
            if (p.workload, p.mechanism, p.stratum) == (workload, "infusion", ALL)
        ]
        assert today.ratio_to_infusion == pytest.approx(1)
        assert today.l1 is not None
        for one in run.points:
            if one.workload == workload and one.stratum == ALL and one.l1 is not None:
                assert one.ratio_to_infusion == pytest.approx(one.l1 / today.l1)


def test_strata_make_up_the_whole(run: Evaluation) -> None:
    for one in run.points:
        if one.stratum == ALL and one.mechanism == "slope":
            parts = [
                p
                for p in run.points
                if p.stratum != ALL
                and (p.workload, p.mechanism, p.alpha, p.epsilon)
                == (one.workload, "slope", one.alpha, one.epsilon)
            ]
            assert len(parts) > 1
            assert sum(p.cells for p in parts) == one.cells
            whole = sum(p.cells * (p.l1 or 0) for p in parts) / one.cells
            assert whole == pytest.approx(one.l1)


def test_the_root_mean_square_is_that_of_the_trials(anew: Drawn, run: Evaluation) -> None:
    """In closed form; at least the mean, and nothing where it is infinite.

    Few large cells have most of the squares: how far their mean strays is seen by drawing again.
    """
    node = Contender("node_laplace", "establishment", theta=10)
    for who in (Contender("slope", "strong"), node):
        points = [anew(who, "0.1", "4") for _ in range(REPEATED)]
        squares = [(one.l2_trials or 0) ** 2 for one in points]
        error = stdev(squares) / sqrt(REPEATED)
        assert error < 0.06 * mean(squares)  # else a wrong form would not be seen
        assert abs(mean(squares) - (points[0].l2 or 0) ** 2) < WIDE * error
    for one in run.points:
        if one.l2 is not None and one.l1 is not None:
            assert one.l2 >= one.l1 * 0.9999
    missing = {(p.mechanism, p.calibration) for p in run.points if p.l2 is None}
    assert ("log_laplace", "published") in missing  # no variance where 2·ln(1+α)/ε ≥ ½
    assert ("smooth_gamma", "published") not in missing  # 256·S²/ε²
    assert all(p.l2 is not None for p in run.points if p.mechanism == "infusion")


def test_points_say_what_auto_takes(run: Evaluation) -> None:
    """One of slope, staircase and Pareto at each setting of a workplace table: the best of them."""
    here = [p for p in run.points if p.workload == TABLE and p.stratum == ALL]
    for alpha, epsilon in {(p.alpha, p.epsilon) for p in here if p.alpha is not None}:
        mine = [p for p in here if (p.alpha, p.epsilon) == (alpha, epsilon)]
        (taken,) = [p for p in mine if p.auto]
        ours = [p for p in mine if p.mechanism in ("slope", "staircase", "vector_pareto")]
        assert (taken.l1 or 0) <= 1.1 * min(p.l1 or 0 for p in ours)
    assert {p.mechanism for p in here if p.auto} == {"slope", "staircase"}


def test_closed_forms_need_no_draws(village: Village, held: Benchmarks) -> None:
    price = Price(Fraction("0.1"), Fraction(1), Fraction(0))
    known, unknown = (
        ScoredExperiment(village.loads[0], Contender(name, "strong"), price, 3, drawn=False).run(
            held
        )
        for name in ("slope", "clipped")
    )
    assert not isinstance(known, RefusedSetting)
    assert not isinstance(unknown, RefusedSetting)
    assert (known[0].trials, known[0].l1_source) == (0, "closed form")
    assert known[0].l1 is not None
    assert known[0].spearman is known[0].coverage is known[0].l1_trials is None
    assert (unknown[0].trials, unknown[0].l1_source) == (3, "trials")


def test_large_tables_are_drawn_less_often(village: Village) -> None:
    price = Price(Fraction("0.1"), Fraction(1), Fraction(0))
    one = ScoredExperiment(village.loads[0], Contender("slope", "strong"), price, 20)
    finite = Expected(None, None, finite=True, steady=True)
    sizes = (94_251, 282_753, 565_506, 3_393_036)
    assert [one.often(finite, cells) for cells in sizes] == [20, 8, 4, 2]
    assert one.often(finite._replace(finite=False), 10) == 0
