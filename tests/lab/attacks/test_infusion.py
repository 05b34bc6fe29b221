"""Infusion: factors that are kept for ever are undone by one number, by ratios and by integers."""

import numpy as np
import pytest

from leeward.core.randomness import SeededBits
from leeward.lab.attacks.infusion import BY, against_leeward, attack, one_total, withheld
from leeward.lab.attacks.lone_cells import Alone, _likely, _only_factor, fitted, judged
from leeward.lab.attacks.world import AttackedWorld
from leeward.lab.baselines.noise_infusion import Infusion


def test_the_economy_of_the_laboratory_is_undone(laboratory: AttackedWorld) -> None:
    marginal = laboratory.marginal(BY)
    truth = laboratory.truth(marginal)
    alone = Alone.of(truth)
    assert alone.counts.shape == (340, 8)
    known = one_total(alone, 10, SeededBits(1))
    assert known["unrounded"] == 1
    assert known["rounded"] == pytest.approx(0.945, abs=0.008)
    assert known["with_sums"] == pytest.approx(0.973, abs=0.008)
    assert known["whole_establishments"] == pytest.approx(0.896, abs=0.02)
    assert known["furthest"] == 1
    assert known["output_perturbed"] < known["rounded"] - 0.1
    nothing = judged(alone, [fitted(alone.shape * alone.sizes[:, None], alone.sizes)], alone.shape)
    assert nothing.exact == pytest.approx(0.292, abs=5e-4)
    assert nothing.exact_large == pytest.approx(0.082, abs=5e-4)
    for epsilon, exact in (("1", 0.270), ("4", 0.584)):
        assert against_leeward(alone, "0.1", epsilon, 2).exact == pytest.approx(exact, abs=0.05)
    hidden = withheld(marginal, truth)
    assert hidden["share"] == pytest.approx(0.408, abs=5e-4)
    assert hidden["returned"] == pytest.approx(0.297, abs=5e-4)
    assert (hidden["single"], hidden["single_returned"]) == (340, 115)


def test_whole_numbers_add_up_to_the_total() -> None:
    estimates = np.array([[0.4, 0.4, 0.4], [1.6, 1.6, 2.8], [2.0, 0.0, 7.0]])
    found = fitted(estimates, np.array([1, 5, 9]))
    assert found.sum(axis=1).tolist() == [1, 5, 9]
    assert (np.abs(found - estimates) < 1).all()


def test_one_factor_alone_makes_cells_whole() -> None:
    noise = Infusion()
    assert _only_factor(np.array([3, 7, 20]) * 1.2, noise, 1.2)
    # All cells even: two thirds of the factor fits as well.
    assert not _only_factor(np.array([2, 8, 20]) * 1.2, noise, 1.2)


def test_what_a_factor_makes_likely_is_a_sum_over_counts() -> None:
    low, high = np.array([0.8, 1.2]), np.array([0.8 + 1e-9, 1.2 + 1e-9])
    # At 0.8 eight and nine jobs are seen as 6 and 7, so 6 is seen of 7 and 8; at 1.2 never 3.
    assert _likely(np.array([[6.0]]), low, high)[0, 0] == pytest.approx(1 / 7 + 1 / 8)
    assert _likely(np.array([[3.0]]), low, high)[0, 1] < 1e-100


def test_the_finding_has_a_number_for_each_way(village: AttackedWorld) -> None:
    found = attack(village, worlds=3, releases=2, epsilon="2")
    assert found.number == 1
    assert found.further["exact_share"] == found.further["one_total"]["with_sums"]
    assert set(found.further["leeward"]) == {"1", "2", "4"}
    assert found.against_leeward.number == found.further["leeward"]["2"]["exact"]
    rows = found.further["integrality"]
    assert rows["exact"] == rows["rows"] > 0
    left = [one["support_left"] for one in found.further["integrality_rounded"]]
    assert left == sorted(left, reverse=True)
    assert left[0] > 0.3
    assert left[-1] < 0.05
    assert 0.65 < found.further["known_quarter"]["exact"] < 0.9
    (plot, _), remarks = found.pictures, " ".join(found.remarks)
    assert "recovered" not in found.further["one_total"]
    theirs = plot.series[1].points  # type: ignore[union-attr]
    assert max(abs(x - y) for x, y in theirs) <= 1
    assert "Ours leaks too" in remarks
