"""The numbers that the mathematics prints: errors in units of S, moments, bias."""

from fractions import Fraction
from math import log

import numpy as np
import pytest
from scipy.integrate import quad

from leeward import InvalidParameter
from leeward.core.noise.quartic import QuarticLaw
from tests.core.mechanisms.built import additive, vector_pareto

LARGE = 10**8
"""An establishment so large that whole jobs are a fine grid."""


def in_units_of_s(case: str, alpha: str, **wanted: str | int) -> float:
    error = additive(case, alpha=alpha, **wanted).mean_abs_error(LARGE, LARGE)
    assert isinstance(error, float)
    return error / (float(alpha) * LARGE)


# mathematics/slope.md 5: α, ε, Smooth Gamma printed, Smooth Laplace printed, Pareto, slope.
TABLE = [
    ("0.01", "1", 11.31, 2.00, 1.015, 1.004),
    ("0.05", "0.5", 22.63, 4.00, 2.516, 2.103),
    ("0.1", "0.25", None, 8.00, 12.84, 5.187),
    ("0.1", "0.5", 22.63, 4.00, 3.199, 2.22),
    ("0.1", "1", 11.31, 2.00, 1.169, 1.041),
    ("0.1", "2", 5.66, 1.00, 0.525, 0.507),
    ("0.2", "1", 11.31, 2.00, 1.383, 1.086),
]


def printed(value: float) -> object:
    """Equal to as many digits as are printed."""
    digits = len(repr(value).split(".")[1])
    return pytest.approx(value, abs=0.51 * 10**-digits)


@pytest.mark.parametrize(("alpha", "epsilon", "gamma", "laplace", "pareto", "slope"), TABLE)
def test_expected_errors_are_those_of_the_table(
    alpha: str, epsilon: str, gamma: float | None, laplace: float, pareto: float, slope: float
) -> None:
    assert in_units_of_s("slope", alpha, epsilon=epsilon) == printed(slope)
    assert in_units_of_s("vector_pareto", alpha, epsilon=epsilon) == printed(pareto)
    published = in_units_of_s("smooth_laplace published", alpha, epsilon=epsilon, delta="0.3")
    assert published == printed(laplace)
    if gamma is None:
        with pytest.raises(InvalidParameter, match="4·ln"):
            additive("smooth_gamma published", alpha=alpha, epsilon=epsilon)
    else:
        assert in_units_of_s("smooth_gamma published", alpha, epsilon=epsilon) == printed(gamma)


@pytest.mark.parametrize(
    ("alpha", "epsilon", "joint", "apart"),
    [("0.01", "2", 0.548, 4.09), ("0.05", "4", 0.29, 2.10), ("0.1", "4", 0.33, 2.22)],
)
def test_eight_worker_cells_cost_what_is_printed(
    alpha: str, epsilon: str, joint: float, apart: float
) -> None:
    # mathematics/blocks.md 1: 0.54 for the first; with k capped at 128 it is 0.548.
    together = vector_pareto(alpha=alpha, epsilon=epsilon, cells=8).mean_abs_error(LARGE)
    each = additive("slope", alpha=alpha, epsilon=epsilon, cells=8).mean_abs_error([LARGE] * 8)
    assert isinstance(each, np.ndarray)
    assert isinstance(together, float)
    s = float(alpha) * LARGE
    assert together / s == printed(joint)
    assert each / s == pytest.approx(np.full(8, apart), abs=0.0051)


def test_the_pareto_form_overtakes_slope_at_large_epsilon() -> None:
    assert in_units_of_s("vector_pareto", "0.1", epsilon=6) == printed(0.143)
    assert in_units_of_s("slope", "0.1", epsilon=6) == printed(0.167)
    assert in_units_of_s("vector_pareto", "0.1", epsilon=3) > in_units_of_s(
        "slope", "0.1", epsilon=3
    )


def quartic_integral(power: int) -> float:
    return 2 * float(quad(lambda z: z**power / (1 + z**4), 0, np.inf)[0])


def test_moments_of_the_quartic_law() -> None:
    # [H15] App. G prints 2.2 for the deviation: erratum.
    law, whole = QuarticLaw(), quartic_integral(0)
    assert whole == pytest.approx(np.pi / np.sqrt(2))
    assert law.moment(1, absolute=True) == pytest.approx(quartic_integral(1) / whole)
    assert law.moment(1, absolute=True) == pytest.approx(np.sqrt(0.5))
    assert law.moment(2) == pytest.approx(quartic_integral(2) / whole)
    assert law.moment(2) == pytest.approx(1)
    assert law.moment(1) == 0


@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_moments_of_log_laplace(epsilon: str) -> None:
    s = log(1.1) / float(epsilon)
    unbiased = additive("log_laplace", epsilon=epsilon).law
    biased = additive("log_laplace published", epsilon=str(2 * Fraction(epsilon))).law
    assert unbiased.moment(1) == pytest.approx(0, abs=1e-15)
    assert unbiased.moment(2) == pytest.approx((2 * s**2 + s**4) / (1 - 4 * s**2))
    assert biased.moment(1) == pytest.approx(1 / (1 - s**2) - 1)
    assert biased.moment(2) == pytest.approx((2 * s**2 + 4 * s**4) / ((1 - 4 * s**2) * (1 - s**2)))


def test_published_log_laplace_has_no_mean_below_two_lambda() -> None:
    tight, loose = additive("log_laplace", epsilon="0.18"), additive("log_laplace published")
    assert tight.mean_abs_error(0, 100) is not None
    assert tight.std(0, 100) is None
    assert loose.std(0, 100) is not None
    none = additive("log_laplace published", epsilon="0.18")
    assert (none.mean_abs_error(0, 100), none.std(0, 100), none.bias(0, 100)) == (None, None, None)


SIZES = np.array([0, 1, 2, 3, 4, 6, 8, 12, 20, 50, 200, 1000])


def worst_bias(alpha: str, epsilon: str) -> float:
    bias = additive("slope", alpha=alpha, epsilon=epsilon).bias(SIZES)
    assert isinstance(bias, np.ndarray)
    return float(np.abs(bias).max())


@pytest.mark.parametrize("alpha", ["0.001", "0.01", "0.1", "0.5", "0.8"])
def test_rounding_leaves_slope_a_bias_below_0_011_jobs(alpha: str) -> None:
    assert max(worst_bias(alpha, epsilon) for epsilon in ("0.6", "1", "1.4", "2", "4", "20")) < (
        0.011
    )


def test_rounding_leaves_a_little_more_bias_at_alpha_one() -> None:
    # mathematics/slope.md 3: 0.011 at worst, up to α = 0.8.
    assert worst_bias("1", "1.5") == printed(0.0125)
