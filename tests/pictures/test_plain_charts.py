"""What each chart shows: numbers are those given, and lie where they should."""

import re
from fractions import Fraction
from itertools import pairwise
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leeward.pictures import Picture
from leeward.pictures.plain import (
    Band,
    Bar,
    Bin,
    Dot,
    Part,
    bars,
    budget,
    budget_parts,
    histogram,
    noise,
    scatter,
)
from leeward.pictures.plain.text import full
from tests.pictures.test_plain_drawing import Drawn, drawn, marks, texts


def middle(one: Drawn) -> float:
    return (one.box[0] + one.box[2]) / 2


def long(one: Drawn) -> float:
    return one.box[2] - one.box[0]


def named(picture: Picture, text: str) -> Drawn:
    (found,) = [one for one in drawn(picture) if one.text == text]
    return found


@pytest.mark.parametrize("width", [340, 680])
def test_bars_are_as_long_as_their_numbers(width: int) -> None:
    items = [Bar("a", 400, 50), Bar("b", 100, 20), Bar("c", -200, 10)]
    picture = bars(items, title="t", width=width)
    first, second = marks(picture, "bar")
    (third,) = marks(picture, "less")
    assert long(first) == pytest.approx(4 * long(second), abs=0.3)
    assert long(third) == pytest.approx(2 * long(second), abs=0.3)
    assert third.box[2] == pytest.approx(first.box[0], abs=0.11)
    for one, whisker in zip(items, marks(picture, "whisker"), strict=True):
        share = long(first) / 400
        assert long(whisker) == pytest.approx(2 * (one.margin or 0) * share, abs=0.3)
        end = first.box[0] + one.value * share
        assert middle(whisker) == pytest.approx(end, abs=0.3)


def test_bars_print_their_numbers_in_order() -> None:
    items = [Bar("a", 1234, 56), Bar("b", -7, 0, "a note"), Bar("c", 0)]
    printed = [text for text in texts(bars(items, title="t")) if text]
    assert printed[-8:] == ["a", "1,234", "± 56", "b", "a note", "−7", "± 0", "c", "0"][-8:]
    assert "jobs" in printed
    assert [one.told for one in marks(bars(items, title="t"), "bar")] == ["a: 1,234 ± 56", "c: 0"]


@pytest.mark.parametrize(("width", "size"), [(340, 10**12), (680, 10**3)])
def test_no_bar_runs_under_a_text(width: int, size: int) -> None:
    items = [Bar("a name", 9 * size, size, "a note"), Bar("b", -9 * size), Bar("c", size)]
    picture = bars(items, title="t", width=width)
    found = [mark for look in ("bar", "less", "whisker", "line") for mark in marks(picture, look)]
    assert len(found) >= 5
    for text in (one for one in drawn(picture) if one.kind == "text"):
        assert [mark for mark in found if mark.meets(text)] == []


def test_ticks_are_whole_numbers_and_not_alone() -> None:
    assert {"0", "1"} == set(texts(bars([Bar("a", 1)], title="t"))) - {"a", "jobs"}
    assert {"0", "1"} == set(texts(bars([Bar("a", 0)], title="t"))) - {"a", "jobs"}
    assert {"2", "3", "4"} <= set(texts(scatter([Dot(3, 3)], title="t", x="x", y="y")))
    assert {"6", "7", "8"} <= set(texts(noise([Band("a", 7, 7, 7, [])], title="t")))


def test_columns_of_a_histogram_have_one_width_and_the_height_of_their_counts() -> None:
    bins = [Bin(1, 1, 40), Bin(2, 9, 10), Bin(10, 999, 0), Bin(-5, -1, 20)]
    picture = histogram(bins, title="t", x="margin")
    columns = marks(picture, "bar")
    heights = [one.box[3] - one.box[1] for one in columns]
    assert heights == pytest.approx([heights[0] * share for share in (1, 0.25, 0, 0.5)], abs=0.11)
    assert len({round(long(one), 1) for one in columns}) == 1
    for one, column in zip(bins, columns, strict=True):
        assert middle(named(picture, full(one.count))) == pytest.approx(middle(column), abs=0.2)
        assert middle(named(picture, one.label)) == pytest.approx(middle(column), abs=0.2)
        assert column.told == f"{one.label}: {full(one.count)}"
    assert [one.label for one in bins] == ["1", "2–9", "10–999", "−5 to −1"]


def test_a_histogram_without_room_for_counts_has_a_scale() -> None:
    bins = [Bin(n, n, 10**6 * n) for n in range(40)]
    found = texts(histogram(bins, title="t", x="x", width=340))
    assert {"0", "10M", "20M", "30M"} <= set(found)
    assert "39,000,000" not in found


@pytest.mark.parametrize("width", [340, 680])
def test_noise_shows_the_true_size_and_nine_times_in_ten(width: int) -> None:
    curve = [(100 + n / 2, exp(-abs(n) / 8)) for n in range(-60, 61)]
    picture = noise([Band("Medium", 100, 91, 119, curve)], title="t", width=width)
    assert "nine times in ten between 91 and 119" in texts(picture)
    assert "true size 100" in texts(picture)
    line = marks(picture, "true")[0]
    assert middle(line) == pytest.approx(middle(named(picture, "100")), abs=0.2)
    core = marks(picture, "core")[0]
    jobs = (middle(named(picture, "110")) - middle(line)) / 10
    assert core.box[0] == pytest.approx(middle(line) - 9 * jobs, abs=0.3)
    assert core.box[2] == pytest.approx(middle(line) + 19 * jobs, abs=0.3)
    hill = marks(picture, "hill")[0]
    assert hill.box[0] < core.box[0]
    assert hill.box[1] == core.box[1]


