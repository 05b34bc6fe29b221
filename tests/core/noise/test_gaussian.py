"""The discrete Gaussian: draws and masses against P(j) ∝ exp(−j²/2σ²) summed term by term."""

from fractions import Fraction
from math import isqrt
from typing import cast

import numpy as np
import pytest

from leeward.core.exact import precision
from leeward.core.noise import sampling
from leeward.core.noise.sampling import accept, draw_gaussian, gaussian_mass
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Words
from leeward.core.randomness import SecretBits
from tests.core.noise.goodness import DRAWS, FALSE_ALARM, WRONG_SCALES, Shares, counted, p_value

VARIANCES = [Fraction(1, 5), Fraction(37, 2), Fraction(10**7, 3)]


def terms(variance: float) -> tuple[Integers, Shares]:
    most = int(20 * variance**0.5) + 20
    j = np.arange(-most, most + 1)
    weights = np.exp(-(j**2) / (2 * variance))
    return j, weights / weights.sum()


def binned(variance: float, cuts: list[int]) -> Shares:
    j, weights = terms(variance)
    edges = np.searchsorted(j, cuts)
    return np.add.reduceat(weights, [0, *edges])


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_draws_have_the_exact_masses_and_not_those_of_another_deviation(variance: Fraction) -> None:
    spread = float(variance) ** 0.5
    cuts = sorted({round(z * spread) for z in np.linspace(-3, 3, 40)})
    observed = counted(draw_gaussian(variance, DRAWS, SecretBits()), cuts)
    assert p_value(observed, binned(float(variance), cuts)) > FALSE_ALARM
    for factor in WRONG_SCALES:
        assert p_value(observed, binned(float(variance * factor**2), cuts)) < FALSE_ALARM


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_masses_are_the_terms_over_their_sum(variance: Fraction) -> None:
    j, weights = terms(float(variance))
    with precision(128):
        for i in (0, len(j) // 2, len(j) // 2 + 1, len(j) // 3):
            mass = float(gaussian_mass(int(j[i]), variance))
            assert mass == pytest.approx(weights[i], rel=1e-11)


class SameWords:
    """Bits that begin with the same words for everyone who asks."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def words64(self, count: int) -> Words:
        return self.words[:count]

    def word(self, bits: int) -> int:
        return SecretBits().word(bits)


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_acceptance_in_balls_agrees_with_floats(
    variance: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    width = isqrt(int(variance)) + 1
    tries = np.arange(-200, 201) * width // 100
    bits = cast(SecretBits, SameWords(SecretBits().words64(len(tries))))
    fast = accept(tries, width, variance, bits)
    monkeypatch.setattr(sampling, "FUNCTION", 1e300)
    slow = accept(tries, width, variance, bits)
    assert (fast == slow).all()
    assert fast.any()


def test_acceptance_near_its_chance_is_left_to_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.exp(-((10 - 50 / 8) ** 2) / 100)
    edge = np.uint64(chance * 2.0**64)
    words = np.array([edge - np.uint64(2**20), edge, edge + np.uint64(2**20)], dtype=np.uint64)
    # Balls that say "never" show which words were left to them.
    monkeypatch.setattr(sampling.Uniform, "below_exp", lambda *_: False)
    assert not accept(np.full(3, 10), 8, Fraction(50), cast(SecretBits, SameWords(words))).any()
    far = np.zeros(3, dtype=np.uint64)
    assert accept(np.full(3, 10), 8, Fraction(50), cast(SecretBits, SameWords(far))).all()


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_as_many_draws_as_asked_for(count: int) -> None:
    drawn = draw_gaussian(Fraction(9), count, SecretBits())
    assert drawn.shape == (count,)
    assert drawn.dtype == np.int64
