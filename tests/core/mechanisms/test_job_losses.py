"""What one job costs, how much is lost between two sizes, and the floor that a cap asks for."""

from dataclasses import replace
from fractions import Fraction
from math import log, sqrt

import pytest

from leeward import Guarantee, InvalidParameter
from leeward.core.exact import ball, precision
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import Mechanism
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.job_floor import STEP, floor_for
from leeward.core.mechanisms.one_job import between_sizes, rise
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.registry import REGISTRY
from leeward.core.mechanisms.scale import part_of_grid
from leeward.core.privacy.policy import MOST_PLUS
from tests.core.mechanisms.built import build

ALPHA = Fraction(1, 10)
OPTIONS: dict[str, dict[str, object]] = {
    "joint_pareto": {"tables": (3, 2)},
    "joint_radial": {"tables": (3, 2)},
    "joint_clipped": {"tables": (3, 2)},
    "node_laplace": {"theta": 20},
    "smooth_laplace": {"delta": "0.001"},
    **{name: {"cap": 1000} for name in REGISTRY if "pay" in name or name == "log_pair"},
}
WHOLE = ("staircase", "smooth_laplace", "edge_laplace", "edge_pay", "node_laplace")
"""Of these one job may cost ε with any floor."""

FOLLOWING = tuple(name for name in REGISTRY if name not in WHOLE)


def made(name: str, **numbers: object) -> Mechanism:
    wanted = {"alpha": "0.1", "epsilon": 4, **OPTIONS.get(name, {}), **numbers}
    mechanism = build(name, **wanted)
    assert isinstance(mechanism, Mechanism)
    return mechanism


def part(name: str, least: Fraction | int, **numbers: object) -> float:
    """Of ε."""
    return float(made(name, **numbers).at_floor(Fraction(least)).one_job()[0]) / 4


@pytest.mark.parametrize(
    ("least", "slope", "index"),
    [
        (1, 1.0, 1.0),
        (2, 0.512, 17 / 32),
        (Fraction("4.147"), 0.25, 9 / 32),
        (5, 0.208, 0.219),
        (10, 0.104, 0.125),
        (20, 0.052, 1 / 16),
    ],
)
def test_the_numbers_of_the_table(least: Fraction | int, slope: float, index: float) -> None:
    for name in ("slope", "log_laplace", "payroll_slope"):
        assert part(name, least) == pytest.approx(slope, abs=5e-4)
    for name in ("scale", "log_pair"):
        assert part(name, least) == pytest.approx(index, abs=5e-4)


@pytest.mark.parametrize("name", REGISTRY)
def test_one_job_costs_no_more_than_a_step_and_less_with_a_larger_floor(name: str) -> None:
    mechanism = made(name)
    losses = [mechanism.at_floor(least).one_job()[0] for least in map(Fraction, (1, 2, 3, 7, 100))]
    assert losses[0] == 4
    assert losses == sorted(losses, reverse=True)
    assert (losses[-1] == 4) is (name in WHOLE)


@pytest.mark.parametrize("name", FOLLOWING)
def test_it_is_never_below_what_a_public_scale_would_need(name: str) -> None:
    for least in (2, 5, 50):
        assert part(name, least) > 0.99 / least


def test_the_grid_costs_whole_steps() -> None:
    halves = Parameters(Fraction(3), Fraction(1), least=Fraction(3))  # ln 2 of ln 4
    assert part_of_grid(halves) == Fraction(1, 2)
    assert part_of_grid(replace(halves, least=Fraction(3) - STEP)) == Fraction(17, 32)
    assert part_of_grid(replace(halves, least=Fraction(MOST_PLUS))) == Fraction(1, 32)


def test_worker_cells_that_add_up_have_a_job_in_one() -> None:
    for name in ("slope", "log_laplace", "smooth_gamma"):
        whole, cell = made(name, epsilon=2), made(name, epsilon=8, cells=4)
        for least in map(Fraction, (1, 4)):
            assert cell.at_floor(least).one_job() == whole.at_floor(least).one_job()


