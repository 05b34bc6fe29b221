"""The staircase against the tables of mathematics/slope.md 5, mixed sizes, and its margins."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp, log

import numpy as np
import pytest

from leeward.core.exact import precision
from leeward.core.mechanisms.additive import within
from leeward.core.mechanisms.error_margins import SpentMargins, spend
from leeward.core.mechanisms.staircase import EDGES, Staircase
from leeward.core.mechanisms.step_coverage import REACHES
from leeward.core.noise.error import laplace_weights
from leeward.core.noise.sampling import refine
from leeward.core.noise.scales import by_law, law_at
from leeward.core.noise.tabulated import Floats
from leeward.core.randomness import SecretBits
from tests.core.mechanisms.built import build
from tests.core.noise.scripted import even_words, replace_bits

LARGE = 10**8

# E|noise|/S of large establishments, by α and ε.
ERRORS = {
    "0.01": {"0.25": 4.23, "0.5": 2.036, "1": 0.972, "2": 0.428, "3": 0.236, "8": 0.0184},
    "0.05": {"0.5": 2.30, "1": 1.026, "2": 0.439, "3": 0.240, "4": 0.140, "6": 0.0506},
    "0.1": {"0.5": 2.74, "1": 1.10, "2": 0.453, "3": 0.245, "4": 0.1425, "6": 0.0513, "8": 0.0188},
    "0.2": {"1": 1.28, "2": 0.482, "3": 0.255, "4": 0.147, "6": 0.0527, "8": 0.0193},
    "0.5": {"2": 0.59, "3": 0.287, "4": 0.161, "6": 0.057, "8": 0.0207},
    "1": {"3": 0.39, "4": 0.193, "6": 0.064, "8": 0.0229},
}

# E|J| in jobs by ε: the largest establishment, and what is printed.
SMALL = {
    ("0.1", "1"): {0: 0.960},
    ("0.1", "2"): {0: 0.286, 10: 0.286, 15: 0.53, 20: 0.79, 30: 1.35, 100: 4.5},
    ("0.1", "4"): {0: 0.0368, 15: 0.076, 20: 0.11, 30: 0.22, 100: 1.41},
    ("0.01", "1"): {0: 0.861},
    ("0.01", "2"): {0: 0.277},
    ("0.01", "4"): {0: 0.0367},
}


def staircase(alpha: str, epsilon: str) -> Staircase:
    built = build("staircase", alpha=alpha, epsilon=epsilon)
    assert isinstance(built, Staircase)
    return built


def printed(value: float) -> object:
    """Equal to as many digits as are printed."""
    digits = len(repr(value).split(".")[1])
    return pytest.approx(value, abs=0.51 * 10**-digits)


@pytest.mark.parametrize("alpha", ERRORS)
def test_errors_of_large_cells_are_those_of_the_table(alpha: str) -> None:
    for epsilon, value in ERRORS[alpha].items():
        error = staircase(alpha, epsilon).mean_abs_error(LARGE)
        assert isinstance(error, float)
        assert error / (float(alpha) * LARGE) == printed(value), epsilon


@pytest.mark.parametrize(("alpha", "epsilon"), SMALL)
def test_errors_of_small_cells_are_those_of_the_table(alpha: str, epsilon: str) -> None:
    built = staircase(alpha, epsilon)
    for size, value in SMALL[alpha, epsilon].items():
        assert built.mean_abs_error(size) == printed(value), size


@pytest.mark.parametrize(("epsilon", "most"), [("1", 0.032), ("2", 0.021), ("4", 0.014)])
def test_rounding_leaves_the_printed_bias(epsilon: str, most: float) -> None:
    bias = staircase("0.1", epsilon).bias(np.arange(60))
    assert isinstance(bias, np.ndarray)
    assert np.abs(bias).max() == printed(most)


@pytest.mark.parametrize("epsilon", ["1", "2", "4"])
def test_the_smallest_cells_have_almost_geometric_noise(epsilon: str) -> None:
    built, e = staircase("0.1", epsilon), float(epsilon)
    scale = built.scale(0, 3)
    centre = built.mass(0, scale)
    ratios = [float(built.mass(j, scale) / centre) for j in (-2, -1, 1, 2)]
    expected = [exp(-2 * e + log(1.1)), exp(-e), exp(-e), exp(-2 * e)]
    assert ratios == pytest.approx(expected, rel=1e-9)


def test_the_right_edge_is_the_best_of_its_grid() -> None:
    built = staircase("0.1", "2")
    (at,) = np.flatnonzero(float(built.stairs.right) == EDGES)
    best = built.law.moment(1, absolute=True)
    for right in (EDGES[at - 1], EDGES[at + 1]):
        low, high = Fraction(1, 5), Fraction(1, 2)
        for _ in range(40):
            middle = (low + high) / 2
            other = replace(built.stairs, left=middle, right=Fraction(float(right)))
            mean = other.law(Fraction(LARGE)).moment(1)
            low, high = (middle, high) if mean is not None and mean > 0 else (low, middle)
        error = other.law(Fraction(LARGE)).moment(1, absolute=True)
        assert error is not None
        assert best is not None
        assert best < error < 1.0001 * best


def test_one_law_serves_all_large_sizes_and_none_of_the_small() -> None:
    built = staircase("0.1", "4")
    stairs = built.stairs
    assert stairs.law(Fraction(10**9)) == built.law == stairs.law(stairs.large)
    below = [law_at(built.laws, Fraction(x)) for x in range(10, int(stairs.large) + 1)]
    assert len({*below, built.law}) == len(below) + 1


@pytest.mark.parametrize("epsilon", ["2", "4", "6"])
def test_every_size_is_drawn_by_the_law_of_its_own_scale(epsilon: str) -> None:
    built = staircase("0.1", epsilon)
    sizes = np.arange(int(built.stairs.large) + 10)[::-1]
    scales = built.scales(sizes, sizes)
    laws = {
        int(i): law for law, some in by_law(built.laws, scales) for i in np.arange(len(sizes))[some]
    }
    assert [laws[i] for i in range(len(sizes))] == [
        law_at(built.laws, scales.exact(i)) for i in range(len(sizes))
    ]


@pytest.mark.parametrize("epsilon", ["2", "6"])
def test_a_column_of_mixed_sizes_draws_each_from_its_own_law(
    epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = staircase("0.1", epsilon)
    largest = np.tile([0, 3, 10, 11, 15, 18, 19, 20, 60, 105, 106, 5000], 30)
    words = even_words(len(largest))
    replace_bits(monkeypatch, lambda size: words.tobytes()[:size])
    drawn = built.release(np.zeros_like(largest), largest)
    scales = [max(Fraction(int(x)), Fraction(10)) for x in largest]
    alone = [
        refine(law_at(built.laws, scale), scale, int(word), SecretBits())
        for scale, word in zip(scales, words, strict=True)
    ]
    assert drawn.tolist() == alone
    # The law of large sizes would draw other numbers.
    beyond = [
        refine(built.law, s, int(w), SecretBits()) for s, w in zip(scales, words, strict=True)
    ]
    assert beyond != alone


@pytest.mark.parametrize("size", [5, 15, 30, 1000])
def test_drawn_errors_are_the_expected_ones(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    built, draws = staircase("0.1", "2"), 1 << 16
    words = even_words(draws, seed=size)
    rest = iter(range(0, 8 * draws, 8 << 14))

    def read(count: int) -> bytes:
        start = next(rest, 0)
        return words.tobytes()[start : start + count]

    replace_bits(monkeypatch, read)
    noise = built.release(np.zeros(draws, np.int64), np.full(draws, size))
    expected, deviation = built.mean_abs_error(size), built.std(size)
    assert isinstance(expected, float)
    assert isinstance(deviation, float)
    assert np.abs(noise).mean() == pytest.approx(expected, abs=4 * deviation / draws**0.5)


def coverage(rule: SpentMargins, built: Staircase, size: int) -> float:
    """P(|J| ≤ margin) over the noise of the scale and of the count."""
    noise, weights, stride = laplace_weights(float(rule.scale.law.pieces[0].rate))
    assert stride == 1
    margins = rule.margins(rule.scale.grid.index(np.array([size])) + noise)
    scale = built.scale(0, size)
    edge: Floats = (np.minimum(margins, 2.0**50) + 0.5) / float(scale)
    return float((weights * within(law_at(built.laws, scale), edge)).sum())


@pytest.mark.parametrize(("alpha", "epsilon"), [("0.1", "2"), ("0.1", "4"), ("0.01", "6")])
def test_margins_cover_nine_in_ten_at_every_size(alpha: str, epsilon: str) -> None:
    built = staircase(alpha, str(Fraction(epsilon) * Fraction(9, 10)))
    rule = spend(built, Fraction(epsilon) / 10)
    sizes = [*range(0, int(3 * built.stairs.large), 1 + int(built.stairs.large) // 60), 10**6]
    shares = [coverage(rule, built, size) for size in sizes]
    assert min(shares) >= 0.9
    assert min(shares) < 0.905  # and no wider than it takes


@pytest.mark.parametrize(
    ("alpha", "epsilon", "plus"),
    [("0.1", "2", 1), ("1", "6", 1), ("0.1", "4", 3), ("0.1", "40", 1)],
)
def test_the_smallest_coverage_over_sizes_is_that_of_their_laws(
    alpha: str, epsilon: str, plus: int
) -> None:
    made = build("staircase", alpha=alpha, epsilon=epsilon, plus=plus)
    assert isinstance(made, Staircase)
    growth, stairs = float(made.parameters.growth), made.stairs
    reaches = REACHES[::64] * growth
    smallest = within(made.law, reaches)
    for size in {stairs.least, *map(Fraction, range(int(stairs.least) + 1, int(stairs.large) + 1))}:
        covered = within(stairs.law(size), np.maximum(reaches, 0.5 / float(size)))
        smallest = np.minimum(smallest, covered)
    assert made.within(reaches * (1 + 1e-12)) == pytest.approx(smallest, abs=1e-12)


def test_masses_add_up_to_one_at_every_size() -> None:
    stairs = staircase("0.3", "2.5").stairs
    for size in (stairs.least, Fraction(4), Fraction(5), Fraction(1000)):
        with precision(128):
            law = stairs.law(size)
            between = [law.between(low, high) for low, high in pairwise(law.joints)]
            ends = law.tails(law.joints[0])[0] + law.tails(law.joints[-1])[1]
            assert abs(float(sum(between, ends) - 1)) < 1e-30
