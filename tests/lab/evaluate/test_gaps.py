"""Settings whose conditions fail are gaps with a reason, exactly where the papers say so."""

from fractions import Fraction
from math import ceil, floor, log, log1p

import pytest

from leeward.core.codebook import Attribute, Dimension, Marginal
from leeward.core.errors import LeewardError
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.evaluate.benchmark import benchmarks
from leeward.lab.evaluate.contender import Contender, Price, contenders
from leeward.lab.evaluate.experiment import ScoredExperiment
from leeward.lab.evaluate.point import RefusedSetting
from leeward.lab.evaluate.workloads import Grid, Workload
from tests.lab.evaluate.by_hand import Site, truth

DELTA = 0.05


def accepted(one: Contender, alpha: str, epsilon: Fraction, cells: int) -> bool:
    try:
        one.measurement(Price(Fraction(alpha), epsilon, Fraction("0.05")), cells)
    except LeewardError:
        return False
    return True


def turns(one: Contender, alpha: str, least: float, cells: int) -> bool:
    """Whether the condition is this one: a hair above it works, a hair below does not."""
    below, above = (Fraction(round_(least * 1e6)) / 10**6 for round_ in (floor, ceil))
    return accepted(one, alpha, above, cells) and not accepted(one, alpha, below, cells)


SUMS = [
    ("0.01", "single", 1, 1),
    ("0.05", "single", 8, 1),
    ("0.1", "parallel", 8, 1),
    ("0.2", "sum", 8, 8),
]
"""α, accounting, worker cells, and the number of parts into which ε is divided."""


@pytest.mark.parametrize(("alpha", "accounting", "cells", "parts"), SUMS)
def test_smooth_gamma_needs_four_times_lambda(
    alpha: str, accounting: str, cells: int, parts: int
) -> None:
    growth = log1p(float(alpha))
    published = Contender("smooth_gamma", "weak", accounting, "published")
    assert turns(published, alpha, 4 * growth * parts, cells)
    tight = Contender("smooth_gamma", "weak", accounting)
    assert turns(tight, alpha, 3 * growth * parts, cells)


@pytest.mark.parametrize(("alpha", "accounting", "cells", "parts"), SUMS)
def test_smooth_laplace_needs_a_delta_for_its_tails(
    alpha: str, accounting: str, cells: int, parts: int
) -> None:
    """1+α ≤ e^(ε/(2 ln(1/δ))), with ε/d and δ/d where cells add up."""
    least = 2 * log1p(float(alpha)) * log(parts / DELTA) * parts
    one = Contender("smooth_laplace", "weak", accounting, "published")
    assert turns(one, alpha, least, cells)


@pytest.mark.parametrize(("epsilon", "works"), [("0.5", False), ("0.67", True), ("1", True)])
def test_smooth_laplace_at_a_tenth_begins_within_the_grid(epsilon: str, works: bool) -> None:
    one = Contender("smooth_laplace", "strong", "single", "published")
    assert accepted(one, "0.1", Fraction(epsilon), 1) is works


@pytest.mark.parametrize(
    ("alpha", "accounting", "cells", "parts"),
    [("0.01", "joint", 8, 8), ("0.2", "joint", 8, 8), ("0.05", "single", 8, 1)],
)
def test_vector_pareto_needs_lambda_for_each_cell(
    alpha: str, accounting: str, cells: int, parts: int
) -> None:
    one = Contender("vector_pareto", "strong", accounting)
    assert turns(one, alpha, log1p(float(alpha)) * parts, cells)


@pytest.mark.parametrize("one", [Contender("slope", "weak", "sum"), Contender("slope", "strong")])
def test_slope_needs_lambda_for_each_cell_it_pays_for(one: Contender) -> None:
    parts = 8 if one.accounting == "sum" else 1
    assert turns(one, "0.1", log1p(0.1) * parts, 8)


