"""The radial slope: its exact calibration, the conditions of the theorem, errors and coverage."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from leeward import mechanism
from leeward.core.errors import InvalidParameter
from leeward.core.exact import SLACK, at_most, ball, dyadic_down, log_growth, precision
from leeward.core.mechanisms.radial_slope import RadialSlope
from leeward.core.noise.radial_cell import RadialCell
from leeward.core.noise.radial_law import RadialLaw
from tests.core.mechanisms.built import vector_pareto
from tests.core.noise.bounds import outside
from tests.core.noise.scripted import even_words

SETTINGS = [("0.1", "1", 8), ("0.1", "4", 24), ("0.05", "1", 3), ("0.1", "8", 2), ("1", "50", 3),
            ("0.23", "7/3", 5), ("0.1", "1", 1)]  # fmt: skip


def radial(alpha: str, epsilon: str | Fraction, cells: int, **options: object) -> RadialSlope:
    built = mechanism("radial_slope", alpha=alpha, epsilon=epsilon, cells=cells, **options)  # type: ignore[arg-type]
    assert isinstance(built, RadialSlope)
    return built


def rising(law: RadialLaw, radius: Fraction) -> Fraction:
    """F' from the pieces."""
    (piece,) = (
        one
        for one in law.pieces
        if (one.low or 0) <= radius and (one.high is None or radius < one.high)
    )
    if piece.centre is None:
        return -piece.rate
    return -piece.rate / (radius - piece.centre)


def worst(built: RadialSlope, law: RadialLaw) -> float:
    """The largest loss of the theorem's two conditions at many radii, over ε."""
    alpha, epsilon = built.parameters.growth, built.parameters.epsilon
    growth, p = log_growth(alpha), law.dimension
    radii = [Fraction(one) for one in np.geomspace(1e-6, 1e6, 400).tolist()]
    losses = []
    for radius in (
        *radii,
        *law.joints,
        *(joint * (1 - Fraction(1, 2**60)) for joint in law.joints),
    ):
        rise = rising(law, radius)
        losses.append(float(ball(rise / epsilon)))
        losses.append(float((growth * ball(abs(p - radius * rise) + rise / alpha)) / ball(epsilon)))
    return max(losses)


@pytest.mark.parametrize(("alpha", "epsilon", "cells"), SETTINGS)
def test_both_conditions_hold_everywhere_and_one_is_tight(
    alpha: str, epsilon: str, cells: int
) -> None:
    built = radial(alpha, epsilon, cells)
    with precision(256):
        assert 1 - 1e-9 < worst(built, built.radius) <= 1


@pytest.mark.parametrize(("alpha", "epsilon", "cells"), SETTINGS)
def test_an_order_from_above_would_break_them(alpha: str, epsilon: str, cells: int) -> None:
    """A hair in the last exponent: dilation costs r·ln(1+α) in the tails."""
    built = radial(alpha, epsilon, cells)
    *inner, last = built.radius.pieces
    steeper = type(last)(last.low, None, last.rate * (1 + 2 * SLACK), last.centre)
    with precision(256):
        assert worst(built, RadialLaw(cells, (*inner, steeper))) > 1


@pytest.mark.parametrize(("alpha", "epsilon", "cells"), SETTINGS)
def test_one_order_serves_both_exponents_and_is_rounded_down(
    alpha: str, epsilon: str, cells: int
) -> None:
    built = radial(alpha, epsilon, cells)
    law, r, aimed = built.radius, built.order, built.parameters.aimed
    growth = Fraction(alpha)
    assert (r * 2**96).denominator == 1
    assert at_most(lambda: ball(r) * log_growth(growth), lambda: ball(aimed))
    above = r + Fraction(1, 2**95)
    assert not at_most(lambda: ball(above) * log_growth(growth), lambda: ball(aimed))
    assert law.pieces[-1].rate == -(r + cells)
    assert law.pieces[-1].low == (r + cells) / aimed - 1 / growth
    assert law.pieces[-2].rate == -aimed
    if len(law.pieces) == 3:
        assert law.pieces[0].rate == r - cells
        assert law.joints[0] == 1 / growth - (r - cells) / aimed
    else:
        assert 1 / growth <= (r - cells) / aimed
    assert law.tail == r


