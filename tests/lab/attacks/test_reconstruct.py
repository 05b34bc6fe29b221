"""Secret bits from noisy counts: the formula, the simulation, and the bound of 4E."""

from typing import Any

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.lab.attacks import reconstruct
from leeward.lab.attacks.reconstruct import (
    Exhaustive,
    attack,
    expected,
    linear_program,
    released,
    simulated,
)


@pytest.mark.parametrize(
    ("times", "shares"), [(4, (0.890, 0.730, 0.620)), (16, (0.997, 0.915, 0.753))]
)
def test_the_formula(times: int, shares: tuple[float, ...]) -> None:
    assert [round(expected(noise, times), 3) for noise in (0.25, 0.5, 1)] == list(shares)


def test_the_simulation_agrees_with_the_formula() -> None:
    """Shares of 200 bits; the seed is fixed."""
    found = simulated(200, (0.25, 1.0), (4, 8), seed=1)
    for (noise, times), share in found.items():
        assert share == pytest.approx(expected(noise, times), abs=0.1)


def test_all_subset_counts_leave_at_most_4e_wrong_bits_and_may_leave_as_many() -> None:
    for error in (1, 2):
        small = Exhaustive.of(9, error)
        assert small.by_chance <= small.worst == min(small.bound, 8)


def test_counts_that_share_one_epsilon_tell_little() -> None:
    """800 guesses of a coin are within five standard errors of one half."""
    assert 0.41 < released("1", 4, 4) < 0.59


def test_a_linear_program_finds_bits_without_noise() -> None:
    pytest.importorskip("ortools")
    secret = np.array([1, 0, 0, 1, 1, 0])
    asked = np.vstack([np.eye(6), np.ones((1, 6))])
    found = linear_program(asked, asked @ secret)
    assert found is not None
    assert np.rint(found).tolist() == secret.tolist()


def test_the_finding_without_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconstruct, "linear_program", lambda *_: None)
    found = attack(bits=100, times=8, trials=1, few=6)
    assert found.number > 0.9
    assert found.against_leeward.number < 0.731
    assert found.further["linear_program"] is None
    assert "OR-Tools" in found.remarks[-1]


@pytest.mark.parametrize("given", [{"few": 30}, {"times": 1}, {"noise": 0.0}, {"trials": 0}])
def test_a_parameter_out_of_range_is_refused(given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(InvalidParameter, match=f"{name}: must be from"):
        attack(**given)
