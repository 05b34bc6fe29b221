"""Regressions without a guarantee: lines by hand, what one point does, MOSE, and its attack."""

from math import inf, nan, sqrt

import numpy as np
import pytest
from scipy.stats import kstest, laplace, linregress, norm

from leeward.core.errors import InvalidParameter
from leeward.core.randomness import SeededBits
from leeward.systems.regress.mose import (
    NO_LINE,
    OK,
    WITHHELD,
    Envelope,
    Global,
    Law,
    LocalSensitivity,
    Mose,
    Suppression,
    UpperBound,
    prepared,
    recovered,
    standard_noise,
    winsorised,
)
from leeward.systems.regress.scatter import SLOPE, Estimand, ScaledPoints, prediction

P25 = prediction(0.25)
ESTIMANDS = [P25, prediction(1.0), SLOPE]
FALSE_ALARM = 1e-6


def scatter(*points: tuple[float, float]) -> ScaledPoints:
    x, y = np.array(points, dtype=float).reshape(-1, 2).T
    return ScaledPoints(x, y)


def made_up(people: int, seed: int) -> ScaledPoints:
    draw = SeededBits(seed).generator
    x = draw.random(people)
    return ScaledPoints(x, np.clip(0.3 + 0.3 * x + 0.2 * draw.standard_normal(people), 0, 1))


STEPS = scatter((0, 0), (0.5, 0.25), (1, 0.5), (0.5, 0.65))
"""Mean x ½ and y .35, S = ½: slope ½, height ¼ above the line's start at .1."""


def test_a_line_by_hand_and_by_scipy() -> None:
    assert STEPS.fit.estimate(SLOPE) == pytest.approx(0.5)
    assert STEPS.fit.estimate(P25) == pytest.approx(0.225)
    # residuals −.1, −.1, −.1, .3: variance .12/2
    assert STEPS.fit.standard_error(SLOPE) == pytest.approx(sqrt(0.06 / 0.5))
    assert STEPS.fit.standard_error(P25) == pytest.approx(sqrt(0.06 * (1 / 4 + 0.0625 / 0.5)))
    cell = made_up(40, 1)
    known = linregress(cell.x, cell.y)
    assert cell.fit.slope == pytest.approx(known.slope)
    assert cell.fit.standard_error(SLOPE) == pytest.approx(known.stderr)
    assert cell.fit.standard_error(prediction(0)) == pytest.approx(known.intercept_stderr)


def changes(cell: ScaledPoints, of: Estimand, points: np.ndarray) -> list[float]:
    """By fitting anew with each point."""
    before = cell.fit.estimate(of)
    grown = (ScaledPoints(np.append(cell.x, a), np.append(cell.y, b)) for a, b in points)
    return [one.fit.estimate(of) - before for one in grown]


@pytest.mark.parametrize("of", ESTIMANDS, ids=lambda of: of.name)
def test_sensitivities_are_those_of_fitting_anew(of: Estimand) -> None:
    corners = np.array([(0, 0), (0, 1), (1, 0), (1, 1)])
    grid = np.array([(a, b) for a in np.linspace(0, 1, 201) for b in (0, 0.5, 1)])
    for seed in range(3):
        cell = made_up(12, seed)
        assert cell.corner_sensitivity(of) == pytest.approx(
            np.abs(changes(cell, of, corners)).max()
        )
        removed = [
            ScaledPoints(np.delete(cell.x, at), np.delete(cell.y, at)).fit.estimate(of)
            for at in range(12)
        ]
        found = max(
            np.abs(changes(cell, of, grid)).max(),
            np.abs(np.array(removed) - cell.fit.estimate(of)).max(),
        )
        assert cell.local_sensitivity(of) == pytest.approx(found, rel=1e-3)
        assert cell.local_sensitivity(of) >= found * (1 - 1e-12)


