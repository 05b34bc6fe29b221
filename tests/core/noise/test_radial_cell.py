"""One coordinate of a block, all of them, and the law in pieces that readers have."""

from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np
import pytest

from leeward.core.exact import precision
from leeward.core.noise.directions import all_within, equal_radii
from leeward.core.noise.law import PiecewiseLaw
from leeward.core.noise.radial_cell import (
    PublicTail,
    RadialCell,
    cell_law,
    stated_cell,
)
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from tests.core.noise.radial import LAWS

MANY = {name: law for name, law in LAWS.items() if law.dimension > 1}
every_law = pytest.mark.parametrize("law", MANY.values(), ids=MANY)


@every_law
def test_masses_add_up(law: RadialLaw) -> None:
    cell, edges = RadialCell(law), [Fraction(n, 4) for n in (-40, -9, -2, 0, 1, 5, 80)]
    with precision(128):
        between = [cell.between(low, high) for low, high in pairwise(edges)]
        whole = float(sum(between) + cell.tails(edges[0])[0] + cell.tails(edges[-1])[1])
        assert whole == pytest.approx(1)
        for low, high in ((-9, 5), (1, 5), (-9, -2)):
            mirrored = cell.between(Fraction(-high), Fraction(-low))
            assert float(cell.between(Fraction(low), Fraction(high)) - mirrored) == pytest.approx(0)
        assert float(cell.between(Fraction(2), Fraction(1))) == 0
        for edge in edges:
            assert float(sum(cell.tails(edge))) == pytest.approx(1)


@every_law
def test_moments_are_integrals_of_tails(law: RadialLaw) -> None:
    """E|Z| = ∫ P(|Z| > z) dz."""
    cell = RadialCell(law)
    mean = cell.moment(1, absolute=True)
    assert mean is not None
    reaches = np.exp(np.linspace(np.log(mean * 1e-5), np.log(mean * 1e6), 800))
    with precision(96):
        tails = np.array([float(law.cell_tail(Fraction(one))) for one in reaches.tolist()])
    assert np.trapezoid(tails, reaches) == pytest.approx(mean, rel=2e-3)
    assert cell.moment(1) == 0
    assert cell.moment(3) == (None if (law.tail or 0) <= 3 else 0)
    square = cell.moment(2)
    if square is not None and (law.tail or 0) > 3:
        assert 2 * np.trapezoid(tails * reaches, reaches) == pytest.approx(square, rel=5e-3)


@every_law
def test_stated_pieces_are_near_the_exact_law(law: RadialLaw) -> None:
    exact, stated = RadialCell(law), stated_cell(law)
    mean = exact.moment(1, absolute=True) or 1.0
    reaches = mean * np.array([-30.0, -5, -1, -0.3, 0.01, 0.2, 0.7, 1, 1.9, 3, 10, 100])
    with precision(128):
        for reach, below, above in zip(reaches, *stated.float_tails(reaches), strict=True):
            left, right = (float(one) for one in exact.tails(Fraction(reach)))
            assert below == pytest.approx(left, rel=0.04, abs=1e-12)
            assert above == pytest.approx(right, rel=0.04, abs=1e-12)
    assert stated.moment(1, absolute=True) == pytest.approx(mean, rel=0.01)


def test_simple_laws_have_pieces_of_their_own() -> None:
    assert isinstance(cell_law(LAWS["p 1"]), PiecewiseLaw)
    assert cell_law(pareto_radius(3, Fraction(4))) == stated_cell(pareto_radius(3, Fraction(4)))
    assert isinstance(cell_law(LAWS["p 8"]), RadialCell)
    with pytest.raises(TypeError, match="drawn together"):
        RadialCell(LAWS["p 8"]).approximate(np.array([1], dtype=np.uint64))


def within(law: RadialLaw, reach: float) -> float:
    """P(all coordinates within it), by inclusion and exclusion of exact tails."""
    p = law.dimension
    with precision(256):
        terms = [comb(p, j) * (-1) ** j * law.cell_tail(Fraction(reach) * j) for j in range(p + 1)]
        return float(sum(terms))


@pytest.mark.parametrize("name", ["p 2", "p 8", "p 24", "Pareto k 30, p 4"])
def test_all_cells_are_within_reach_as_often_as_said(name: str) -> None:
    law = LAWS[name]
    reaches = np.array([1.0, 2.0, 4.0, 8.0]) * (law.moment(1) or 1.0) / law.dimension
    found = all_within(law, reaches)
    for reach, share in zip(reaches.tolist(), found.tolist(), strict=True):
        truth = within(law, reach)
        assert truth - 0.02 < share < truth + 2e-3
    wrong = all_within(law, reaches * 1.1)
    assert any(share > within(law, one) + 5e-3 for share, one in zip(wrong, reaches, strict=True))


@every_law
def test_equal_parts_of_the_radius_have_its_mean(law: RadialLaw) -> None:
    radii = equal_radii(law, 1 << 10)
    assert (np.diff(radii) > 0).all()
    if (law.tail or 0) > 4:
        assert radii.mean() == pytest.approx(law.moment(1), rel=0.01)


@every_law
def test_what_contrasts_read_is_the_tail_and_its_slope(law: RadialLaw) -> None:
    public, mean = PublicTail(law), (law.moment(1) or 1.0) / law.dimension
    reaches = mean * np.array([0.05, 0.5, 1.5, 4.0, 12.0])
    with precision(128):
        tails = [float(law.cell_tail(Fraction(one))) for one in reaches.tolist()]
        steps = [
            float(law.cell_tail(Fraction(one * 0.999)) - law.cell_tail(Fraction(one * 1.001)))
            for one in reaches.tolist()
        ]
    assert public.tail(reaches) == pytest.approx(np.array(tails), rel=0.05)
    assert public.steep(reaches) == pytest.approx(np.array(steps) / 0.002, rel=0.15)
