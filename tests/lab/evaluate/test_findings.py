"""What is found in a run written by hand: every number is known."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from leeward.lab.evaluate.evaluation import Evaluation
from leeward.lab.evaluate.findings import (
    EVERY_TABLE,
    FindingRow,
    agreement,
    caution,
    coverage,
    finding_lines,
    findings,
)
from leeward.lab.evaluate.point import ScoredPoint
from leeward.lab.evaluate.results import WorkloadResult, bests, gaps, rule, workload_results
from tests.lab.evaluate.run import FULL, ONE, TODAY, WHOLE, at, printed, refused, run


def first(evaluation: Evaluation) -> WorkloadResult:
    return workload_results(evaluation)[0]


def rows(evaluation: Evaluation) -> Iterator[FindingRow]:
    """The findings of single tables, in whole digits."""
    for one in findings(evaluation):
        if one.table != EVERY_TABLE:
            yield replace(one, number=None if one.number is None else round(one.number, 9))


def overall(*points: ScoredPoint) -> list[tuple[str, str, float | None, str]]:
    """The findings of all tables together."""
    found = [one for one in findings(run(*points)) if one.table == EVERY_TABLE]
    return [(one.setting, one.compared, one.number, one.verdict) for one in found]


def test_the_answer_gives_each_family_at_the_alpha_of_the_reading() -> None:
    points = [
        *(at("slope", l1, epsilon=e) for e, l1 in ((1.0, 20.0), (4.0, 5.0))),
        *(printed("smooth_gamma", l1, epsilon=e) for e, l1 in ((1.0, 70.0), (4.0, 30.0))),
        printed("smooth_laplace", 9.0, delta=0.03),
        *(at("slope", l1, epsilon=e, alpha=0.3) for e, l1 in ((1.0, 40.0), (4.0, 30.0))),
    ]
    table, alpha, compared = "County × trade", "α = 0.1", "ε of no more error than noise infusion"
    assert list(rows(run(TODAY, *points))) == [
        FindingRow(table, alpha, compared, "ours: slope, strong", 2.0, "reached"),
        FindingRow(table, alpha, compared, "published", 4.0, "not reached so far"),
        FindingRow(
            table,
            alpha,
            compared,
            "published with δ: Smooth Laplace, strong, δ = 0.03",
            1.0,
            "reached at the least ε measured",
        ),
    ]
    assert list(finding_lines(rows(run(TODAY, *points))))[:2] == [
        table,
        f"  {alpha}  {compared}  ours: slope, strong{33 * ' '}2  reached",
    ]
    assert list(rows(run(TODAY))) == list(rows(run(at("slope", None)))) == []


def test_only_a_made_up_economy_is_called_made_up() -> None:
    assert "made up" in " ".join(caution(FULL.study))
    assert "made up" not in " ".join(caution(run(made_up=False).study))
    assert "(0.08 and 0.31) are parameters" in " ".join(caution(run(made_up=False).study))


def test_where_ours_do_not_help_is_found() -> None:
    found = {one.epsilon: one for one in bests(first(FULL))}
    assert found.keys() == {0.25, 1.0}
    assert (found[0.25].above, found[1.0].above) == (True, False)
    assert (found[0.25].beaten, found[1.0].beaten) == (False, True)
    assert found[1.0].factor == pytest.approx(4 / 3)
    assert found[1.0].other is not None
    assert (found[1.0].other.mechanism, found[1.0].other.l1) == ("smooth_laplace", 3.0)
    (gone,) = [one for one in bests(workload_results(FULL)[1]) if one.own is None]
    assert gone.epsilon == 0.25


def test_a_difference_of_one_per_cent_is_not_noticeable() -> None:
    fine = run(TODAY, at("slope", 4.0), at("log_laplace", 3.99))
    assert not any(one.beaten for one in bests(first(fine)))


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (at("slope", 9.0, policy="weak"), printed("log_laplace", 1.0)),
        (at("slope", 9.0, delta=0.01), printed("log_laplace", 1.0)),
    ],
)
def test_a_weaker_promise_of_ours_is_not_compared(own: ScoredPoint, other: ScoredPoint) -> None:
    (found,) = bests(first(run(TODAY, own, other)))
    assert found.other is None
    assert not found.beaten


def test_a_stronger_promise_of_ours_is_compared() -> None:
    (found,) = bests(first(run(at("slope", 4.0), printed("log_laplace", 2.0, policy="weak"))))
    assert found.factor == 2


def test_gaps_are_listed_with_their_rule() -> None:
    (pareto,) = gaps(workload_results(FULL)[1])
    assert (pareto.name, pareto.settings, pareto.tried) == ("Pareto (ours)", 1, 2)
    assert pareto.why == "ε must be above d·ln(1+α)"
    assert rule("no form that is known.") == "no form that is known"


def test_an_infinite_mean_is_a_gap() -> None:
    points = (printed("log_laplace", None), printed("log_laplace", 3.0, epsilon=2.0))
    (gap,) = gaps(first(run(*points)))
    assert (gap.name, gap.settings, gap.tried) == ("Log-Laplace, as published", 1, 2)
    assert gap.why == "no finite mean error"


def test_coverage_is_summed_up_by_mechanism() -> None:
    slope, pareto, clipped = coverage(FULL.points)
    assert slope.mean == pytest.approx(0.9225)
    assert (slope.least, slope.largest) == (0.911, 0.934)
    assert (slope.settings, slope.short, slope.biased) == (2, 0, False)
    assert (pareto.least, clipped.short, clipped.biased) == (0.95, 1, True)
    last = [one for one in findings(FULL) if one.table == EVERY_TABLE][-1]
    assert (last.whose, last.setting, last.number) == ("clipped (ours)", "1 setting", 0.61)
    assert last.verdict == "short in 1: leaves out its bias"
    assert last.compared.endswith(", at worst")


def test_a_shortfall_beyond_chance_is_told_and_one_within_it_is_not() -> None:
    short = at("slope", 4.0, coverage=0.85, coverage_error=0.01, trials=20)
    assert coverage([short])[0].short == 1
    assert overall(short)[-1][2:] == (0.85, "short in 1")
    assert coverage([replace(short, coverage_error=0.02)])[0].short == 0
    assert coverage([replace(short, coverage_error=None)])[0].short == 0


def compared(apart: float, trials: int = 5) -> ScoredPoint:
    return at(
        "slope",
        4.0,
        l1_source="closed form",
        l1_trials=4.0 + apart,
        l1_trials_error=1.0,
        trials=trials,
    )


def test_agreement_counts_what_is_within_four_standard_errors() -> None:
    found = agreement([compared(1.0), compared(-5.0)])
    assert (found.compared, found.within, found.furthest) == (2, 1, 5.0)
    assert found.ratio == pytest.approx((1.25 - 0.25) / 2)
    assert overall(compared(1.0), compared(-5.0)) == [
        ("2 settings", "settings within 4 standard errors", 1, "agree in 1"),
        ("2 settings", "standard errors apart, at most", 5.0, "agree in 1"),
        ("2 settings", "trials ÷ closed form, on average", 0.5, "agree in 1"),
    ]
    assert overall(compared(1.0))[0][3] == "agree"
    assert overall(at("slope", 4.0)) == []


def test_everything_refused_is_found() -> None:
    gone = tuple(refused("slope", "epsilon: must be more; got 1.", epsilon=e) for e in (1.0, 2.0))
    bare = first(run(TODAY, gaps=gone))
    assert [one.own for one in bests(bare)] == [None, None]
    assert [(one.settings, one.tried, one.why) for one in gaps(bare)] == [(2, 2, "ε must be more")]


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
    said = [*finding_lines(findings(EMPTY[case]())), *caution(FULL.study)]
    assert not any({"nan", "inf", "None"} & set(one.split()) for one in said)
