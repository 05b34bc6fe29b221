"""Differencing: exact tables give the leaver away, noisy ones by their ε."""

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.lab.attacks.differencing import Leavers, attack
from leeward.lab.attacks.world import made_up
from leeward.lab.economy import Economy


def test_a_leaver_is_as_likely_as_the_staff_has_it() -> None:
    people = Leavers.everybody(np.array([[30, 0, 10]]), np.array([40]), times=2)
    assert people.kind.tolist() == [0, 2, 0, 2]
    assert people.weights.tolist() == [0.75, 0.25, 0.75, 0.25]
    assert ((people.before - people.after).sum(axis=1) == 1).all()
    assert people.found(people.before, people.after) == 1
    assert people.found(people.after, people.before) == 0  # the other way round another is most


def test_the_finding_says_where_ours_leaks_too() -> None:
    with made_up(Economy(20_000, 1_000)) as world:
        found = attack(world, times=10)
        with pytest.raises(InvalidParameter, match="least: must leave"):
            attack(world, least=10**6)
    assert found.number == 1
    ours = found.further["by_epsilon"]
    assert ours["1"] == pytest.approx(0.13, abs=0.04)  # of eight cells, chance finds .125
    assert ours["8"] == pytest.approx(0.34, abs=0.08)
    assert ours["1"] < found.against_nothing.number < 0.4
    assert ("Ours leaks too" in found.remarks[0]) == (ours["8"] > found.against_nothing.number)
    exact, noisy, _ = found.pictures
    assert sorted(row.value for row in exact.rows) == [0] * 7 + [1]  # type: ignore[union-attr]
    assert sum(row.value > 0 for row in noisy.rows) > 1  # type: ignore[union-attr]
