"""Margins: what a margin of the true scale gives away, exactly; and what a bought one does."""

import numpy as np
import pytest

from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.scale import smallest
from leeward.lab.attacks.margins import attack, recovered
from leeward.lab.attacks.world import ECONOMY, made_up
from leeward.lab.economy import Economy
from leeward.lab.economy.establishments import build_frame


def largest() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The largest establishments of place × sector × ownership, without a database."""
    frame = build_frame(ECONOMY.stream(0), ECONOMY)
    cells = (frame.place.astype(np.int64) * 100 + frame.sector) * 100 + frame.ownership
    _, number = np.unique(cells, return_inverse=True)
    found = np.zeros(number.max() + 1, dtype=np.int64)
    np.maximum.at(found, number, frame.size)
    return found[found >= 10]


def test_margins_of_the_true_scale_are_undone() -> None:
    slope = mechanism("slope", alpha="0.1", epsilon="1")
    assert isinstance(slope, Additive)
    q = smallest(lambda z: float(slope.within(np.array([z]))[0]), COVERAGE)
    assert q == pytest.approx(0.239460, abs=1e-6)
    true = largest()
    assert true.size == 1002
    assert recovered(true, q, 1).exact == 1
    assert recovered(true, q, 0).exact == pytest.approx(0.244, abs=5e-4)
    assert recovered(true, q, 0).most_off == 4


def test_a_bought_margin_says_no_more_than_a_guess() -> None:
    with made_up(Economy(20_000, 1_000)) as world:
        found = attack(world, releases=40)
    assert found.number == 1
    # The scale is off by e^(±λJ/ε), Laplace: within ten per cent about once in ten.
    assert 0.06 < found.against_leeward.number < 0.16
    assert found.further["exact_against_leeward"] < 0.06
    assert 0 < found.against_nothing.number < 0.5
    assert not found.internal
