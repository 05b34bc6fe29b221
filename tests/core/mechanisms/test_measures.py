"""Expected errors against sums over the exact distribution, job by job."""

from fractions import Fraction
from math import fsum, sqrt

import numpy as np
import pytest
from scipy.integrate import quad

from leeward.core.exact import precision
from leeward.core.mechanisms.additive import Additive
from leeward.core.noise.law import Law
from leeward.core.noise.scales import law_at
from tests.core.mechanisms.built import SCALAR, additive

JOBS = 1500
"""Summed one by one; beyond, the sum over jobs is the integral."""

CLOSE = 1e-5


def tails(law: Law, x: float, scale: Fraction) -> tuple[float, float]:
    """P(scale·Z < −x) and P(scale·Z > x)."""
    with precision(128):
        edge = Fraction(x) / scale
        return float(law.tails(-edge)[0]), float(law.tails(edge)[1])


def moments(built: Additive, count: int, largest: int) -> tuple[float, float, float]:
    """E J, E|J| and E J², from Σ P(J ≥ j), Σ P(J ≤ −j) and Σ (2j−1)·P(|J| ≥ j)."""
    scale = built.scale(count, largest)
    law = law_at(built.laws, scale)
    below, above = zip(*(tails(law, j - 0.5, scale) for j in range(1, JOBS)), strict=True)
    odd = [2 * j - 1 for j in range(1, JOBS)]
    square = fsum(k * (b + a) for k, b, a in zip(odd, below, above, strict=True))
    rest = [far(law, scale, side, 0) for side in (0, 1)]
    square += 2 * sum(far(law, scale, side, 1) for side in (0, 1))
    low, high = fsum(below) + rest[0], fsum(above) + rest[1]
    return high - low, high + low, square


def far(law: Law, scale: Fraction, side: int, power: int) -> float:
    """∫ x^power·P(±scale·Z > x) from where the sum ends."""

    def at(t: float) -> float:
        x = (JOBS - 1) / (1 - t)
        return x**power * tails(law, x, scale)[side] * (JOBS - 1) / (1 - t) ** 2

    return float(quad(at, 0, 1 - 1e-9, epsrel=1e-6, limit=100)[0])


CELLS = {"small": (3, 2), "middling": (90, 100), "large": (2000, 2500)}
FINITE = [case for case in SCALAR if case not in ("node_laplace", "soft_staircase")]
"""The steps of the last one reach farther than the sums; see test_step_table."""


@pytest.mark.parametrize("case", FINITE)
@pytest.mark.parametrize(("count", "largest"), CELLS.values(), ids=CELLS)
def test_errors_are_the_sums_over_all_jobs(case: str, count: int, largest: int) -> None:
    built = additive(case)
    mean, absolute, square = moments(built, count, largest)
    assert built.mean_abs_error(largest, count) == pytest.approx(absolute, rel=CLOSE)
    assert built.std(largest, count) == pytest.approx(sqrt(square - mean**2), rel=10 * CLOSE)
    assert built.bias(largest, count) == pytest.approx(mean, abs=CLOSE * absolute)


@pytest.mark.parametrize("epsilon", ["0.01", "0.3", "1", "5", "20"])
def test_errors_of_discrete_laplace_have_a_closed_form(epsilon: str) -> None:
    q = np.exp(-float(epsilon))
    built = additive("edge_laplace", epsilon=epsilon)
    assert built.mean_abs_error(None, 0) == pytest.approx(2 * q / (1 - q * q), rel=CLOSE)
    assert built.std(None, 0) == pytest.approx(sqrt(2 * q) / (1 - q), rel=CLOSE)
    assert built.bias(None, 0) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("case", "shape"), [*((case, (2, 3)) for case in SCALAR), ("slope", (6,)), ("slope", (2, 0, 3))]
)
def test_arrays_are_measured_entry_by_entry(case: str, shape: tuple[int, ...]) -> None:
    built = additive(case)
    column = (np.arange(np.prod(shape)) * 17 + 3).reshape(shape)
    for measure in (built.mean_abs_error, built.std, built.bias):
        whole = measure(column, column)
        assert isinstance(whole, np.ndarray)
        one_by_one = [measure(int(x), int(x)) for x in column.ravel()]
        assert whole.shape == shape
        assert whole.ravel().tolist() == pytest.approx(one_by_one, rel=1e-12, abs=1e-15)
    quantiles = built.quantile("0.9", column, column)
    assert isinstance(quantiles, np.ndarray)
    assert quantiles.shape == shape
    assert quantiles.ravel().tolist() == [
        built.quantile("0.9", int(x), int(x)) for x in column.ravel()
    ]


INFINITE = {  # each with ε between the values at which its mean and its variance begin
    "slope": "0.15",
    "log_laplace": "0.15",
    "vector_pareto": "0.15",
}


@pytest.mark.parametrize(("case", "epsilon"), INFINITE.items())
def test_an_infinite_variance_is_none(case: str, epsilon: str) -> None:
    built = additive(case, epsilon=epsilon)
    assert built.std(100, 100) is None
    assert built.std([100, 200], [100, 200]) is None
    assert built.mean_abs_error(100, 100) is not None


def test_a_variance_begins_at_twice_lambda() -> None:
    assert additive("slope", epsilon="0.19").std(100) is None
    assert additive("slope", epsilon="0.191").std(100) is not None


def test_the_sum_over_jobs_would_show_a_wrong_scale() -> None:
    built = additive("slope")
    _, absolute, _ = moments(built, 90, 100)
    assert built.mean_abs_error(101) != pytest.approx(absolute, rel=CLOSE)
