"""The tail of a cell in closed form, against the law's own and against sums of draws' density."""

from fractions import Fraction

import numpy as np
import pytest

from leeward import mechanism
from leeward.core.exact import precision
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from leeward.lab.audit.cell_tail import cell_tail
from leeward.lab.audit.radial_bound import exponential_radius
from leeward.lab.audit.radius_check import in_dimension, radii


def slope_law(alpha: str, epsilon: str, cells: int) -> RadialLaw:
    built = mechanism("radial_slope", alpha=alpha, epsilon=epsilon, cells=cells)
    law: RadialLaw = built.radius  # type: ignore[union-attr] # it has one
    return law


LAWS = [
    slope_law("0.1", "1", 8),
    slope_law("0.1", "1", 1),
    slope_law("0.05", "2", 3),
    slope_law("1", "4", 2),
    slope_law("0.1", "16", 2),
    pareto_radius(4, Fraction(7)),
    pareto_radius(1, Fraction(9, 2)),
    exponential_radius(3),
]
laws = pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.dimension} {len(law.pieces)}")


@laws
def test_it_is_the_tail_of_the_law(law: RadialLaw) -> None:
    for scale in (Fraction(3), Fraction(100), Fraction(1, 3)):
        with precision(256):
            unit = 1 / (2 * scale)
            tail = cell_tail(law, unit)
            far = (900, 10**6) if law.tail else (900,)
            for multiple in (0, 1, 3, 40, 100, *far):
                known, found = law.cell_tail(multiple * unit), tail.at(multiple)
                assert found.overlaps(known)
                assert float(found.rad()) <= 1e-12 * float(known) + 1e-60


@laws
def test_it_is_the_mean_of_what_a_radius_leaves(law: RadialLaw) -> None:
    """P(ρ·D > x), P(D > t) = (1−t)^(p−1), with the density of ρ written down here."""
    known = radii(law)
    tail = cell_tail(law, Fraction(1, 10))
    mass = np.diff(known.below)
    middle = np.sqrt(known.points[1:] * known.points[:-1])
    for multiple in (0, 1, 5, 20):
        left = np.clip(1 - multiple / 10 / middle, 0, 1)
        share = left ** (law.dimension - 1) if law.dimension > 1 else (left > 0).astype(float)
        assert float(tail.at(multiple)) == pytest.approx(float((mass * share).sum()), abs=2e-3)


def test_radii_are_those_of_the_law() -> None:
    for law in LAWS:
        known = radii(law)
        with precision(128):
            for reach in known.reaches():
                below = float(law.tails(Fraction(reach))[0])
                assert known.within(reach) == pytest.approx(below, abs=2e-5)


def test_two_of_four_exponentials_share_a_radius_evenly() -> None:
    known = radii(exponential_radius(4))  # Γ(4), so each half is Γ(2)
    for reach in (0.5, 1.0, 3.0):
        assert known.halves_within(reach) == pytest.approx(
            1 - (1 + reach) * np.exp(-reach), abs=1e-3
        )


def test_another_dimension_keeps_the_tail() -> None:
    assert in_dimension(pareto_radius(8, Fraction(3)), 4) == pareto_radius(4, Fraction(3))
    law = slope_law("0.1", "1", 8)
    assert in_dimension(law, 3).tail == law.tail
    assert in_dimension(law, 3).joints == law.joints
