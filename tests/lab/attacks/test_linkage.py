"""Linkage: who is alone, who is found by scores, and files that are k-anonymous or a sample."""

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.randomness import SeededBits
from leeward.lab.attacks.k_anonymity import just_a_sample, merged
from leeward.lab.attacks.linkage import (
    ALL,
    AREAS,
    KNOWN,
    SparseHistories,
    _stands_out,
    alone_in,
    attack,
    towns,
    uniqueness,
)
from leeward.lab.attacks.world import WORKPLACE, AttackedWorld


def test_who_is_alone_in_the_economy_of_the_laboratory(laboratory: AttackedWorld) -> None:
    table = laboratory.marginal((*WORKPLACE, *KNOWN))
    steps = dict(uniqueness(table, laboratory.truth(table)))
    assert steps["and education"] == 0.14014
    assert steps[ALL] == 0.41452
    shares = list(steps.values())
    assert shares == sorted(shares)


def test_births_by_the_closed_form_and_drawn() -> None:
    shares = [alone_in(people) for people in AREAS]
    assert shares == pytest.approx([0.916, 0.839, 0.591, 0.173], abs=5e-4)
    found = towns(SeededBits(1))
    assert found["drawn"] == pytest.approx(found["closed_form"], abs=0.004)


def test_rare_items_near_the_day_weigh_most() -> None:
    held = SparseHistories(
        np.array([0, 1, 2, 0]), np.array([0, 0, 0, 1]), np.array([10, 50, 10, 9])
    )
    score = held.score(np.array([0, 1]), np.array([10, 9]))
    assert score[0] > score[2] > score[1] > score[3] == 0
    assert score[0] - score[2] == pytest.approx(1 / np.log(3))
    assert score[1] / score[2] == pytest.approx(np.exp(-40 / 30))
    assert _stands_out(np.array([0, 1.0, 1.1, 0.9, 1.0, 9.0])) is None  # within six deviations
    assert _stands_out(np.array([*[1.0] * 99, 9.0])) == 99


def test_neighbours_are_merged_until_they_are_k() -> None:
    kinds = np.array([[1, 0], [1, 1], [4, 0], [0, 2], [1, 0]])
    assert merged(kinds, 3).tolist() == [[2, 1], [4, 0], [1, 2]]
    # What is left over joins the last group.
    assert merged(kinds, 4).tolist() == [[7, 3]]


def test_a_sample_by_hand() -> None:
    # One kind of one job and one of two: seen once with 1/2, and with 2·1/2·1/2.
    found = just_a_sample(np.array([1, 2, 0]), 0.5)
    assert found == {"unique_in_sample": pytest.approx(1 / 1.5), "also_in_population": 0.5}


def test_the_finding(village: AttackedWorld) -> None:
    found = attack(village, targets=40)
    with pytest.raises(InvalidParameter, match="k, sample, targets"):
        attack(village, k=1)
    assert found.number == found.further["uniqueness"][ALL] > 0.3
    assert found.against_leeward.number == 0
    assert found.against_nothing.number == 1 / 20_000
    scored = found.further["histories"]
    assert scored[-1]["identified"] > 0.9
    assert scored[0]["identified"] < 0.5
    assert max(one["matched_if_absent"] for one in scored) < 0.2
    anonymous = found.further["k_anonymity"]
    assert 0 < anonymous["one_file_tells"] < anonymous["two_files_tell"]
    assert anonymous["same_secret"] > 0
