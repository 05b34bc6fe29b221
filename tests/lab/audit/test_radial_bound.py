"""The largest ratio of two densities of one radial form, against closed forms and a fine grid."""

from dataclasses import replace
from fractions import Fraction
from math import inf, log

import numpy as np
import pytest

from leeward import mechanism
from leeward.core.mechanisms.radial_slope import RadialSlope
from leeward.core.noise.piece import Piece
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from leeward.lab.audit.radial_bound import exponential_radius, peaks, radial_bound
from leeward.lab.audit.radial_controls import SLIPS, SlopeNumbers

SCALES = [("7", "7"), ("8", "9"), ("9", "8"), ("20", "22"), ("3", "4")]
SETTINGS = [
    ("0.1", "1", 1),
    ("0.1", "1", 8),
    ("0.05", "2", 3),
    ("0.1", "4", 8),
    ("0.1", "8", 2),
    ("0.23", "3", 2),
    ("1", "4", 2),
]
settings = pytest.mark.parametrize(("alpha", "epsilon", "cells"), SETTINGS)


def slope(alpha: str, epsilon: str, cells: int) -> RadialSlope:
    built = mechanism("radial_slope", alpha=alpha, epsilon=epsilon, cells=cells)
    assert isinstance(built, RadialSlope)
    return built


def both(*scales: str) -> tuple[Fraction, Fraction]:
    before, after = map(Fraction, scales)
    return before, after


def exponent(law: RadialLaw, at: np.ndarray) -> np.ndarray:
    """F, piece by piece."""
    total = np.zeros_like(at)
    for piece in law.pieces:
        low = float(piece.low or 0)
        inside = np.clip(at, low, inf if piece.high is None else float(piece.high))
        if piece.centre is None:
            total -= float(piece.rate) * (inside - low)
        else:
            centre = float(piece.centre)
            total -= float(piece.rate) * np.log((inside - centre) / (low - centre))
    return total


@pytest.mark.parametrize("dimension", [1, 3, 8])
@pytest.mark.parametrize("scales", SCALES)
def test_pareto_has_a_closed_form(dimension: int, scales: tuple[str, str]) -> None:
    """The ratio is monotone in each norm: it is largest where one is 0, or at infinity."""
    for k in (Fraction(5), Fraction(21, 2)):
        narrow, wide = sorted(map(float, both(*scales)))
        growth, order = wide / narrow, dimension + float(k)
        for distance in (0, 1, 4, 100):
            u = distance / narrow
            known = max(
                order * log(growth + u) - float(k) * log(growth),
                order * log(1 + u) - dimension * log(growth),
                float(k) * log(growth),
            )
            found = radial_bound(distance, both(*scales), pareto_radius(dimension, k))
            assert float(found) == pytest.approx(known, rel=1e-12)


def test_exponential_tails_of_two_scales_have_no_bound() -> None:
    law = exponential_radius(4)
    assert float(radial_bound(3, both("7", "7"), law)) == pytest.approx(3 / 7, rel=1e-15)
    assert float(radial_bound(0, both("7", "7"), law)) == 0
    assert float(radial_bound(3, both("7", "8"), law)) == inf
    assert float(radial_bound(3, both("8", "7"), law)) == inf


@settings
@pytest.mark.parametrize("apart", ["0", "1/2", "1", "3/2"])
def test_a_radial_slope_against_a_fine_grid(
    alpha: str, epsilon: str, cells: int, apart: str
) -> None:
    law = slope(alpha, epsilon, cells).radius
    fine = np.exp(np.linspace(-8, 25, 200_001))
    near = np.concatenate([[0.0, float(Fraction(apart))], fine])  # F has corners at the centres
    for grown in (Fraction(1), 1 + Fraction(alpha) / 2, 1 + Fraction(alpha)):
        scale, moved, volume = float(grown), float(Fraction(apart)), cells * log(grown)
        # Either end of what the other distance may be, in both directions.
        ends = [exponent(law, end / scale) for end in (near + moved, np.abs(near - moved))]
        losses = [end - exponent(law, near) + volume for end in ends]
        wanted = max(float(np.abs(loss).max()) for loss in losses)
        found = float(radial_bound(Fraction(apart), (Fraction(1), grown), law))
        assert wanted <= found * (1 + 1e-12)
        assert found == pytest.approx(wanted, rel=1e-6)


