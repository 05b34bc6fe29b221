"""Exact masses and distribution functions against densities integrated numerically."""

from decimal import Decimal
from fractions import Fraction
from math import fsum

import pytest

from tests.core.mechanisms.built import SCALAR, Cell, additive
from tests.core.mechanisms.truth import TRUTHS

CELL = Cell()
NOISE = (-500, -99, -40, -7, -1, 0, 1, 6, 41, 500)
CLOSE = 1e-7


# The density of the soft staircase is written in test_soft_staircase.
@pytest.mark.parametrize("case", [case for case in SCALAR if case != "soft_staircase"])
def test_masses_are_those_of_the_written_density(case: str) -> None:
    built, truth = additive(case), TRUTHS[case]()
    wanted = pytest.approx([truth.mass(j - 0.5, j + 0.5) for j in NOISE], rel=CLOSE, abs=1e-60)
    scale = CELL.scale(built)
    assert [float(built.mass(j, scale)) for j in NOISE] == wanted
    # The comparison has the power to see a scale that is off by one in a million.
    off = scale * Fraction(1000001, 1000000)
    assert [float(built.mass(j, off)) for j in NOISE] != wanted


@pytest.mark.parametrize("case", SCALAR)
def test_the_distribution_function_adds_up_the_masses(case: str) -> None:
    built = additive(case)
    scale = CELL.scale(built)
    for low, high in ((-80, -20), (-3, 3), (0, 300)):
        between = fsum(float(built.mass(j, scale)) for j in range(low + 1, high + 1))
        ends = [built.cdf(j, CELL.largest, counts=CELL.count, digits=30) for j in (low, high)]
        assert float(ends[1] - ends[0]) == pytest.approx(between, rel=1e-12)


@pytest.mark.parametrize("case", SCALAR)
def test_the_quantile_is_the_first_integer_that_reaches_its_share(case: str) -> None:
    built = additive(case)
    for share in ("0.001", "0.25", "0.5", "0.9", "0.999"):
        j = built.quantile(share, CELL.largest, CELL.count)
        assert isinstance(j, int)
        before, at = (built.cdf(i, CELL.largest, counts=CELL.count) for i in (j - 1, j))
        assert before < Decimal(share) <= at


@pytest.mark.parametrize("digits", [5, 17, 60])
def test_the_distribution_function_has_the_digits_asked_for(digits: int) -> None:
    built = additive("slope")
    rough = built.cdf(-2000, CELL.largest, digits=digits)
    fine = built.cdf(-2000, CELL.largest, digits=digits + 40)
    assert len(rough.as_tuple().digits) == digits
    assert abs(rough / fine - 1) < Decimal(10) ** (1 - digits)


@pytest.mark.parametrize("jobs", [10**3, 10**7, 10**18])
def test_the_distribution_function_reaches_far_into_the_tail(jobs: int) -> None:
    # P(J ≤ −j) = e^(−εj)/(1+e^−ε), at an ε that is 2^-40 below one.
    share = additive("edge_laplace").cdf(-jobs, counts=0)
    rate = 1 - Decimal(2) ** -40
    logarithm = -rate * jobs / Decimal(10).ln() - (1 + (-rate).exp()).log10()
    assert share.adjusted() == int(logarithm.to_integral_value(rounding="ROUND_FLOOR"))