def test_printed_log_laplace_costs_half() -> None:
    printed = made("log_laplace", calibration="published").at_floor(Fraction(5))
    assert printed.one_job()[0] * 2 == made("log_laplace").at_floor(Fraction(5)).one_job()[0]


def test_a_power_tail_has_the_conditions_of_its_theorem() -> None:
    mechanism = made("vector_pareto", cells=3).at_floor(Fraction(5))
    k, t, mu = float(mechanism.shape), float(mechanism.step), log(1 + 0.1 / 5)  # type: ignore[attr-defined]
    shift = (3 + k) * log(1 + t / 5)
    both = 3 * mu + (3 + k) * log(1 + t / 5.1)
    assert float(mechanism.one_job()[0]) == pytest.approx(max(shift, both, k * mu), rel=1e-12)


@pytest.mark.parametrize("cells", [1, 3])
def test_clipped_sums_move_by_whole_lattice_points(cells: int) -> None:
    clipped = made("clipped", cells=cells, establishments=1).at_floor(Fraction(5))
    assert isinstance(clipped, Clipped)
    lattice, least = clipped.clipping.lattice, Fraction(5)
    if cells == 1:
        moved = Fraction(lattice, int(least * lattice) + 1)
    else:
        moved = Fraction(2 * lattice + 2, int(2 * least * lattice) + 3)
    splits = clipped.splits
    assert len(splits) > 1
    index = Fraction(7, 32)
    assert clipped.one_job()[0] == 4 * max(s * index + (1 - s) * moved for s in splits)


def test_gaussian_noise_has_squares() -> None:
    gaussian = made("clipped", epsilon=None, rho="0.2", noise="gaussian", cells=3)
    assert isinstance(gaussian, Clipped)
    lattice = gaussian.clipping.lattice
    c = (sqrt(2) * lattice + sqrt(3)) / (sqrt(2) * 5 * lattice + sqrt(3))
    most = max(float(s) * (7 / 32) ** 2 + float(1 - s) * c**2 for s in gaussian.splits)
    assert gaussian.at_floor(Fraction(5)).one_job()[0] == 0
    assert float(gaussian.at_floor(Fraction(5)).one_job()[1]) == pytest.approx(0.2 * most)
    assert gaussian.one_job() == (Fraction(0), Fraction(1, 5))


@pytest.mark.parametrize("name", FOLLOWING)
@pytest.mark.parametrize("cap", [Fraction(1), Fraction(7, 3), Fraction(1, 2)])
def test_the_floor_of_a_cap_is_the_smallest(name: str, cap: Fraction) -> None:
    mechanism = made(name, epsilon_job=cap)
    least = mechanism.parameters.least
    assert mechanism.one_job()[0] <= cap
    assert mechanism.at_floor(least - STEP).one_job()[0] > cap
    assert mechanism.parameters.epsilon_job == cap
    assert mechanism.constants()["least"] == str(least) if hasattr(mechanism, "constants") else True


def test_the_floor_of_slope_is_that_of_the_formula() -> None:
    least = made("slope", epsilon_job=1).parameters.least
    assert float(least) == pytest.approx(0.1 / (1.1**0.25 - 1), abs=1e-9)
    with precision(256):
        exact = ball(Fraction(4)) * rise(Parameters(ALPHA, Fraction(4), least=least))
        assert bool(exact <= ball(Fraction(1)) * (ball(ALPHA)).log1p())


def test_a_cap_of_epsilon_asks_for_nothing() -> None:
    assert made("slope", epsilon_job=4).parameters.least == 1
    assert made("slope", epsilon_job=4, plus=3).parameters.least == 3
    assert made("slope", epsilon_job=1, plus=7).parameters.least == 7


