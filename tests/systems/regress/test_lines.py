"""Lines of released sums: a golden one by hand, and errors against draws."""

import numpy as np
import pytest

from leeward.core.mechanisms.moments import LATTICE, UNIT, NoisySums, row_sums
from leeward.core.noise.scales import Integers
from leeward.core.randomness import SeededBits
from leeward.systems.regress.cell_lines import MedianLines, MomentLines


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


@pytest.mark.parametrize("at", [None, -0.5, 0.8])
def test_the_noise_in_an_error_is_that_of_small_changes_of_the_sums(at: float | None) -> None:
    """Differences of the estimate when each sum moves by a thousandth of a row."""
    held, step = sums([-900, 100, 800, 1000] * 9, [-400, 700, 100, 900] * 9), UNIT // 1000
    moved = held + step * np.vstack([np.zeros((1, 5), np.int64), np.eye(5, dtype=np.int64)])
    lines = MomentLines.of(NoisySums(moved, np.full(6, 0.5)), scatter=0.0)
    found = lines.slopes() if at is None else lines.predictions(at)
    changes = (found.value[1:] - found.value[0]) / 0.001
    assert found.error[0] == pytest.approx(0.5 * np.sqrt((changes**2).sum()), rel=1e-3)


@pytest.mark.parametrize(("rows", "epsilon"), [(40, 8.0), (150, 1.5)])
def test_standard_errors_cover_the_line_of_the_population(rows: int, epsilon: float) -> None:
    """Cells of one population: the line of the population is within 1.645 errors in 9 of 10."""
    generator, cells, scale = SeededBits(3).generator, 3000, 4.5 / epsilon
    u = generator.integers(-LATTICE, LATTICE + 1, (cells, rows))
    v = np.clip(0.1 * LATTICE + u // 2 + generator.normal(0, 300, u.shape).astype(int), -1000, 1000)
    true = row_sums(u, v).sum(axis=1)
    noise = generator.laplace(0, scale * UNIT, true.shape).astype(np.int64)
    deviation = np.full(cells, 2**0.5 * scale)
    made = MomentLines.of(NoisySums(true + noise, deviation), scatter=0.3)
    line = np.polyfit(u.ravel() / LATTICE, v.ravel() / LATTICE, 1)
    for of, goal in (("slopes", line[0]), ("predictions", np.polyval(line, -0.5))):
        at = () if of == "slopes" else (-0.5,)
        found = getattr(made, of)(*at)
        known = np.isfinite(found.value)
        assert known.mean() > 0.95
        off = np.abs(found.value - goal)[known] / found.error[known]
        assert 0.88 < (off < 1.645).mean() < 0.99
