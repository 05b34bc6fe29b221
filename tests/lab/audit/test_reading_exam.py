"""The sentences that say how to read numbers are true, and those that were printed are caught."""

import numpy as np
import pytest

from leeward.core.noise import difference
from leeward.core.noise.scales import Integers
from leeward.core.show import interpretation
from leeward.lab.audit import reading_exam
from leeward.lab.audit.promises import Promise
from leeward.lab.audit.reading_exam import (
    EQUAL,
    READING,
    CellRelease,
    false_discoveries,
    false_readings,
    missed_zero,
    paid,
    reached_zero,
    readings,
    releases,
)


@pytest.fixture(scope="module")
def false() -> dict[str, Promise]:
    return {row.id: row for row in false_readings()}


def test_both_sentences_are_confirmed_for_every_kind_of_margin() -> None:
    rows = list(readings())
    assert [row.id for row in rows] == [*READING] * (len(rows) // 2)
    assert [row.as_json() for row in rows if not row.as_expected] == []
    kinds = {type(release(*EQUAL).rule).__name__ for release in releases()}
    assert kinds == {"PublicMargins", "CountMargins", "SpentMargins"}
    texts = {row.text for row in rows}
    assert texts == {interpretation.NOT_DISTINGUISHABLE, interpretation.FALSE_DISCOVERIES}


def test_what_was_printed_before_is_rejected(false: dict[str, Promise]) -> None:
    assert {row.verdict for row in false.values()} == {"rejected"}
    assert float(false["few-or-none"].computed) > 0.5
    # Twenty cells of which nothing changed: 1 − .9^20 is .878.
    assert float(false["clearly-different"].computed) == pytest.approx(0.878, abs=0.05)


@pytest.mark.parametrize("share", [0.5, 0.25])
def test_a_margin_that_is_too_narrow_is_noticed(
    monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    """Planted: "may be as large as value + a part of the margin"."""
    ends = CellRelease.ends

    def narrow(self: CellRelease, values: Integers, margin: int) -> tuple[Integers, Integers]:
        low, high = ends(self, values, margin)
        return low, values + ((high - values) * share).astype(np.int64)

    release = next(iter(releases()))
    cell = release(3, 3)
    assert missed_zero(cell) < 0.05
    monkeypatch.setattr(CellRelease, "ends", narrow)
    assert missed_zero(cell) > 0.12


def test_the_exam_sees_how_often_intervals_reach_zero() -> None:
    wide = paid("slope", "1/4")
    assert reached_zero(wide(*EQUAL)) > 0.8
    assert reached_zero(next(iter(releases()))(1000, 1000)) < 1e-6


def test_p_values_that_are_too_small_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: logarithms that are rounded to whole jobs, as the first version did."""
    shares = [one for one in releases() if one(*EQUAL).made.name == "log_laplace"]
    cell = shares[0](*EQUAL)
    assert false_discoveries(cell) < 0.1
    monkeypatch.setattr(difference, "_rounded", lambda errors, _: np.floor(errors))
    assert false_discoveries(cell) > 0.1


def test_a_one_sided_test_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: half of each p-value."""
    own = difference.p_values
    monkeypatch.setattr(reading_exam, "p_values", lambda *asked: own(*asked) / 2)
    assert false_discoveries(next(iter(releases()))(*EQUAL)) > 0.1