def test_a_removal_beats_the_corners() -> None:
    """Two people close together and one far away: without her the line is steep."""
    cell = scatter((0.5, 0.0), (0.6, 1.0), (1.0, 0.5))
    assert cell.fit.slope == pytest.approx(5 / 14)  # S = .14, Σ(x−x̄)(y−ȳ) = .05
    assert scatter((0.5, 0.0), (0.6, 1.0)).fit.slope == pytest.approx(10)
    assert cell.local_sensitivity(SLOPE) == pytest.approx(10 - 5 / 14)
    assert cell.corner_sensitivity(SLOPE) < 1
    alone = scatter((0.5, 0.1), (0.5, 0.3), (0.9, 0.9))
    assert alone.local_sensitivity(SLOPE) == inf
    assert np.isfinite(alone.corner_sensitivity(SLOPE))


def test_a_point_inside_beats_the_corners() -> None:
    """At the rank in question, with all others close to it: far corners turn the line about it."""
    cell = scatter((0.2, 0.0), (0.25, 0.0), (0.3, 0.0))
    ((inside,),) = [changes(cell, P25, np.array([(0.25, 1.0)]))]
    assert inside == pytest.approx(0.25)
    assert cell.corner_sensitivity(P25) < 0.1
    assert cell.local_sensitivity(P25) >= inside


@pytest.mark.parametrize("of", ESTIMANDS, ids=lambda of: of.name)
def test_the_bound_holds_whatever_y_is(of: Estimand) -> None:
    draw = SeededBits(5).generator
    for people in (2, 5, 60):
        x = draw.random(people)
        every = [ScaledPoints(x, draw.integers(0, 2, people).astype(float)) for _ in range(20)]
        bound = every[0].fit.envelope_bound(of, 1.0)
        assert max(people * one.corner_sensitivity(of) for one in every) <= bound
        assert every[0].winsorised(0.2, 0.7).fit.envelope_bound(of, 0.5) == pytest.approx(bound / 2)


def test_leverage_times_range_is_no_bound() -> None:
    """Proof, 4: an added person meets the line beyond the range of y."""
    x = np.linspace(0, 1, 600)
    cell = ScaledPoints(x, (x > 1 / 3).astype(float))
    leverage = 1 / 600 + (1 - cell.fit.mean) ** 2 / cell.fit.spread
    assert cell.corner_sensitivity(prediction(1)) > 1.3 * leverage
    assert 600 * cell.corner_sensitivity(prediction(1)) < cell.fit.envelope_bound(prediction(1), 1)


CELLS = {"a": made_up(30, 1), "b": made_up(60, 2), "c": made_up(10, 3), "d": scatter((0.5, 0.5))}


def test_chi_is_the_largest_of_a_group() -> None:
    own = {name: one.fit.count * one.corner_sensitivity(SLOPE) for name, one in CELLS.items()}
    best = max("abc", key=own.__getitem__)
    assert Mose().envelopes(CELLS, SLOPE) == {"": Envelope(own[best], best)}
    grouped = Mose({"a": "s", "b": "s", "c": "t", "d": "t"})
    found = grouped.envelopes(CELLS, SLOPE)
    assert found["s"].chi == max(own["a"], own["b"])
    assert found["t"] == Envelope(own["c"], "c")
    assert grouped.sensitivities(CELLS, SLOPE)[1] == pytest.approx(found["s"].chi / 60)
    upper = UpperBound().envelopes(CELLS, SLOPE)[""].chi
    assert upper > own[best]
    with pytest.raises(InvalidParameter, match="groups: must name the group of every cell"):
        Mose({"a": "s"}).envelopes(CELLS, SLOPE)


