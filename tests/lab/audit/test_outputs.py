"""Joint masses of blocks against an integral over the shared H, and their bound."""

from fractions import Fraction
from itertools import permutations, product
from math import exp, expm1, gamma, inf, log

import pytest
from scipy.integrate import quad

from leeward.core.noise.law import pareto
from leeward.core.noise.radial_law import pareto_radius
from leeward.lab.audit.exams import block_bound, block_loss
from leeward.lab.audit.outputs import CellBlock, Independent, Rounded


def pareto_block(true: tuple[int, ...], scale: Fraction, k: Fraction) -> CellBlock:
    return CellBlock(true, scale, pareto_radius(len(true), k))


def alone(block: CellBlock) -> Independent:
    return Independent((block,))


def integrated(distances: tuple[int, ...], sigma: float, k: float) -> float:
    """∫ Γ(k)-density(h) · Π P(⌊|σL/h| + ½⌋ = distance, with its sign) dh."""

    def cell(distance: int, h: float) -> float:
        width = h / sigma
        if distance == 0:
            return -expm1(-width / 2)
        return exp(-(distance - 0.5) * width) * -expm1(-width) / 2

    def height(h: float) -> float:
        value = float(h ** (k - 1)) * exp(-h) / gamma(k)
        for distance in distances:
            value *= cell(distance, h)
        return value

    parts = [(0, 1), (1, 4), (4, 16), (16, 64), (64, inf)]
    return sum(float(quad(height, a, b, epsabs=0, epsrel=1e-11, limit=200)[0]) for a, b in parts)


NOISE: list[tuple[int, ...]] = [(0,), (3,), (-40,), (0, 0), (2, -5), (7, 7), (0, 1, -9)]


@pytest.mark.parametrize(("sigma", "k"), [("7/2", "5"), ("40", "2"), ("1/3", "9/2")])
def test_a_joint_mass_is_its_integral(sigma: str, k: str) -> None:
    for noise in NOISE:
        block = pareto_block(tuple(10 + i for i in range(len(noise))), Fraction(sigma), Fraction(k))
        output = tuple(n + j for n, j in zip(block.true, noise, strict=True))
        slow = integrated(tuple(map(abs, noise)), float(Fraction(sigma)), float(Fraction(k)))
        assert float(block.mass(output)) == pytest.approx(slow, rel=1e-8), noise


@pytest.mark.parametrize("k", [Fraction(2), Fraction(7, 2)])
def test_all_masses_and_the_tail_are_one(k: Fraction) -> None:
    block, reach = pareto_block((4,), Fraction(9, 2), k), 300
    inside = sum(float(block.mass((4 + j,))) for j in range(-reach, reach + 1))
    tail = (1 + (reach + 0.5) / 4.5) ** -float(k)
    assert inside + tail == pytest.approx(1, rel=1e-12)


def test_two_cells_sum_to_one_cell() -> None:
    pair, one = pareto_block((0, 0), Fraction(2), Fraction(6)), pareto(Fraction(6))
    for first in (0, 3):
        line = sum(float(pair.mass((first, j))) for j in range(-400, 401))
        assert line == pytest.approx(float(Rounded(0, one, Fraction(2)).mass((first,))), rel=1e-9)


def test_masses_do_not_depend_on_order_or_sign() -> None:
    block = pareto_block((0, 0, 0), Fraction(5), Fraction(4))
    truth = float(block.mass((1, 2, 6)))
    for order in permutations((1, 2, 6)):
        for signs in product((-1, 1), repeat=3):
            output = tuple(a * s for a, s in zip(order, signs, strict=True))
            assert float(block.mass(output)) == pytest.approx(truth, rel=1e-15)
    assert float(block.mass((1, 2, 5))) > truth


BLOCKS = [
    ((0,), (4,), "20", "22"),
    ((0,), (4,), "20", "20"),
    ((0, 0), (3, 1), "8", "9"),
    ((5, 5), (5, 5), "8", "9"),
    ((0, 0), (2, 2), "3", "3"),
    ((0, 0, 0), (1, 0, 1), "5", "6"),
]


@pytest.mark.parametrize(("before", "after", "narrow", "wide"), BLOCKS)
def test_the_bound_holds_over_whole_windows(
    before: tuple[int, ...], after: tuple[int, ...], narrow: str, wide: str
) -> None:
    k, reach = Fraction(5), {1: 200, 2: 14, 3: 5}[len(before)]
    sides = pareto_block(before, Fraction(narrow), k), pareto_block(after, Fraction(wide), k)
    bound = float(block_bound(*sides))
    assert bound == float(block_bound(*reversed(sides)))
    worst = 0.0
    for output in product(*(range(b - reach, b + reach + 1) for b in before)):
        p, q = (float(side.mass(output)) for side in sides)
        worst = max(worst, abs(log(p / q)))
    assert worst <= bound
    assert worst <= float(block_loss(alone(sides[0]), alone(sides[1]), Fraction(1)).epsilon) + 1e-12


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_bound_is_approached_at_large_scales(d: int) -> None:
    narrow, k = Fraction(10**6), Fraction(5)
    for shift, growth in ((0, "11/10"), (1000, "1"), (1000, "11/10"), (300, "2"), (1, "3/2")):
        before = pareto_block((0,) * d, narrow, k)
        after = pareto_block((1000 * shift,) + (0,) * (d - 1), narrow * Fraction(growth), k)
        bound = float(block_bound(before, after))
        loss = float(block_loss(alone(before), alone(after), Fraction(1)).epsilon)
        assert 0.999 * bound <= loss <= bound, (shift, growth)


def test_blocks_side_by_side_multiply() -> None:
    pair = pareto_block((3, -1), Fraction(2), Fraction(6))
    single = pareto_block((5,), Fraction(7), Fraction(4))
    both = Independent((pair, single))
    assert both.true == (3, -1, 5)
    assert float(both.mass((4, 0, 2))) == pytest.approx(
        float(pair.mass((4, 0))) * float(single.mass((2,)))
    )
    assert both.seen_from(both.true).true == (0, 0, 0)
    assert {len(output) for output in both.landmarks()} == {3}
