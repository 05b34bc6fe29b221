"""The forms of 2015: their closed forms against draws and formulas, and what they lack."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from leeward.core.codebook import Cells
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms import REGISTRY
from leeward.core.noise.law import laplace
from leeward.core.noise.quartic import QuarticLaw
from leeward.lab.baselines.printed import FORMS, PrintedForm, mean_absolute, stated_delta

SCALES = np.array([0.0, 1e-3, 0.3, 1.0, 16.0, 1e3, 1e5])
MANY = 40_000


def cells(largest: int) -> Cells:
    """Many cells alike, of which one establishment has all jobs but seven."""
    sizes = np.full((MANY, 1), largest)
    return Cells(sizes + 7, sizes[:, 0], sizes)


def test_the_quadrature_agrees_with_the_formula_for_laplace_noise() -> None:
    """E|sZ + L| = s + 1/(1+s) for two Laplace variables."""
    assert mean_absolute(laplace(), SCALES) == pytest.approx(SCALES + 1 / (1 + SCALES), rel=1e-9)


def test_the_quadrature_agrees_with_a_sum_for_the_quartic_law() -> None:
    share = (np.arange(10**6) + 0.5) / 10**6  # of [0, ∞) by z = u/(1−u)
    z = share / (1 - share)
    weight = (1 - share) ** 2 / ((1 - share) ** 4 + share**4) * 2 * np.sqrt(2) / np.pi / 10**6
    for scale in SCALES[:5]:
        slow = float((weight * (scale * z + np.exp(-scale * z))).sum()) if scale < 1 else None
        apart = float((weight * np.exp(-scale * z)).sum()) + scale / np.sqrt(2)
        found = mean_absolute(QuarticLaw(), np.array([scale]))[0]
        assert found == pytest.approx(apart, rel=1e-8)
        assert slow is None or found == pytest.approx(slow, rel=1e-5)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("largest", [0, 3, 400])
def test_draws_have_the_errors_of_the_closed_forms(name: str, largest: int) -> None:
    """Both noises, and the mean square; a cell without jobs has the second noise alone."""
    form, held = PrintedForm(name, Fraction("0.1"), Fraction(2)), cells(largest)
    error = form.released(held) - held.counts
    known = form.errors(held)
    assert known.absolute is not None
    assert known.square is not None
    absolute, square = float(known.absolute[0, 0]), float(known.square[0, 0])
    spread = (square - absolute**2) ** 0.5 / MANY**0.5
    assert abs(np.abs(error).mean() - absolute) < 5 * spread
    assert abs(error.mean()) < 5 * (square / MANY) ** 0.5
    times = 0.1 * largest * FORMS[name].multiple / 2
    variance = FORMS[name].law.moment(2) or 0.0
    assert square == pytest.approx(times**2 * variance + 2 / 2**2)


def test_no_floor_under_the_noise() -> None:
    """What [H16] repairs: nobody's noise is that of the second Laplace alone."""
    for name in FORMS:
        known = PrintedForm(name, Fraction("0.1"), Fraction(4)).errors(cells(0)).absolute
        assert known is not None
        assert known == pytest.approx(np.full((MANY, 1), 0.25))


def test_the_condition_of_smooth_gamma() -> None:
    least = 4 * log(1.2)
    PrintedForm("smooth_gamma", Fraction("0.2"), Fraction(f"{least + 1e-6:.6f}"))
    PrintedForm("smooth_laplace", Fraction("0.2"), Fraction("0.01"))
    with pytest.raises(InvalidParameter) as caught:
        PrintedForm("smooth_gamma", Fraction("0.2"), Fraction(f"{least - 1e-6:.6f}"))
    assert caught.value.parameter == "epsilon"
    assert str(caught.value).endswith("The smallest that works is 0.730.")


def test_a_plan_cannot_ask_for_them() -> None:
    from leeward.core.mechanisms import mechanism  # noqa: PLC0415 (beside what it must refuse)

    for name in FORMS:
        assert name in REGISTRY
        with pytest.raises(InvalidParameter, match="calibration"):
            mechanism(name, alpha="0.1", epsilon=1, delta="0.05", calibration="h15")


def test_the_stated_delta_of_every_epsilon_of_the_paper() -> None:
    """α = 0.1: .269, .073, .030, .0053, 2.8e-5 and 7.7e-10."""
    found = [float(stated_delta(Fraction("0.1"), Fraction(e))) for e in
             ("0.25", "0.5", "0.67", "1", "2", "4")]  # fmt: skip
    assert found == pytest.approx([0.269, 0.0726, 0.0298, 0.00527, 2.78e-5, 7.70e-10], rel=2e-3)
    assert found[3] == pytest.approx(exp(-1 / (2 * log(1.1))), rel=1e-12)
