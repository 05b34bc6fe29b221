"""Places of the marks of pictures of attacks."""

from math import inf

import pytest

from leeward.core.show.axes import LEAST_TICKS, Axis
from leeward.core.show.plots import GuessRange, Needle, Plot, PlotSeries, Ranges, Share, Shares


def test_a_logarithmic_axis_has_round_numbers_and_no_place_for_zero() -> None:
    axis = Axis.of([0, 2, 3_000, inf], log=True)
    assert [one.text for one in axis.ticks] == ["10", "100", "1,000"]
    places = [one.at for one in axis.ticks]
    assert places[2] - places[1] == pytest.approx(places[1] - places[0], abs=0.02)
    assert (axis.has(0), axis.has(inf), axis.has(2)) == (False, False, True)
    assert [one.text for one in Axis.of([1, 9], log=True).ticks] == ["1", "2", "5"]
    assert next(one.text for one in Axis.of([1e-9, 1e9], log=True).ticks) == "10⁻⁸"


@pytest.mark.parametrize("letters", [20, 40])
@pytest.mark.parametrize("low", [1e-6, 0.004, 0.5, 3.1, 15, 1234, 8e6])
@pytest.mark.parametrize("ratio", [1, 1.01, 1.4, 2, 3, 9, 30, 250, 1e5])
def test_every_axis_has_at_least_three_different_numbers(
    low: float, ratio: float, letters: int
) -> None:
    for log in (False, True):
        axis = Axis.of([low, low * ratio], log=log, letters=letters)
        texts = [one.text for one in axis.ticks]
        assert len(set(texts)) == len(texts) >= LEAST_TICKS
        assert all(0 <= one.at <= 100 for one in axis.ticks)


def test_shares_have_round_numbers_too() -> None:
    assert [one.text for one in Axis.of([0.1, 0.97]).ticks] == [
        "0",
        "0.2",
        "0.4",
        "0.6",
        "0.8",
        "1",
    ]


def test_a_diagonal_has_one_axis_for_both() -> None:
    dots = PlotSeries("dots", "theirs", [(10, 10), (20, 200), (30, -5)], joined=False)
    plot = Plot("title", "x", "y", (dots,), log_x=True, log_y=True, diagonal=True)
    assert plot.axes[0] is plot.axes[1]
    (drawn,) = plot.drawn
    assert len(drawn.places) == 2  # the third has no place
    x, y = drawn.places[0]
    assert x == pytest.approx(100 - y)


def test_series_of_one_look_are_told_apart_and_a_level_is_named_where_there_is_room() -> None:
    lines = [
        PlotSeries(name, "ours", [(0, up), (10, 10)]) for name, up in (("low", 1), ("high", 5))
    ]
    plot = Plot("t", "x", "y", tuple(lines), level=(10, "bound"))
    assert [one.look for one in plot.drawn] == ["ours", "ours again"]
    assert plot.level_named == "start"


def test_bars_end_where_the_axis_does() -> None:
    rows = (Share("a", 0.5, "50 %", "theirs"), Share("b", 0, "0 %", "nothing"))
    assert [Shares("t", rows).length(one) for one in rows] == [100, 0]
    assert [Shares("t", rows, 1).length(one) for one in rows] == [50, 0]
    assert Shares("t", rows[1:]).length(rows[1]) == 0
    assert [look for look, _ in Shares("t", rows).looks] == ["theirs", "nothing"]


def test_a_needle_starts_upright() -> None:
    assert Needle("", 0.5, "", "ours").tip == (0, -1)
    assert Needle("", 1, "", "ours").tip == (1, 0)
    assert Needle("", 0, "", "ours").tip == (-1, 0)


def test_an_interval_may_be_open() -> None:
    rows = (
        GuessRange("a", 3, 3, "theirs", 3),
        GuessRange("b", -inf, inf, "ours"),
        GuessRange("c", 2, inf, "ours"),
    )
    drawn = Ranges("t", "jobs", rows)
    assert [one.text for one in rows] == ["exactly 3", "anything", "at least 2"]
    assert drawn.ends(rows[1]) == (None, None)
    assert drawn.ends(rows[0])[0] == drawn.ends(rows[0])[1]
