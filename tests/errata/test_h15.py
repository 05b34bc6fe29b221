"""The errata of the text of 2015, shown."""

from fractions import Fraction
from math import inf, log, pi, sqrt

import numpy as np
import pytest

from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.log_laplace import LogLaplace
from leeward.core.noise.law import laplace
from leeward.core.noise.quartic import QuarticLaw
from leeward.core.privacy import StrongAlpha, WeakAlpha
from leeward.core.privacy.workforces import Counts, Database
from leeward.lab.audit.controls import no_floor
from leeward.lab.audit.neighbours import QUICK
from tests.errata.conftest import Row
from tests.errata.measured import ALPHA, EPSILON, alone, made


def test_published_log_laplace_costs_half(row: Row) -> None:
    published = made("log_laplace", calibration="published")
    assert alone(published, 10**6, 11 * 10**5) == pytest.approx(0.5 * float(EPSILON), rel=1e-4)
    assert row.prints("ε/2")


def test_moments_of_the_quartic_density(row: Row) -> None:
    law = QuarticLaw()
    x = np.linspace(-2000, 2000, 400_001)
    weight = 1 / (1 + x**4)
    norm = np.trapezoid(weight, x)
    # The printed integral has no norm, which is the same number: π/√2.
    assert np.trapezoid(x**2 * weight, x) == pytest.approx(pi / sqrt(2), rel=1e-3)
    assert norm == pytest.approx(pi / sqrt(2), rel=1e-6)
    assert row.prints(f"{pi / sqrt(2):.1f}")
    mean = np.trapezoid(np.abs(x) * weight, x) / norm
    assert law.moment(1, absolute=True) == pytest.approx(mean, rel=1e-4)
    assert law.moment(1, absolute=True) == pytest.approx(1 / sqrt(2))
    assert law.moment(2) == 1


def test_scale_needs_its_floor(row: Row) -> None:
    lost = float(no_floor(QUICK).epsilon)
    assert lost > 4 * float(EPSILON)
    assert row.prints(f"{lost:.2f}")
    assert alone(made("smooth_gamma"), 1, 2) <= float(EPSILON)


def scale_of(mechanism: Additive) -> float:
    assert isinstance(mechanism, LogLaplace)
    return float(1 / (mechanism.law.pieces[0].rate + 1))


def test_log_laplace_bias(row: Row) -> None:
    published = made("log_laplace", calibration="published")
    s = scale_of(published)
    assert s == pytest.approx(2 * log(1.1))
    bias = published.bias(None, 10**6)
    assert bias == pytest.approx((10**6 + 10) * (1 / (1 - s**2) - 1), rel=1e-6)
    assert bias != pytest.approx((10**6 + 10) * (1 / (1 - s / 2) - 1), rel=1e-2)
    assert made("log_laplace").bias(None, 10**6) == pytest.approx(0, abs=1e-3)
    assert row.prints("1 − s²")


def test_log_laplace_squared_error_needs_half_the_scale(row: Row) -> None:
    # α = 0.1: s = 2·ln(1+α)/ε passes ½ at ε = 0.381, and 1 at ε = 0.191.
    short, long = (made("log_laplace", calibration="published", epsilon=e) for e in ("0.39", "0.3"))
    assert scale_of(short) < 0.5 < scale_of(long) < 1
    assert short.std(None, 1000) is not None
    assert long.std(None, 1000) is None
    assert long.bias(None, 1000) is not None
    s = scale_of(long)
    assert (2 * s**2 + 4 * s**4) / ((1 - 4 * s**2) * (1 - s / 2)) < 0
    assert row.prints("s < ½", "s < 1")


def test_log_laplace_squared_error(row: Row) -> None:
    size = 10**6 + 10
    published, tight = made("log_laplace", calibration="published"), made("log_laplace")
    s = scale_of(published)
    biased = (2 * s**2 + 4 * s**4) / ((1 - 4 * s**2) * (1 - s**2))
    squared = published.law.moment(2)
    assert squared == pytest.approx(biased, rel=1e-9)
    t = scale_of(tight)
    assert tight.std(None, 10**6) == pytest.approx(
        size * sqrt((2 * t**2 + t**4) / (1 - 4 * t**2)), rel=1e-6
    )
    assert row.prints("(2s²+s⁴)/(1−4s²)")


def printed_edge(before: Counts, after: Counts) -> bool:
    """[H15] eq. 4 in terms of kinds: one more in S' than in S, or each kind at most 1+α times."""
    joined = sum(max(b - a, 0) for a, b in zip(before, after, strict=True))
    close = all(b <= (1 + ALPHA) * a for a, b in zip(before, after, strict=True))
    return before != after and (joined == 1 or close)


def test_printed_policy_graph_is_that_of_whole_establishments(row: Row) -> None:
    empty, large = (0, 0), (600, 400)
    assert printed_edge(large, empty)
    assert printed_edge(large, (0, 401)), "one joins, six hundred leave"
    assert not StrongAlpha().admits(Database.of(large), Database.of(empty), ALPHA)
    assert not WeakAlpha().admits(Database.of(large), Database.of(empty), ALPHA)
    published = made("log_laplace", calibration="published")
    lost = alone(published, sum(empty), sum(large))
    # ln((1000 + 1/α)/(1/α)) over the scale 2·ln(1+α)/ε.
    assert lost == pytest.approx(log(101) / (2 * log(1.1)), rel=1e-3)
    assert row.prints("1,000", f"{lost:.1f}")


def most_moved(alpha: Fraction, delta: int, shift: Fraction) -> Fraction | float:
    """The largest (n' + γ)/(n + γ) over n → n' ≤ max((1+α)n, n+Δ)."""
    pairs = ((n, max(int((1 + alpha) * n), n + delta)) for n in range(1000))
    return max(inf if n + shift == 0 else (after + shift) / (n + shift) for n, after in pairs)


def test_sensitivity_of_the_logarithm(row: Row) -> None:
    for delta in (1, 2, 5):
        assert most_moved(ALPHA, delta, delta / ALPHA) == 1 + ALPHA, "with γ = Δ/α, for every Δ"
        assert most_moved(ALPHA, delta, Fraction(0)) == inf, "log q itself: from nobody to one"
    # Also where nobody is left out: from one job to 1+Δ is ln(1+Δ), not ln Δ.
    one_to_six = log((1 + 5) / 1)
    assert one_to_six > max(log(1.1), log(5)) > log(1.1)
    assert row.prints("ln(1+α)", "Δ = 5", f"{log(5):.2f}", f"{log(1.1):.3f}")


def test_laplace_squared_error_is_twice_the_square(row: Row) -> None:
    law = laplace()
    assert law.moment(2) == pytest.approx(2)
    edge = made("edge_laplace", alpha=None, epsilon="0.01")
    assert edge.std(0, 0) == pytest.approx(sqrt(2) * 100, rel=1e-3)
    assert row.prints("2λ²")
