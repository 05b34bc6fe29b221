"""Outputs that floating-point noise cannot reach."""

import numpy as np
import pytest

from leeward.core.randomness import SeededBits
from leeward.lab.attacks.floats import CountPair, attack, drawn, impossible, reachable


def test_what_one_output_rules_out() -> None:
    """Shares by 40,000 draws; 4,000 of them are within four standard errors."""
    found = attack(draws=4000)
    shares = [one["impossible"] for one in found.further["cases"]]
    assert found.number == shares[0]
    assert shares == pytest.approx([0.669, 0.627, 0.059, 0.072, 0.007], abs=0.03)
    assert shares[2:] == pytest.approx([0.059, 0.072, 0.007], abs=0.017)
    assert found.against_leeward.number == 0


@pytest.mark.parametrize(("true", "scale"), [(0, 1.0), (0, 10.0), (1000, 100.0), (100, 1.0)])
def test_every_output_is_reachable_from_its_own_count(true: int, scale: float) -> None:
    outputs = drawn(true, scale, 1000, SeededBits(3))
    assert reachable(outputs, true, scale).all()


def test_the_search_is_wide_enough() -> None:
    """All draws whose output can round to one number, found by trying every one near it."""
    k = 2.0**52 + np.arange(2000)
    comb = set((5 - np.log(k / 2.0**53)).tolist())
    middle = sorted(comb)[len(comb) // 4 : 3 * len(comb) // 4]
    every = np.arange(middle[0], middle[-1], np.spacing(middle[0]))
    assert reachable(every, 5, 1.0).tolist() == [one in comb for one in every.tolist()]


def test_equal_counts_rule_nothing_out() -> None:
    assert impossible(CountPair(7, 7, 1.0), 500) == 0
