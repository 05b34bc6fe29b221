"""Margins: what is promised to cover 90 % covers 90 %, and a broken twin is seen not to."""

from dataclasses import replace
from fractions import Fraction
from math import floor, sqrt

import numpy as np
import pytest

from leeward.core.codebook import Attribute, Dimension, Marginal
from leeward.core.codebook.cells import ends
from leeward.core.mechanisms.counts_with_noise import CountsWithNoise
from leeward.core.mechanisms.error_margins import SpentMargins, _least
from leeward.core.mechanisms.measurement import Measured, Measurement
from leeward.core.mechanisms.scale import least_margin
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.evaluate.benchmark import benchmarks
from leeward.lab.evaluate.contender import Contender, Price
from leeward.lab.evaluate.experiment import ScoredExperiment
from leeward.lab.evaluate.point import RefusedSetting
from leeward.lab.evaluate.truth import Truth
from leeward.lab.evaluate.workloads import Workload
from tests.lab.evaluate.by_hand import Site, alike, draw, truth

WORKPLACES = 20_000
WIDE = 4.5
"""Standard errors: a right margin is further away once in 10⁵ times."""
GOAL = 0.9
ROUNDING = 0.01
"""A margin is in whole jobs and allows for half a grid step: it may cover a little more."""

COLUMN = alike(Site(0, (900,)), WORKPLACES)
BLOCK = alike(Site(0, (800, 700), 100), WORKPLACES)
"""S = max(αx, 1) is 70 jobs or more at α = 0.1: rounding plays no part."""