@pytest.mark.parametrize("epsilon", ["0.01", "0.25"])
def test_some_work_everywhere(epsilon: str) -> None:
    for one in (
        Contender("clipped", "strong", "joint"),
        Contender("log_laplace", "weak", "sum", "published"),
        Contender("edge_laplace", "worker", "joint"),
        Contender("node_laplace", "establishment", "joint", theta=10),
    ):
        assert accepted(one, "0.2", Fraction(epsilon), 8)


def asked(cells: int, *, alone: bool = False) -> Workload:
    codes = tuple(str(n) for n in range(cells))
    attribute = Attribute("kind", "workers", "kind", codes, codes, public=False, recode={})
    worker = (Dimension(attribute, tuple(range(cells))),) if cells > 1 else ()
    return Workload("t", "t", Marginal("t", (), worker), alone=alone)


def test_a_gap_tells_its_setting_and_the_way_out() -> None:
    load = asked(2)
    table = truth([Site(0, (300, 5)), Site(0, (4, 5))])
    held = benchmarks({load.marginal: table}, Infusion(), 2, lambda _: None)
    one = Contender("smooth_gamma", "weak", "sum", "published")
    price = Price(Fraction("0.1"), Fraction("0.5"), Fraction("0.05"))
    outcome = ScoredExperiment(load, one, price, 2).run(held)
    assert outcome == RefusedSetting(
        workload="t",
        mechanism="smooth_gamma",
        calibration="published",
        policy="weak",
        accounting="sum",
        alpha=0.1,
        epsilon=0.5,
        epsilon_summed=0.5,
        reason="epsilon: must be at least 4·ln(1+alpha) for each worker cell; got 1/2. The "
        "smallest epsilon that works here is 0.763; or take a smaller alpha.",
    )


def lines(load: Workload, *, printed: bool = False) -> list[tuple[str, str, str, str]]:
    found = contenders(load, Grid(thetas=(10, 100), printed=printed))
    return [(one.mechanism, one.calibration, one.policy, one.accounting) for one in found]


def test_every_line_of_a_workplace_table_is_strong() -> None:
    found = lines(asked(1))
    assert {line[2] for line in found if line[0] not in ("edge_laplace", "node_laplace")} == {
        "strong"
    }
    assert {line[3] for line in found} == {"single"}
    assert len(found) == len(set(found)) + 1 == 6 + 5 + 1 + 2


def test_a_worker_table_adds_up_what_is_released_cell_by_cell() -> None:
    found = lines(asked(8))
    papers = ("log_laplace", "smooth_gamma", "smooth_laplace")
    for name in papers:
        assert {line[1:] for line in found if line[0] == name} == {
            ("published", "weak", "sum"),
            ("tight", "weak", "sum"),
            ("published", "weak", "parallel"),
        }
    rest = {line[0]: line[2:] for line in found if line[0] not in papers}
    assert rest == {
        "slope": ("weak", "sum"),
        "staircase": ("weak", "sum"),
        "radial_slope": ("strong", "joint"),
        "vector_pareto": ("strong", "joint"),
        "clipped": ("strong", "joint"),
        "edge_laplace": ("worker", "joint"),
        "node_laplace": ("establishment", "joint"),
    }


def test_the_forms_of_2015_stand_beside_the_others_and_promise_nothing() -> None:
    """Booked as the paper does: one count, or each worker cell at ε."""
    for load, how in ((asked(1), "single"), (asked(8), "parallel")):
        found = lines(load, printed=True)
        more = [one for one in found if one not in lines(load)]
        assert more == [(name, "h15", "none", how) for name in ("smooth_gamma", "smooth_laplace")]


def test_single_queries_pay_for_one_cell() -> None:
    assert {line[3] for line in lines(asked(8, alone=True))} == {"single"}


def test_a_filtered_count_is_a_worker_table_that_has_nothing_to_add_up() -> None:
    attribute = Attribute("kind", "workers", "kind", ("a", "b"), ("a", "b"), False, {})
    table = Marginal("t", (), (), (Dimension(attribute, (0,)),))
    found = lines(Workload("t", "t", table))
    assert {line[3] for line in found} == {"sum", "joint"}
    assert ("slope", "tight", "weak", "sum") in found
