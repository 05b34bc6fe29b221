"""The tables of the evaluation page are those of the points that are kept beside it."""

import pytest

from docs import evaluation
from docs.slot import current


def test_the_tables_are_those_of_the_kept_points() -> None:
    tables = evaluation.blocks()
    assert {name: current(evaluation.PAGE, name) for name in tables} == tables


@pytest.mark.parametrize(
    "stem", [f"{preset}-{one}" for preset, stems in evaluation.FIGURES.items() for one in stems]
)
def test_a_figure_of_the_page_is_kept(stem: str) -> None:
    page = evaluation.PAGE.read_text(encoding="utf-8")
    assert f"](../pictures/{stem}.svg)" in page
    assert (evaluation.PICTURES / f"{stem}.svg").is_file()


def test_the_kept_points_are_those_of_the_full_grid() -> None:
    points = evaluation.points()
    assert {one.trials for one in points} == {0, 11, 20}  # none without a mean error
    assert {one.alpha for one in points} == {None, 0.01, 0.05, 0.1, 0.2}
    assert {one.epsilon for one in points} == {None, 0.25, 0.5, 0.67, 1, 2, 4, 8, 16}


def test_the_kept_points_of_2015_are_those_of_its_grid() -> None:
    """Four marginals; closed forms but for clipped and infusion."""
    points = evaluation.points("h15")
    assert {one.workload for one in points} == set(evaluation.TRACTS)
    assert {one.alpha for one in points} == {None, 0.01, 0.05, 0.1, 0.2}
    assert {one.epsilon for one in points} == {None, 0.25, 0.5, 0.67, 1, 2, 4}
    assert {one.mechanism for one in points if one.trials} == {"clipped", "infusion"}