SMALL = [
    alike(Site(0, counts, outside), WORKPLACES // 4)
    for counts, outside in (((0, 0), 0), ((1, 0), 0), ((3, 4), 2), ((12, 1), 0), ((20, 9), 5))
]


def price(epsilon: str) -> Price:
    return Price(Fraction("0.1"), Fraction(epsilon), Fraction("0.05"))


def with_margins(one: Contender, epsilon: str, cells: int) -> Measurement:
    """Bought margins, or those that the mechanism gives away."""
    bought = one.with_margins(price(epsilon), cells)
    return one.measurement(price(epsilon), cells) if bought is None else bought


def covered(drawn: Measured, table: Truth) -> tuple[float, float]:
    """The share of margins that held; its standard error, worker cells being drawn together."""
    low, high = ends(drawn.values, drawn.margins)
    inside = ((low <= table.counts) & (table.counts <= high)).mean(axis=1)
    return float(inside.mean()), float(inside.std() / sqrt(len(inside)))


SINGLE = [
    Contender("slope", "strong"),
    Contender("vector_pareto", "strong"),
    Contender("smooth_gamma", "strong"),
    Contender("smooth_laplace", "strong"),
    Contender("log_laplace", "strong"),
]
OF_BLOCKS = [
    Contender("slope", "weak", "sum"),
    Contender("slope", "weak"),
    Contender("vector_pareto", "strong", "joint"),
    Contender("vector_pareto", "strong"),
    Contender("smooth_gamma", "weak", "sum"),
    Contender("smooth_gamma", "weak"),
    Contender("smooth_laplace", "weak", "sum"),
    Contender("smooth_laplace", "weak"),
    Contender("log_laplace", "weak", "sum"),
    Contender("log_laplace", "weak"),
]
CASES = [
    *((one, COLUMN, "1") for one in SINGLE),
    *((one, COLUMN, "4") for one in SINGLE),
    *((one, BLOCK, "4") for one in OF_BLOCKS),
]


def named(one: object) -> str | None:
    return f"{one.mechanism} {one.accounting}" if isinstance(one, Contender) else ""


@pytest.mark.parametrize(("one", "table", "epsilon"), CASES, ids=named)
def test_margins_cover_what_they_promise(one: Contender, table: Truth, epsilon: str) -> None:
    method = with_margins(one, epsilon, table.worker_cells)
    share, error = covered(draw(method, table), table)
    assert GOAL - WIDE * error < share < GOAL + ROUNDING + WIDE * error


@pytest.mark.parametrize(
    "one", [*OF_BLOCKS, Contender("edge_laplace", "worker", "joint")], ids=named
)
def test_margins_of_small_cells_never_cover_less(one: Contender) -> None:
    method = with_margins(one, "4", 2)
    for table in SMALL:
        share, error = covered(draw(method, table), table)
        assert share > GOAL - WIDE * error


BOUGHT = [one for one in SINGLE if one.mechanism != "log_laplace"]


@pytest.mark.parametrize("one", BOUGHT, ids=named)
def test_a_margin_that_forgets_the_noise_of_its_scale_is_caught(
    one: Contender, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known bad: the plain quantile of the noise, times a scale that is itself noisy."""
    monkeypatch.setattr(
        "leeward.core.mechanisms.error_margins._factor",
        lambda _, one, block: least_margin(one, block=block),
    )
    method = with_margins(one, "1", 1)
    share, error = covered(draw(method, COLUMN), COLUMN)
    assert share < GOAL - WIDE * error


def test_margins_are_a_tenth_of_the_price() -> None:
    for one in OF_BLOCKS:
        bought = one.with_margins(price("4"), 2)
        if one.mechanism == "log_laplace":
            assert bought is None  # they are free
            continue
        assert isinstance(bought, CountsWithNoise)
        assert isinstance(bought.margins, SpentMargins)
        parts = 2 if one.accounting == "sum" else 1
        assert bought.mechanism.parameters.epsilon == Fraction("3.6")
        assert bought.margins.cells == parts
        assert bought.margins.epsilon == Fraction("0.4")


@pytest.mark.parametrize(
    ("name", "accounting"),
    [("log_laplace", "parallel"), ("smooth_gamma", "sum"), ("smooth_laplace", "sum")],
)
def test_published_forms_have_no_margins(name: str, accounting: str) -> None:
    one = Contender(name, "weak", accounting, "published")
    assert one.with_margins(price("4"), 2) is None
    assert draw(one.measurement(price("4"), 2), SMALL[2]).margins == {}


def test_nothing_covers_what_was_dropped() -> None:
    one = Contender("node_laplace", "establishment", "joint", theta=10)
    assert one.with_margins(price("4"), 2) is None
    assert draw(one.measurement(price("4"), 2), SMALL[2]).margins == {}


@pytest.mark.parametrize("one", BOUGHT, ids=named)
def test_no_margin_is_below_that_of_the_least_noise(one: Contender) -> None:
    """S is at least 1: however low the noisy scale comes out, the margin is that of S = 1."""
    bought = one.with_margins(price("1"), 1)
    assert isinstance(bought, CountsWithNoise)
    rule = bought.margins
    assert isinstance(rule, SpentMargins)
    least = floor(_least(rule.mechanism, False) + 0.5)
    assert rule.margins(np.array([-(10**6), -(10**4)])).tolist() == [least, least]
    table = alike(Site(0, (1,)), WORKPLACES)
    drawn = draw(bought, table)
    assert drawn.margins["margin"].min() == least
    assert drawn.margins["margin"].max() > least
    share, error = covered(drawn, table)
    assert share > GOAL - WIDE * error
    # With nothing but this least margin, S = 1 is covered, and S = 2 is not.
    lowest = replace_margins(drawn, least)
    assert covered(lowest, table)[0] > GOAL - WIDE * error
    larger = alike(Site(0, (20,)), WORKPLACES)
    share, error = covered(replace_margins(draw(bought, larger), least), larger)
    assert share < GOAL - WIDE * error


def replace_margins(drawn: Measured, margin: int) -> Measured:
    return Measured(drawn.values, {"margin": np.full_like(drawn.values, margin)}, drawn.law)


UNCLIPPED = alike(Site(0, (800_000, 700_000), 100_000), WORKPLACES)
ALIKE = truth([Site(n, (400, 300)) for n in range(WORKPLACES // 4) for _ in range(20)])


@pytest.mark.parametrize("accounting", ["joint", "single"])
def test_clipped_margins_cover_where_nothing_is_clipped(accounting: str) -> None:
    """At ε = 200 the noisy maximum is within a hundredth, and θ is above it: only noise misses."""
    method = Contender("clipped", "strong", accounting).measurement(price("200"), 2)
    share, error = covered(draw(method, UNCLIPPED), UNCLIPPED)
    noise = (1 + GOAL) / 2
    assert noise - WIDE * error < share < noise + ROUNDING + WIDE * error


def test_clipped_intervals_allow_for_bias() -> None:
    """Twenty establishments as large as the largest lose a little each where θ comes out low."""
    method = Contender("clipped", "strong", "joint").measurement(price("1"), 2)
    drawn = draw(method, ALIKE)
    share, error = covered(drawn, ALIKE)
    assert share > GOAL - WIDE * error
    bias = (drawn.values - ALIKE.counts).mean(axis=1)
    assert np.median(bias) < 0


def test_a_stratum_that_is_thinned_away_keeps_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Known bad: shares of the strata that were left, read as those of the strata before."""
    monkeypatch.setattr("leeward.lab.evaluate.experiment.MARGIN_CELLS", 4)
    monkeypatch.setattr("leeward.lab.evaluate.truth.FEWEST", 1)
    table = truth([Site(n, (50,)) for n in range(12)], strata=[0] * 4 + [1] + [2] * 7)
    load = Workload("t", "t", Marginal("t", (), ()))
    held = benchmarks({load.marginal: table}, Infusion(), 2, lambda _: None)
    outcome = ScoredExperiment(load, Contender("slope", "strong"), price("1"), 2).run(held)
    assert not isinstance(outcome, RefusedSetting)
    assert table.thinned(4).strata.tolist() == [0, 0, 2, 2]
    strata = {one.stratum: one.coverage for one in outcome}
    assert list(strata) == ["all", "under 100", "100 to 10,000", "10,000 to 100,000"]
    assert strata.pop("100 to 10,000") is None
    assert all(0 <= (one or 0) <= 1 for one in strata.values())
    assert None not in strata.values()


def test_points_tell_the_coverage_of_their_margins() -> None:
    load = Workload("t", "t", Marginal("t", (), ()))
    held = benchmarks({load.marginal: COLUMN}, Infusion(), 2, lambda _: None)
    outcome = ScoredExperiment(load, Contender("slope", "strong"), price("1"), 3).run(held)
    assert not isinstance(outcome, RefusedSetting)
    (all_cells, *_) = outcome
    assert all_cells.coverage is not None
    assert abs(all_cells.coverage - GOAL) < 0.02  # 11 standard errors of 60,000 cells
    assert all_cells.coverage_error is not None
    assert 0 < all_cells.coverage_error < 0.01


MIXED = truth(
    [Site(n, (900,) if n % 2 else (1,)) for n in range(WORKPLACES)],
    strata=[0] * (WORKPLACES // 2) + [1] * (WORKPLACES // 2),
)


@pytest.mark.parametrize(
    ("one", "epsilon", "sizes", "wide"),
    [
        (Contender("slope", "strong"), "1", (199, 200), [[False], [True]]),
        (Contender("slope", "strong"), "4", (799, 800), [[False], [True]]),
        (Contender("log_laplace", "strong"), "1", (199, 200), [[False], [True]]),
        (Contender("edge_laplace", "worker"), "1", (199, 200), [[False], [False]]),
    ],
    ids=named,
)
def test_noise_is_wide_from_twenty_jobs_on(
    one: Contender, epsilon: str, sizes: tuple[int, int], wide: list[list[bool]]
) -> None:
    load = Workload("t", "t", Marginal("t", (), ()))
    table = truth([Site(n, (size,)) for n, size in enumerate(sizes)])
    chosen = price(epsilon) if one.needs_alpha else replace(price(epsilon), alpha=None)
    assert ScoredExperiment(load, one, chosen, 2).wide(table).tolist() == wide


def test_wide_noise_follows_what_the_noise_follows() -> None:
    """ε = 2 for two worker cells; S/(ε/d) is 20 jobs from 200 jobs on, S/ε from 400 on."""
    load = Workload("t", "t", two_kinds())
    table = truth([Site(0, (199, 200), 1), Site(1, (0, 201), 199)])
    found = {
        one: ScoredExperiment(load, one, price("2"), 2).wide(table).tolist()
        for one in (
            Contender("slope", "weak", "sum"),
            Contender("slope", "weak", "single"),
            Contender("vector_pareto", "strong", "joint"),
        )
    }
    assert list(found.values()) == [
        [[False, True], [False, True]],
        [[False, False], [False, False]],
        [[True, True], [True, True]],
    ]


def two_kinds() -> Marginal:
    attribute = Attribute("kind", "workers", "kind", ("a", "b"), ("a", "b"), False, {})
    return Marginal("t", (), (Dimension(attribute, (0, 1)),))


def test_points_tell_the_coverage_where_the_noise_is_wide() -> None:
    load = Workload("t", "t", Marginal("t", (), ()))
    held = benchmarks({load.marginal: MIXED}, Infusion(), 2, lambda _: None)
    outcome = ScoredExperiment(load, Contender("slope", "strong"), price("1"), 4).run(held)
    assert not isinstance(outcome, RefusedSetting)
    for one in outcome:
        assert one.coverage is not None
        assert one.coverage_wide is not None
        assert abs(one.coverage_wide - GOAL) < 0.015  # 7 standard errors of 20,000 cells
        assert one.coverage > one.coverage_wide + 0.015  # the other half is covered for sure
    edge = ScoredExperiment(load, Contender("edge_laplace", "worker"), price("1"), 2).run(held)
    assert not isinstance(edge, RefusedSetting)
    assert edge[0].coverage is not None
