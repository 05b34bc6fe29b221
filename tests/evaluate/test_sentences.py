import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

from leeward.baselines.infusion import Infusion
from leeward.evaluate import findings as subject
from leeward.evaluate.description import (
    accounting,
    caution,
    errors,
    infusion,
    order,
    others,
    size,
    strata,
    tight,
)
from leeward.evaluate.evaluation import Evaluation
from leeward.evaluate.findings import agreed, agreement, answers, beyond, coverage, findings
from leeward.evaluate.limits import gaps, limits, rule
from leeward.evaluate.phrases import correlation, listed, number, opened, region, several, share
from leeward.evaluate.point import Point
from leeward.evaluate.results import WorkloadResult, workload_results
from tests.evaluate.run import FULL, ONE, TODAY, WHOLE, at, printed, refused, run

MEASURES = {"ratio_to_infusion": 0.94, "spearman": 0.99, "negative": 0.9, "coverage": 0.995}
"""What changes when a run is shaken, and how much."""


def told(evaluation: Evaluation) -> Iterator[str]:
    """Everything that is ever said about a run."""
    yield from findings(evaluation)
    for case in workload_results(evaluation):
        yield size(case)
        yield from infusion(case, evaluation.study)
        for reading in (errors, tight, accounting, others, order, strata, limits, gaps):
            yield from reading(case)
    yield from coverage(evaluation.points)


def first(evaluation: Evaluation) -> WorkloadResult:
    return workload_results(evaluation)[0]


def whole(evaluation: Evaluation) -> WorkloadResult:
    return workload_results(evaluation)[1]


def test_numbers_have_three_digits_and_no_exponent() -> None:
    assert [number(one) for one in (None, float("inf"), 0, 0.5)] == ["–", "–", "0", "0.5"]
    assert [number(one) for one in (0.123456, 0.000012345, -4.567)] == [
        "0.123",
        "0.0000123",
        "-4.57",
    ]
    assert [number(one) for one in (9.996, 99.96, 1234.5, 1234567)] == [
        "10",
        "100",
        "1,230",
        "1,230,000",
    ]


