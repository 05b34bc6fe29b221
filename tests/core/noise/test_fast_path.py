"""float64 against balls: the same words give the same integers, and error bounds hold."""

from fractions import Fraction

import numpy as np
import pytest

from leeward.core.noise import quartic, tabulated
from leeward.core.noise.law import Law, PiecewiseLaw, discrete_laplace, laplace, pareto
from leeward.core.noise.quartic import QuarticLaw
from leeward.core.noise.sampling import Uniform, decide, refine, settle
from leeward.core.noise.scales import Scales
from leeward.core.noise.tabulated import ROUNDING, Floats, Words
from leeward.core.randomness import SecretBits
from tests.core.mechanisms.built import additive
from tests.core.noise.bounds import bounded, outside
from tests.core.noise.scripted import constant_bits, even_words, spread_words

LAWS: dict[str, Law] = {
    "slope": additive("slope").law,
    "slope, tails below float64": additive("slope", alpha="0.000001").law,
    "slope, tails of a billion bits": additive("slope", alpha="0.000001", epsilon=1000).law,
    "slope, almost no mean": additive("slope", alpha=1, epsilon="0.694").law,
    "slope, large epsilon": additive("slope", epsilon=100).law,
    "staircase": additive("staircase", epsilon=8).law,
    "log_laplace": additive("log_laplace").law,
    "log_laplace, no mean": additive("log_laplace published", alpha=1, epsilon="0.001").law,
    "log_laplace, large epsilon": additive("log_laplace", epsilon=50).law,
    "quartic": QuarticLaw(),
    "laplace": laplace(),
    "discrete_laplace": discrete_laplace(Fraction(3, 2)),
    "discrete_laplace, wide": discrete_laplace(Fraction(10**12)),
    "discrete_laplace, narrow": discrete_laplace(Fraction(1, 50)),
    "pareto": pareto(Fraction(21, 2)),
    "pareto, no mean": pareto(Fraction(9, 10)),
}
SCALES = [Fraction(1, 10**9), Fraction(1), Fraction(12345, 7), Fraction(10**9), Fraction(2) ** 70]

every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def scales(scale: Fraction, count: int) -> Scales:
    return Scales(np.ones(count, dtype=np.int64), factor=scale)


@every_law
@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: f"{float(scale):.0e}")
def test_both_paths_give_the_same_integers(
    law: Law, scale: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    constant_bits(monkeypatch, 0x5A)
    words = np.concatenate([spread_words(10), even_words(10)])
    fast = decide(law, scales(scale, len(words)), words, SecretBits())
    assert fast.tolist() == [refine(law, scale, int(word), SecretBits()) for word in words]


@every_law
def test_floats_without_error_bounds_would_differ(law: Law) -> None:
    words = even_words(200)
    z, _ = law.approximate(words)
    scale = Fraction(2) ** 51 / Fraction(float(np.median(np.abs(z))))
    # An error that cancels the allowance which settling makes for itself.
    fast, open_ = settle(z, -ROUNDING * np.abs(z), np.full_like(z, float(scale)))
    sure = np.flatnonzero(~open_)
    assert any(fast[i] != refine(law, scale, int(words[i]), SecretBits()) for i in sure)


@every_law
def test_few_words_need_the_slow_path(law: Law) -> None:
    z, error = law.approximate(even_words(20_000))
    scale = 100 / np.median(np.abs(z))
    near = np.abs(z) < 1e4 / scale
    _, open_ = settle(z[near], error[near], np.full(near.sum(), scale))
    assert near.mean() > 0.4
    assert open_.mean() < 1e-3


def edge_words(law: Law) -> Words:
    """Both ends of the line and every word around a joint of two pieces."""
    cuts = law._table.cuts if isinstance(law, PiecewiseLaw) else (2**63,)
    around = {int(cut) + step for cut in cuts for step in range(-3, 4)}
    kept = sorted({0, 1, 2**64 - 2, 2**64 - 1} | {w for w in around if 0 <= w < 2**64})
    return np.array(kept, dtype=np.uint64)


@every_law
@pytest.mark.parametrize("byte", [0x01, 0xFE])
def test_words_at_joints_and_ends_go_the_right_way(
    law: Law, byte: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    constant_bits(monkeypatch, byte)
    words = edge_words(law)
    for scale in (Fraction(1), Fraction(10**6)):
        fast = decide(law, scales(scale, len(words)), words, SecretBits())
        assert fast.tolist() == [refine(law, scale, int(word), SecretBits()) for word in words]
        assert (np.diff(fast) >= 0).all()  # the quantile of a larger word is larger


@every_law
def test_error_bounds_hold(law: Law) -> None:
    words = np.concatenate([spread_words(200), even_words(200)])
    assert len(list(bounded(law, words))) > 200
    assert outside(law, words) == 0


@every_law
def test_error_bounds_without_an_allowance_for_floats_are_caught(
    law: Law, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (tabulated, quartic):
        monkeypatch.setattr(module, "FUNCTION", 0.0)
        monkeypatch.setattr(module, "ROUNDING", 0.0)
    assert outside(law, even_words(200)) > 0


def settled(value: float, error: float, scale: float = 1.0) -> int | None:
    columns: list[Floats] = [np.array([number]) for number in (value, error, scale)]
    noise, open_ = settle(*columns)
    return None if open_[0] else int(noise[0])


@pytest.mark.parametrize(
    ("value", "error", "wanted"),
    [
        (0.0, 0.4, 0),
        (0.4, 0.05, 0),
        (0.45, 0.1, None),
        (0.55, 0.04, 1),
        (-0.5, 0.0, None),
        (-0.51, 0.001, -1),
        (2.0**53, 0.0, None),
        (np.inf, 0.0, None),
        (np.nan, 0.0, None),
        (1.0, np.inf, None),
    ],
)
def test_only_what_rounds_one_way_is_settled(value: float, error: float, wanted: int) -> None:
    assert settled(value, error) == wanted


def test_more_bits_are_appended_to_the_ones_drawn() -> None:
    uniform = Uniform(2**63 + 5, 64, SecretBits())
    for size in (128, 192):
        uniform.extend()
        assert uniform.size == size
        assert uniform.word >> (size - 64) == 2**63 + 5
