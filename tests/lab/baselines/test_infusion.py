"""Noise infusion: its ramp, its sides, factors kept for ever, what it suppresses and flags."""

from dataclasses import replace
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
from scipy.stats import kstest

from leeward.core.codebook import Marginal
from leeward.core.codebook.cells import Floats
from leeward.core.errors import InvalidParameter
from leeward.lab.baselines.noise_infusion import Infusion, owners, suppressed
from leeward.lab.evaluate.benchmark import benchmarks
from tests.lab.evaluate.by_hand import Site, truth

FALSE_ALARM = 1e-6
DRAWS = 200_000
BOUNDS = [(0.10, 0.25), (0.05, 0.15), (0.01, 0.9)]


def below(distance: Floats, lower: float, upper: float) -> Floats:
    """The distribution function of |f − 1| for the ramp of mathematics/baselines.md 1."""
    share = np.clip((upper - distance) / (upper - lower), 0, 1)
    return np.asarray(1 - share**2)


@pytest.mark.parametrize(("lower", "upper"), BOUNDS)
def test_distances_from_one_follow_the_ramp(lower: float, upper: float) -> None:
    noise = Infusion(lower, upper)
    distance = np.abs(noise.factors(np.arange(DRAWS)) - 1)
    assert distance.min() >= lower * (1 - 1e-9)
    assert distance.max() <= upper * (1 + 1e-9)
    assert kstest(distance, lambda x: below(x, lower, upper)).pvalue > FALSE_ALARM
    # Known bad: an even spread, and the ramp turned round.
    assert kstest(distance, lambda x: (x - lower) / (upper - lower)).pvalue < FALSE_ALARM
    turned = lower + upper - distance
    assert kstest(turned, lambda x: below(x, lower, upper)).pvalue < FALSE_ALARM
    assert noise.mean_distortion == pytest.approx(lower + (upper - lower) / 3)
    error = distance.std() / sqrt(DRAWS)
    assert abs(distance.mean() - noise.mean_distortion) < 5 * error


