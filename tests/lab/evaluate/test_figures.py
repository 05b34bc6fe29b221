import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from leeward.lab.evaluate import figures as subject
from leeward.lab.evaluate.break_even import BreakEven, break_even, crossing
from leeward.lab.evaluate.figures import figures
from leeward.lab.evaluate.line import MechanismLine, drawable, mark, ranked
from leeward.lab.evaluate.panels import FacetPlot
from leeward.lab.evaluate.point import ALL, ScoredPoint
from tests.lab.evaluate.smooth import EPSILONS, WORKLOADS, made_up

MARK = "INTERNAL: not for publication."
WORDS = {"whole_marginal": "whole marginal"}
KINDS = ("error", "tight", "rank", "rank-infusion", "strata")
SVG = "{http://www.w3.org/2000/svg}"

Chart = tuple[FacetPlot, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def points() -> list[ScoredPoint]:
    return list(made_up())


@pytest.fixture(scope="module")
def charts(points: list[ScoredPoint]) -> dict[str, Chart]:
    return planned(points)


def planned(points: list[ScoredPoint]) -> dict[str, Chart]:
    """What would be drawn, and every point of it as a row."""
    return {
        stem: (plot, list(rows(plot))) for stem, plot in subject.planned(points, WORDS, {}).items()
    }


def rows(plot: FacetPlot) -> Iterator[dict[str, Any]]:
    for facet in plot.facets:
        for trace in facet.traces:
            for one in trace.points:
                place = {"panel": facet.title, "line": trace.label, "dash": trace.stroke.dash}
                yield place | {"x": one.x, "y": one.y, "bound": one.bound}


def labels(chart: FacetPlot) -> list[str]:
    return [trace.label for trace in chart.facets[0].traces]


def panels(rows: list[dict[str, Any]]) -> list[object]:
    return list(dict.fromkeys(row["panel"] for row in rows))


def test_there_is_a_figure_of_every_kind(charts: Mapping[str, Chart]) -> None:
    each = {f"{workload}-{kind}" for workload in WORKLOADS for kind in KINDS}
    assert set(charts) == {"summary", "coverage"} | each


def test_every_figure_carries_the_mark(points: list[ScoredPoint]) -> None:
    drawn = figures([one for one in points if one.mechanism == "slope"][:9], mark=MARK)
    assert drawn
    assert all(MARK in one.svg and one.description.startswith(MARK) for one in drawn.values())


def test_workloads_go_by_their_words_or_their_identifiers(charts: Mapping[str, Chart]) -> None:
    assert charts["whole_marginal-error"][0].title.startswith("Whole marginal: ")
    assert charts["single_queries-error"][0].title.startswith("single_queries: ")
    assert panels(charts["coverage"][1])[1:] == ["single_queries", "Whole marginal"]


def test_the_error_has_a_panel_for_each_alpha_and_a_line_for_each_mechanism(
    charts: Mapping[str, Chart],
) -> None:
    chart, rows = charts["whole_marginal-error"]
    assert panels(rows) == ["α = 0.01", "α = 0.05", "α = 0.1", "α = 0.2"]
    assert labels(chart) == [
        "slope (ours)",
        "Pareto (ours)",
        "clipped (ours)",
        "Smooth Gamma in parallel\n(by the sum rule d·ε)",
        "Smooth Gamma, as published",
        "Log-Laplace in parallel\n(by the sum rule d·ε)",
        "Log-Laplace, as published",
        "Smooth Laplace in parallel\n(by the sum rule d·ε)",
        "Smooth Laplace, as published",
        "edge DP (workers only)",
        "node DP, best θ",
    ]
    edge = [row for row in rows if row["line"].startswith("edge")]
    assert len(edge) == 4 * 8  # the same in every panel


def test_the_tight_forms_have_their_own_figure(charts: Mapping[str, Chart]) -> None:
    assert labels(charts["single_queries-tight"][0])[3:] == [
        "Smooth Gamma, tight",
        "Log-Laplace, tight",
        "Smooth Laplace, tight",
    ]


def test_the_strata_are_shown_at_the_alpha_nearest_to_a_tenth(points: list[ScoredPoint]) -> None:
    near = [replace(p, alpha=0.12 if p.alpha == 0.1 else p.alpha) for p in points]
    chart, rows = planned(near)["single_queries-strata"]
    assert "At α = 0.12." in chart.subtitle
    assert panels(rows) == ["under 100", "100 to 10,000", "10,000 to 100,000", "above 100,000"]
    slope = [row for row in rows if row["line"].startswith("slope")]
    assert len(slope) == 4 * len(EPSILONS)


def test_the_order_is_compared_with_that_of_infusion(charts: Mapping[str, Chart]) -> None:
    rule = charts["single_queries-rank"][0].level
    assert rule is not None
    assert rule[0] == 0.985
    assert charts["single_queries-rank-infusion"][0].level is None


def test_a_missing_point_is_a_gap(charts: Mapping[str, Chart]) -> None:
    _, rows = charts["single_queries-error"]
    mine = [r for r in rows if r["panel"] == "α = 0.2" and "Gamma, as pub" in r["line"]]
    assert [row["x"] for row in mine] == list(EPSILONS)
    assert [row["y"] is None for row in mine] == 3 * [True] + 3 * [False]


def test_the_coverage_is_the_lowest_over_alpha(
    points: list[ScoredPoint], charts: Mapping[str, Chart]
) -> None:
    _, rows = charts["coverage"]
    (shown,) = [
        row["y"]
        for row in rows
        if row["panel"] == "single_queries" and row["x"] == 1 and row["line"] == "slope (ours)"
    ]
    assert shown == min(
        point.coverage
        for point in points
        if (point.workload, point.mechanism, point.epsilon, point.stratum)
        == ("single_queries", "slope", 1, ALL)
        and point.coverage is not None
    )


def test_names_need_to_differ_only_within_a_panel(charts: Mapping[str, Chart]) -> None:
    assert set(labels(charts["coverage"][0])) == {"slope (ours)", "Pareto (ours)", "clipped (ours)"}


def test_node_dp_gets_the_theta_with_the_least_error_and_nothing_else_does() -> None:
    node = ScoredPoint("w", "node_laplace", "tight", "removal", "single", epsilon=1.0)
    clipped = replace(node, mechanism="clipped")
    given = [
        replace(one, theta=theta, l1=l1)
        for one in (node, clipped)
        for theta, l1 in ((10, 3.0), (100, 2.0), (1000, None))
    ]
    shown = [(point.mechanism, point.theta, point.l1) for point in drawable(given)]
    assert shown[0] == ("node_laplace", None, 2.0)
    assert [theta for _, theta, _ in shown[1:]] == [10, 100, 1000]


def test_names_tell_apart_what_is_alike() -> None:
    first = MechanismLine("slope", "tight", "sum", "strong")
    weak, joint = replace(first, policy="weak"), replace(first, accounting="joint")
    less, theta = replace(first, delta=True), replace(first, theta=1000)
    assert first.label([first]) == "slope (ours)"
    assert weak.label([first, weak]) == "slope (ours), weak"
    assert joint.label([first, joint]) == "slope (ours), one price for all"
    assert less.label([first, less]) == "slope (ours), δ > 0"
    assert theta.label([theta]) == "slope (ours), θ = 1,000"
    assert MechanismLine("new", "tight", "single", "strong").label([]) == "new"


def test_a_figure_says_which_line_promises_what(
    points: list[ScoredPoint], charts: Mapping[str, Chart]
) -> None:
    assert "Promise" not in charts["single_queries-error"][0].subtitle
    weaker = {"slope": {"policy": "weak"}, "smooth_laplace": {"policy": "weak", "delta": 1e-6}}
    mixed = [replace(one, **weaker.get(one.mechanism, {})) for one in points]  # type: ignore[arg-type]
    chart, _ = planned(mixed)["single_queries-error"]
    assert chart.subtitle.endswith(
        " Promise: strong for Pareto (ours), clipped (ours), Smooth Gamma, Log-Laplace; "
        "weak for slope (ours), Smooth Laplace (δ = 1e-06)."
    )


def test_no_two_mechanisms_have_the_same_mark() -> None:
    marks = [mark(name) for name in ranked()]
    assert len(set(marks)) == len(marks)


def test_lines_of_one_mechanism_differ_in_their_strokes() -> None:
    tight = MechanismLine("smooth_gamma", "tight", "sum", "strong")
    published = replace(tight, calibration="published")
    booked = replace(published, accounting="parallel")
    ours = MechanismLine("slope", "tight", "sum", "strong")
    looks = [one.stroke for one in (tight, published, booked, ours)]
    assert [one.dash for one in looks] == ["", "6 3", "1 3", ""]
    assert looks[3].width > looks[0].width


def gaps(points: list[ScoredPoint]) -> dict[str, list[ScoredPoint]]:
    bare = [replace(point, ratio_to_infusion=None) for point in points]
    return {
        "no points": [],
        "no ratio": bare,
        "infusion alone": [point for point in points if point.policy == "none"],
        "baselines alone": [point for point in points if point.alpha is None],
        "one point": [point for point in points if point.mechanism == "slope"][:1],
        "no measure": [
            replace(p, spearman=None, spearman_infusion=None, coverage=None) for p in bare
        ],
        "every third": points[::3],
    }


@pytest.mark.parametrize(
    ("case", "number"),
    [
        ("no points", 0),
        ("no ratio", 3 * 2 + 1),
        ("infusion alone", 0),
        ("baselines alone", 3),
        ("one point", 5),
        ("no measure", 0),
        ("every third", 17),
    ],
)
def test_figures_without_values_are_left_out(
    points: list[ScoredPoint], case: str, number: int
) -> None:
    assert len(planned(gaps(points)[case])) == number


@pytest.mark.parametrize("stem", ["summary", "whole_marginal-error"])
def test_a_figure_is_drawn(
    points: list[ScoredPoint], monkeypatch: pytest.MonkeyPatch, stem: str
) -> None:
    every = subject.planned
    monkeypatch.setattr(subject, "planned", lambda *given: {stem: every(*given)[stem]})
    (picture,) = figures(points, mark=MARK, words=WORDS).values()
    root = Xml.fromstring(picture.svg)  # noqa: S314 (our own drawing)
    texts = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    assert {MARK, picture.title} < set(texts)
    assert any(re.search(r"\(ours\)|of ours", text) for text in texts)
    assert "Lines: " in picture.description


def at(mechanism: str, ratios: Mapping[float, float | None], **more: Any) -> list[ScoredPoint]:  # noqa: ANN401 (any field)
    start = ScoredPoint("w", mechanism, "published", "strong", "sum", alpha=0.1)
    return [
        replace(start, epsilon=epsilon, ratio_to_infusion=ratio, **more)
        for epsilon, ratio in ratios.items()
    ]


def ours(points: list[ScoredPoint]) -> BreakEven:
    (found,) = [one for one in break_even(points) if one.family == "ours"]
    return found


def published(points: list[ScoredPoint], *, delta: bool = False) -> BreakEven:
    family = "published with δ" if delta else "published"
    (found,) = [one for one in break_even(points) if one.family == family]
    return found


def test_break_even_is_interpolated_in_logs() -> None:
    found = ours(at("slope", {1: 2.0, 4: 0.5}))
    assert found.epsilon == pytest.approx(2.0)
    assert found == BreakEven("w", "ours", 0.1, found.epsilon, "", "slope (ours)", "strong")
    assert found.words == "2"
    epsilon, bound = crossing({0.5: 10.0, 1.0: 0.4}, [0.5, 1])
    share = math.log(10) / (math.log(10) - math.log(0.4))
    assert epsilon == pytest.approx(0.5 * 2**share)
    assert not bound


def test_break_even_at_a_point_of_the_grid_is_that_point() -> None:
    assert ours(at("slope", {1: 2.0, 2: 1.0, 4: 0.5})).epsilon == pytest.approx(2.0)


def test_break_even_below_the_grid_is_a_bound() -> None:
    found = ours(at("slope", {0.25: 0.9, 1: 0.2}))
    assert (found.epsilon, found.bound, found.words) == (0.25, "≤", "≤ 0.25")


def test_break_even_beyond_the_grid_is_a_bound() -> None:
    found = ours(at("slope", {1: 9.0, 4: 2.0}) + at("clipped", {1: 7.0, 2: 3.0}))
    assert (found.epsilon, found.bound, found.words) == (4, ">", "> 4")
    assert found.mechanism is None


def test_break_even_beside_a_gap_is_a_bound() -> None:
    line = at("slope", {0.5: 3.0, 1: None, 2: 0.5})
    assert ours(line).words == "≤ 2"
    refused = at("slope", {2: 0.5}) + at("clipped", {1: 3.0, 2: 2.0})
    assert ours(refused).words == "≤ 2"


def test_break_even_without_error_is_a_bound() -> None:
    assert ours(at("slope", {1: 2.0, 2: 0.0})).words == "≤ 2"


def test_break_even_is_that_of_the_best_mechanism() -> None:
    found = ours(at("slope", {1: 4.0, 4: 0.5}) + at("vector_pareto", {1: 2.0, 4: 0.5}))
    assert found.epsilon == pytest.approx(2.0)
    assert found.mechanism == "Pareto (ours)"


def test_break_even_counts_published_forms_at_their_true_price() -> None:
    fair = at("smooth_gamma", {1: 8.0, 4: 2.0})
    booked = at("smooth_gamma", {1: 0.5, 4: 0.1}, accounting="parallel")
    tight = at("smooth_gamma", {1: 0.5, 4: 0.1}, calibration="tight")
    assert published(fair + booked + tight).words == "> 4"


def test_a_promise_that_may_fail_has_a_break_even_of_its_own() -> None:
    firm = at("smooth_gamma", {1: 8.0, 4: 0.5})
    both = firm + at("smooth_laplace", {1: 2.0, 4: 0.5}, delta=0.01)
    assert published(both) == published(firm)
    failing = published(both, delta=True)
    assert failing.epsilon == pytest.approx(2.0)
    assert (failing.mechanism, failing.delta) == ("Smooth Laplace, as published", 0.01)


def test_break_even_looks_at_all_cells_and_at_alpha() -> None:
    part = at("slope", {1: 0.5}, stratum="under 100") + at("edge_laplace", {1: 0.1}, alpha=None)
    assert break_even(part) == ()
    found = ours(at("smooth_gamma", {1: 2.0}) + at("slope", {1: None, 2: math.inf}))
    assert (found.epsilon, found.mechanism, found.words) == (None, None, "–")


def test_the_summary_shows_the_break_evens(
    charts: Mapping[str, Chart], points: list[ScoredPoint]
) -> None:
    _, rows = charts["summary"]
    found = [one for one in break_even(points) if one.epsilon is not None]
    assert len(rows) == len(found) == 24
    exact = sorted(one.epsilon for one in found if one.epsilon and not one.bound)
    assert sorted(row["y"] for row in rows if not row["bound"]) == exact
    bounds = sorted(one.words for one in found if one.bound)
    assert sorted(str(row["bound"]) for row in rows if row["bound"]) == bounds


def test_the_summary_says_whose_promise_may_fail() -> None:
    line = at("smooth_laplace", {1: 9.0, 4: 0.5}, delta=0.05)
    assert published(line, delta=True).delta == 0.05
    assert published(line).epsilon is None
    chart, _ = planned(line)["summary"]
    assert chart.subtitle.endswith("may fail: Smooth Laplace, as published (δ = 0.05).")


def test_bounds_of_several_families_do_not_cover_each_other() -> None:
    ratios: dict[float, float | None] = {1: 9.0, 4: 2.0}
    every = at("slope", ratios) + at("smooth_gamma", ratios)
    every += at("smooth_laplace", ratios, delta=0.01)
    _, rows = planned(every)["summary"]
    first, second, third = (row["y"] for row in rows)
    assert 4 < first < second < third


def test_a_baseline_that_leaves_the_figure_is_told_where_it_would_have_stood() -> None:
    edge = at("edge_laplace", {1: 0.5, 4: 1e-6}, alpha=None, policy="worker")
    tight = at("smooth_gamma", {1: 2, 4: 1e-6}, calibration="tight")
    found = planned([*edge, *tight, *at("slope", {1: 2, 4: 1e-6})])
    told = {stem: "end where they fall below" in found[stem][0].subtitle for stem in found}
    assert told["w-error"]
    assert not told["w-tight"]
    low = [row["line"] for row in found["w-error"][1] if row["y"] == 1e-6]
    assert len(low) == 1
    assert low[0].startswith("slope")


def test_a_delta_of_its_own_at_every_point_makes_one_line() -> None:
    """[H15] states another δ for each ε; the figure says the largest."""
    stated = [
        replace(one, delta=delta)
        for one, delta in zip(at("smooth_laplace", {1: 9.0, 4: 0.5}), (0.3, 1e-9), strict=True)
    ]
    assert published(stated, delta=True).delta == 1e-9  # at the first ε that is no worse
    chart, rows = planned(stated)["w-error"]
    assert len(chart.facets[0].traces) == 1
    assert [row["y"] for row in rows] == [9.0, 0.5]
    assert chart.subtitle.endswith("Promise: strong for Smooth Laplace (δ up to 0.3).")


def test_the_experiment_of_2015_has_a_figure_for_each_alpha() -> None:
    """Both forms, however a table is booked; the other figures leave out what keeps no promise."""
    ratios: dict[float, float | None] = {1: 2.0, 4: 0.5}
    given = [
        replace(one, l1=one.ratio_to_infusion, accounting=accounting, workload=load)
        for load, accounting in (("v", "single"), ("w", "parallel"))
        for one in (
            *at("log_laplace", ratios),
            *at("smooth_gamma", ratios),
            *at("smooth_gamma", ratios, calibration="h15", policy="none"),
        )
    ]
    found = planned(given)
    chart, rows = found["experiment-2015-0.1"]
    assert {row["panel"] for row in rows} == {"v", "w"}
    assert sorted(one.label for one in chart.facets[0].traces) == [
        "Log-Laplace, as published",
        "Smooth Gamma, as printed in 2015",
        "Smooth Gamma, as published",
    ]
    assert [one.stroke.dash for one in chart.facets[0].traces].count("") == 1
    for stem in ("v-error", "w-error", "v-tight"):
        assert stem not in found or "2015" not in str(found[stem][0].facets)
    assert "experiment-2015-0.1" not in planned(at("smooth_gamma", ratios))
