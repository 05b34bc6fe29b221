"""What holds for all parameters: α from 10⁻⁶ to 1, ε from 10⁻³ to 50, sizes up to 2⁶¹."""

from fractions import Fraction
from math import log1p

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from leeward import InvalidParameter
from leeward.core.mechanisms.additive import Additive
from leeward.core.noise.scales import BOUND, MOST
from tests.core.mechanisms.built import SCALAR, additive, vector_pareto

few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def powers(low: int, high: int) -> st.SearchStrategy[str]:
    """Numbers of any magnitude between two powers of ten, as text of three digits."""
    digits, exponents = st.integers(100, 999), st.integers(low, high - 1)
    return st.builds(lambda d, e: f"{d}e{e - 2}", digits, exponents)


ALPHAS = powers(-6, 0) | st.just("1")
EPSILONS = powers(-3, 1) | st.integers(10, 50).map(str)
SIZES = st.integers(0, 10**12) | st.integers(0, 300) | st.just(MOST)
NOISE = st.integers(-1000, 1000) | st.integers(-BOUND, BOUND)


def feasible(case: str, alpha: str, epsilon: str) -> Additive:
    """The mechanism, if it exists for these parameters."""
    try:
        return additive(case, alpha=alpha, epsilon=epsilon)
    except InvalidParameter:
        assume(False)
        raise


every_case = pytest.mark.parametrize("case", SCALAR)
LIKELY = st.tuples(ALPHAS, EPSILONS).filter(lambda ae: float(ae[1]) > 4 * log1p(float(ae[0])))
"""Parameters for which every mechanism but smooth_laplace exists."""


# With the same cap on one job more ε means more steps, and with them a larger floor.
@pytest.mark.parametrize("case", [case for case in SCALAR if case != "soft_staircase"])
@few
@given(parameters=LIKELY, size=SIZES)
def test_more_budget_means_less_error(case: str, parameters: tuple[str, str], size: int) -> None:
    alpha, epsilon = parameters
    size = min(size, 200) if case == "node_laplace" else size
    tighter = str(Fraction(epsilon) * Fraction(11, 10))
    error, less = (feasible(case, alpha, e).mean_abs_error(size, size) for e in (epsilon, tighter))
    if error is None or less is None:
        assert error is None
    else:
        # Errors are planned in float64; beyond that the law of a larger ε is narrower.
        # The edges of a staircase are on a grid, whose smallest points are 1.6 % apart.
        grid = 0.02 if case == "staircase" else 1e-6
        assert less <= error * (1 + grid) + 1e-9


@every_case
@few
@given(LIKELY, st.tuples(SIZES, SIZES))
def test_a_larger_establishment_means_no_less_error(
    case: str, parameters: tuple[str, str], sizes: tuple[int, int]
) -> None:
    small, large = sorted(min(s, 200) if case == "node_laplace" else s for s in sizes)
    built = feasible(case, *parameters)
    errors = built.mean_abs_error([small, large], [small, large])
    if errors is not None:
        assert isinstance(errors, np.ndarray)
        assert errors[0] <= errors[1] * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("case", [case for case in SCALAR if case != "log_laplace published"])
@few
@given(parameters=LIKELY)
def test_noise_is_unbiased_where_there_is_a_mean(case: str, parameters: tuple[str, str]) -> None:
    law = feasible(case, *parameters).law
    mean, absolute = law.moment(1), law.moment(1, absolute=True)
    assert mean is not None
    assert absolute is not None
    if case not in {"edge_laplace", "node_laplace", "scale"}:  # these are laws of integers
        # An edge of the staircase is a multiple of 2^-32; tails of the soft one are of all sizes:
        # at α = 1 and ε = 2.78 the limit law has a mean of 1.9 % of its mean error.
        apart = {"staircase": 1e-7, "soft_staircase": 3e-2}.get(case, 1e-12)
        assert abs(mean) <= apart * absolute


SKEWED = ("slope", "staircase", "soft_staircase", "log_laplace")
SYMMETRIC = [case for case in SCALAR if not case.startswith(SKEWED)]


@pytest.mark.parametrize("case", SYMMETRIC)
@few
@given(LIKELY, SIZES, st.integers(0, 10**6))
def test_symmetric_laws_are_symmetric(
    case: str, parameters: tuple[str, str], size: int, noise: int
) -> None:
    built = feasible(case, *parameters)
    scale = built.scale(size % 201, size % 201)
    assert built.mass(noise, scale).overlaps(built.mass(-noise, scale))


def test_the_others_are_not_symmetric() -> None:
    for case in SKEWED:
        built = additive(case)
        scale = built.scale(90, 100)
        assert not built.mass(30, scale).overlaps(built.mass(-30, scale))


@every_case
@few
@given(LIKELY, SIZES, st.lists(NOISE, min_size=2, max_size=4))
def test_distribution_functions_rise_from_zero_to_one(
    case: str, parameters: tuple[str, str], size: int, noise: list[int]
) -> None:
    built, size = feasible(case, *parameters), size % 201 if case == "node_laplace" else size
    shares = [built.cdf(j, size, counts=size) for j in sorted(noise)]
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert shares[-1] <= 1


@every_case
@few
@given(st.tuples(ALPHAS, EPSILONS), st.lists(SIZES, max_size=6))
def test_whatever_is_released_is_an_int64_within_the_bound(
    case: str, parameters: tuple[str, str], sizes: list[int]
) -> None:
    column = np.array(sizes, dtype=np.int64)
    column = column % 201 if case == "node_laplace" else column
    released = feasible(case, *parameters).release(column, column)
    assert released.shape == column.shape
    assert released.dtype == np.int64
    assert (np.abs(released) <= BOUND).all()


@few
@given(st.tuples(ALPHAS, EPSILONS), st.integers(2, 20), st.lists(SIZES, max_size=4))
def test_whatever_block_is_released_is_within_the_bound(
    parameters: tuple[str, str], cells: int, sizes: list[int]
) -> None:
    alpha, epsilon = parameters
    assume(cells * log1p(float(alpha)) < 0.999 * float(epsilon))
    built = vector_pareto(alpha=alpha, epsilon=epsilon, cells=cells)
    counts = np.repeat(np.array(sizes, dtype=np.int64)[:, None], cells, axis=1)
    released = built.release(counts, counts[:, 0])
    assert released.shape == counts.shape
    assert released.dtype == np.int64
    assert (np.abs(released) <= BOUND).all()


@pytest.mark.parametrize("case", ["slope", "log_laplace", "edge_laplace", "vector_pareto"])
def test_huge_counts_keep_their_last_digits(case: str) -> None:
    counts = np.array([10**12, 10**12 + 1, MOST - 12345])
    many = np.repeat(counts, 300)
    released = additive(case, epsilon=40).release(many, np.full_like(many, 10))
    if case != "log_laplace":  # whose noise grows with the count itself
        assert np.abs(np.median(released.reshape(3, -1), axis=1) - counts).max() <= 512
        assert np.abs(np.median((released - many).reshape(3, -1), axis=1)).max() <= 2
    assert (np.abs(released) <= BOUND).all()
