"""Permute-and-flip: the drawn places have the probabilities that the auditor computes."""

from fractions import Fraction

import numpy as np
import pytest

from leeward.core.noise.exact_selection import SECRET, falls
from leeward.core.randomness import SecretBits
from leeward.lab.audit.row_exam import _by_coins
from tests.core.noise.goodness import FALSE_ALARM, p_value
from tests.core.noise.scripted import scripted_bits

RANKS, RATE, DRAWS = [4, 2, 7], Fraction(1, 2), 4000


def test_places_are_drawn_with_the_chances_of_coins() -> None:
    drawn = [SECRET.flipped(np.array(RANKS), RATE) for _ in range(DRAWS)]
    observed = np.bincount(drawn, minlength=len(RANKS))
    chances = np.array([float(one) for one in _by_coins(RANKS, RATE)])
    assert chances.sum() == pytest.approx(1)
    assert p_value(observed, chances) > FALSE_ALARM
    weights = np.exp(-float(RATE) * np.array(RANKS))
    assert p_value(observed, weights / weights.sum()) < FALSE_ALARM  # the exponential mechanism


def test_a_coin_is_decided_by_more_bits_where_the_first_do_not_suffice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """e^(−1) begins with these 64 bits; the next ones of U are all 0, or all 1."""
    first = (0x5E2D58D8B3BCDF1A).to_bytes(8, "little")
    for rest, below in ((b"\x00", True), (b"\xff", False)):
        scripted_bits(monkeypatch, first, rest)
        assert falls(Fraction(1), SecretBits()) is below
