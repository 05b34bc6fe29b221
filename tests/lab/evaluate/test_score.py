"""Ranks and means of groups against SciPy and NumPy, ties and all."""

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from leeward.core.codebook.cells import Integers
from leeward.lab.evaluate.score import REACH, Ranks, Scorer, average_ranks, standard_error
from leeward.lab.evaluate.truth import FEWEST, NAMES, StratumGroups
from tests.lab.evaluate.by_hand import Site, truth

CELLS = 400


def made(seed: int) -> tuple[Integers, Integers, StratumGroups]:
    """Two columns with many ties, and three of the four strata."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 12, CELLS)
    right = left + rng.integers(-6, 7, CELLS)
    return left, right, StratumGroups.of(np.sort(rng.choice([0, 1, 3], CELLS, p=[0.1, 0.5, 0.4])))


@pytest.mark.parametrize("seed", range(2))
def test_equal_values_share_the_mean_of_their_ranks(seed: int) -> None:
    left, _, _ = made(seed)
    assert average_ranks(left).tolist() == rankdata(left).tolist()


@pytest.mark.parametrize("seed", range(2))
def test_correlations_are_spearmans(seed: int) -> None:
    left, right, groups = made(seed)
    found = Ranks.of(left, groups).correlation(Ranks.of(right, groups), groups)
    parts = [np.full(CELLS, True), *(groups.of_cell == one for one in (0, 1, 3))]
    wanted = [spearmanr(left[part], right[part]).statistic for part in parts]
    assert found == pytest.approx(wanted, abs=1e-12)
    assert len({round(one, 9) for one in wanted}) == 4


def test_equal_values_of_two_strata_are_ranked_apart() -> None:
    """The largest of one stratum is the smallest of the next."""
    groups = StratumGroups(np.array([0, 0, 0, 0, 1, 1, 1, 1]), (0, 1))
    left, right = np.array([1, 2, 5, 5, 5, 5, 7, 9]), np.array([4, 1, 2, 3, 8, 1, 9, 7])
    found = Ranks.of(left, groups).correlation(Ranks.of(right, groups), groups)
    wanted = [spearmanr(left[part], right[part]).statistic for part in (slice(4), slice(4, 8))]
    assert found[1:] == pytest.approx(wanted, abs=1e-12)


def test_without_variation_there_is_no_correlation() -> None:
    left, right, groups = made(0)
    left[groups.of_cell == 3] = 5
    found = Ranks.of(left, groups).correlation(Ranks.of(right, groups), groups)
    assert np.isnan(found).tolist() == [False, False, False, True]


def test_groups_are_all_cells_and_the_strata_that_have_any() -> None:
    values, _, groups = made(1)
    assert groups.names == ("all", NAMES[0], NAMES[1], NAMES[3])
    parts = [np.full(CELLS, True), *(groups.of_cell == one for one in (0, 1, 3))]
    assert groups.cells.tolist() == [part.sum() for part in parts]
    column = values.astype(np.float64)
    assert groups.means(column) == pytest.approx([column[part].mean() for part in parts])
    some = column > 4
    wanted = [column[part & some].mean() for part in parts]
    assert groups.means(column, some) == pytest.approx(wanted)


def test_a_mean_over_no_cells_is_none() -> None:
    values, _, groups = made(1)
    found = groups.means(values.astype(np.float64), groups.of_cell != 1)
    assert np.isnan(found).tolist() == [False, False, True, False]


def test_fewer_cells_keep_the_groups_in_their_places() -> None:
    values, _, groups = made(1)
    kept = groups.of_cell != 1
    fewer = groups.among(groups.of_cell[kept])
    assert fewer.names == groups.names
    found = fewer.means(values[kept].astype(np.float64))
    wanted = [values[kept].mean(), values[groups.of_cell == 0].mean(), np.nan]
    assert found == pytest.approx([*wanted, values[groups.of_cell == 3].mean()], nan_ok=True)


def test_a_stratum_of_few_cells_is_part_of_all_cells_only() -> None:
    groups = StratumGroups.of(np.array([0] * (FEWEST - 1) + [2] * FEWEST))
    assert groups.names == ("all", NAMES[2])
    assert groups.sums(np.ones(2 * FEWEST - 1)).tolist() == [2 * FEWEST - 1, FEWEST]


def test_the_measures_of_a_trial_are_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leeward.lab.evaluate.truth.FEWEST", 1)
    counts = [(0, 10), (100, 40), (7, 1)]
    table = truth([Site(n, one) for n, one in enumerate(counts)], strata=(0, 2, 2))
    published = np.array([[True, False], [True, True], [False, True]])
    today = np.array([[0, 12], [110, 35], [6, 1]])
    scorer = Scorer.of(table, published, today)
    trial = scorer.trial(np.array([[-2, 10], [105, 43], [7, 2]]))
    assert trial.absolute == pytest.approx([11 / 6, 1, 9 / 4])
    assert trial.where_published == pytest.approx([11 / 4, 2, 3])
    assert trial.signed == pytest.approx([7 / 6, -1, 9 / 4])
    assert trial.relative == pytest.approx([(2 + 0.05 + 0.075 + 1) / 6, 1, 1.125 / 4])
    assert trial.negative == pytest.approx([1 / 6, 1 / 2, 0])
    assert trial.near == pytest.approx([3 / 6, 1 / 2, 2 / 4])
    released, true = [-2, 10, 105, 43, 7, 2], [0, 10, 100, 40, 7, 1]
    assert trial.spearman[0] == pytest.approx(spearmanr(released, true).statistic)
    infused = [0, 12, 110, 35, 6, 1]
    assert trial.spearman_today[0] == pytest.approx(spearmanr(released, infused).statistic)


def test_the_standard_error_is_that_of_the_mean() -> None:
    rows = [np.array([1.0, 5.0]), np.array([2.0, 5.0]), np.array([6.0, 5.0])]
    wanted = np.std([1.0, 2.0, 6.0], ddof=1) / np.sqrt(3)
    assert standard_error(rows) == pytest.approx([wanted, 0])
    assert np.isnan(standard_error(rows[:1])).all()


@pytest.mark.parametrize("far", [0, 700])
def test_counted_ranks_are_sorted_ranks(far: int) -> None:
    bits = np.random.default_rng(5)
    values = bits.integers(-300, 40_000, size=3 * REACH) // 7
    values[:far] *= 10**9
    values[far : 2 * far] = -values[far : 2 * far] * 10**6 - REACH
    values[:3] = (REACH, REACH - 1, -REACH)
    assert np.array_equal(average_ranks(values), rankdata(values))
