"""Tests of differences: p-values that noise does not pass, and the cells that are chosen."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from leeward.core.mechanisms.scale import STEPS
from leeward.core.noise import difference
from leeward.core.noise.difference import Noisy, p_values, significant, smallest_level
from leeward.core.noise.law import laplace, pareto
from leeward.core.noise.scales import CellNoise, Clip, Integers
from leeward.core.noise.tail_table import NoisyWidth
from leeward.derived.derive.stated_errors import GRID_STEPS

CELLS = 200_000
NINTH = float(np.log(10))
"""What |Z| of a Laplace number keeps to in nine of ten cases."""
LEVELS = (0.1, 0.01, 0.001)


def laplace_cells(scale: float, seed: int, **changes: object) -> Noisy:
    """Released numbers whose true number is 0, with a public width."""
    random = np.random.default_rng(seed)
    values = np.rint(scale * random.laplace(size=CELLS)).astype(np.int64)
    noise = CellNoise(laplace(), share=0.0, least=scale)
    return replace(Noisy(noise, values, np.zeros_like(values)), **changes)  # type: ignore[arg-type]


def rates(first: Noisy, second: Noisy) -> list[float]:
    """How often p-values are at most u, over u."""
    found = p_values(first, second, LEVELS[-1])
    return [float((found <= level).mean()) / level for level in LEVELS]


@pytest.mark.parametrize("scales", [(50.0, 50.0), (0.7, 0.7), (5.0, 300.0)])
def test_equal_numbers_pass_as_seldom_as_is_said(scales: tuple[float, float]) -> None:
    found = rates(*(laplace_cells(scale, 7 + at) for at, scale in enumerate(scales)))
    assert max(found) < 1.25  # five standard deviations at the smallest level
    if min(scales) > 1:
        assert min(found) > 0.7  # and it is no test that chooses nothing


def test_a_p_value_is_the_tail_of_two_laplace_numbers() -> None:
    """P(|L − L'| > t) = (1 + t/2)·e^−t."""
    cells = laplace_cells(1000.0, 1)
    one, two = (replace(cells, values=np.array([value])) for value in (0, 9000))
    (found,) = p_values(one, two, 1e-3)
    assert 1.0 < found / ((1 + 4.5) * exp(-9)) < 1.15


def paid(spread: float, seed: int) -> Noisy:
    """Released numbers with a width that has noise of its own."""
    cells, random = laplace_cells(100.0, seed), np.random.default_rng(seed + 50)
    margin = 100 * NINTH * np.exp(spread * random.laplace(size=CELLS))
    noise = CellNoise(laplace(), share=1 / NINTH, least=1.0)
    width = NoisyWidth(spread, 0.0)
    return replace(cells, noise=noise, below=margin.astype(np.int64), noisy=width)


def test_the_noise_of_a_paid_width_counts() -> None:
    first, second = paid(0.3, 1), paid(0.3, 2)
    assert max(rates(first, second)) < 1.25
    # Planted: the width taken as if it were exact.
    exact = [replace(one, noisy=None) for one in (first, second)]
    assert max(rates(*exact)) > 2


def test_what_clipping_takes_counts() -> None:
    """Second releases have lost a third of their jobs, as often as clipping may take so many."""
    random = np.random.default_rng(3)
    true, clip = 900, Clip(1, spread=0.1, room=0.05)
    growth = np.maximum(clip.spread * random.laplace(size=CELLS) - clip.room, 0)
    noise = CellNoise(laplace(), share=1 / NINTH, least=1.0, clips=(clip,))
    below = np.full(CELLS, int(20 * NINTH))
    released: list[Integers] = []
    for kept in (np.ones(CELLS), np.exp(-growth)):
        jobs = true * kept + 20 * random.laplace(size=CELLS)
        released.append(np.rint(jobs).astype(np.int64))
    one, two = (Noisy(noise, values, below) for values in released)
    assert max(rates(one, two)) < 1.25
    # Planted: no clipping.
    bare = replace(noise, clips=())
    assert max(rates(replace(one, noise=bare), replace(two, noise=bare))) > 5


def test_a_width_that_follows_the_true_number() -> None:
    random, true = np.random.default_rng(4), 400
    noise = CellNoise(laplace(), share=0.0, least=0.5, slope=0.05)
    drawn = [true * (1 + 0.05 * random.laplace(size=CELLS)) for _ in range(2)]
    values = [np.rint(one).astype(np.int64) for one in drawn]
    one, two = (Noisy(noise, each, np.zeros_like(each)) for each in values)
    assert max(rates(one, two)) < 1.25
    far = replace(two, values=two.values * 3)
    assert (p_values(one, far, 1e-3) < 1e-3).mean() > 0.9


def test_where_nothing_bounds_the_true_number_nothing_passes() -> None:
    noise = CellNoise(pareto(Fraction(2)), share=0.0, least=1.0, slope=1.0)
    one, two = (Noisy(noise, np.array([value]), np.array([0])) for value in (3, 10**9))
    assert p_values(one, two, 1e-3).tolist() == [1.0]


def test_large_tables_are_tested_with_fewer_points(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (laplace_cells(50.0, seed).take(np.arange(3000)) for seed in (1, 2))
    fine = p_values(first, second, 1e-3)
    monkeypatch.setattr(difference, "MOST", 3000)
    coarse = p_values(first, second, 1e-3)
    assert (coarse >= fine * (1 - 1e-9)).all()
    assert (coarse > fine).any()


def chosen(found: list[float], level: float, *, independent: bool) -> set[int]:
    """The rule, written out: the largest k with p_(k) ≤ k·level/(m·c)."""
    m = len(found)
    c = 1.0 if independent else sum(1 / i for i in range(1, m + 1))
    ordered = sorted(found)
    last = max((k for k in range(1, m + 1) if ordered[k - 1] <= k * level / (m * c)), default=0)
    return {at for at, p in enumerate(found) if last and p <= ordered[last - 1]}


@pytest.mark.parametrize("independent", [True, False])
def test_cells_are_chosen_by_the_rule(independent: bool) -> None:
    random = np.random.default_rng(8)
    for number in (0, 1, 2, 30, 300):
        found = np.concatenate([random.random(number), random.random(number // 3) / 500])
        marked = significant(found, 0.1, independent=independent)
        assert {*np.flatnonzero(marked).tolist()} == chosen(
            found.tolist(), 0.1, independent=independent
        )


def discovered(signal: int, rule: Callable[[np.ndarray], np.ndarray]) -> float:
    """The mean share of noise among chosen cells, of 60 cells with noise and some without."""
    random, shares = np.random.default_rng(5), list[float]()
    for _ in range(400):
        p = np.concatenate([random.random(60), random.random(signal) / 10**6])
        marked = rule(p)
        shares.append(marked[:60].sum() / max(1, marked.sum()))
    return float(np.mean(shares))


@pytest.mark.parametrize("signal", [0, 20])
def test_at_most_a_tenth_of_those_chosen_are_noise(signal: int) -> None:
    found = discovered(signal, lambda p: significant(p, 0.1, independent=True))
    assert found < 0.145  # three standard deviations above
    # Planted: every interval of 90 % that excludes 0.
    assert discovered(signal, lambda p: p <= 0.1) > 0.2


def test_the_smallest_p_value_of_many_cells() -> None:
    assert smallest_level(20, 0.1, independent=True) == pytest.approx(0.005)
    assert smallest_level(2, 0.1, independent=False) == pytest.approx(0.1 / 3)


def test_grid_steps_are_those_of_noisy_scales() -> None:
    assert GRID_STEPS == STEPS