def test_both_sides_are_equally_likely_and_shared_by_an_employer() -> None:
    employer = np.repeat(np.arange(DRAWS // 2), 2)
    up = (Infusion().factors(employer) > 1).reshape(-1, 2)
    assert (up[:, 0] == up[:, 1]).all()
    assert abs(up[:, 0].mean() - 0.5) < 5 * 0.5 / sqrt(DRAWS // 2)


def test_establishments_of_an_employer_have_factors_of_their_own() -> None:
    factors = Infusion().factors(np.zeros(1000, dtype=np.int64))
    assert np.unique(factors).size == 1000
    distance = np.abs(factors - 1)
    assert abs(np.corrcoef(distance[::2], distance[1::2])[0, 1]) < 0.25  # 5.6 standard errors


BIG = 10**9
FINE = truth([Site(n, (BIG + n, 2 * BIG), employer=n // 2) for n in range(8)])
COARSE = truth([Site(0, (3 * BIG + n,), employer=n // 2) for n in range(8)])
SITES = truth([Site(n, (3 * BIG + n,), employer=n // 2) for n in range(8)])


def test_a_factor_is_kept_for_every_table_of_a_world() -> None:
    noise = Infusion()
    for _ in range(20):
        factors = noise.factors(owners(one.entries for one in (FINE, COARSE, SITES)))
        fine, coarse, single = (
            noise.infused(one.entries, factors) for one in (FINE, COARSE, SITES)
        )
        implied = fine / FINE.counts
        assert implied[:, 0] == pytest.approx(factors, abs=1e-8)
        assert implied[:, 0] == pytest.approx(implied[:, 1], abs=1e-8)
        assert single[:, 0] / SITES.counts[:, 0] == pytest.approx(implied[:, 0], abs=1e-8)
        assert coarse[0, 0] == pytest.approx((implied[:, 0] * SITES.counts[:, 0]).sum(), abs=50)
        distance = np.abs(implied - 1)
        assert ((distance > 0.0999) & (distance < 0.2501)).all()
        assert ((implied[::2] > 1) == (implied[1::2] > 1)).all()


def test_another_world_has_other_factors() -> None:
    first, second = (Infusion().factors(np.arange(8)) for _ in range(2))
    assert not np.isclose(first, second).any()


def test_benchmarks_share_their_worlds_for_all_tables() -> None:
    """With one huge establishment a cell, the relative error of a cell is that of its factor."""
    tables = {Marginal("fine", (), ()): FINE, Marginal("sites", (), ()): SITES}
    held = benchmarks(tables, Infusion(), 3, lambda _: None)
    fine, single = (one.baseline.mean for one in held.values())
    assert fine.relative[0] == pytest.approx(single.relative[0], abs=1e-7)


def test_zeros_stay_zero() -> None:
    table = truth([Site(0, (0, 5)), Site(2, (9, 0), 3)], workplaces=4)
    for _ in range(50):
        strong = Infusion(0.5, 0.99)
        noisy = strong.infused(table.entries, strong.factors(np.arange(2)))
        assert (noisy[table.counts == 0] == 0).all()


SUPPRESSED = [
    ((), 0, False),
    (((1, 1),), 1, True),
    (((2, 1),), 2, True),
    (((3, 1),), 3, True),
    (((500, 1), (500, 2)), 1000, True),
    (((1, 1), (1, 2)), 2, True),
    (((1, 1), (1, 2), (1, 3)), 3, False),
    (((50, 1), (1, 2), (1, 3)), 52, False),
    (((5, 1), (5, 1), (5, 1)), 15, True),
    (((5, 1), (5, 1), (5, 2), (5, 3)), 20, False),
]


@pytest.mark.parametrize(("holdings", "jobs", "hidden"), SUPPRESSED)
def test_cells_of_one_or_two_persons_or_employers_are_suppressed(
    holdings: tuple[tuple[int, int], ...], jobs: int, hidden: bool
) -> None:
    sites = [Site(0, (count, 0), 7, employer=owner) for count, owner in holdings]
    table = truth([*sites, Site(1, (0, 4))])
    assert table.counts[0, 0] == jobs
    assert suppressed(table.counts, table.employers).tolist() == [[hidden, False], [False, True]]
    flags = Infusion().flags(table.counts, table.employers, table.counts)
    assert flags.tolist() == [[5 if hidden else 1, 1], [1, 5]]


def test_strong_distortion_is_flagged() -> None:
    table = truth([Site(0, (100, 20, 0), employer=n) for n in range(5)] + [Site(1, (4, 0, 0))])

    def flags(noise: Infusion, noisy: list[list[int]]) -> list[list[int]]:
        found: list[list[int]] = noise.flags(
            table.counts, table.employers, np.array(noisy)
        ).tolist()
        return found

    assert flags(Infusion(), [[575, 115, 0], [9, 0, 0]]) == [[1, 1, 1], [5, 1, 1]]
    noisy = [[576, 84, 1], [9, 0, 0]]
    assert flags(Infusion(), noisy) == [[9, 9, 9], [5, 1, 1]]
    assert flags(Infusion(distortion=0.2), noisy) == [[1, 1, 9], [5, 1, 1]]


BAD = [
    (0, 0.25, 0.1),
    (-0.1, 0.25, 0.1),
    (0.25, 0.25, 0.1),
    (0.3, 0.25, 0.1),
    (0.1, 1, 0.1),
    (0.1, float("nan"), 0.1),
    (float("nan"), 0.2, 0.1),
    (0.1, 0.25, 0),
]


@pytest.mark.parametrize("bounds", BAD)
def test_bad_bounds_are_refused(bounds: tuple[float, float, float]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        Infusion(*bounds)
    shown = ", ".join(f"{one:g}" for one in bounds)
    assert str(caught.value) == (
        "infusion: needs 0 < lower < upper < 1, and a distortion above 0 to flag; "
        f"got {shown}. Give for example --infusion 0.10 0.25."
    )


def test_numbers_that_no_table_has_stand_alone() -> None:
    first = truth([Site(0, (1,), employer=5), Site(0, (1,), employer=5)])
    held = owners([first.entries])
    assert held.tolist() == [5, 5]
    gap = replace(truth([Site(0, (1,), employer=5)]).entries, establishment=np.array([3]))
    held = owners([gap])
    assert held[3] == 5
    assert np.unique(held).size == 4
    assert all(a != b for a, b in pairwise(held.tolist()))
    assert owners([]).size == 0


def test_output_perturbation_draws_ones_and_twos_anew_and_nothing_else() -> None:
    noise, values = Infusion(), np.repeat(np.arange(6), 20_000)
    found = noise.perturbed(values)
    kept = (values == 0) | (values > 2)
    assert (found[kept] == values[kept]).all()
    # A true count of 3 becomes 2 if f < 5/6: half the square of (1/4 − 1/6)/(0.25 − 0.10).
    weights = np.array([1, 1 / 2, (1 / 12 / 0.15) ** 2 / 2 / 3])
    assert noise.posterior == pytest.approx(weights / weights.sum())
    for value in (1, 2):  # what was there before does not show
        drawn = np.bincount(found[values == value], minlength=4)[1:] / 20_000
        assert drawn == pytest.approx(noise.posterior, abs=0.02)
    sure = noise.perturbed(values, np.array([0.0, 1.0]))
    assert set(sure[(values > 0) & (values < 3)]) == {2}


@pytest.mark.parametrize("posterior", [[], [0.0, 0.0], [1.0, -0.5]])
def test_a_posterior_has_weights(posterior: list[float]) -> None:
    with pytest.raises(InvalidParameter, match="weight of 0 or more"):
        Infusion().perturbed(np.arange(3), np.array(posterior))


@pytest.mark.parametrize(("lower", "upper"), BOUNDS)
def test_the_distribution_of_factors_is_known(lower: float, upper: float) -> None:
    noise = Infusion(lower, upper)
    factors = noise.factors(np.arange(DRAWS))
    assert kstest(factors, noise.below).pvalue > FALSE_ALARM


def test_a_made_up_world_can_be_repeated() -> None:
    first, second = (
        Infusion().factors(np.arange(9), np.random.default_rng(1).random) for _ in range(2)
    )
    assert (first == second).all()
