"""Split and headroom: the smallest expected error of all candidates, from public numbers."""

from fractions import Fraction
from math import log, pi, sqrt

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.split import (
    CANDIDATES,
    HEADROOMS,
    ErrorWeights,
    Narrower,
    best_bound,
    classes_of,
    expected_errors,
    paid_share,
)
from tests.core.mechanisms.built import clipped

POINTS = [
    (alpha, epsilon, cells)
    for alpha, epsilon in (("0.1", "1"), ("0.1", "4"), ("0.01", "1"), ("0.2", "1"), ("1", "4"))
    for cells in (1, 2, 8)
]
NOISES = ("laplace", "gaussian")


def built_with(
    noise: str, alpha: str, epsilon: str, cells: int, split: str | None = None, number: int = 1
) -> Clipped:
    delta = "1e-6" if noise == "gaussian" else 0
    numbers: dict[str, str | int] = {"alpha": alpha, "epsilon": epsilon, "cells": cells}
    return clipped(**numbers, delta=delta, noise=noise, split=split, establishments=number)


def integrated(built: Clipped, share: Fraction, headroom: Fraction) -> float:
    """Noise and loss by clipping over the noise of ln θ, point by point; an establishment is 1."""
    alpha, epsilon = float(built.parameters.growth), float(built.parameters.epsilon)
    x, rho, d = float(share), float(built.rho), built.parameters.cells
    reach, growth = alpha / (1 + alpha), log(1 + alpha)
    if built.noise == "gaussian":
        width = growth / sqrt(2 * x * rho)
        z = np.linspace(-12 - width, 12 + width, 40_001)
        weight = np.exp(-(z**2) / 2)
        unit = sqrt(2 / pi) * sqrt(min(d, 2)) * reach / sqrt(2 * (1 - x) * rho)
    else:
        width = growth / (x * epsilon)
        if width >= 1:
            return float("inf")
        z = np.linspace(-1, 1, 40_001) * 30 / (1 - width)
        weight = np.exp(-np.abs(z))
        unit = min(d, 2) * reach / ((1 - x) * epsilon)
    theta = float(headroom) * np.exp(width * z)
    error = unit * theta + sqrt(built.establishments) * np.maximum(1 - theta, 0) / d
    return float(weight @ error / weight.sum())


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("point", POINTS[::2])
@pytest.mark.parametrize("number", [1, 64])
def test_the_choice_has_the_smallest_error_of_all_candidates(
    noise: str, point: tuple[str, str, int], number: int
) -> None:
    built = built_with(noise, *point, number=number)
    rooms, shares = range(0, len(HEADROOMS), 12), CANDIDATES[::7]
    truth = {(x, h): integrated(built, x, HEADROOMS[h]) for x in shares for h in rooms}
    for (share, room), wanted in truth.items():
        weigh = ErrorWeights.of(built.parameters.cells, gaussian=built.rho > 0)
        found = expected_errors(built.parameters, built.rho, sqrt(number), share, weigh)[room]
        assert found == pytest.approx(wanted, rel=1e-3)
    least = integrated(built, built.split, built.clipping.headroom)
    assert least <= min(truth.values()) * (1 + 1e-3)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("share", ["1/100", "1/20", "1/4"])
def test_narrower_intervals_cost_no_more_than_their_share(noise: str, share: str) -> None:
    built, given = built_with(noise, "0.1", "4", 8), Fraction(share)
    weigh, total = ErrorWeights.of(8, gaussian=built.rho > 0), ErrorWeights(1.0, 1.0)
    asked = built.parameters, built.rho, 2.0
    free = best_bound(*asked, None, weigh)
    paid = best_bound(*asked, None, weigh, Narrower(given, total))
    errors = [
        expected_errors(*asked, one.split, weigh)[HEADROOMS.index(one.headroom)]
        for one in (free, paid)
    ]
    assert errors[0] <= errors[1] <= errors[0] / float(1 - given) * (1 + 1e-12)
    assert paid.headroom * paid.split > free.headroom * free.split


def test_a_share_for_margins_is_from_0_to_below_1() -> None:
    for wrong in ("1", "-1/10", "much"):
        with pytest.raises(InvalidParameter, match="margins"):
            paid_share(wrong)


