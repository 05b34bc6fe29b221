"""Counted margins against all of them at once."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leeward.interface.report.summary import (
    EXACT,
    RANGES,
    MarginCounter,
    MarginRange,
    Margins,
    RangeCount,
)

widths = st.one_of(st.integers(0, 40), st.integers(0, 2 * EXACT), st.integers(0, 2**62))


def counted(*batches: list[int]) -> Margins:
    counter = MarginCounter()
    for batch in batches:
        counter.add(np.array(batch, np.int64))
    return counter.counted()


def test_bins_leave_no_gap_and_reach_every_margin() -> None:
    assert RANGES[0] == MarginRange(0, 0)
    assert all(after.low == before.high + 1 for before, after in pairwise(RANGES))
    assert RANGES[-1].high > 2**63 > RANGES[-2].high
    assert RANGES[3:6] == (MarginRange(3, 5), MarginRange(6, 10), MarginRange(11, 20))


@given(st.lists(st.lists(widths, max_size=30), max_size=4))
def test_every_margin_is_in_its_bin_however_batches_are_cut(batches: list[list[int]]) -> None:
    every = [one for batch in batches for one in batch]
    found = counted(*batches)
    assert found == counted(every)
    assert found.cells == len(every)
    for one in found.bins:
        assert one.cells == sum(one.range.low <= width <= one.range.high for width in every)
    assert sum(one.cells for one in found.bins) == len(every)


@given(st.lists(widths, min_size=1, max_size=60))
def test_the_tenths_are_those_of_the_sorted_margins(margins: list[int]) -> None:
    found, ordered = counted(margins), sorted(margins)
    for tenths, told in ((5, found.median), (9, found.ninth)):
        assert told is not None
        true = ordered[-(-len(ordered) * tenths // 10) - 1]
        assert told.low <= true <= told.high
        assert (told.low == told.high) == (true <= EXACT)


def test_bins_run_from_the_smallest_to_the_largest_margin() -> None:
    assert counted([2, 12, 12]).bins == (
        RangeCount(MarginRange(2, 2), 1),
        RangeCount(MarginRange(3, 5), 0),
        RangeCount(MarginRange(6, 10), 0),
        RangeCount(MarginRange(11, 20), 2),
    )


def test_no_margins_have_no_bins_and_no_median() -> None:
    assert counted() == counted([]) == Margins(0, (), None, None)


@pytest.mark.parametrize(("margin", "low"), [(EXACT, EXACT), (EXACT + 1, EXACT + 1)])
def test_the_last_exact_margin_is_exact(margin: int, low: int) -> None:
    told = counted([margin]).median
    assert told == MarginRange(low, EXACT if margin == EXACT else 2 * EXACT)
