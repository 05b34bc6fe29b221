"""Bounds by sampling: that of Clopper and Pearson, and never above the truth but for bad luck."""

from fractions import Fraction
from math import log

import numpy as np
import pytest
from scipy.stats import beta

from leeward.audit.neighbours import Pair
from leeward.audit.sampled import (
    BINS,
    FALSE_ALARM,
    Experiment,
    at_least,
    examine_code,
    lower_bound,
    released_numbers,
    telling_pairs,
)
from leeward.audit.twins import CoveredNorm, NarrowNoise, clipped_twin
from leeward.noise.law import laplace
from leeward.noise.scales import Scales
from leeward.privacy import policy
from tests.mechanisms.built import additive, clipped, vector_pareto

STRONG = policy("strong")
LARGE = Pair((), (1000,), (1100,))
FEW = 1 << 15


@pytest.mark.parametrize(
    ("hits", "draws"), [(1, 100), (7, 131072), (900, 1000), (60000, 131072), (131072, 131072)]
)
def test_the_bound_is_that_of_clopper_and_pearson(hits: int, draws: int) -> None:
    exact = beta.ppf(float(FALSE_ALARM), hits, draws - hits + 1)
    found = float(at_least(hits, draws))
    spread = (hits * (draws - hits) / draws) ** 0.5
    assert exact - (8 * spread + 20) / draws / 100 < found <= exact * (1 + 1e-9)


def test_no_hits_prove_nothing() -> None:
    assert float(at_least(0, 1000)) == 0


def test_a_known_ratio_is_approached_from_below() -> None:
    """Two dice, one loaded: the best event is a six."""
    fair, loaded = (np.repeat(np.arange(6), weights)[:, None] for weights in (
        [10000] * 6, [7500] * 4 + [15000] * 2
    ))  # fmt: skip
    order = np.argsort(np.arange(60000) * 7919 % 60000)
    found = float(lower_bound(loaded[order].astype(float), fair[order].astype(float)))
    assert log(1.5) - 0.15 < found < log(1.5)
    worse = lower_bound(loaded[order].astype(float), fair[order].astype(float), Fraction(1, 10))
    assert found - 0.35 < float(worse) < found - 0.15


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 2)])
def test_equal_samples_show_no_loss(delta: Fraction) -> None:
    sample = np.arange(20000, dtype=float)[:, None] * 7919 % 1000
    assert float(lower_bound(sample, sample, delta)) <= 0


@pytest.mark.parametrize("cells", [1, 2])
def test_everything_that_is_released_is_looked_at(cells: int) -> None:
    """θ, and the counts in units of θ."""
    built = clipped(alpha="0.1", epsilon=1, cells=cells)
    shown = released_numbers(built)(((5,) * cells,), 100)
    assert shown.shape == (100, cells + 1)
    assert cells + 1 in BINS
    assert (shown[:, 0] >= 11 * built.clipping.lattice).all()
    pareto = vector_pareto(alpha="0.1", epsilon=4, cells=2)
    assert released_numbers(pareto)(((5, 6, 7),), 100).shape == (100, 2)
    assert released_numbers(additive("slope"))(((5,),), 100).shape == (100, 1)


def test_all_pairs_are_neighbours() -> None:
    for built in (additive("slope"), clipped(alpha="0.1", epsilon=1, cells=2)):
        pairs = list(telling_pairs(built, STRONG))
        assert len(pairs) >= 3
        assert any(sum(pair.before) == 0 for pair in pairs)
        assert any(pair.others for pair in pairs)
        for pair in pairs:
            assert STRONG.admits(pair.before, pair.after, Fraction(1, 10))


def test_a_departure_from_the_definition_is_found_before_any_draw() -> None:
    spoilt = clipped_twin(clipped(alpha="0.1", epsilon=1, cells=2), CoveredNorm)
    loss = examine_code(spoilt, STRONG)
    assert "all jobs" in loss.fault
    assert loss.draws == 0


def test_half_the_noise_shows_in_few_draws() -> None:
    slope = additive("slope")
    genuine = Experiment(LARGE, FEW).loss(released_numbers(slope), Fraction(0))
    assert 0.7 < float(genuine.epsilon) < 1

    def narrow(database: tuple[tuple[int, ...], ...], draws: int) -> np.ndarray:
        counts = np.full((draws, 1), database[0][0])
        return slope._release(counts, counts, NarrowNoise(Fraction(1, 2))).astype(float)

    assert float(Experiment(LARGE, FEW).loss(narrow, Fraction(0)).epsilon) > 1.3


def test_narrow_noise_is_narrow() -> None:
    true = np.zeros(FEW, dtype=np.int64)
    narrow = NarrowNoise(Fraction(1, 2))
    scales = Scales(np.full(FEW, 1000))
    spreads = [
        np.abs(narrow.rounded(true, laplace(), scales)).mean() / 1000,
        np.abs(narrow.gaussian(true, Fraction(10**6))).mean() / 1000 / (2 / np.pi) ** 0.5,
        np.abs(narrow.block(true[:, None], scales, 9)).mean() / 1000 * 8,
    ]
    assert spreads == pytest.approx([0.5] * 3, rel=0.1)
