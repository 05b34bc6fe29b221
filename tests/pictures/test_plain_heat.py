"""What a heat map shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leeward.pictures.plain import heat_map
from leeward.pictures.plain.heat import shades
from leeward.pictures.plain.style import SHADES
from leeward.pictures.plain.text import full, short
from tests.pictures.test_plain_drawing import drawn, marks, texts


@given(st.lists(st.one_of(st.none(), st.integers(-(10**13), 10**13)), min_size=1, max_size=25))
def test_cells_print_their_numbers_and_tell_them_in_full(values: list[int | None]) -> None:
    picture = heat_map(["r"], [f"c{n}" for n in range(len(values))], [values], title="t")
    told = [one.told.partition(": ")[2] for one in drawn(picture) if one.told.startswith("r, c")]
    expected = ["no establishment" if value is None else full(value) for value in values]
    assert sorted(told) == sorted(expected)
    inside = {one.text for one in drawn(picture) if one.look.startswith("on-")}
    if len(values) < 10:
        assert inside == {short(value) for value in values if value is not None}


def test_cells_below_zero_and_without_establishment_are_marked() -> None:
    picture = heat_map(["r"], ["a", "b", "c"], [[5, -5, None]], title="t")
    below, key = marks(picture, "below")
    folds = marks(picture, "fold")
    assert [fold.box[:2] for fold in folds] == [below.box[:2], key.box[:2]]
    assert len(marks(picture, "none")) == 2
    assert {"below zero", "no establishment"} <= set(texts(picture))


@pytest.mark.parametrize(("width", "power"), [(300, 12), (520, 5), (680, 3)])
def test_no_number_is_wider_than_its_cell(width: int, power: int) -> None:
    cells = [[-(10**power) + row, 10**power * row, row] * 8 for row in range(5)]
    names = [str(n) for n in range(24)]
    picture = heat_map(["a"] * 5, names, cells, title="t", width=width)
    boxes = [one.box for one in drawn(picture) if one.kind == "rect" and one.told]
    numbers = [one for one in drawn(picture) if one.look.startswith("on-")]
    assert len(numbers) >= 40
    for one in numbers:
        left, _, right, _ = one.box
        assert [box for box in boxes if box[0] <= left and right <= box[2]] != []


def test_a_key_stands_only_for_what_is_there() -> None:
    assert "below zero" not in texts(heat_map(["r"], ["a", "b"], [[5, 0]], title="t"))
    assert "no establishment" not in texts(heat_map(["r"], ["a"], [[5]], title="t"))
    assert "jobs" not in texts(heat_map(["r"], ["a"], [[None]], title="t"))


@given(st.lists(st.integers(0, 10**17), min_size=1, max_size=30))
def test_shades_grow_with_the_numbers(values: list[int]) -> None:
    steps = shades(values)
    assert len(steps.starts) <= SHADES
    assert list(steps.starts) == sorted(set(steps.starts))
    found = [steps.of(value) for value in sorted(values)]
    assert found == sorted(found)
    assert found[0] >= 0
    assert found[-1] == (SHADES - 1 if max(values) else 1)


@pytest.mark.parametrize(
    ("values", "starts", "rule"),
    [
        ([3, 90], (0, 20, 40, 60, 80), "Each shade spans 20."),
        ([1, 6], (0, 1, 2, 3, 4, 5, 6), "Each shade spans 1."),
        ([1, 4000], (0, 10, 30, 100, 300, 1000, 3000), "Each shade begins about 3 times"),
        ([7, 900], (0, 10, 30, 100, 300), "Each shade begins about 3 times"),
        ([1, 10**6], (0, 10, 100, 1000, 10**4, 10**5, 10**6), "Each shade begins about 10 times"),
        ([1, 10**12], (0, 100, 10**4, 10**6, 10**8, 10**10, 10**12), "Each shade begins about 100"),
    ],
)
def test_shades_are_round_and_say_how_they_grow(
    values: list[int], starts: tuple[int, ...], rule: str
) -> None:
    found = shades(values)
    assert found.starts == starts
    assert found.rule.startswith(rule)
    picture = heat_map(["r"], ["a", "b"], [values], title="t")
    assert found.rule in texts(picture)
    assert found.rule in picture.description


def test_a_large_table_tells_what_its_short_numbers_do_not_say() -> None:
    cells = [[1234, -5678, 88, None] * 6] * 30
    picture = heat_map(["r"] * 30, ["c"] * 24, cells, title="t")
    told = [one.told for one in drawn(picture) if one.kind == "rect"]
    assert {"1,234", "−5,678", ""} == set(told)
    assert told.count("1,234") == told.count("−5,678") == 180
