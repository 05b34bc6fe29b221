"""ρ to (ε, δ) against an independent minimisation and the exact curve of normal noise."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import exp, log, log1p, sqrt

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from leeward.core.privacy import Guarantee
from leeward.core.privacy.delta import _epsilon_at, steps_delta, tail_epsilon, zcdp_epsilon

Test = Callable[..., None]
LEAST, MOST = (Fraction("1e-12"), Fraction("1e-30")), (Fraction(1000), Fraction("0.9"))


def powers(low: int, high: int) -> st.SearchStrategy[Fraction]:
    """Numbers of any magnitude from one power of ten to below another, of two digits."""
    digits, exponents = st.integers(10, 99), st.integers(low, high - 1)
    return st.builds(lambda d, e: Fraction(f"{d}e{e - 1}"), digits, exponents)


def budgets(test: Test) -> Test:
    """ρ of every magnitude from 10⁻¹² to 1000 with δ from 10⁻³⁰ to 1, and the four corners."""
    for rho, delta in product(*zip(LEAST, MOST, strict=True)):
        test = example(rho=rho, delta=delta)(test)
    return settings(deadline=None, max_examples=40)(
        given(rho=powers(-12, 3), delta=powers(-30, 0))(test)
    )


def best_epsilon(rho: float, delta: float) -> float:
    """Another search: coarse over ln(a−1), then SciPy's bounded minimiser."""

    def epsilon(u: float) -> float:
        a = 1 + exp(u)
        return a * rho + (-log(delta) - log(a)) / (a - 1) + log1p(-1 / a)

    start = min((n / 4 for n in range(-60, 100)), key=epsilon)
    found = minimize_scalar(epsilon, bounds=(start - 1, start + 1), options={"xatol": 1e-10})
    return max(0.0, float(found.fun))


def gaussian_delta(rho: float, epsilon: float) -> float:
    """The exact δ(ε) of normal noise with sensitivity/σ = √(2ρ) (Balle and Wang 2018)."""
    shift = sqrt(2 * rho)
    near, far = norm.cdf(shift / 2 - epsilon / shift), norm.logcdf(-shift / 2 - epsilon / shift)
    return float(near - exp(epsilon + far))


@budgets
def test_conversion_agrees_with_another_minimisation(rho: Fraction, delta: Fraction) -> None:
    ours = float(zcdp_epsilon(rho, delta))
    assert ours == pytest.approx(best_epsilon(float(rho), float(delta)), rel=1e-6, abs=1e-9)


@budgets
def test_conversion_never_promises_more_than_normal_noise_keeps(
    rho: Fraction, delta: Fraction
) -> None:
    epsilon = float(zcdp_epsilon(rho, delta))
    if epsilon < 600:  # the curve is computed in floats
        assert gaussian_delta(float(rho), epsilon) <= float(delta) * (1 + 1e-9) + 1e-15


@pytest.mark.parametrize(("rho", "delta"), [("0.01", "1e-6"), ("0.1", "1e-6"), ("1", "1e-9")])
def test_conversion_is_within_a_few_percent_of_normal_noise(rho: str, delta: str) -> None:
    epsilon = float(zcdp_epsilon(Fraction(rho), Fraction(delta)))
    assert gaussian_delta(float(rho), 0.9 * epsilon) > float(delta)


@budgets
def test_conversion_is_below_the_simple_formula(rho: Fraction, delta: Fraction) -> None:
    r, d = float(rho), float(delta)
    # Bun and Steinke 2016, Prop. 1.3.
    assert float(zcdp_epsilon(rho, delta)) <= r + 2 * sqrt(r * log(1 / d))


@settings(deadline=None, max_examples=40)
@given(st.fractions(min_value="1.01", max_value=200), st.fractions("0.001", 5))
def test_no_other_order_does_clearly_better(order: Fraction, rho: Fraction) -> None:
    delta = Fraction(1, 10**6)
    there = float(_epsilon_at(order, rho, delta).mid())
    assert float(zcdp_epsilon(rho, delta)) <= max(there, 0) + 1e-9


def test_a_large_delta_needs_no_epsilon() -> None:
    assert zcdp_epsilon(Fraction(1, 10**6), Fraction(1, 2)) == 0


def test_delta_over_steps_is_the_sum_rounded_up() -> None:
    epsilon, delta = Fraction(1, 2), Fraction(1, 10**6)
    for steps in range(1, 20):
        truth = sum(1e-6 * exp(j / 2) for j in range(steps))
        assert float(steps_delta(epsilon, delta, steps)) == pytest.approx(truth, rel=1e-12)
    # e^(1/2) from a series cut short is too small, so this is a certain lower end.
    root = sum(Fraction(1, 2) ** n / _factorial(n) for n in range(12))
    assert delta * (1 + root) < steps_delta(epsilon, delta, 2)
    assert steps_delta(epsilon, delta, 2) < delta * (1 + root) * (1 + Fraction(1, 10**9))


def _factorial(n: int) -> int:
    return 1 if n == 0 else n * _factorial(n - 1)


@settings(deadline=None)
@given(st.fractions(0, 3), st.integers(1, 6), st.integers(1, 6))
def test_steps_of_steps_are_steps(epsilon: Fraction, first: int, second: int) -> None:
    delta = Fraction(1, 10**20)
    twice = steps_delta(first * epsilon, steps_delta(epsilon, delta, first), second)
    once = steps_delta(epsilon, delta, first * second)
    assert once <= twice <= once * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize(
    ("epsilon", "delta", "steps", "result"),
    [("0", "0.1", 3, "0.3"), ("0", "0.5", 3, "1"), ("2", "0", 9, "0"), ("9", "0.7", 1, "0.7")],
)
def test_delta_over_steps_exact_cases(epsilon: str, delta: str, steps: int, result: str) -> None:
    assert steps_delta(Fraction(epsilon), Fraction(delta), steps) == Fraction(result)


def test_delta_over_steps_stops_at_one() -> None:
    assert steps_delta(Fraction(50), Fraction(1, 10**6), 10**6) == 1
    assert 0 < steps_delta(Fraction(1, 10**9), Fraction(1, 10**300), 7) < Fraction(1, 10**298)


def test_mixed_parts_together_keep_the_converted_promise() -> None:
    """Geometric noise (ε = 1/2) and normal noise on integers (ρ = 1/10), one job apart."""
    out = np.arange(-150, 151)
    geometric, normal = np.exp(-0.5 * abs(out)), np.exp(-0.1 * out**2)
    joint = np.outer(geometric / geometric.sum(), normal / normal.sum())
    moved = np.roll(joint, (1, 1), axis=(0, 1))
    for delta in ("1e-2", "1e-4", "1e-6"):
        read = Guarantee("worker", None, "0.5", 0, "0.1").to_approximate(delta)
        truth = np.maximum(0, moved[1:, 1:] - exp(read.epsilon) * joint[1:, 1:]).sum()
        assert 0 < truth <= float(delta)


@pytest.mark.parametrize("rho", ["0.001", "0.2", "5"])
def test_the_loss_of_gaussian_noise_passes_the_tail_no_more_often(rho: str) -> None:
    r, delta = Fraction(rho), Fraction(1, 10**6)
    passes = norm.sf(float(tail_epsilon(r, delta)), float(r), sqrt(2 * float(r)))
    assert delta / 100 < passes < delta
