"""The peak of slope's law: where secants find it, and where only bisection does."""

from fractions import Fraction

import pytest

from leeward.core.exact import ball, dyadic_down, dyadic_up, log_growth, precision
from leeward.core.mechanisms import slope


@pytest.mark.parametrize(("alpha", "times"), [("0.05", 80), ("0.5", 2), ("0.03", "1.0001")])
def test_secants_find_the_peak_of_bisection(
    alpha: str, times: str | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    growth = Fraction(alpha)
    with precision(256):
        epsilon = ball(Fraction(times)) * log_growth(growth)
        r = dyadic_down(epsilon / log_growth(growth), 96)
        b = dyadic_up(ball(growth) / epsilon, 96)
    found = slope.unbiased.__wrapped__(r, b)
    peak = slope._guess(r, b)[1]
    assert found == slope.slope_law(r, b, peak)
    monkeypatch.setattr(slope, "_guess", lambda _r, _b: (-slope.STEP, Fraction(0)))
    assert slope.unbiased.__wrapped__(r, b) == found