@pytest.mark.parametrize("cells", [1, 8])
@pytest.mark.parametrize("alike", [1, 8, 32])
def test_the_headroom_is_that_of_the_formula(cells: int, alike: int) -> None:
    """h* = max(1, (m(1−s)ε₂/(2d·min(d,2)β))^(s/(1+s))), to the next candidate; m are alike."""
    built = clipped(alpha="0.1", epsilon=1, cells=cells, establishments=alike**2)
    s, rest = log(1.1) / float(built.split), float(1 - built.split)
    inside = alike * (1 - s) * rest / (2 * cells * min(cells, 2) * 0.1 / 1.1)
    wanted = max(1.0, inside ** (s / (1 + s)))
    assert float(built.clipping.headroom) == pytest.approx(wanted, rel=0.025)


def test_classes_are_powers_of_two_up_to_the_largest() -> None:
    numbers = np.array([0, 1, 2, 3, 4, 5, 1000, 1024, 1025, 10**9])
    assert classes_of(numbers).tolist() == [1, 1, 2, 4, 4, 8, 1024, 1024, 1024, 1024]
    assert clipped(alpha="0.1", epsilon=1, establishments=30).establishments == 32
    for wrong in (-1, "many"):
        with pytest.raises(InvalidParameter, match="establishments"):
            clipped(alpha="0.1", epsilon=1, establishments=wrong)


def test_candidates_are_exact_shares() -> None:
    assert [share * 64 for share in CANDIDATES] == list(range(1, 33))


@pytest.mark.parametrize("alpha", ["0.01", "0.1", "1"])
@pytest.mark.parametrize("times", ["2.1", "4", "7.9"])
def test_the_error_has_a_mean_above_twice_the_logarithm(alpha: str, times: str) -> None:
    """An eighth for the maximum had none up to eight times ln(1+α)."""
    epsilon = str(Fraction(round(float(times) * log(1 + float(alpha)) * 10**6), 10**6))
    built = clipped(alpha=alpha, epsilon=epsilon, cells=8)
    assert built.mean_abs_error(1000) is not None
    assert clipped(alpha=alpha, epsilon=epsilon, split="1/8").mean_abs_error(1000) is None


@pytest.mark.parametrize("times", ["0.9", "1.1", "1.5", "1.9"])
def test_no_mean_is_bought_with_nearly_all_of_a_small_budget(times: str) -> None:
    """At 1.1·ln(1+α) a mean took 63/64 of ε, and typical errors were 15 times as large."""
    epsilon = str(Fraction(round(float(times) * log(1.1) * 10**6), 10**6))
    assert clipped(alpha="0.1", epsilon=epsilon, cells=8).split == Fraction(1, 2)


@pytest.mark.parametrize("noise", NOISES)
def test_without_a_mean_the_budget_is_halved(noise: str) -> None:
    epsilon = "0.09" if noise == "laplace" else "0.005"
    built = built_with(noise, "0.1", epsilon, 2)
    assert built.split == Fraction(1, 2)
    assert noise == "gaussian" or built.mean_abs_error(1000) is None


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("split", ["1/8", "1/1000", "999/1000", "0.3"])
def test_a_share_that_is_given_is_kept(noise: str, split: str) -> None:
    built = built_with(noise, "0.1", "1", 3, split=split)
    assert built.split == Fraction(split)
    assert built.guarantee("strong") == built_with(noise, "0.1", "1", 3).guarantee("strong")


def released_error(built: Clipped) -> float:
    """Of many workplace cells that are one establishment each, alike in all worker cells."""
    rows, d = 5000, built.parameters.cells
    cells = np.full((rows, d), 8000 // d)
    released = built.release(cells, np.full(rows, 8000), np.arange(rows))
    return float(np.abs(released - cells).mean())


@pytest.mark.parametrize(
    ("point", "ratio"), [(("0.1", "1", 1), 0.8), (("0.1", "4", 1), 0.9), (("0.1", "4", 8), 1.05)]
)
def test_releases_are_closer_than_with_an_eighth(point: tuple[str, str, int], ratio: float) -> None:
    chosen, eighth = (released_error(built_with("laplace", *point, x)) for x in (None, "1/8"))
    assert chosen < ratio * eighth
