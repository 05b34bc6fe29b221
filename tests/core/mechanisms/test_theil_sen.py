"""Medians of pairs: predictions and ranks by hand, exact probabilities over all neighbours."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import exp

import numpy as np
import pytest
from flint import arb

from leeward.core.exact import dyadic_down, precision
from leeward.core.mechanisms.theil_sen import TheilSen
from leeward.core.noise.exact_selection import SECRET, below, choose
from leeward.core.noise.tabulated import Floats
from leeward.core.randomness import SecretBits
from leeward.lab.audit.regression_exam import RecordingSelection
from tests.core.noise.goodness import FALSE_ALARM, p_value
from tests.core.noise.scripted import scripted_bits

MADE = TheilSen.calibrated("2")
COARSE = replace(MADE, lattice=2)
"""The grid −2…2; the places of prediction are −1 and 1."""


def asked(made: TheilSen, rows: list[tuple[int, int]]) -> RecordingSelection:
    selection = RecordingSelection(range(len(rows)))
    u, v = np.array(rows).T
    made._release(u, v, len(rows), selection)
    return selection


def test_predictions_of_pairs_are_rounded_moved_and_upright_ones_are_middles() -> None:
    rows = [(-1000, -500), (1000, 500), (0, 0), (1, 3), (7, -4), (7, -1), (900, 900)]
    selection = asked(MADE, rows)
    for (ranks, _), predicted in zip(
        selection.asked, ([-250, -1000, -2], [250, 1000, -2]), strict=True
    ):
        places = np.arange(-1000, 1001)
        held = np.array(predicted)
        wanted = [max(int((held < g).sum()), int((held > g).sum())) for g in places]
        assert ranks.tolist() == wanted


def chances(made: TheilSen, rows: list[tuple[int, int]]) -> Floats:
    """P(both places), in floats, for the one matching of two rows."""
    parts = []
    for ranks, rate in asked(made, rows).asked:
        weights = np.exp(-float(rate) * ranks)
        parts.append(weights / weights.sum())
    found: Floats = np.multiply.outer(*parts)
    return found


def test_no_two_values_of_a_row_are_told_apart_by_more_than_epsilon() -> None:
    """All pairs of rows on the coarse lattice, one of them replaced by any other."""
    points = list(product(range(-2, 3), range(-2, 3)))
    by_other = [[chances(COARSE, [one, other]) for one in points] for other in points]
    ratios = [np.stack(found).max(axis=0) / np.stack(found).min(axis=0) for found in by_other]
    assert max(float(one.max()) for one in ratios) <= exp(2)
    assert max(float(one.max()) for one in ratios) > exp(0.9)  # one pair moves both medians


def test_selection_follows_the_weights() -> None:
    ranks = np.array([3, 1, 1, 0, 2])
    drawn = [SECRET.chosen(ranks, MADE.rate) for _ in range(4000)]
    weights = np.exp(-float(MADE.rate) * ranks)
    assert p_value(np.bincount(drawn, minlength=5), weights / weights.sum()) > FALSE_ALARM


def test_a_uniform_between_two_levels_gets_more_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """At e^−1 the end of the first level lies inside the interval of one word."""
    with precision(256):
        word = int(dyadic_down(2**64 / (1 + arb(-1).exp()), 0))
    levels = ([0, 1], [1, 1], Fraction(1))
    for first, more, wanted in (
        (word - 1, b"\xff", 0),
        (word, bytes(1), 0),
        (word, b"\xff", 1),
        (word + 1, bytes(1), 1),
    ):
        scripted_bits(monkeypatch, first.to_bytes(8, "little"), more, more, more)
        assert choose(*levels, SecretBits()) == wanted


def test_places_and_orders_are_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = np.bincount([below(3, SecretBits()) for _ in range(3000)], minlength=3)
    assert p_value(drawn, np.full(3, 1 / 3)) > FALSE_ALARM
    first = np.bincount([int(SECRET.order(3)[0]) for _ in range(3000)], minlength=3)
    assert p_value(first, np.full(3, 1 / 3)) > FALSE_ALARM
    scripted_bits(monkeypatch, b"\xff" * 8, bytes(8))
    assert below(3, SecretBits()) == 0  # 2⁶⁴ − 1 is in no complete round of three
    scripted_bits(monkeypatch, bytes(8))
    assert sorted(SECRET.order(4).tolist()) == [0, 1, 2, 3]  # equal keys are drawn again


FEW = ((0, 0), (-2, 2), (-1, -2), (1, 2), (2, -2))
"""Points of the coarse lattice: the middle, where missing rows are, and others around it."""


def law(rows: tuple[tuple[int, int], ...], count: int) -> Floats:
    """P(both places) of a public number of points, over all orders of the rows."""
    u, v = (np.array([one[k] for one in rows], dtype=np.int64) for k in (0, 1))
    found = []
    for order in permutations(range(max(len(rows), count))):
        selection = RecordingSelection(order)
        COARSE._release(u, v, count, selection)
        parts = [np.exp(-float(rate) * ranks) for ranks, rate in selection.asked]
        found.append(np.multiply.outer(*(one / one.sum() for one in parts)))
    mean: Floats = np.mean(found, axis=0)
    return mean


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("number", [0, 1, 2, 3, 4])
def test_one_row_more_or_less_is_hidden_whatever_the_public_count_is(
    count: int, number: int
) -> None:
    """Fewer rows than the public count, as many, and more of them."""
    worst = 0.0
    for rows in list(product(FEW, repeat=number))[:: max(1, 5**number // 25)]:
        before = law(rows, count)
        for joiner in FEW:
            ratios = law((*rows, joiner), count) / before
            worst = max(worst, float(ratios.max()), float(1 / ratios.min()))
    assert worst <= exp(2) * (1 + 1e-9)
    assert worst > 1  # a row is not ignored


def test_the_true_number_of_rows_is_not_released() -> None:
    """Rows in the middle are the same as missing rows."""
    rows = ((1, 2), (-2, 2))
    np.testing.assert_allclose(law(rows, 4), law((*rows, (0, 0)), 4))
    np.testing.assert_allclose(law(rows, 4), law((*rows, (0, 0), (0, 0)), 4))
