"""A block of seven people and the table that gives them away."""

import numpy as np
import pytest

from leeward.lab.attacks.block import (
    TABLE,
    Guess,
    _share_of_truth,
    attack,
    blocks_of,
    counted_histograms,
    solutions,
)

SEVEN = ["8FBS", "18MWS", "24FWS", "30MWM", "36FBM", "66FBM", "84MBM"]


def test_the_table_has_one_solution_and_a_release_none() -> None:
    found = attack(draws=200)
    assert found.number == 1
    assert found.further["solutions"] == [SEVEN]
    assert found.further["without"] == {
        "1A": 1, "2A": 1, "2B": 1, "2C": 1, "2D": 1, "3B": 64, "4A": 2
    }  # fmt: skip
    assert found.further["steps"] == {"1A to 2D": 192, "and 3B": 2, "and 4A": 1}
    assert found.against_leeward.number < 0.01
    assert found.against_nothing.number == 1 / 3432
    assert "30 combinations from age 1 on (31 with age 0, 29 if all differ)" in found.remarks[-1]


def test_the_counts_alone_leave_almost_everything_open() -> None:
    left = counted_histograms()
    assert len(left) == 11
    assert f"{sum(map(blocks_of, left)):.2e}" == "8.99e+14"


def test_a_large_epsilon_on_seven_people_leaks() -> None:
    """24.8 % by 3,000 draws; 600 of them are within five standard errors."""
    (block,) = solutions(TABLE)
    guess = Guess.of(block, "4", "0.1", 600)
    assert guess.right == pytest.approx(0.25, abs=0.09)
    assert 0 < guess.exact < guess.possible


def test_ties_between_likely_histograms_are_shared() -> None:
    """One person too many, in a block with six occupied cells: any of them may be the one."""
    true = np.array([2, 1, 0, 1, 1, 0, 1, 1])
    assert _share_of_truth(true, true) == 1
    assert _share_of_truth(true + np.eye(8, dtype=np.int64)[0], true) == pytest.approx(1 / 6)
