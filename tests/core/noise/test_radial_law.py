"""The law of a radius: its definition integrated in steps, tails of cells, certain quantiles."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.noise import radial_law
from leeward.core.noise.radial_law import RadialLaw, pareto_radius, read_radius
from leeward.core.noise.tabulated import Floats
from tests.core.noise.radial import LAWS, defined, slope

SETTINGS = [
    (0.1, 0.5, 1),
    (0.1, 1.0, 2),
    (0.1, 8.0, 2),
    (0.1, 1.0, 8),
    (0.2, 4.0, 8),
    (0.1, 4.0, 24),
]
SHARES = np.array([0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.9999])

every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
every_setting = pytest.mark.parametrize(("alpha", "epsilon", "dimension"), SETTINGS)


def law_of(alpha: float, epsilon: float, dimension: int) -> RadialLaw:
    return slope(str(alpha), str(epsilon), dimension)[0]


def at_shares(radii: Floats, density: Floats) -> tuple[Floats, Floats]:
    """Radii and the shares below them."""
    steps = np.diff(radii) * (density[1:] + density[:-1]) / 2
    below = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.searchsorted(below, SHARES)
    return radii[at], below[at]


@every_setting
def test_shares_and_moments_are_those_of_the_definition(
    alpha: float, epsilon: float, dimension: int
) -> None:
    law, (radii, density) = law_of(alpha, epsilon, dimension), defined(alpha, epsilon, dimension)
    with precision(128):
        for radius, share in zip(*at_shares(radii, density), strict=True):
            below, above = (float(one) for one in law.tails(Fraction(radius)))
            assert below == pytest.approx(share, abs=1e-6)
            assert below + above == pytest.approx(1)
            seen = np.interp(radius, radii, density)
            assert float(law.density(Fraction(radius))) == pytest.approx(seen, rel=1e-5)
    mean = law.moment(1)
    assert mean == pytest.approx(np.trapezoid(density * radii, radii), rel=1e-4)
    other = law_of(alpha, epsilon * 1.1, dimension).moment(1)
    assert other != pytest.approx(mean, rel=1e-2)


@every_setting
def test_tails_of_a_cell_are_those_of_the_radius_times_a_share(
    alpha: float, epsilon: float, dimension: int
) -> None:
    """P(ρ·D > t) with P(D > x) = (1−x)^(p−1), summed over radii."""
    law, (radii, density) = law_of(alpha, epsilon, dimension), defined(alpha, epsilon, dimension)
    for reach in np.array([0.1, 0.5, 1.0, 3.0]) * (law.moment(1) or 1.0) / dimension:
        beyond = np.clip(1 - reach / radii, 0, None) ** (dimension - 1) * (radii > reach)
        with precision(128):
            seen = float(law.cell_tail(Fraction(reach)))
        assert seen == pytest.approx(np.trapezoid(density * beyond, radii), abs=1e-5)


@every_law
def test_each_integral_is_minus_the_derivative_of_the_next(law: RadialLaw) -> None:
    with precision(512):
        for at in (Fraction(1, 3), Fraction(29, 10), Fraction(20)):
            step = Fraction(1, 2**100)
            for order in range(1, min(law.dimension, 6) + 1):
                fall = law.falling(at - step, order) - law.falling(at + step, order)
                ratio = fall / ball(2 * step) / law.falling(at, order - 1)
                assert abs(ratio - 1) < arb(2) ** -60


@every_law
def test_the_dimension_of_the_integral_is_that_of_the_tail(law: RadialLaw) -> None:
    """A cell's tail at 0 is 1, and its slope there minus (p−1)·E(1/ρ)."""
    with precision(256):
        assert abs(law.cell_tail(Fraction(0)) - 1) < arb(2) ** -100
        if law.dimension > 1:
            step = Fraction(1, 2**80)
            slope_there = (1 - law.cell_tail(step)) / ball(step)
            lower = RadialLaw(law.dimension - 1, law.pieces)
            inverse = lower.falling(Fraction(0), law.dimension - 1) / law.falling(
                Fraction(0), law.dimension
            )
            assert abs(slope_there / inverse - 1) < arb(2) ** -40


@every_law
def test_moments_end_where_the_tail_does(law: RadialLaw) -> None:
    tail = law.tail
    assert tail is not None
    for order in (1, 2, 3, int(tail), int(tail) + 1):
        assert (law.moment(order) is None) == (tail <= order)


