"""The presets have the grids, the workloads and the size of the published experiments."""

from dataclasses import replace
from fractions import Fraction

import pytest

from leeward.core.codebook import Codebook, Dimension, Marginal
from leeward.core.errors import InvalidParameter
from leeward.core.privacy import Guarantee, StrongAlpha
from leeward.lab.economy import Economy
from leeward.lab.evaluate.contender import Contender
from leeward.lab.evaluate.experiment import experiments
from leeward.lab.evaluate.presets import PRESETS, economy_words, open_economy
from leeward.lab.evaluate.workloads import Grid, Workload, table, workloads_of

EPSILONS = [Fraction(one) for one in ("0.25", "0.5", "0.67", "1", "2", "4")]
ALPHAS = [Fraction(one) for one in ("0.01", "0.05", "0.1", "0.2")]


@pytest.fixture(scope="module")
def book() -> Codebook:
    with open_economy(Economy(50, 5), lambda *_: None) as (_, found):
        return found


@pytest.mark.parametrize("name", ["h17", "h15"])
def test_the_full_presets_have_the_grid_of_the_papers(name: str, book: Codebook) -> None:
    preset = PRESETS[name]
    assert preset.grid.trials == 20
    for load in preset.workloads(book):
        whole = name == "h17" and load.worker_cells > 1 and not load.alone
        for mechanism in ("slope", "smooth_gamma", "edge_laplace"):
            found = [
                e for e in experiments(load, preset.grid) if e.contender.mechanism == mechanism
            ]
            more = [Fraction(8), Fraction(16)] if whole else []
            assert sorted({one.price.epsilon for one in found}) == EPSILONS + more
            alphas = {one.price.alpha for one in found}
            assert alphas == ({None} if mechanism == "edge_laplace" else set(ALPHAS))
        thetas = {e.contender.theta for e in experiments(load, preset.grid)} - {None}
        assert thetas == {10, 100, 1_000, 10_000}


def test_h15_states_the_delta_of_every_point_and_h17_has_one(book: Codebook) -> None:
    """At α = 0.1: .269, .073, .030, .0053, 2.8e-5, 7.7e-10; each part of a sum states its own."""
    assert PRESETS["h17"].grid == Grid()
    grid, alpha = PRESETS["h15"].grid, Fraction("0.1")
    stated = [float(grid.delta_of(alpha, epsilon, 1)) for epsilon in EPSILONS]
    assert stated == pytest.approx([0.269, 0.0726, 0.0298, 0.00527, 2.78e-5, 7.7e-10], rel=2e-3)
    assert float(grid.delta_of(alpha, Fraction(4), 3)) == pytest.approx(
        3 * float(grid.delta_of(alpha, Fraction(4, 3), 1))
    )
    assert grid.delta_of(alpha, Fraction(1), 36) == 1
    assert Grid().delta_of(alpha, Fraction(1), 3) == Fraction(1, 20)
    (three, *_) = PRESETS["h15"].workloads(book)
    points = {
        (e.contender.calibration, e.price.epsilon): e.setting.delta
        for e in experiments(three, grid)
        if e.contender.mechanism == "smooth_laplace" and e.price.alpha == alpha
    }
    for form in ("h15", "published", "tight"):
        assert points[form, Fraction(1)] == pytest.approx(0.00527, rel=1e-3)


def test_the_full_presets_have_the_size_of_the_papers() -> None:
    assert PRESETS["h17"].economy == Economy(10_900_000, 527_000)
    assert PRESETS["h15"].economy == Economy(10_900_000, 527_000, geography="tracts")


def told(name: str, book: Codebook) -> list[tuple[str, list[str], int, bool]]:
    return [
        (one.name, [d.name for d in one.marginal.dimensions], one.worker_cells, one.alone)
        for one in PRESETS[name].workloads(book)
    ]


CELLS = ["place", "sector", "ownership"]


@pytest.mark.parametrize("name", ["quick", "h17"])
def test_the_workloads_of_places(name: str, book: Codebook) -> None:
    people = [*CELLS, "sex", "education"]
    assert told(name, book) == [
        ("place_sector_ownership", CELLS, 1, False),
        ("single_queries", people, 8, True),
        ("whole_marginal", people, 8, False),
    ]
    first, single, whole = PRESETS[name].workloads(book)
    assert first.table_kind == "workplace"
    assert single.table_kind == whole.table_kind == "worker"
    assert single.marginal == whole.marginal  # tabulated once


