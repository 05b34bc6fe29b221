"""The floor of the noise: a Δ above that of the guarantee, and every scale that follows from it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.error_margins import spend
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.slope import Slope

ALPHA, RAISED = Fraction(1, 10), Fraction(83, 20)
PARAMETERS = Parameters(ALPHA, Fraction(4), plus=2, least=RAISED)


def test_the_floor_is_never_below_plus() -> None:
    assert Parameters(ALPHA, Fraction(1), plus=5).least == 5
    assert Parameters(ALPHA, Fraction(1), plus=5, least=RAISED).least == 5
    assert replace(PARAMETERS, plus=1).least == RAISED


def test_it_is_among_the_constants_where_it_is_above_plus() -> None:
    assert PARAMETERS.constants(object).get("least") == "83/20"
    assert "least" not in replace(PARAMETERS, plus=5).constants(object)
    assert "least 83/20" in repr(PARAMETERS)
    assert "least" not in repr(replace(PARAMETERS, plus=5))


def test_small_establishments_get_the_noise_of_the_floor() -> None:
    slope = Slope.calibrated(PARAMETERS)
    assert slope.scale(0, 0) == RAISED / ALPHA
    assert slope.scale(100, 100) == 100
    assert slope.guarantee("strong").plus == 2


def test_the_bound_of_clipping_is_at_least_what_the_floor_asks_for() -> None:
    clipping = Clipped.calibrated(PARAMETERS).clipping
    theta = Fraction(clipping.theta_of(-1000), clipping.lattice)
    assert 0 <= theta - RAISED * 11 < Fraction(1, clipping.lattice)
    assert (
        clipping.grid.index(np.arange(42)).tolist() == [clipping.grid.exact_index(10 * RAISED)] * 42
    )


def test_margins_are_those_of_the_floor() -> None:
    rule = spend(Slope.calibrated(PARAMETERS), Fraction(1))
    assert rule.scale.grid.floor == RAISED / ALPHA
    assert rule.scale.parameters.least == RAISED
