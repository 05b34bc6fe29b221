"""One table for all sizes: the same integers, bounds and moments as the law of each size."""

from fractions import Fraction

import numpy as np
import pytest

from leeward.core.exact import ball, precision
from leeward.core.mechanisms.soft_staircase import SoftStaircase
from leeward.core.noise.error import rounded_error
from leeward.core.noise.sampling import decide_by_size, refine, settle
from leeward.core.noise.scales import Integers, Scales
from leeward.core.noise.tabulated import ROUNDING, Words
from leeward.core.randomness import SecretBits
from tests.core.mechanisms.built import Option, build
from tests.core.noise.scripted import constant_bits, even_words, spread_words

CASES: dict[str, dict[str, Option]] = {
    "usual": {"alpha": "0.1", "epsilon": "4", "epsilon_job": "1"},
    "heavy tails": {"alpha": "0.3", "epsilon": "1", "epsilon_job": "1/4"},
    "two steps on the left": {"alpha": "1", "epsilon": "6", "epsilon_job": "2"},
    "an exponential left": {"alpha": "0.3", "epsilon": "5", "epsilon_job": "5/2"},
    "a larger floor": {"alpha": "0.1", "epsilon": "4", "epsilon_job": "1", "plus": 40},
    "many steps": {"alpha": "0.02", "epsilon": "1", "epsilon_job": "1/16"},
    "one step": {"alpha": "0.1", "epsilon": "4", "epsilon_job": "4"},
}
SIZES = [0, 1, 41, 55, 333, 1000, 12345, 10**7, 10**15]

every_case = pytest.mark.parametrize("case", CASES)


def soft(case: str) -> SoftStaircase:
    built = build("soft_staircase", **CASES[case])
    assert isinstance(built, SoftStaircase)
    return built


def columns(built: SoftStaircase, words: Words) -> tuple[Words, Scales]:
    """Each word at each size."""
    sizes: Integers = np.repeat(np.array(SIZES), len(words))
    return np.tile(words, len(SIZES)), built.scales(sizes, sizes)


def near_steps(built: SoftStaircase, size: int) -> Words:
    """Words on both sides of every step of a size."""
    cuts = np.array(built.stairs.law(built.scale(0, size))._table.cuts, dtype=np.uint64)
    return np.concatenate([cuts + np.uint64(2**64 + step & 2**64 - 1) for step in (-1, 0, 1)])


@every_case
def test_the_table_gives_the_integers_of_the_law_of_each_size(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    constant_bits(monkeypatch, 0x5A)
    built = soft(case)
    words, scales = columns(built, np.concatenate([spread_words(6), even_words(30)]))
    drawn = decide_by_size(built.laws, scales, words, SecretBits())
    laws = {size: built.stairs.law(built.scale(0, size)) for size in SIZES}
    per_size = len(words) // len(SIZES)
    for i, word in enumerate(words):
        law = laws[SIZES[i // per_size]]
        assert drawn[i] == refine(law, scales.exact(i), int(word), SecretBits()), (i, word)


@every_case
def test_error_bounds_reach_the_quantiles_of_the_law(case: str) -> None:
    built = soft(case)
    for size in SIZES:
        words = np.concatenate([even_words(2000), spread_words(40), near_steps(built, size)])
        scale = np.full(len(words), float(built.scale(0, size)))
        z, error = built.stairs.table.quantiles(words, scale)
        truth, slip = built.stairs.law(built.scale(0, size)).approximate(words)
        known = np.isfinite(error) & np.isfinite(slip)
        assert known.mean() > 0.3
        assert (np.abs(z - truth) <= error + slip)[known].all()


@every_case
def test_words_at_steps_keep_their_bounds(case: str) -> None:
    """At both ends of the interval that a word names: the density falls e^ε times at most."""
    built = soft(case)
    for size in (0, 57):
        law, words = built.stairs.law(built.scale(0, size)), near_steps(built, size)
        z, error = built.stairs.table.quantiles(
            words, np.full(len(words), float(built.scale(0, size)))
        )
        with precision(256):
            masses = law._masses()
            for i in np.flatnonzero(np.isfinite(error)):
                for end in (int(words[i]), int(words[i]) + 1):
                    share = ball(Fraction(end, 2**64))
                    at = sum(bool(below < share) for below in masses.below) - 1
                    piece = law.pieces[at]
                    if piece.rate == 0 and piece.low is not None:
                        truth = ball(piece.low) + (share - masses.below[at]) / masses.heights[at]
                        assert abs(ball(Fraction(z[i])) - truth) <= ball(Fraction(error[i]))


@every_case
def test_few_words_need_the_law_of_their_size(case: str) -> None:
    built = soft(case)
    words, sizes = even_words(60_000), np.tile([0, 57, 300, 5000], 15_000)
    scale = built.scales(sizes, sizes).floats
    z, error = built.stairs.table.quantiles(words, scale)
    _, open_ = settle(z, error, scale)
    assert open_.mean() < 1e-3
    # An error that cancels the allowance which settling makes for itself decides all.
    assert not settle(z, -ROUNDING * np.abs(z), scale)[1].any()


@every_case
def test_errors_of_all_sizes_are_those_of_their_laws(case: str) -> None:
    built = soft(case)
    together = built.errors(np.array(SIZES[:-2]))
    for i, size in enumerate(SIZES[:-2]):
        scale = np.array([float(built.scale(0, size))])
        alone = rounded_error(built.stairs.law(built.scale(0, size)), scale)
        for moment, other in zip(together, alone, strict=True):
            assert (moment is None) == (other is None)
            if moment is not None and other is not None:
                assert moment[i] == pytest.approx(other[0], rel=2e-4, abs=2e-3)


def test_draws_have_the_errors_that_are_expected() -> None:
    built = soft("usual")
    sizes = np.repeat([0, 60, 500], 60_000)
    noise = built.release(np.zeros_like(sizes), sizes)
    expected, deviation = built.mean_abs_error([0, 60, 500]), built.std([0, 60, 500])
    assert expected is not None
    assert deviation is not None
    observed = np.abs(noise).reshape(3, -1).mean(axis=1)
    assert (np.abs(observed - expected) < 6 * np.asarray(deviation) / 60_000**0.5).all()


def test_no_size_reaches_the_law_of_all_large_ones() -> None:
    built = soft("usual")
    assert built.stairs.large > 2**61
    law = built.stairs.law(Fraction(10**9))
    assert len(law.pieces) == 4 * 16 + 4
    assert len(built.law.pieces) == 16 + 4
