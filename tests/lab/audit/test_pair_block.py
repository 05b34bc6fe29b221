"""Pairs of count and payroll: masses against integrals, ratios against a search, constants."""

from dataclasses import replace
from fractions import Fraction
from math import log

import numpy as np
import pytest

from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay_clipped import PayClipped
from leeward.core.mechanisms.pay_radial import PayRadial
from leeward.core.mechanisms.pay_two_scales import _step
from leeward.core.noise.body import CENTRED, HEXAGON, Body
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.pair_block import PairBlock, cone_bounds, density_bounds, mass_loss
from leeward.lab.audit.pay_controls import real_calibration
from leeward.lab.audit.pay_twins import PaidWeights
from leeward.lab.audit.radial_bound import exponential_radius
from leeward.lab.audit.recording import entries
from leeward.lab.audit.twins import sound, twin
from tests.lab.audit.test_radial_bound import exponent

BODIES = pytest.mark.parametrize("body", [HEXAGON, CENTRED], ids=lambda body: body.name)
SHAPES = pytest.mark.parametrize("shape", [Fraction(5), Fraction(21, 2), Fraction(0)], ids=str)


def radius_of(k: Fraction, cells: int = 1) -> RadialLaw:
    return pareto_radius(2 * cells, k) if k else exponential_radius(2 * cells)


def density(block: PairBlock, jobs: np.ndarray, pay: np.ndarray) -> np.ndarray:
    """The density of mathematics/pay.md 3."""
    ((n, p),), (a, b) = block.true, map(float, block.scales)
    k = float(block.radius.tail or 0)
    norm = block.body.norm((jobs - n) / a, (pay - p) / b)
    height = k * (k + 1) * (1 + norm) ** -(k + 2) if k else np.exp(-norm)
    return np.asarray(height / len(block.body.vertices) / (a * b))


@BODIES
@SHAPES
def test_a_mass_is_the_integral_of_its_cell(body: Body, shape: Fraction) -> None:
    block = PairBlock(((3, 7),), (Fraction(2), Fraction(5, 2)), body, radius_of(shape))
    fine = (np.arange(200) + 0.5) / 200 - 0.5
    for output in ((3, 7), (4, 9), (2, 9), (-3, 1), (5, 7)):
        jobs, pay = np.meshgrid(output[0] + fine, output[1] + fine)
        wanted = density(block, jobs, pay).mean()
        assert float(block.mass(output)) == pytest.approx(wanted, rel=1e-4), output


@BODIES
def test_all_masses_are_one(body: Body) -> None:
    block = PairBlock(((3, 7),), (Fraction(1, 3), Fraction(1, 2)), body, radius_of(Fraction(21, 2)))
    near = range(-6, 7)
    total = sum(float(block.mass((3 + i, 7 + j))) for i in near for j in near)
    assert total == pytest.approx(1, abs=1e-9)


@BODIES
def test_ratios_by_cones_are_those_of_the_triangle_inequality(body: Body) -> None:
    """Where both scales grow alike, the bound is reached one way or the other."""
    before = PairBlock(((0, 0),), (Fraction(14), Fraction(400)), body, radius_of(Fraction(10)))
    for grown in (Fraction(1), Fraction(11, 10), Fraction(9, 10)):
        wide = (before.scales[0] * grown, before.scales[1] * grown)
        after = PairBlock(((1, -17),), wide, body, radius_of(Fraction(10)))
        found = max(map(float, cone_bounds(before, after)))
        assert found == pytest.approx(float(density_bounds(before, after)[0]))


@SHAPES
def test_no_output_has_a_larger_ratio_than_the_cones(shape: Fraction) -> None:
    """Scales that move apart, against a fine search of the plane."""
    before = PairBlock(((0, 0),), (Fraction(14), Fraction(400)), HEXAGON, radius_of(shape))
    after = PairBlock(((1, 30),), (Fraction(14), Fraction(440)), HEXAGON, radius_of(shape))
    jobs, pay = np.meshgrid(np.linspace(-300, 300, 601), np.linspace(-30000, 30000, 601))
    ratio = np.log(density(before, jobs, pay) / density(after, jobs, pay))
    forward, backward = map(float, cone_bounds(before, after))
    assert ratio.max() == pytest.approx(forward, rel=1e-6)
    assert -ratio.min() <= backward
    if not shape:
        assert backward == float("inf")  # exponential tails of two scales
        return
    far = np.log(density(before, 0 * pay, 1e9 * pay) / density(after, 0 * pay, 1e9 * pay))
    assert -far.min() == pytest.approx(backward, rel=1e-4)
    seen = mass_loss(before, after, Fraction(1))
    assert 0.9 * forward < float(seen.forward) <= forward
    assert float(seen.backward) == pytest.approx(backward, rel=1e-6)