def test_pareto_has_its_closed_forms() -> None:
    """ρ/(1+ρ) ~ Beta(p, k): E ρ = p/(k−1), and each cell is two-sided Pareto."""
    law = pareto_radius(5, Fraction(7))
    assert law.moment(1) == pytest.approx(5 / 6)
    assert law.moment(2) == pytest.approx(5 * 6 / (6 * 5))
    with precision(128):
        assert float(law.cell_tail(Fraction(3, 2))) == pytest.approx(2.5**-7)


@every_law
def test_balls_of_quantiles_contain_all_that_is_left(law: RadialLaw) -> None:
    """Every radius of the interval, and hardly more."""
    for word in (1, 3, 2**20 + 7, 2**62 + 1, 2**63, 2**64 - 2**30, 2**64 - 3):
        for size in (64, 128):
            number = word << (size - 64)
            with precision(size + 96):
                low, high = (arb(number + i) * arb(2) ** -size for i in (0, 1))
                found = law.quantile_ball(low, high)
                least, most = Fraction(*_ends(found.lower())), Fraction(*_ends(found.upper()))
                below, above = law.tails(max(least, Fraction(0)))[0], law.tails(most)[0]
                assert below <= low
                assert above >= high
                assert above - below < 3 * (high - low)


@pytest.mark.parametrize("wrong", [Fraction(-1, 10**9), Fraction(1, 10**9)])
def test_a_search_that_ends_elsewhere_does_no_harm(
    wrong: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only ends that are certain are taken; a bad search costs precision."""
    law, near = LAWS["p 8"], radial_law._near

    def off(law: RadialLaw, share: arb, start: Fraction | None) -> Fraction:
        return near(law, share, start) * (1 + wrong)

    monkeypatch.setattr(radial_law, "_near", off)
    with precision(160):
        low, high = arb(1) / 4, arb(1) / 4 + arb(2) ** -64
        found = law.quantile_ball(low, high)
        least, most = Fraction(*_ends(found.lower())), Fraction(*_ends(found.upper()))
        assert law.tails(least)[0] <= low
        assert law.tails(most)[0] >= high
        assert found.rel_accuracy_bits() > 16


def _ends(point: arb) -> tuple[int, int]:
    mantissa, exponent = (int(one) for one in point.man_exp())
    return (mantissa << exponent, 1) if exponent >= 0 else (mantissa, 1 << -exponent)


@every_law
def test_the_first_and_the_last_interval_have_a_ball(law: RadialLaw) -> None:
    """They begin at 0, and have no end: both took for ever once."""
    with precision(160):
        unit = arb(2) ** -64
        first, last = law.quantile_ball(arb(0), unit), law.quantile_ball(1 - unit, arb(1))
        assert first.contains(0)
        assert first.is_finite()
        assert not last.is_finite()


@every_law
def test_what_is_stated_is_read(law: RadialLaw) -> None:
    again = read_radius(law.stated())
    assert again.dimension == law.dimension
    assert again.moment(1) == pytest.approx(law.moment(1), rel=1e-12)
    assert pickle.loads(pickle.dumps(law)) == law  # noqa: S301 (its own)


GOLDEN = [  # α, ε, p, E|cell|·ε/S, computed by two people with formulas of their own
    ("0.1", 1, 8, 1.229, 5e-4),
    ("0.1", 2, 8, 1.079, 5e-4),
    ("0.1", 4, 8, 1.023, 5e-4),
    ("0.05", 1, 8, 1.10, 5e-3),
    ("0.05", 2, 8, 1.04, 5e-3),
    ("0.2", 4, 8, 1.05, 5e-3),
    ("0.1", 4, 24, 1.06, 5e-3),
    ("0.05", 2, 24, 1.08, 5e-3),
]


@pytest.mark.parametrize(("alpha", "epsilon", "dimension", "error", "near"), GOLDEN)
def test_errors_are_those_that_were_computed_before(
    alpha: str, epsilon: int, dimension: int, error: float, near: float
) -> None:
    mean = slope(alpha, epsilon, dimension)[0].moment(1)
    assert mean is not None
    assert mean / dimension * epsilon == pytest.approx(error, abs=near)


@pytest.mark.parametrize(
    ("alpha", "epsilon", "size", "near"),
    [
        ("0.1", 4, 4.17, 5e-3),
        ("0.1", 2, 9.1, 0.05),
        ("0.05", 1, 18.7, 0.05),
        ("0.2", 4, 4.36, 5e-3),
    ],
)
def test_sizes_of_products_are_those_that_were_computed_before(
    alpha: str, epsilon: int, size: float, near: float
) -> None:
    assert slope(alpha, epsilon, 16)[0].moment(1) == pytest.approx(size, abs=near)