def test_the_workloads_of_tracts(book: Codebook) -> None:
    assert told("h15", book) == [
        ("three_way", CELLS, 1, False),
        ("with_age", [*CELLS, "age"], 3, False),
        ("with_age_sex", [*CELLS, "age", "sex"], 6, False),
        ("with_age_sex_race", [*CELLS, "age", "sex", "race"], 36, False),
    ]


def test_the_small_preset_has_a_part_of_the_grid() -> None:
    grid = PRESETS["quick"].grid
    assert set(grid.alphas) < set(ALPHAS)
    assert set(grid.epsilons) < set(EPSILONS)
    assert grid.trials == 5


def test_only_the_number_of_trials_changes() -> None:
    quick = PRESETS["quick"]
    changed = quick.with_trials(7)
    assert changed.grid.trials == 7
    assert not PRESETS["h15"].grid.drawn
    assert PRESETS["h15"].with_trials(7).grid.drawn
    assert changed.with_trials(quick.grid.trials) == quick


def test_the_alpha_of_a_plan_joins_the_grid() -> None:
    assert Grid().with_promise(Guarantee("worker", None, 1)) == Grid()
    assert Grid().with_promise(Guarantee("strong", "0.05", 1)) == Grid()
    more = Grid().with_promise(Guarantee("strong", "0.15", 1))
    assert list(more.alphas) == sorted([*ALPHAS, Fraction("0.15")])
    assert replace(more, alphas=Grid().alphas) == Grid()


def test_the_additive_factor_is_that_of_the_plan_or_of_the_preset(book: Codebook) -> None:
    assert Grid().with_promise(Guarantee(StrongAlpha(5), "0.1", 1)) == Grid(plus=5)
    preset = PRESETS["quick"].with_plus(5)
    (load,) = (one for one in preset.workloads(book) if one.name == "place_sector_ownership")
    small = {}
    for one in experiments(load, preset.grid):
        if one.price.epsilon == 4 and one.price.alpha in (None, Fraction(1, 10)):
            made = one.contender.measurement(one.price, load.worker_cells)
            small[one.contender.mechanism] = made.parameters.plus
    assert small["slope"] == small["staircase"] == 5
    assert small["edge_laplace"] == 1


def test_the_additive_factor_is_a_whole_number_of_jobs() -> None:
    with pytest.raises(InvalidParameter, match="plus"):
        PRESETS["quick"].with_plus(0)


@pytest.mark.parametrize("trials", [1, 1001])
def test_one_trial_has_no_spread_and_too_many_take_for_ever(trials: int) -> None:
    with pytest.raises(InvalidParameter) as caught:
        PRESETS["quick"].with_trials(trials)
    assert str(caught.value) == (
        f"trials: must be a whole number from 2 to 1000; got {trials}. "
        "Leave it out for what the preset has."
    )


def test_tables_of_a_plan_are_asked_whole_and_cell_by_cell(book: Codebook) -> None:
    sex, age = (book.attributes[one] for one in ("sex", "age"))
    tables = [
        table("a", ["place", "sector"], book),
        table("b", ["place", "sex"], book),
        Marginal("c", (), (), (Dimension(sex, (0,)),)),
        Marginal("d", (), (Dimension(age, (1,)),)),
        Marginal("e", (), ()),
    ]
    found = workloads_of(tables)
    assert [(one.name, one.words, one.alone) for one in found] == [
        ("a", "place × sector", False),
        ("b.queries", "single queries of place × sex", True),
        ("b", "place × sex", False),
        ("c", "all jobs, some sex only", False),
        ("d", "age", False),
        ("e", "all jobs", False),
    ]
    assert [one.table_kind for one in found][2:] == ["worker"] * 3 + ["workplace"]


def test_an_economy_is_told_in_words() -> None:
    assert economy_words(Economy(10_900_000, 527_000, geography="tracts")) == (
        "a made-up economy of 10,900,000 jobs in 527,000 establishments and 5,117 tracts (seed 1)"
    )


def test_lines_without_alpha_are_drawn_once_for_all(book: Codebook) -> None:
    load = Workload("t", "t", table("t", ["place"], book))
    found = [
        e.contender
        for e in experiments(load, Grid())
        if e.contender == Contender("edge_laplace", "worker")
    ]
    assert len(found) == 6