def test_several_cells_whose_scales_move_apart_are_not_proved() -> None:
    before = PairBlock(
        ((0, 0),) * 2, (Fraction(14), Fraction(400)), HEXAGON, radius_of(Fraction(10), 2)
    )
    after = PairBlock(
        ((0, 0),) * 2, (Fraction(14), Fraction(440)), HEXAGON, radius_of(Fraction(10), 2)
    )
    assert [float(one) for one in density_bounds(before, after)] == [float("inf")] * 2


def test_scales_of_a_law_of_several_pieces_that_move_apart_are_not_proved() -> None:
    law = sound(PayRadial, cap=30).radius
    before = PairBlock(((0, 0),), (Fraction(14), Fraction(400)), HEXAGON, law)
    wider, longer = (
        replace(before, scales=scales)
        for scales in ((Fraction(28), Fraction(800)), (Fraction(14), Fraction(440)))
    )
    assert float(density_bounds(before, longer)[0]) == float("inf")
    assert float(density_bounds(before, wider)[0]) < 10


@BODIES
def test_masses_of_a_radial_slope_are_integrals_and_one_in_sum(body: Body) -> None:
    law = sound(PayRadial, epsilon=Fraction(4), cap=30).radius
    block = PairBlock(((0, 0),), (Fraction(2), Fraction(5, 2)), body, law)
    fine = (np.arange(200) + 0.5) / 200 - 0.5

    def height(output: tuple[int, int]) -> float:
        jobs, pay = np.meshgrid(output[0] + fine, output[1] + fine)
        norms = body.norm(jobs / 2, pay / 2.5)
        return float(np.exp(-exponent(law, norms.ravel())).mean())

    near = {(i, j): float(block.mass((i, j))) for i in range(-30, 31) for j in range(-30, 31)}
    assert sum(near.values()) == pytest.approx(1, abs=1e-5)
    for output in ((0, 0), (1, 2), (-3, 1), (2, 9)):
        wanted = height(output) / height((0, 0))
        assert near[output] / near[0, 0] == pytest.approx(wanted, rel=1e-4), output


def test_an_observed_cap_shows_at_fifty_scales() -> None:
    """mathematics/auditing.md 3: caps of 1 and 2, and noise e^−‖z‖: 24 ε."""
    narrow, wide = (
        PairBlock(((0, 0),), (Fraction(100), Fraction(100 * cap)), HEXAGON, radius_of(Fraction(0)))
        for cap in (1, 2)
    )
    output = (0, 50 * 100)
    ratio = float(wide.mass(output)) / float(narrow.mass(output))
    assert log(ratio) == pytest.approx(25 - log(2), abs=0.02)


def test_weights_by_payroll_move_those_who_stay() -> None:
    """mathematics/auditing.md 3: θ = 11, βθ = 1, 1000 at no pay, 100 joiners at the cap."""
    spoilt = twin(PaidWeights, sound(PayClipped, cap=1000))
    pay = ([0] * 1000, [0] * 1000 + [1000] * 100)
    lattice = spoilt.bounds.clipping.lattice
    held = entries([Database.capped(1000, [one]) for one in pay], 1)
    sums = spoilt.sums(held, np.full(2, 11 * lattice))
    assert (sums[0, 0, 0] - sums[1, 0, 0]) / lattice == pytest.approx(879, abs=1e-2)


REAL_K = (
    ("1/2", (5.246, 0.04798), (4.246, 0.05586)),
    ("1", (10.492, 0.07363), (9.492, 0.08027)),
    ("2", (20.984, 0.09010), (19.984, 0.09050)),
    ("4", (41.968, 0.09524), (40.968, 0.09513)),
)


@pytest.mark.parametrize(("epsilon", "one", "two"), REAL_K)
def test_constants_of_one_scale_and_of_two(
    epsilon: str, one: tuple[float, float], two: tuple[float, float]
) -> None:
    """mathematics/pay.md 9, where k is not rounded."""
    shape, step = real_calibration(Fraction(epsilon))
    assert (float(shape), float(step)) == pytest.approx(one, rel=1e-4)
    parameters = Parameters.read("1/10", epsilon, 0, 1, "tight")
    assert float(_step(parameters, shape - 1)) == pytest.approx(two[1], rel=1e-4)
    assert float(shape - 1) == pytest.approx(two[0], rel=1e-4)


def test_constants_of_the_bodies() -> None:
    """mathematics/pay.md 9: the mean of a number, of a difference, and of the centred payroll."""
    assert [HEXAGON.absolute(1, 0), HEXAGON.absolute(0, 1)] == pytest.approx([4 / 3] * 2)
    assert HEXAGON.absolute(1, -1) == pytest.approx(4 / 3)
    assert HEXAGON.square(1, 1) == pytest.approx(3 * HEXAGON.square(1, 0))  # a correlation of ½
    assert [CENTRED.absolute(1, 0), CENTRED.absolute(0, 1)] == pytest.approx([1.5, 1])