@settings
def test_a_radial_slope_loses_its_epsilon_and_no_more(alpha: str, epsilon: str, cells: int) -> None:
    """Off the grid: every distance up to S and every growth, and the largest reach ε."""
    built = slope(alpha, epsilon, cells)
    claimed, steps = float(Fraction(epsilon)), [Fraction(i, 8) for i in range(9)]
    for apart in steps:
        for part in steps:
            scales = Fraction(1), 1 + Fraction(alpha) * part
            assert float(radial_bound(apart, scales, built.radius)) <= claimed
    grown = Fraction(1), 1 + Fraction(alpha)
    for apart in (Fraction(1), Fraction(0)):
        assert float(radial_bound(apart, grown, built.radius)) == pytest.approx(claimed, rel=1e-9)
    # F' is ε on nearly as much as S, so n alone, moved by S, loses nearly as much.
    alone = float(radial_bound(1, (Fraction(1), Fraction(1)), built.radius))
    assert 0.97 * claimed < alone <= claimed


@settings
def test_the_numbers_of_the_theorem_give_the_law(alpha: str, epsilon: str, cells: int) -> None:
    built = slope(alpha, epsilon, cells)
    assert SlopeNumbers.of(built).radius == built.radius


@settings
def test_a_flatter_law_is_as_private(alpha: str, epsilon: str, cells: int) -> None:
    """Theorem G has upper bounds of F' alone; so e^−F may end as a lower power."""
    numbers = SlopeNumbers.of(slope(alpha, epsilon, cells))
    flatter = replace(numbers, outer=numbers.outer - Fraction(1, 2)).radius
    grown = Fraction(1), 1 + Fraction(alpha)
    for apart in (Fraction(0), Fraction(1, 2), Fraction(1)):
        assert float(radial_bound(apart, grown, flatter)) <= float(Fraction(epsilon))
        assert float(radial_bound(apart, (grown[0], grown[0]), flatter)) <= float(Fraction(epsilon))


@pytest.mark.parametrize("defect", SLIPS)
def test_a_slip_shows_in_the_bound(defect: str) -> None:
    law = SLIPS[defect](SlopeNumbers.of(slope("0.1", "4", 8)))
    assert float(radial_bound(1, both("1", "1.1"), law)) > 4.3


def test_a_density_that_rises_has_no_such_bound() -> None:
    law = pareto_radius(2, Fraction(3))
    rising = Piece(Fraction(0), Fraction(1), Fraction(1))
    last = replace(law.pieces[0], low=Fraction(1))
    with pytest.raises(ValueError, match="rises"):
        radial_bound(1, both("1", "1"), RadialLaw(2, (rising, last)))


def test_peaks_are_beyond_the_centres_on_their_line() -> None:
    law = SLIPS["the first piece left out"](SlopeNumbers.of(slope("0.1", "4", 2)))
    found = list(peaks(((0, 0), (300, 700)), 1000, both("1000", "1000"), law))
    for (x, y), centre, sign in zip(found, ((0, 0), (300, 700)), (-1, 1), strict=True):
        away = abs(x - centre[0]) + abs(y - centre[1])
        assert sign * (x - centre[0]) == pytest.approx(0.3 * away, abs=1)
        assert sign * (y - centre[1]) == pytest.approx(0.7 * away, abs=1)
    assert list(peaks(((5,), (5,)), 0, both("3", "4"), law)) == [(5,), (5,)]