@pytest.mark.parametrize("name", ["staircase", "smooth_laplace", "clipped", "scale"])
def test_a_cap_that_no_floor_keeps_is_rejected(name: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        made(name, epsilon_job="0.001")
    assert refusal.value.parameter == "epsilon_job"
    assert f"with a floor of {MOST_PLUS} jobs ({name})" in refusal.value.rule
    smallest = refusal.value.next_step.removeprefix("Give one job at least ").split(" ")[0]
    if name not in ("staircase", "smooth_laplace"):
        assert made(name, epsilon_job=smallest).one_job()[0] <= Fraction(smallest)
    else:
        assert smallest == "4"


def test_a_cap_above_epsilon_or_without_an_alpha_is_rejected() -> None:
    for name, cap, numbers in (("slope", 5, {}), ("edge_laplace", 1, {"alpha": None})):
        with pytest.raises(InvalidParameter) as refusal:
            made(name, epsilon_job=cap, **numbers)
        assert refusal.value.parameter == "epsilon_job"


def test_the_search_finds_steps_of_any_cost() -> None:
    def cost(least: Fraction) -> Fraction:
        return Fraction(1) if least < Fraction(13, 3) else Fraction(1, 4)

    found = floor_for(cost, 2, Fraction(1, 2), name="any")
    assert found - STEP < Fraction(13, 3) <= found
    assert floor_for(cost, 5, Fraction(1, 2), name="any") == 5


def test_slope_loses_its_potential_between_sizes() -> None:
    slope = made("slope").at_floor(Fraction(5))  # below 50 jobs 4/5 for each
    assert slope.loss(0, 10) == 8
    assert slope.loss(0, 50) == 40
    for small, large in ((50, 100), (1000, 2000)):
        assert float(slope.loss(small, large)) == pytest.approx(4 * log(2) / log(1.1))
    assert float(slope.loss(50, 51)) == pytest.approx(float(slope.one_job()[0]))
    assert float(slope.loss(40, 100)) == pytest.approx(8 + 4 * log(2) / log(1.1))


def test_a_step_across_the_floor_costs_what_a_step_costs() -> None:
    slope = made("slope", alpha="0.5", epsilon=2).at_floor(Fraction(5))
    assert between_sizes(slope.parameters, 8, 13) > 2
    assert slope.loss(8, 13) == 2


def test_others_lose_what_their_steps_cost() -> None:
    staircase = made("staircase").at_floor(Fraction(5))
    assert [staircase.loss(0, large) for large in (1, 5, 6, 10)] == [4, 4, 8, 8]
    assert staircase.loss(100, 110) == 4
    clipped = made("clipped").at_floor(Fraction(5))
    assert clipped.loss(0, 1) == clipped.one_job()[0]
    assert clipped.loss(0, 5) == 4
    gaussian = made("clipped", epsilon=None, rho="0.2", noise="gaussian")
    assert gaussian.loss(0, 3) == Fraction(9, 5)
    assert made("edge_laplace", alpha=None).loss(0, 3) == 12
    assert made("log_pair").at_floor(Fraction(5)).loss(0, 2) == Fraction(7, 4)


def test_a_guarantee_has_the_number() -> None:
    slope = made("slope", epsilon_job=1)
    job = slope.one_job()[0]
    assert slope.guarantee("strong") == Guarantee("strong", "0.1", 4, epsilon_job=job)
    assert slope.guarantee("worker").epsilon == job
    gaussian = made("clipped", epsilon=None, rho="0.2", noise="gaussian").at_floor(Fraction(3))
    assert gaussian.guarantee("strong").rho_job == gaussian.one_job()[1] < Fraction(1, 5)


def test_the_same_noise_without_a_cap() -> None:
    for name in ("slope", "vector_pareto"):
        usual, capped = made(name), made(name, epsilon_job=4)
        assert isinstance(usual, Additive)
        assert isinstance(capped, Additive)
        assert usual.law == capped.law
        assert usual.scale(0, 0) == capped.scale(0, 0)
