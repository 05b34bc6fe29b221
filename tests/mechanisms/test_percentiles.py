"""Percentiles follow from released classes, and the walk leaves nine true ones of ten inside."""

import numpy as np
import pytest

import leeward
from leeward.mechanisms.percentiles import EdgeTests, _pareto_critical, interpolated, monotone
from leeward.mechanisms.vector_pareto import VectorPareto
from leeward.model import Attribute, NumericRange, Percentiles
from leeward.model.values import EMPTY
from leeward.noise.contrast import Contrast, Rates
from leeward.noise.scales import Integers

PAY = Attribute(
    "pay", "jobs", "pay", (), (), False, {}, numbers=NumericRange(0, 99, "euro", None, ())
)
DRAWS = 8000
HALVES = np.array([40] * 5 + [0] + [40, 40, 40, 80])
"""Half of the jobs are below the sixth class, which has none: both of its edges may be missed."""


def percentiles(*edges: int) -> Percentiles:
    return Percentiles(PAY, edges, (25, 50, 75))


def test_numbers_are_spread_evenly_over_a_class() -> None:
    blocks = np.array([[[10, 20, 10], [0, 0, 4]], [[0, 0, 0], [5, -9, 3]]])
    assert interpolated(blocks, percentiles(0, 10, 30, 100)).tolist() == [
        [[10, 20, 30], [48, 65, 83]],
        [[EMPTY] * 3, [EMPTY] * 3],
    ]


def slow_monotone(row: list[int]) -> list[float]:
    """Pooled until nothing falls."""
    pools: list[list[float]] = []
    for number in row:
        pools.append([number])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    return [float(np.mean(pool)) for pool in pools for _ in pool]


def test_monotone_rows_are_the_nearest_ones() -> None:
    rows = np.random.default_rng(4).integers(-9, 9, (50, 7))
    assert np.allclose(monotone(rows), [slow_monotone(row) for row in rows.tolist()])


@pytest.mark.parametrize("one", [Contrast(0.5, 5, 0.5, 5), Contrast(0.75, 1, 0.25, 9)])
def test_tails_of_contrasts_are_those_of_draws(one: Contrast) -> None:
    generator = np.random.default_rng(6)
    signed = [one.a] * one.m + [-one.b] * one.n
    drawn = generator.laplace(size=(200_000, one.m + one.n)) @ signed
    shared = drawn / generator.gamma(9, size=len(drawn))
    assert one.laplace(0.05) == pytest.approx(np.quantile(drawn, 0.95), rel=0.02)
    assert one.laplace(0.05, Rates.gamma(9)) == pytest.approx(np.quantile(shared, 0.95), rel=0.02)


def held(rounding: float, scale: int, *, epsilon: str = "5", noisy: bool = False) -> float:
    """How often the middle of the empty class stays inside, where S is `scale`."""
    made, generator = pareto(epsilon), np.random.default_rng(8)
    paid = leeward.mechanism("scale", alpha="0.1", epsilon="0.4") if noisy else None
    times = np.ones(DRAWS)
    if paid is not None:
        chances, factors = paid.shrinkage()  # type: ignore[union-attr] # of a scale
        times = generator.choice(factors, p=chances, size=DRAWS)
    unit = float(1 / made.step)
    noise = generator.laplace(size=(DRAWS, 10)) / generator.gamma(int(made.shape), size=(DRAWS, 1))
    values = (HALVES * scale + np.floor(scale * unit * noise + 0.5)).astype(np.int64)
    tests = EdgeTests(
        np.arange(DRAWS),
        lambda one: _pareto_critical(made, paid, one),
        unit * scale * times,
        rounding=rounding,
    )
    return 1 - missed(tests, values[:, None, :], 50, below=5)


def missed(tests: EdgeTests, blocks: Integers, percent: int, below: int) -> float:
    """How often a walk passes the class between edge `below` and the next."""
    under, over = tests.walked(blocks, percent)
    d = blocks.shape[2]
    return float(((under > below) | ((over > 0) & (d - over <= below))).mean())


def pareto(epsilon: str) -> VectorPareto:
    made = leeward.mechanism("vector_pareto", alpha="0.1", epsilon=epsilon, cells=10)
    assert isinstance(made, VectorPareto)
    return made


@pytest.mark.parametrize(("scale", "noisy"), [(1, False), (1, True), (60, False), (60, True)])
def test_the_walk_covers(scale: int, noisy: bool) -> None:
    assert held(0.5, scale, noisy=noisy) >= 0.9


def test_without_the_term_for_rounding_it_does_not() -> None:
    """Known bad: at S = 1 rounding is as large as the noise."""
    assert held(0.0, 1) < 0.87


def clipped(kappa: float) -> EdgeTests:
    return EdgeTests(np.arange(1), lambda one: one.laplace(0.025), np.ones(1), kappa=kappa)


def test_what_clipping_takes_is_allowed_for() -> None:
    """Known bad: 60 of 100 jobs are below the edge; 24 of them were clipped away."""
    blocks = np.array([[[36, 40]]]) * 100
    assert missed(clipped(1.0), blocks, 50, below=0) == 1
    assert missed(clipped(60 / 36), blocks, 50, below=0) == 0
