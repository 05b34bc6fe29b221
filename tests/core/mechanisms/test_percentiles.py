"""Percentiles follow from released classes, and the walk leaves nine true ones of ten inside."""

from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np
import pytest

import leeward
from leeward.core.codebook import Attribute, Dimension, Entries, Marginal, NumericRange, Percentiles
from leeward.core.codebook.cells import EMPTY
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.percentiles import interpolated, monotone, walked
from leeward.core.mechanisms.released_classes import ContrastBounds, radial_critical
from leeward.core.mechanisms.table_measurement import measurement
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.noise import draws
from leeward.core.noise.contrast import Contrast, Rates
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import Integers, Scales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee, StrongAlpha

PAY = Attribute(
    "pay", "jobs", "pay", (), (), False, {}, numbers=NumericRange(0, 99, "euro", None, ())
)
DRAWS = 8000
HALVES = np.array([40] * 5 + [0] + [40, 40, 40, 80])
"""Half of the jobs are below the sixth class, which has none: both of its edges may be missed."""


def percentiles(*edges: int) -> Percentiles:
    return Percentiles(PAY, edges, (25, 50, 75))


def test_numbers_are_spread_evenly_over_a_class() -> None:
    blocks = np.array([[[10, 20, 10], [0, 0, 4]], [[0, 0, 0], [5, -8, 0]]])
    assert interpolated(blocks, percentiles(0, 10, 30, 100)).tolist() == [
        [[10, 20, 30], [48, 65, 83]],
        [[EMPTY] * 3, [EMPTY] * 3],  # a released total below 1/2 has none, whatever is made of it
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


def held(rounding: float, scale: int) -> float:
    """How often the middle of the empty class stays inside, where S is known to be `scale`."""
    made = leeward.mechanism("vector_pareto", alpha="0.1", epsilon="5", cells=10)
    assert isinstance(made, VectorPareto)
    unit, generator = float(1 / made.step), np.random.default_rng(8)
    noise = generator.laplace(size=(DRAWS, 10)) / generator.gamma(int(made.shape), size=(DRAWS, 1))
    values = (HALVES * scale + np.floor(scale * unit * noise + 0.5)).astype(np.int64)
    tests = ContrastBounds(
        np.arange(DRAWS),
        lambda one: radial_critical(made, None, one),
        np.full(DRAWS, unit * scale),
        rounding=rounding,
    )
    return 1 - missed(tests, values[:, None, :], 50, below=5)


def missed(tests: ContrastBounds, blocks: Integers, percent: int, below: int) -> float:
    """How often a walk passes the class between edge `below` and the next."""
    under, over = walked(tests, blocks, percent)
    d = blocks.shape[2]
    return float(((under > below) | ((over > 0) & (d - over <= below))).mean())


@pytest.mark.parametrize("scale", [1, 60])
def test_the_walk_covers(scale: int) -> None:
    assert held(0.5, scale) >= 0.9


def test_without_the_term_for_rounding_it_does_not() -> None:
    """Known bad: at S = 1 rounding is as large as the noise."""
    assert held(0.0, 1) < 0.87


class Seeded:
    """The laws of noise in float64, from a seed."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(9)

    def block(self, true: Integers, scales: Scales, law: RadialLaw) -> Integers:
        """ρ·L/Σ|L| with one radius ρ a row."""
        each = self.random.laplace(size=true.shape)
        words = self.random.integers(2**64, size=len(true), dtype=np.uint64)
        unit = law.approximate(words)[0] / np.abs(each).sum(axis=1)
        return self._added(true, scales.floats[:, None], each * unit[:, None])

    def rounded(self, true: Integers, law: PiecewiseLaw, scales: Scales) -> Integers:
        """By quantiles."""
        words = self.random.integers(2**64, size=true.shape, dtype=np.uint64, endpoint=False)
        return self._added(true, scales.floats, law.approximate(words)[0])

    def _added(self, true: Integers, scale: Floats, z: Floats) -> Integers:
        return true + np.floor(scale * z + 0.5).astype(np.int64)


def of_ten_classes(mechanism: str, epsilon: int, margins: Literal["auto"] | None) -> Measurement:
    edges = tuple(range(0, 110, 10))
    table = Marginal("t", (), (Dimension(PAY.in_classes(edges), tuple(range(10))),))
    table = replace(table, statistic=Percentiles(table.worker[0].attribute, edges, (50,)))
    asked = Guarantee(StrongAlpha(), Fraction(1, 10), epsilon)
    return measurement(mechanism, table, asked, margins)


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "jobs", "most"),
    [("vector_pareto", 4, 4000, 0.97), ("radial_slope", 4, 4000, 0.97), ("clipped", 3, 4000, 1)],
)
def test_released_intervals_cover(
    monkeypatch: pytest.MonkeyPatch, mechanism: str, epsilon: int, jobs: int, most: float
) -> None:
    """With the noisy scale, or the noisy bound, that a release has; and they are not too wide."""
    monkeypatch.setattr(draws, "SECRET", Seeded())
    made = of_ten_classes(mechanism, epsilon, "auto")
    cell, w = np.flatnonzero(HALVES), 4000
    each = HALVES[cell] * jobs // 400
    entries = Entries(
        counts=np.tile(each, w),
        cell=np.tile(cell, w),
        row=np.repeat(np.arange(w), 9),
        sizes=np.full(w, each.sum()),
        workplace=np.arange(w),
        shape=(w, 10),
        in_frame=np.ones(w, np.int64),
    )
    _, margins, _ = made.measure(entries)
    low, high = margins["low"], margins["high"]
    inside = (low == EMPTY) | ((low <= 55) & ((high == EMPTY) | (high >= 55)))
    assert 0.9 <= inside.mean() <= most


def test_without_margins_clipping_is_closer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Percentiles follow from shares, which clipping leaves as they are where pay is alike."""
    monkeypatch.setattr(draws, "SECRET", Seeded())
    w, m = 400, 100
    each = np.tile([40] + [4] * (m - 1), w)  # jobs in each class: one establishment is large
    entries = Entries(
        counts=np.repeat(each, 10),
        cell=np.tile(np.arange(10), w * m),
        row=np.repeat(np.arange(w * m), 10),
        sizes=each * 10,
        workplace=np.repeat(np.arange(w), m),
        shape=(w, 10),
        in_frame=np.full(w, m),
    )
    drawn, predicted = {}, {}
    both: tuple[Literal["auto"], None] = ("auto", None)
    for margins in both:
        made = of_ten_classes("clipped", 2, margins)
        drawn[margins] = float(np.median(np.abs(made.measure(entries).values - 50)))
        predicted[margins] = made.expected_error(400, m) or 0.0
    assert drawn[None] < 0.8 * drawn["auto"]
    assert predicted[None] == pytest.approx(drawn[None], rel=0.6)  # a mean, and a median


def clipped(kappa: float) -> ContrastBounds:
    return ContrastBounds(np.arange(1), lambda one: one.laplace(0.025), np.ones(1), kappa=kappa)


def test_what_clipping_takes_is_allowed_for() -> None:
    """Known bad: 60 of 100 jobs are below the edge; 24 of them were clipped away."""
    blocks = np.array([[[36, 40]]]) * 100
    assert missed(clipped(1.0), blocks, 50, below=0) == 1
    assert missed(clipped(60 / 36), blocks, 50, below=0) == 0
