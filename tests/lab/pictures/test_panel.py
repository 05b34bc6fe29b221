import pytest

from leeward.core.errors import InvalidParameter
from leeward.lab.pictures.chart import Dot, Line, arranged
from tests.lab.pictures.samples import CHART, rows


def test_rows_become_panels_and_lines_in_order() -> None:
    left, right = arranged(rows(), CHART)
    assert (left.title, right.title) == ("left", "right")
    assert [line.series.name for line in left.lines] == ["a", "b", "c"]
    assert [dot.x for dot in left.lines[0].dots] == [0.5, 1, 2, 4]


def test_rows_may_come_in_any_order() -> None:
    table = list(rows())
    assert arranged([*table[:8], *table[8:][::-1]], CHART) == arranged(table, CHART)


def test_a_missing_value_breaks_the_line() -> None:
    _, line, _ = arranged(rows(), CHART)[0].lines
    assert [[dot.x for dot in run] for run in line.runs()] == [[0.5], [2, 4]]


def test_a_bound_breaks_the_line_and_is_shown() -> None:
    line = Line(CHART.series[0], (Dot(1, 1), Dot(2, 2), Dot(3, 3, "> 3"), Dot(4, 4)))
    assert [[dot.x for dot in run] for run in line.runs()] == [[1, 2], [4]]
    assert [dot.x for dot in line.shown] == [1, 2, 3, 4]


def test_a_series_without_values_is_left_out() -> None:
    empty = [{**row, "ratio": None} if row["series"] == "b" else row for row in rows()]
    assert [line.series.name for line in arranged(empty, CHART)[0].lines] == ["a", "c"]


@pytest.mark.parametrize("value", [None, 0, -1, float("inf")])
def test_nothing_to_draw_is_refused(value: float | None) -> None:
    with pytest.raises(InvalidParameter, match=r"rows: must hold a value .*Leave this"):
        arranged([{**row, "ratio": value} for row in rows()], CHART)
