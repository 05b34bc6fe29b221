"""The five findings of 2015 on one economy of tracts, by closed forms."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from leeward.core.codebook import EveryJob
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.economy import Economy
from leeward.lab.evaluate.benchmark import benchmarks, infusion_points
from leeward.lab.evaluate.contender import H15
from leeward.lab.evaluate.evaluation import marginals
from leeward.lab.evaluate.experiment import experiments
from leeward.lab.evaluate.key_findings import KeyFinding, findings_json, key_findings
from leeward.lab.evaluate.line import PUBLISHED
from leeward.lab.evaluate.point import RefusedSetting, ScoredPoint
from leeward.lab.evaluate.presets import PRESETS, open_economy
from leeward.lab.evaluate.truth import read_truths
from leeward.lab.evaluate.workloads import exact
from tests.lab.evaluate.run import at, printed

NAMES = ("log_laplace", "smooth_gamma", "smooth_laplace")


@pytest.fixture(scope="module")
def points() -> tuple[ScoredPoint, ...]:
    """The three algorithms as the paper counts them, in both forms; 200,000 jobs."""
    preset = PRESETS["h15"]
    grid = replace(preset.grid, alphas=exact("0.01", "0.1"), epsilons=exact("0.5", "1", "2"))
    with open_economy(Economy(200_000, 10_000, geography="tracts"), lambda *_: None) as (
        engine,
        book,
    ):
        loads = preset.workloads(book)
        truths = read_truths(engine, book, EveryJob(), marginals(loads), "place")
    held = benchmarks(truths, Infusion(), 2, lambda _: None)
    found = [p for load in loads for p in infusion_points(load, held[load.marginal])]
    for one in (one for load in loads for one in experiments(load, grid)):
        who = one.contender
        if who.mechanism in NAMES and who.accounting != "sum" and who.calibration != "tight":
            outcome = one.run(held)
            assert not isinstance(outcome, RefusedSetting)
            found += outcome
    return tuple(found)


@pytest.fixture(scope="module")
def verdicts(points: tuple[ScoredPoint, ...]) -> Mapping[str, tuple[KeyFinding, ...]]:
    return {form: key_findings(points, form) for form in (H15, PUBLISHED)}


def l1(points: tuple[ScoredPoint, ...], name: str, form: str, alpha: float = 0.01) -> list[float]:
    """The mean errors at ε = 1, from the coarsest to the finest table."""
    here = [
        one
        for one in points
        if (one.mechanism, one.calibration, one.alpha, one.epsilon) == (name, form, alpha, 1)
        and one.stratum == "all"
    ]
    return [one.l1 or 0.0 for one in sorted(here, key=lambda one: one.cells)]


def test_the_errors_of_the_golden_table(points: tuple[ScoredPoint, ...]) -> None:
    """200,000 jobs, tracts, seed 1. Log-Laplace is rounded to whole jobs, which takes 1 %."""
    three = [one.cells for one in points if one.mechanism == "infusion" and one.stratum == "all"]
    assert three == [1_819, 5_457, 10_914, 65_484]
    assert l1(points, "smooth_gamma", H15) == pytest.approx([7.29, 2.88, 1.85, 1.12], rel=4e-3)
    assert l1(points, "smooth_gamma", PUBLISHED) == pytest.approx([14.3, 11.9, 11.5, 11.3], 5e-3)
    assert l1(points, "log_laplace", PUBLISHED) == pytest.approx([4.18, 2.72, 2.36, 2.05], 1.2e-2)
    assert l1(points, "smooth_gamma", H15, 0.1)[-1] == pytest.approx(2.82, rel=4e-3)


def test_error_is_in_proportion_to_one_over_epsilon(
    verdicts: Mapping[str, tuple[KeyFinding, ...]],
) -> None:
    first = verdicts[H15][0]
    assert (first.verdict, first.holds, first.of) == (True, 16, 16)
    smooth = [one for one in first.numbers if one["mechanism"] != "log_laplace"]
    assert all(one["slope"] == pytest.approx(-1, abs=1e-9) for one in smooth)
    others = [one["slope"] for one in first.numbers if one["mechanism"] == "log_laplace"]
    assert all(-1.4 < one < -0.98 for one in others)


def test_a_large_epsilon_costs_nothing_in_coarse_tables(
    verdicts: Mapping[str, tuple[KeyFinding, ...]],
) -> None:
    """Not everywhere: cells of a few jobs are hardly touched by infusion."""
    second = verdicts[H15][1]
    smallest = {(n["workload"], n["mechanism"], n["alpha"]): n["epsilon"] for n in second.numbers}
    assert smallest["three_way", "log_laplace", 0.01] == 0.5
    assert all(smallest["three_way", name, 0.01] is not None for name in NAMES)
    assert smallest["with_age_sex_race", "log_laplace", 0.1] is None
    assert second.verdict is False
    assert 0 < second.holds < second.of


def test_error_rises_with_alpha(verdicts: Mapping[str, tuple[KeyFinding, ...]]) -> None:
    for form in verdicts:
        assert verdicts[form][2].verdict is True
        assert verdicts[form][2].of >= 24


def test_the_fourth_finding_needs_the_forms_of_2015(
    verdicts: Mapping[str, tuple[KeyFinding, ...]],
) -> None:
    """True with those of 2015, false with those of 2016, on the same economy."""
    with_2015, with_2016 = verdicts[H15][3], verdicts[PUBLISHED][3]
    assert with_2015.verdict is True
    assert with_2016.verdict is False
    assert with_2016.holds == 0
    (at_one,) = [n for n in with_2015.numbers if (n["alpha"], n["epsilon"]) == (0.01, 1)]
    assert at_one["coarse"] < 0 < at_one["fine"]


def test_a_small_probability_of_failure_helps(
    verdicts: Mapping[str, tuple[KeyFinding, ...]], points: tuple[ScoredPoint, ...]
) -> None:
    for form in verdicts:
        assert verdicts[form][4].verdict is True
    delta = {
        one.delta
        for one in points
        if (one.mechanism, one.alpha, one.epsilon) == ("smooth_laplace", 0.1, 1)
    }
    assert list(delta) == pytest.approx([0.00527], rel=1e-3)


def test_a_run_without_the_papers_finds_nothing_out() -> None:
    told = findings_json([at("slope", 2.0)], "a mark")
    assert told["mark"] == "a mark"
    assert [one["verdict"] for one in told["findings"]] == [None] * 5
    assert told["with_forms_of_2016"] == []


def test_a_finding_that_is_reversed_somewhere_is_none() -> None:
    """Log-Laplace is better on the fine table at one ε and on the coarse table at the other."""
    given = [
        replace(printed(name, l1, workload=load, epsilon=epsilon), cells=cells)
        for load, cells in (("coarse", 10), ("fine", 99))
        for epsilon in (1.0, 2.0)
        for name, l1 in (
            ("log_laplace", 1.0),
            ("smooth_gamma", 2.0 if (epsilon == 1) == (load == "coarse") else 0.5),
        )
    ]
    fourth = key_findings(given, PUBLISHED)[3]
    assert (fourth.verdict, fourth.holds, fourth.of) == (False, 1, 2)
    assert key_findings([one for one in given if one.epsilon == 1], PUBLISHED)[3].verdict is True