@pytest.mark.parametrize(("alpha", "cells"), [("0.1", 1), ("0.1", 2), ("0.1", 8), ("0.3", 24)])
def test_the_smallest_epsilon_works_and_those_up_to_the_price_do_not(
    alpha: str, cells: int
) -> None:
    with precision(512):
        price = log_growth(Fraction(alpha)) * cells
        bar = dyadic_down(price, 200)
        least = price + log_growth(Fraction(alpha)) / 2**96
        smallest = dyadic_down(least, 200) / (1 - SLACK)
    for rejected in (bar, smallest - Fraction(1, 2**150)):
        with pytest.raises(InvalidParameter, match=r"must be above cells·ln\(1\+alpha\)"):
            radial(alpha, rejected, cells)
    built = radial(alpha, smallest + Fraction(1, 2**150), cells)
    assert built.order == cells + Fraction(1, 2**96)
    words = even_words(300)
    values, errors = built.radius.approximate(words)
    assert np.isfinite(errors).mean() > 0.99
    assert outside(built.radius, words) == 0
    assert (np.diff(values[np.argsort(words)]) >= 0).all()


def test_the_next_epsilon_is_named() -> None:
    with pytest.raises(InvalidParameter) as refused:
        radial("0.1", "0.7", 8)
    assert "0.763" in refused.value.next_step
    radial("0.1", "0.763", 8)


def test_a_larger_floor_changes_the_scale_and_not_the_law() -> None:
    plain, wide = radial("0.1", "1", 8), radial("0.1", "1", 8, plus=5)
    assert plain.radius == wide.radius
    assert wide.scales(np.array([3]), np.array([3])).exact(0) == 5
    assert wide.scales(np.array([300]), np.array([300])).exact(0) == 30


def test_errors_of_a_block_are_those_of_its_draws() -> None:
    built, rows = radial("0.1", "1", 8), 50_000
    noise = built.release(np.zeros((rows, 8), np.int64), np.full(rows, 10**5)) / 10**4
    assert np.abs(noise).mean() == pytest.approx(1.229, rel=0.01)
    assert built.mean_abs_error(10**5) == pytest.approx(1.229e4, rel=1e-3)
    assert noise.std() == pytest.approx((built.std(10**5) or 0) / 10**4, rel=0.02)
    cell, quantile = RadialCell(built.radius), np.quantile(np.abs(noise), 0.9)
    assert quantile == pytest.approx(2.81, rel=0.02)  # 17.7 of vector Pareto
    with precision(128):
        assert 2 * float(cell.tails(Fraction(2.81))[1]) == pytest.approx(0.1, abs=5e-4)


def test_margins_of_a_block_cover_it() -> None:
    built, rows = radial("0.1", "1", 8), 50_000
    noise = np.abs(built.release(np.zeros((rows, 8), np.int64), np.full(rows, 10**5))) / 1e4
    together = built.together(built.within)
    for reach in (1.0, 3.0, 8.0):
        seen = (noise <= reach).all(axis=1).mean()
        (sure,) = together(np.array([reach]))
        assert seen - 0.02 < sure < seen + 4 / np.sqrt(rows)


def test_it_has_less_noise_than_power_tails_of_many_cells() -> None:
    for epsilon, times in (("1", 0.17), ("2", 0.52), ("4", 0.78)):
        error = vector_pareto(alpha="0.1", epsilon=epsilon, cells=8).mean_abs_error(10**6)
        less = radial("0.1", epsilon, 8).mean_abs_error(10**6)
        assert error is not None
        assert less is not None
        assert less < times * error
    assert log(1.1) * 8 < 1