def test_words_for_shares_correlations_and_lists() -> None:
    assert [share(one) for one in (None, 0.0, 0.1234, 1.0)] == ["–", "0 %", "12.3 %", "100 %"]
    assert [correlation(one) for one in (None, 0.99961)] == ["–", "1.000"]
    assert [several(one, "cell") for one in (0, 1, 2345)] == ["0 cells", "1 cell", "2,345 cells"]
    assert [listed("abc"[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert [opened(one) for one in ("", "ε", "place")] == ["", "Ε", "Place"]


GRID = [(alpha, epsilon) for alpha in (0.1, 0.2) for epsilon in (0.5, 1.0, 2.0, 4.0)]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (GRID, "at every setting of the grid"),
        (GRID[:1], "at α = 0.1 with ε = 0.5"),
        (GRID[:2], "at α = 0.1 with ε ≤ 1"),
        (GRID[2:4], "at α = 0.1 with ε ≥ 2"),
        (GRID[1:3], "at α = 0.1 with ε = 1 and 2"),
        (GRID[:4], "at α = 0.1 with every ε of the grid"),
        ([*GRID[:2], *GRID[4:6]], "at α = 0.1 and 0.2 with ε ≤ 1"),
        ([*GRID[:2], *GRID[4:5]], "at α = 0.1 with ε ≤ 1; at α = 0.2 with ε = 0.5"),
    ],
)
def test_settings_are_said_compactly(found: list[tuple[float, float]], words: str) -> None:
    assert region(found, GRID) == words


def test_settings_without_alpha_go_by_epsilon_alone() -> None:
    assert region([(None, 1.0)], [(None, 1.0), (None, 2.0)]) == "at ε = 1"


def test_the_answer_gives_each_family_at_the_alpha_of_the_reading() -> None:
    points = [
        *(at("slope", l1, epsilon=e) for e, l1 in ((1.0, 20.0), (4.0, 5.0))),
        *(printed("smooth_gamma", l1, epsilon=e) for e, l1 in ((1.0, 70.0), (4.0, 30.0))),
        *(printed("smooth_laplace", l1, epsilon=e, delta=0.03) for e, l1 in ((1.0, 9.0),)),
        *(at("slope", l1, epsilon=e, alpha=0.3) for e, l1 in ((1.0, 40.0), (4.0, 30.0))),
    ]
    assert answers(run(TODAY, *points)) == (
        "County × trade, at α = 0.1: the error of noise infusion is reached at ε = 2 by the best "
        "of ours (slope, strong), at no ε up to 4 by the best published without δ, at ε ≤ 1 "
        "by the best published with δ (Smooth Laplace, strong, δ = 0.03). In the same order, "
        "at α = 0.3: > 4, –, –.",
    )


def test_an_answer_is_silent_about_families_that_were_not_measured() -> None:
    (one,) = answers(run(TODAY, at("slope", 5.0)))
    assert "published" not in one
    assert answers(run(TODAY)) == answers(run(at("slope", None))) == ()


def test_the_table_and_infusion_are_described() -> None:
    case = first(FULL)
    assert size(case) == "The table has 321 cells, one for each workplace cell."
    assert "8 % to 31 %" in infusion(case, FULL.study)[0]
    assert "error of 10 jobs a cell (7 draws of the factors)" in infusion(case, FULL.study)[0]
    assert (
        "suppresses 12.5 % of the cells and flags 25 % as distorted by more than 17 %"
        in infusion(case, FULL.study)[0]
    )
    assert size(whole(FULL)) == (
        "The table has 642 cells: 321 workplace cells × 2 worker cells; one ε pays for all "
        "worker cells of a workplace cell."
    )
    single = run(TODAY, tables=(replace(WHOLE, name="one"),))
    assert size(first(single)).endswith("each worker cell is a query of its own, with its own ε.")


def test_only_a_made_up_economy_is_called_made_up() -> None:
    assert "made up" in " ".join(caution(FULL.study))
    assert "made up" not in " ".join(caution(run(made_up=False).study))
    assert "(0.08 and 0.31) are parameters" in " ".join(caution(run(made_up=False).study))


def test_errors_at_the_setting_of_the_reading() -> None:
    assert errors(first(FULL)) == (
        "At α = 0.1 and ε = 1 the best of ours, slope, has a mean absolute error of 4 jobs a "
        "cell, 0.4 times that of noise infusion; its promise is strong, with δ = 0.",
        "The others of ours: Pareto 5 jobs (ratio 0.5; strong) and clipped 7 jobs (ratio 0.7; "
        "strong).",
        "The papers' mechanisms as printed, at the same α and ε: Smooth Laplace 12 jobs (ratio "
        "1.2; strong, δ = 0.02) and Log-Laplace 26 jobs (ratio 2.6; strong).",
        "Log-Laplace, as published, the best of these without δ, has 6.5 times the error of "
        "slope (ours), whose promise is the same (strong).",
        "Smooth Laplace, as published, the best of these with δ, has 3 times the error of slope "
        "(ours), whose promise is the same (strong) without δ.",
    )


def test_tight_forms_may_be_better_than_ours_and_it_is_said() -> None:
    said = tight(first(FULL))
    assert said[1] == (
        "The printed forms have 2 to 4 times the error of their tight ones, at the same promise."
    )
    assert "has 0.75 times the error of slope (ours)" in said[3]


def test_a_weaker_promise_of_ours_is_not_compared_with_a_stronger_one() -> None:
    theirs = printed("log_laplace", 8.0)
    weak, strong = at("slope", 1.0, policy="weak"), at("vector_pareto", 4.0)
    (said,) = [one for one in errors(first(run(weak, strong, theirs))) if "times the error" in one]
    assert "2 times the error of Pareto (ours)" in said
    said = errors(first(run(strong, replace(theirs, policy="weak"))))[-1]
    assert said.endswith("whose promise is stronger (strong, against weak).")
    assert not any("times the error" in one for one in errors(first(run(weak, theirs))))


def test_a_promise_of_ours_that_may_fail_is_not_compared_with_one_that_holds() -> None:
    failing = at("slope", 1.0, delta=0.01)
    said = errors(first(run(failing, printed("log_laplace", 8.0))))
    assert not any("times the error" in one for one in said)


def test_parallel_accounting_is_told_with_its_true_price() -> None:
    said = accounting(whole(FULL))
    assert "Were the 2 worker cells of a workplace counted in parallel" in said[0]
    assert "ε = 4 would be claimed for Log-Laplace 0.61 jobs" in said[0]
    assert "by the sum rule that release promises ε = 8, or less" in said[0]
    assert said[1].startswith("At ε = 4 for the whole block, Pareto (ours) has 2.25 jobs")
    assert accounting(first(FULL)) == ()


def test_other_promises_are_told_with_what_they_lack() -> None:
    edge, node = others(first(FULL))
    assert "0.77 jobs" in edge
    assert "protects single jobs alone" in edge
    assert "123 jobs, 12.3 times" in node
    assert "(10)" in node


def test_ranks_and_strata() -> None:
    assert order(first(FULL)) == (
        "At α = 0.1 and ε = 1 Spearman's rank correlation of the released cells with the truth "
        "is 0.988 for noise infusion, 0.951 for slope (ours) and 0.812 for Log-Laplace, as "
        "published.",
        "3.21 % of the values of slope (ours) are below zero: noise is added, and nothing was "
        "tidied.",
    )
    (said,) = strata(first(FULL))
    assert "costs most where the place has under 100 jobs (3.21 times" in said
    assert "least where the place has above 100,000 jobs (0.123 times" in said


def test_where_ours_do_not_help_is_said() -> None:
    assert limits(first(FULL)) == (
        "Even the best of ours has more error than noise infusion at α = 0.1 with ε = 0.25 "
        "(1 of 2 settings), up to 1.6 times as much.",
        "Smooth Laplace, tight has less error than the best of ours, by more than 1 %, at α = 0.1 "
        "with ε = 1 (1 of 2 settings that have both); ours has up to 1.33 times as much, for a "
        "promise without δ.",
    )
    assert limits(whole(FULL)) == (
        "None of ours has a finite mean error at α = 0.1 with ε = 0.25 (1 of 2 settings).",
    )


def test_where_ours_are_never_beaten_is_said_with_the_number_of_settings() -> None:
    fine = run(TODAY, at("slope", 4.0), at("log_laplace", 4.01), printed("log_laplace", 9.0))
    (said,) = limits(first(fine))
    assert said.startswith("In none of 1 setting that have both")
    worse = run(TODAY, at("slope", 4.0), at("log_laplace", 3.0), printed("log_laplace", 9.0))
    (said,) = limits(first(worse))
    assert said.startswith("Log-Laplace, tight has less error than the best of ours")
    assert limits(first(run(TODAY, at("slope", 4.0)))) == ()


def test_gaps_are_told_with_their_rule() -> None:
    pareto, steps = gaps(whole(FULL))
    assert pareto == (
        "Pareto (ours) cannot be calibrated at α = 0.1 with ε = 0.25: ε must be above d·ln(1+α)."
    )
    assert "d = 2 worker cells, d·ln(1+α) is 0.191 at α = 0.1" in steps
    assert rule("no form that is known.") == "no form that is known"


def test_an_infinite_mean_is_a_gap_that_is_told() -> None:
    told = gaps(first(run(printed("log_laplace", None), printed("log_laplace", 3.0, epsilon=2.0))))
    assert told == ("Log-Laplace, as published has no finite mean error at α = 0.1 with ε = 1.",)


def test_nothing_of_ours_at_all_is_said() -> None:
    gone = tuple(refused("slope", "epsilon: must be more; got 1.", epsilon=e) for e in (1.0, 2.0))
    bare = run(TODAY, gaps=gone)
    assert limits(first(bare)) == (
        "None of ours has a finite mean error at any setting of the grid (2 of 2 settings).",
    )
    assert gaps(first(bare)) == (
        "Slope (ours) cannot be calibrated at any setting of the grid: ε must be more.",
    )


def test_coverage_is_told_by_mechanism_and_clipping_is_explained() -> None:
    said = coverage(FULL.points)
    assert said[0] == "Slope (ours): 92.3 % of the cells, from 91.1 % to 93.4 % over 2 settings."
    assert said[3].startswith("3 of 4 settings cover more than 90 %")
    assert said[4].endswith(
        "in 1 of 1 setting they cover less than 90 %, at worst 61 % (α = 0.1, ε = 1)."
    )
    full = [at("clipped", 7.0, coverage=0.95)]
    assert not any("clipping" in one for one in coverage(full))


def test_a_shortfall_beyond_chance_is_told_and_one_within_it_is_not() -> None:
    short = at("slope", 4.0, coverage=0.85, coverage_error=0.01, trials=20)
    assert coverage([short])[-1] == (
        "The margins of slope (ours) cover less than 90 %, by more than chance explains, in "
        "1 of 1 setting, at worst 85 % (α = 0.1, ε = 1)."
    )
    assert len(coverage([replace(short, coverage_error=0.02)])) == 1
    assert len(coverage([replace(short, trials=5)])) == 1
    assert len(coverage([replace(short, trials=2, coverage_error=1e-9)])) == 1


def compared(apart: float, trials: int = 5) -> Point:
    return at(
        "slope",
        4.0,
        l1_source="closed form",
        l1_trials=4.0 + apart,
        l1_trials_error=1.0,
        trials=trials,
    )


def test_agreement_counts_what_lies_within_and_what_chance_would_do() -> None:
    found = agreement([compared(1.0), compared(-5.0)])
    assert (found.compared, found.within, found.furthest) == (2, 1, 5.0)
    assert found.ratio == pytest.approx((1.25 - 0.25) / 2)
    assert found.chance == pytest.approx(2 * 2 * stats.t.sf(subject.WIDE, 4))
    (said,) = agreed([compared(1.0), compared(-5.0)])
    assert "1 of 2 settings agree within 4 standard errors" in said
    assert "the furthest is 5 apart, and trials are 0.500 times" in said
    assert list(agreed([at("slope", 4.0)])) == []


@pytest.mark.parametrize("freedom", [1, 4, 999])
def test_the_tails_are_those_of_student(freedom: int) -> None:
    assert beyond(4, freedom) == pytest.approx(2 * stats.t.sf(4, freedom), rel=1e-6)
    assert beyond(4, 0) == 1


NUMERAL = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
STEADY = {"0.1", "0.25", "1", "4", "8", "0", "0.02", "90", "10", "100", "100,000", "321", "642"}
"""Settings, sizes of tables, names of strata, and what margins are made for."""
COUNTS = {"1", "2", "3", "7", "12", "309"}
"""Of settings, draws, cells."""
STEPS = {"0.191"}
"""d·ln(1+α): of the setting, not of the truth."""


def other(point: Point) -> Point:
    measures: dict[str, Any] = {name: getattr(point, name) for name in MEASURES}
    return replace(point, **{name: one and one * MEASURES[name] for name, one in measures.items()})


def shaken(evaluation: Evaluation) -> Evaluation:
    """The same run with every measure a little other, in the same order."""
    points = tuple(
        replace(other(one), l1=None if one.l1 is None else one.l1**1.01 * 0.97)
        for one in evaluation.points
    )
    tables = tuple(
        replace(one, suppressed=one.suppressed * 0.91, distorted=one.distorted * 0.91)
        for one in evaluation.tables
    )
    study = replace(evaluation.study, infusion=Infusion(0.0813, 0.3131, 0.1717))
    return replace(evaluation, points=points, tables=tables, study=study)


def test_no_number_is_typed_in_by_hand() -> None:
    before, after = list(told(FULL)), list(told(shaken(FULL)))
    assert len(before) == len(after)
    for one, changed in zip(before, after, strict=True):
        pairs = zip(NUMERAL.findall(one), NUMERAL.findall(changed), strict=True)
        same = {left for left, right in pairs if left == right}
        assert same <= STEADY | COUNTS | STEPS, one


EMPTY: dict[str, Callable[[], Evaluation]] = {
    "nothing": run,
    "no tables": lambda: run(tables=()),
    "infusion alone": lambda: run(TODAY),
    "everything refused": lambda: run(TODAY, gaps=FULL.refused, tables=(ONE, WHOLE)),
    "no published points": lambda: run(TODAY, at("slope", 4.0)),
    "no points of ours": lambda: run(TODAY, printed("log_laplace", 4.0)),
    "no measures": lambda: run(TODAY, at("slope", None), printed("log_laplace", None)),
    "infusion without error": lambda: run(
        replace(TODAY, l1=0.0), replace(at("slope", 4.0), ratio_to_infusion=None)
    ),
    "no error at all": lambda: run(TODAY, at("slope", 0.0), printed("log_laplace", 0.0)),
    "baselines alone": lambda: run(at("edge_laplace", 1.0, policy="worker", alpha=None)),
    "an unknown mechanism": lambda: run(TODAY, at("new", 4.0, policy="other")),
    "no infusion": lambda: run(at("slope", 4.0)),
}


@pytest.mark.parametrize("case", EMPTY)
def test_whatever_is_missing_is_left_out(case: str) -> None:
    said = list(told(EMPTY[case]()))
    assert not any("None " in one and "None of" not in one for one in said)
    assert not any("nan" in one.split() or "inf" in one.split() for one in said)
    assert all(one.endswith(".") for one in said)