def test_a_curve_between_its_points_is_straight() -> None:
    picture = noise([Band("a", 5, 2, 8, [(0, 0.0), (0, 0.1), (5, 1), (10, 0.1)])], title="t")
    steps = re.search(r'class="picture-core"[^>]* d="([^"]+)"', picture.svg)
    assert steps
    corners = [tuple(map(float, one.split())) for one in steps[1].strip("MZ").split("L")]
    heights = [corners[0][1] - y for _, y in corners]
    assert heights == pytest.approx([0, 0.46 * 60, 60, 0.46 * 60, 0], abs=0.11)


def test_points_that_are_no_numbers_are_left_out() -> None:
    points = [(float("nan"), 1.0), (1.0, float("inf")), (2.0, -1.0), (0.0, 1.0), (3.0, 0.5)]
    (hill, key) = marks(noise([Band("a", 1, 0, 3, points)], title="t"), "hill")
    assert long(hill) == pytest.approx(678, abs=0.2)
    assert long(key) < 20


def test_a_budget_is_divided_as_it_was_spent() -> None:
    picture = budget(Fraction(2), Fraction(4), Fraction(10), title="t")
    before, now, whole = (marks(picture, look)[0] for look in ("past", "bar", "left"))
    assert long(before) == pytest.approx(long(whole) * 2 / 16, abs=0.11)
    assert long(now) == pytest.approx(long(whole) * 4 / 16, abs=0.11)
    assert now.box[0] == pytest.approx(before.box[2], abs=0.11)
    assert texts(picture) == ["Spent before", "2", "This release", "4", "Left", "10"]


def test_a_part_of_nothing_is_named_and_not_drawn() -> None:
    picture = budget(Fraction(0), Fraction(1, 3), Fraction(-1), title="t")
    assert texts(picture) == ["Spent before", "0", "This release", "1/3", "Left", "−1"]
    (key,) = marks(picture, "past")
    assert long(key) < 20
    assert long(marks(picture, "bar")[0]) == pytest.approx(679, abs=0.2)


def test_a_part_below_nothing_takes_no_room() -> None:
    picture = budget(Fraction(-1), Fraction(1), Fraction(1), title="t")
    now = marks(picture, "bar")[0]
    assert now.box[0] == pytest.approx(0.5, abs=0.11)
    assert long(now) == pytest.approx(679 / 2, abs=0.11)


def test_the_first_of_many_parts_are_put_together() -> None:
    parts = [Part(f"R{n}", Fraction(n)) for n in range(20)]
    found = texts(budget_parts(parts, Fraction(1), title="t"))
    assert found[:4] == ["9 earlier", "36", "R9", "9"]
    assert found[-4:] == ["R19", "19", "Left", "1"]


values = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(values, values), min_size=2, max_size=40))
def test_dots_lie_in_their_order_on_axes_of_one_scale(pairs: list[tuple[float, float]]) -> None:
    picture = scatter([Dot(x, y) for x, y in pairs], title="t", x="x", y="y")
    (line,) = marks(picture, "dashed")
    left, top, right, bottom = line.box
    assert right - left == pytest.approx(bottom - top, abs=0.2)
    places = [(middle(one), (one.box[1] + one.box[3]) / 2) for one in marks(picture, "dots")]
    shares = [((x - left) / (right - left), (bottom - y) / (bottom - top)) for x, y in places]
    ends = [pair for both in zip(pairs, shares, strict=True) for pair in zip(*both, strict=True)]
    for (small, low), (large, high) in pairwise(sorted(ends)):
        assert low <= high + 1e-3, (small, large)


def test_equal_numbers_lie_on_the_diagonal_on_either_scale() -> None:
    for most in (10, 10**6):
        dots = [Dot(n * most, n * most) for n in (-1, -0.001, 0, 0.002, 0.00001, 0.5, 1)]
        picture = scatter(dots, title="t", x="x", y="y")
        (line,) = marks(picture, "dashed")
        for one in marks(picture, "dots"):
            up = line.box[3] - (one.box[1] + one.box[3]) / 2
            assert middle(one) - line.box[0] == pytest.approx(up, abs=0.2)


def test_marked_dots_have_another_shape() -> None:
    dots = [Dot(1, 2, label="a"), Dot(2, 1, True, "b"), Dot(3, 3)]
    picture = scatter(dots, title="t", x="x", y="y", diagonal=False)
    assert [(one.kind, one.told) for one in marks(picture, "dots")] == [
        ("circle", "a"),
        ("circle", ""),
    ]
    assert [(one.kind, one.told) for one in marks(picture, "marked")] == [("path", "b")]
    assert marks(picture, "dashed") == []
    assert picture.description.endswith("3 dots, 1 of them marked.")


def test_dots_that_are_no_numbers_are_not_counted() -> None:
    dots = [Dot(1, 2), Dot(float("nan"), 1, True), Dot(1, float("-inf"))]
    picture = scatter(dots, title="t", x="x", y="y")
    assert picture.description.endswith("1 dots, 0 of them marked.")
    assert len(marks(picture, "dots")) == 1


def test_a_scale_of_decades_says_so() -> None:
    note = "Far from zero the scale is logarithmic."
    wide = scatter([Dot(1, 2)] * 9 + [Dot(10**5, -(10**5))], title="t", x="x", y="y")
    assert note in texts(wide)
    assert {"0", "10", "100", "1,000", "10k", "100k", "−100k"} <= set(texts(wide))
    assert note not in texts(scatter([Dot(1, 2), Dot(900, 3)], title="t", x="x", y="y"))
