"""Lines of released sums: a golden one by hand, and errors against draws."""

import numpy as np
import pytest

from leeward.mechanisms.moments import LATTICE, UNIT, NoisySums, row_sums
from leeward.noise.scales import Integers
from leeward.randomness import SeededBits
from leeward.regress.lines import MedianLines, MomentLines


def sums(u: list[int], v: list[int]) -> Integers:
    added: Integers = row_sums(np.array(u), np.array(v)).sum(axis=0, keepdims=True)
    return added


def test_the_line_of_three_points_is_that_of_least_squares() -> None:
    """a = −1, 0, 1 and b = −½, 0, 1: b̄ = ⅙, slope ¾, at −½ it is −5/24."""
    made = MomentLines.of(NoisySums(sums([-1000, 0, 1000], [-500, 0, 1000]), np.zeros(1)))
    assert made.count.tolist() == [3]
    assert made.slopes().value[0] == pytest.approx(0.75)
    assert made.predictions(-0.5).value[0] == pytest.approx(-5 / 24)
    rest = 1 - 1 / 36 - 0.75**2 * 2 / 3
    assert made.slopes().error[0] == pytest.approx((rest / 2) ** 0.5)
    assert made.predictions(-0.5).error[0] == pytest.approx((rest * (1 / 3 + 1 / 8)) ** 0.5)
    known = MomentLines.of(NoisySums(sums([-1000, 0, 1000], [-500, 0, 1000]), np.zeros(1)), 0.1)
    assert known.slopes().error[0] == pytest.approx((0.01 / 2) ** 0.5)


def test_too_little_for_the_noise_is_no_estimate() -> None:
    far = sums([-1000, 1000] * 20, [0, 0] * 20)
    near = sums([10, 11] * 20, [0, 0] * 20)
    for held, deviation, known in ((far, 10, True), (far, 41, False), (near, 1, False)):
        made = MomentLines.of(NoisySums(held, np.array([float(deviation)])))
        assert np.isfinite(made.slopes().value[0]) == known
        assert np.isfinite(made.predictions(0.0).error[0]) == known
    empty = MomentLines.of(NoisySums(np.zeros((1, 5), np.int64), np.zeros(1)))
    assert np.isnan(empty.slopes().value[0])


def test_medians_are_two_points_of_a_line() -> None:
    made = MedianLines.of(
        np.array([[-500, 500], [0, 0]]), np.array([7, 1]), np.array([True, False])
    )
    assert made.slopes().value.tolist()[0] == 1
    assert made.predictions(0.5).value.tolist()[0] == 0.5
    assert np.isnan(made.slopes().value[1])
    assert np.isnan(made.slopes().error).all()


@pytest.mark.parametrize(("rows", "epsilon"), [(40, 8.0), (150, 1.5)])
def test_standard_errors_cover_and_their_noise_is_that_of_draws(rows: int, epsilon: float) -> None:
    """Cells of one population: the line of the population is within 1.645 errors in 9 of 10."""
    generator, cells, scale = SeededBits(3).generator, 3000, 4.5 / epsilon
    u = generator.integers(-LATTICE, LATTICE + 1, (cells, rows))
    v = np.clip(0.1 * LATTICE + u // 2 + generator.normal(0, 300, u.shape).astype(int), -1000, 1000)
    true = row_sums(u, v).sum(axis=1)
    noise = generator.laplace(0, scale * UNIT, true.shape).astype(np.int64)
    deviation = np.full(cells, 2**0.5 * scale)
    made = MomentLines.of(NoisySums(true + noise, deviation), scatter=0.3)
    exact = MomentLines.of(NoisySums(true, np.zeros(cells)), scatter=0.0)
    line = np.polyfit(u.ravel() / LATTICE, v.ravel() / LATTICE, 1)
    alone = MomentLines.of(NoisySums(true + noise, deviation), scatter=0.0)
    for of, goal in (("slopes", line[0]), ("predictions", np.polyval(line, -0.5))):
        at = () if of == "slopes" else (-0.5,)
        found, plain, noisy = (getattr(one, of)(*at) for one in (made, exact, alone))
        known = np.isfinite(found.value)
        assert known.mean() > 0.95
        off = np.abs(found.value - goal)[known] / found.error[known]
        assert 0.88 < (off < 1.645).mean() < 0.99
        apart = np.abs(found.value - plain.value)[known]
        expected = noisy.error[known] / 2**0.5  # of a Laplace variable; a mixture has more
        assert 0.9 < np.median(apart) / np.median(expected * np.log(2) ** 0.5) < 1.6
