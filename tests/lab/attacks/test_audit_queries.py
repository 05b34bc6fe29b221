"""Exact sums that fix secrets, and denials that disclose."""

import sys

import pytest

from leeward.core.errors import BadFile
from leeward.lab.attacks.audit_queries import (
    EXAMPLE,
    ExactSums,
    attack,
    by_brute_force,
    by_linear_algebra,
    by_solver,
    denied,
)


def test_three_sums_fix_four_bits_and_noisy_ones_none() -> None:
    pytest.importorskip("ortools")
    found = attack(draws=200, most=10, seconds=1.0)
    assert found.number == 1
    assert found.further["determined"] == [1, 0, 0, 1]
    assert found.further["linear_algebra"] == [None] * 4
    assert found.against_leeward.number == 0
    assert found.further["guesses_right"] < 0.731


def test_the_solver_finds_what_brute_force_does() -> None:
    pytest.importorskip("ortools")
    for seed in range(12):
        sums = ExactSums.drawn(8, 4, seed)
        assert by_solver(sums) == by_brute_force(sums)


def test_linear_algebra_finds_single_people() -> None:
    sums = ExactSums.of([[1, 1, 0], [1, 1, 1]], [1, 0, 1])
    assert by_linear_algebra(sums) == by_brute_force(sums) == (None, None, 1)
    assert by_brute_force(EXAMPLE) == (1, 0, 0, 1)


def test_a_denial_discloses() -> None:
    refused = denied(9)
    assert {c for _, _, c in refused} == {5}
    assert len(refused) == 25


def test_without_the_solver_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    with pytest.raises(BadFile, match=r"need the package ortools.*\[attacks\]"):
        by_solver(EXAMPLE)