def test_what_each_method_would_publish() -> None:
    omega = np.array([1.0, -2.0, 0.5, 1.0])
    of_count = np.array([3.0, -1.0, 2.0, 1.0])
    true = np.array([CELLS[name].fit.estimate(P25) for name in "abc"])
    chi = Mose().envelopes(CELLS, P25)[""].chi
    mose = prepared(Mose(), CELLS, P25).released(8, omega, of_count)
    scale = sqrt(2) * chi / (8 * np.array([30, 60, 10]))
    assert mose.estimate[:3] == pytest.approx(true + scale * omega[:3])
    errors = np.array([CELLS[name].fit.standard_error(P25) for name in "abc"])
    assert mose.se[:3] == pytest.approx(np.sqrt(errors**2 + scale**2))
    assert mose.count == pytest.approx(np.array([30, 60, 10, 1]) + sqrt(2) / 8 * of_count)
    assert mose.status == (OK, OK, OK, NO_LINE)
    assert np.isnan([mose.estimate[3], mose.se[3]]).all()

    withheld = prepared(Suppression(20), CELLS, P25).released(8, omega, of_count)
    assert withheld.status == (OK, OK, WITHHELD, WITHHELD)
    assert withheld.estimate[:2].tolist() == true[:2].tolist()
    assert withheld.count.tolist() == pytest.approx([30, 60, nan, nan], nan_ok=True)
    assert np.isnan(withheld.estimate[2:]).all()

    assert prepared(Global(), CELLS, SLOPE).sensitivity.tolist() == [2] * 4
    secret = prepared(LocalSensitivity(stated=False), CELLS, P25).released(8, omega, of_count)
    told = prepared(LocalSensitivity(), CELLS, P25).released(8, omega, of_count)
    assert np.isnan(secret.se).all()
    assert (told.se[:3] > errors).all()
    assert secret.estimate == pytest.approx(told.estimate, nan_ok=True)
    with pytest.raises(InvalidParameter, match="epsilon: must be greater than 0"):
        prepared(Mose(), CELLS, P25).release(0)


def test_a_shared_draw_is_undone_and_two_draws_are_not() -> None:
    cells = {str(one): made_up(20 + one, one) for one in range(200)}
    ready = prepared(Mose(), cells, P25)
    chi = Mose().envelopes(cells, P25)[""].chi
    omega = standard_noise("normal", (200,))
    shared = recovered(ready.released(8, omega, omega), chi)
    assert np.mean(np.abs(shared - ready.estimate) < 1e-9) > 0.9  # as published
    apart = ready.release(8)
    assert np.mean(np.abs(recovered(apart, chi) - ready.estimate) < 1e-9) < 0.05
    still = np.abs(recovered(apart, chi) - ready.estimate).mean()
    assert still > np.abs(apart.estimate - ready.estimate).mean()  # it makes things worse


@pytest.mark.parametrize(
    ("law", "known"), [("normal", norm()), ("laplace", laplace(0, 1 / sqrt(2)))]
)
def test_noise_has_variance_one(law: Law, known: object) -> None:
    drawn = standard_noise(law, (2, 50_000)).ravel()
    assert kstest(drawn, known.cdf).pvalue > FALSE_ALARM  # type: ignore[attr-defined]
    assert kstest(1.3 * drawn, known.cdf).pvalue < FALSE_ALARM  # type: ignore[attr-defined]


def test_winsorising_comes_first() -> None:
    cells = {"a": scatter((0.1, 0), (0.5, 0.5), (0.9, 1)), "b": scatter((0.2, 0.25), (0.8, 0.75))}
    moved = winsorised(cells, 0.25, 0.75)
    assert moved["a"].y.tolist() == [0.25, 0.5, 0.75]
    assert (moved["a"].low, moved["a"].high) == (0.25, 0.75)
    assert moved["a"].corner_sensitivity(SLOPE) < cells["a"].corner_sensitivity(SLOPE)
    with pytest.raises(InvalidParameter, match="winsor: must be two quantiles"):
        winsorised(cells, 0.9, 0.1)


def test_values_outside_are_refused_without_showing_them() -> None:
    with pytest.raises(InvalidParameter, match=r"x, y: .* got other arrays \(not shown\)") as told:
        scatter((0.5, 1.25))
    assert "1.25" not in str(told.value)
    with pytest.raises(InvalidParameter, match="rank: must be a share from 0 to 1; got 25"):
        prediction(25)
