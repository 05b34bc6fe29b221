"""Every erratum of docs/explanation/errata.md, shown."""

import re
import sys
from fractions import Fraction
from math import exp, log, pi, sqrt
from pathlib import Path

import numpy as np
import pytest

import leeward
from leeward.audit.controls import no_floor, parallel_cells
from leeward.audit.loss import laplace_loss, pure_loss
from leeward.audit.measure import QUICK
from leeward.audit.neighbours import Workforce
from leeward.audit.outputs import Rounded
from leeward.audit.rehearsal import released
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.law import laplace
from leeward.mechanisms.log_laplace import LogLaplace
from leeward.mechanisms.quartic import QuarticLaw
from leeward.mechanisms.smooth_gamma import SmoothGamma
from leeward.privacy import StrongAlpha, WeakAlpha, over_workers

ALPHA, EPSILON = Fraction(1, 10), Fraction(1)
ERRATA = Path(__file__).parent.parent / "docs" / "explanation" / "errata.md"


def made(name: str, **options: object) -> Additive:
    built = leeward.mechanism(name, **{"alpha": ALPHA, "epsilon": EPSILON, **options})  # type: ignore[arg-type]
    assert isinstance(built, Additive)
    return built


def loss(mechanism: Additive, before: tuple[int, int], after: tuple[int, int]) -> float:
    left, right = (released(mechanism, *state) for state in (before, after))
    return float(pure_loss(left, right, EPSILON).epsilon)


def test_weak_neighbours_need_the_plus_one() -> None:
    def printed(before: Workforce, after: Workforce) -> bool:
        return sum(after) <= max((1 + ALPHA) * sum(before), Fraction(1))

    assert not printed((5,), (6,))
    assert WeakAlpha().admits((5,), (6,), ALPHA)
    assert printed((0,), (1,))


def test_two_values_of_a_person_are_two_steps_apart() -> None:
    strong = StrongAlpha()
    assert not strong.admits((1, 0), (0, 1), ALPHA)
    assert strong.admits((1, 0), (1, 1), ALPHA)
    assert strong.admits((0, 1), (1, 1), ALPHA)
    edge = made("edge_laplace")
    leaves, joins = loss(edge, (1, 0), (0, 0)), loss(edge, (0, 0), (1, 0))
    assert leaves + joins == pytest.approx(2 * float(EPSILON), abs=1e-9)


def test_worker_cells_do_not_compose_in_parallel() -> None:
    strong = StrongAlpha()
    assert strong.admits((50, 50), (55, 55), ALPHA)
    assert strong.admits((50,), (55,), ALPHA)
    expected = 8 * log(120 / 110) / (2 * log(1.1))
    assert expected == pytest.approx(3.65, abs=0.005)
    assert float(parallel_cells(QUICK).epsilon) == pytest.approx(expected, rel=1e-2)
    cell = made("log_laplace").guarantee("weak", table="worker")
    assert over_workers(*[cell] * 8).epsilon == 8 * EPSILON


def test_published_log_laplace_costs_half() -> None:
    published = made("log_laplace", calibration="published")
    largest = loss(published, (10**6, 10**6), (11 * 10**5, 11 * 10**5))
    assert largest == pytest.approx(0.5 * float(EPSILON), rel=1e-4)


def test_smooth_gamma_dilation_exceeds_its_stated_half() -> None:
    widest = Fraction(round((exp(0.25) - 1) * 10**9) - 1, 10**9)
    gamma = made("smooth_gamma", alpha=widest, calibration="published")
    assert isinstance(gamma, SmoothGamma)
    size = 10**7
    grown = int((1 + widest) * size)
    dilation = loss(gamma, (0, size), (0, grown))
    assert dilation == pytest.approx(3 * log(1 + widest), rel=1e-4)
    assert dilation > 0.7 * float(EPSILON)
    assert loss(gamma, (0, size), (grown - size, grown)) == pytest.approx(0.811, abs=5e-3)
    usual = made("smooth_gamma", calibration="published")
    assert loss(usual, (0, size), (size // 10, 11 * size // 10)) == pytest.approx(0.375, abs=2e-3)


def test_smooth_laplace_delta_is_misstated() -> None:
    stated = exp(-1 / (2 * log(1.1)))
    published = made("smooth_laplace", delta="0.01", calibration="published")
    before, after = (released(published, *s) for s in ((0, 10**6), (10**5, 11 * 10**5)))
    exact = float(laplace_loss(before, after, EPSILON).delta)
    assert stated / exact == pytest.approx(45, abs=1)
    allowed = exp(-30 / (2 * log(2)))
    printed = [Rounded(n, laplace(), Fraction(2 * n, 30)) for n in (10**6, 2 * 10**6)]
    assert float(laplace_loss(printed[0], printed[1], Fraction(30)).delta) > 90 * allowed
    with pytest.raises(leeward.InvalidParameter, match=r"smallest delta that works here is 3\.8"):
        made("smooth_laplace", alpha=1, epsilon=30, delta="5e-10", calibration="published")


def test_moments_of_the_quartic_density() -> None:
    law = QuarticLaw()
    x = np.linspace(-2000, 2000, 4_000_001)
    density = sqrt(2) / pi / (1 + x**4)
    assert law.moment(1, absolute=True) == pytest.approx(np.trapezoid(np.abs(x) * density, x), 1e-4)
    assert law.moment(2) == pytest.approx(np.trapezoid(x**2 * density, x), rel=1e-3)
    assert law.moment(1, absolute=True) == pytest.approx(1 / sqrt(2))
    assert law.moment(2) == 1


def test_scale_needs_its_floor() -> None:
    assert float(no_floor(QUICK).epsilon) > 4 * float(EPSILON)
    assert loss(made("smooth_gamma"), (1, 1), (2, 2)) <= float(EPSILON)


def scale_of(mechanism: Additive) -> float:
    assert isinstance(mechanism, LogLaplace)
    return float(1 / (mechanism.law.pieces[0].rate + 1))


def test_log_laplace_bias() -> None:
    published = made("log_laplace", calibration="published")
    s = scale_of(published)
    assert s == pytest.approx(2 * log(1.1))
    bias = published.bias(None, 10**6)
    assert bias == pytest.approx((10**6 + 10) * (1 / (1 - s**2) - 1), rel=1e-6)
    assert bias != pytest.approx((10**6 + 10) * (1 / (1 - s / 2) - 1), rel=1e-2)
    assert made("log_laplace").bias(None, 10**6) == pytest.approx(0, abs=1e-3)


def test_log_laplace_squared_error() -> None:
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


def test_the_page_names_every_test() -> None:
    named = set(re.findall(r"`(test_\w+)`", ERRATA.read_text(encoding="utf-8")))
    here = {name for name in dir(sys.modules[__name__]) if name.startswith("test_")}
    assert named == here - {"test_the_page_names_every_test"}
