"""What the published constants cost (mathematics/slope.md 2), where the table does not go."""

from fractions import Fraction
from math import exp, log

import pytest

from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.smooth_gamma import SmoothGamma
from leeward.core.privacy import policy
from leeward.lab.audit.exams import scalar, workplace_view
from leeward.lab.audit.loss import PrivacyLoss, pure_loss
from leeward.lab.audit.neighbours import QUICK, pairs
from leeward.lab.audit.outputs import Rounded
from leeward.lab.baselines.printed import stated_delta

LARGEST = Fraction(2840254, 10**7)
"""1+α = e^(1/4), rounded down: the largest α that the published form allows at ε = 1."""


@pytest.fixture(scope="module")
def published() -> SmoothGamma:
    built = mechanism("smooth_gamma", alpha=LARGEST, epsilon=1, calibration="published")
    assert isinstance(built, SmoothGamma)
    return built


def test_smooth_gamma_keeps_its_promise_at_the_largest_alpha(published: SmoothGamma) -> None:
    loss = scalar(workplace_view(published), pairs(policy("strong"), LARGEST, QUICK), Fraction(1))
    assert float(loss.epsilon) == pytest.approx(0.811, abs=5e-3)


def dilated(published: SmoothGamma) -> PrivacyLoss:
    """The scale grows by 1+α and the count not at all."""
    scale = published.scale(0, 10**9)
    narrow, wide = (Rounded(0, published.law, s) for s in (scale, scale * (1 + LARGEST)))
    return pure_loss(narrow, wide, Fraction(1))


def test_dilation_alone_costs_three_lambda(published: SmoothGamma) -> None:
    loss = dilated(published)
    assert float(loss.epsilon) == pytest.approx(3 * log(1 + LARGEST), abs=1e-6)
    assert float(loss.epsilon) == pytest.approx(0.75, abs=1e-5)
    assert float(loss.forward) == pytest.approx(log(1 + LARGEST), abs=1e-6)


def test_the_stated_admissibility_fails_while_the_total_holds(published: SmoothGamma) -> None:
    halves = Fraction(1, 2)
    assert dilated(published).epsilon > float(halves)
    step = LARGEST * 10**9
    shifted = pure_loss(
        Rounded(0, published.law, published.scale(0, 10**9)),
        Rounded(int(step), published.law, published.scale(0, 10**9)),
        Fraction(1),
    )
    assert shifted.epsilon < float(halves)
    assert float(shifted.epsilon) == pytest.approx(27**0.25 / 16, abs=2e-3)


@pytest.mark.parametrize(
    ("alpha", "epsilon"), [("0.01", "4"), ("0.01", "0.25"), ("0.1", "1"), ("1", "4")]
)
def test_the_stated_delta_of_smooth_laplace_is_not_rounded_away(alpha: str, epsilon: str) -> None:
    a, e = Fraction(alpha), Fraction(epsilon)
    assert float(stated_delta(a, e)) == pytest.approx(exp(-e / (2 * log(1 + a))), rel=1e-9)
