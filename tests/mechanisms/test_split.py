"""The share of the maximum: the smallest expected error of all candidates, from public numbers."""

from fractions import Fraction
from math import log, pi, sqrt

import numpy as np
import pytest

from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.split import CANDIDATES, expected_error
from tests.mechanisms.built import clipped

POINTS = [
    (alpha, epsilon, cells)
    for alpha, epsilon in (("0.1", "1"), ("0.1", "4"), ("0.01", "1"), ("0.2", "1"), ("1", "4"))
    for cells in (1, 2, 8)
]
NOISES = ("laplace", "gaussian")


def built_with(
    noise: str, alpha: str, epsilon: str, cells: int, split: str | None = None
) -> Clipped:
    delta = "1e-6" if noise == "gaussian" else 0
    numbers: dict[str, str | int] = {"alpha": alpha, "epsilon": epsilon, "cells": cells}
    return clipped(**numbers, delta=delta, noise=noise, split=split)


def integrated(built: Clipped, share: Fraction) -> float:
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
    theta = 7 / 6 * np.exp(width * z)
    error = unit * theta + np.maximum(1 - theta, 0) / d
    return float(weight @ error / weight.sum())


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("point", POINTS)
def test_the_choice_has_the_smallest_error_of_all_candidates(
    noise: str, point: tuple[str, str, int]
) -> None:
    built = built_with(noise, *point)
    truth = {share: integrated(built, share) for share in CANDIDATES[::3]}
    for share, wanted in truth.items():
        found = expected_error(built.parameters, built.rho, share)
        assert found == pytest.approx(wanted, rel=1e-3)
    assert isinstance(built.split, Fraction)
    assert built.split in CANDIDATES
    assert integrated(built, built.split) <= min(truth.values()) * (1 + 1e-3)
    errors = [expected_error(built.parameters, built.rho, share) for share in CANDIDATES]
    assert expected_error(built.parameters, built.rho, built.split) == min(errors)


def test_candidates_are_exact_shares() -> None:
    assert [share * 64 for share in CANDIDATES] == list(range(1, 64))


@pytest.mark.parametrize("alpha", ["0.01", "0.1", "1"])
@pytest.mark.parametrize("times", ["1.1", "2", "4", "7.9"])
def test_the_error_has_a_mean_above_the_logarithm(alpha: str, times: str) -> None:
    """An eighth for the maximum had none up to eight times ln(1+α)."""
    epsilon = str(Fraction(round(float(times) * log(1 + float(alpha)) * 10**6), 10**6))
    built = clipped(alpha=alpha, epsilon=epsilon, cells=8)
    assert built.mean_abs_error(1000) is not None
    assert clipped(alpha=alpha, epsilon=epsilon, split="1/8").mean_abs_error(1000) is None


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
    ("point", "ratio"), [(("0.1", "1", 1), 0.8), (("0.1", "4", 1), 0.8), (("0.1", "4", 8), 1.05)]
)
def test_releases_are_closer_than_with_an_eighth(point: tuple[str, str, int], ratio: float) -> None:
    chosen, eighth = (released_error(built_with("laplace", *point, x)) for x in (None, "1/8"))
    assert chosen < ratio * eighth
