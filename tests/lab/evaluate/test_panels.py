"""Panels: which lines and numbers have a place, and a file that draws them."""

import re
from dataclasses import replace
from itertools import pairwise
from math import inf, nan
from xml.etree import ElementTree as Xml

import pytest

from leeward.lab.evaluate.panel_sheet import LINE, PanelPicture, panel_picture
from leeward.lab.evaluate.panels import (
    READABLE,
    RED,
    Direction,
    Facet,
    FacetPlot,
    Stroke,
    Trace,
    TracePoint,
    contrast,
    ink,
)
from tests.lab.evaluate.panel_scene import EPSILONS, LABELS, MARK, STROKES, TITLE, plot, points

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("log", [True, False])
def test_an_axis_shows_its_values_and_what_it_must_reach_with_air(log: bool) -> None:
    axis = Direction("x", log=log, reaches=(10.0,)).axis([6.0, 8.0])
    assert 0 < axis.at(6) < axis.at(8) < axis.at(10) < 100
    wider = Direction("x", log=log, reaches=(10.0,), air=0.2).axis([6.0, 8.0])
    assert wider.at(6) > axis.at(6)


@pytest.mark.parametrize(
    ("direction", "values", "numbers"),
    [
        (Direction("x", ticks=(1, 2, 3, 9)), (2, 4), ["2", "2.5", "3", "3.5", "4"]),
        (Direction("x", ticks=(2, 3, 3.5, 9)), (2, 4), ["2", "3", "3.5"]),
        (Direction("x", log=True, ticks=EPSILONS), EPSILONS, ["0.5", "1", "2", "4"]),
        (Direction("x", log=True), (0.02, 500), ["0.1", "1", "10", "100"]),
    ],
)
def test_numbers_are_as_given_where_three_are_in_sight_else_round(
    direction: Direction, values: tuple[float, ...], numbers: list[str]
) -> None:
    assert [one.text for one in direction.numbers(direction.axis(values))] == numbers


@pytest.mark.parametrize("low", [1e-9, 0.004, 0.5, 3.1, 15, 1234, 8e6])
@pytest.mark.parametrize("ratio", [1, 1.01, 1.4, 2, 3, 9, 30, 160, 250, 1e5])
def test_every_axis_has_at_least_three_numbers(low: float, ratio: float) -> None:
    for log in (False, True):
        direction = Direction("x", log=log)
        assert len(direction.numbers(direction.axis((low, low * ratio)))) >= 3


def test_a_log_axis_has_positive_numbers_only() -> None:
    assert [Direction("x", log=True).has(one) for one in (-1, 0, 2)] == [False, False, True]
    assert [Direction("x").has(one) for one in (-1, 0, None, inf, nan)] == [True, True] + 3 * [
        False
    ]


def test_what_has_no_place_breaks_the_line() -> None:
    for missing in (None, 0.0, inf, nan):
        trace = Trace("", Stroke(), (TracePoint(1, 1), TracePoint(2, missing), TracePoint(4, 4)))
        bare = FacetPlot(
            "", Direction("", log=True), Direction("", log=True), (Facet("", (trace,)),)
        )
        (drawn,) = bare.drawable[0].traces
        assert [[point.x for point in run] for run in drawn.runs] == [[1], [4]]
        assert [point.x for point in drawn.shown] == [1, 4]


def test_a_bound_breaks_the_line_and_is_shown() -> None:
    bounded = (TracePoint(1, 1), TracePoint(2, 2), TracePoint(3, 3, "> 3"), TracePoint(4, 4))
    trace = Trace("", Stroke(), bounded)
    assert [[point.x for point in run] for run in trace.runs] == [[1, 2], [4]]
    assert [point.x for point in trace.shown] == [1, 2, 3, 4]


def test_a_line_without_values_is_left_out() -> None:
    empty = Trace("none", Stroke(), (TracePoint(1, None), TracePoint(2, 0.0)))
    full = Trace("some", Stroke(), points(1))
    bare = replace(plot(), facets=(Facet("one", (empty, full)),))
    assert [trace.label for trace in bare.drawable[0].traces] == ["some"]
    assert "none" not in bare.description


@pytest.fixture(scope="module")
def picture() -> PanelPicture:
    return panel_picture(plot())


def parsed(picture: PanelPicture) -> Xml.Element:
    return Xml.fromstring(picture.svg)  # noqa: S314 (our own drawing)


def texts(picture: PanelPicture) -> list[str]:
    return ["".join(one.itertext()) for one in parsed(picture).iter(f"{SVG}text")]


def test_every_word_is_in_the_picture(picture: PanelPicture) -> None:
    words = texts(picture)
    for text in (TITLE, MARK, "What is seen.", "left", "right", "privacy loss ε", "as today"):
        assert text in words
    assert words.count("first <line>") == 2
    assert words.count("second line") == words.count("in two rows") == 2


def test_the_mark_is_red_and_absent_where_none_is_given(picture: PanelPicture) -> None:
    (mark,) = [one for one in parsed(picture).iter(f"{SVG}text") if MARK in one.itertext()]
    assert mark.get("fill") == RED
    assert MARK not in texts(panel_picture(replace(plot(), mark=None)))


def test_a_picture_has_a_name_and_a_description(picture: PanelPicture) -> None:
    root = parsed(picture)
    assert (root.get("role"), root.get("aria-label")) == ("img", TITLE)
    assert root.findtext(f"{SVG}title") == TITLE == picture.title
    assert root.findtext(f"{SVG}desc") == picture.description
    for words in (MARK, "left; right", "first <line>", "second line in two rows", "as today"):
        assert words in picture.description


def test_a_picture_needs_nothing_from_elsewhere_and_fits_a_page(picture: PanelPicture) -> None:
    assert re.findall(r"https?://(?!www\.w3\.org/)|<image|<script|@import|\bid=", picture.svg) == []
    assert 700 < float(parsed(picture).get("width", "")) < 960


def test_a_long_title_of_a_panel_is_wrapped() -> None:
    long = tuple(replace(one, title=40 * "word " + one.title) for one in plot().facets)
    root = parsed(panel_picture(replace(plot(), facets=long)))
    assert float(root.get("width", "")) < 960


def test_labels_stand_apart_where_lines_end_together(picture: PanelPicture) -> None:
    """Height and text of the labels, a panel after the other."""
    labels = [one for one in parsed(picture).iter(f"{SVG}g") if one.get("data-label") is not None]
    rows = [
        (float(text.get("y", "")), "".join(text.itertext()))
        for one in labels
        for text in one.findall(f"{SVG}text")
    ]
    for panel in (sorted(rows[: len(rows) // 2]), sorted(rows[len(rows) // 2 :])):
        assert {"as today", "first <line>", "third line"} < {words for _, words in panel}
        assert all(low[0] - high[0] >= LINE - 0.11 for high, low in pairwise(panel))


def lines(picture: PanelPicture, colour: str) -> list[Xml.Element]:
    """The groups with the stretches of a line."""
    groups = parsed(picture).iter(f"{SVG}g")
    return [one for one in groups if (one.get("stroke"), one.get("fill")) == (colour, "none")]


def test_a_gap_is_not_bridged(picture: PanelPicture) -> None:
    def steps(colour: str) -> list[list[int]]:
        return [
            [run.get("points", "").count(" ") for run in group] for group in lines(picture, colour)
        ]

    assert steps("#0072B2") == [[3], [3]]
    assert steps("#E69F00") == [[1], [1]]  # only from 2 to 4


def test_lines_differ_in_more_than_colour(picture: PanelPicture) -> None:
    looks = [lines(picture, stroke.colour)[0] for stroke in STROKES]
    assert [one.get("stroke-dasharray") for one in looks] == [None, "6 3", "1 3"]
    assert looks[0].get("stroke-width") == "2.5"


def test_a_bound_is_drawn_with_its_text() -> None:
    assert texts(panel_picture(plot("> 4"))).count("> 4") == 2 * len(LABELS)


def test_numbers_below_a_plot_do_not_touch() -> None:
    close = Direction("x", log=True, ticks=(0.5, 0.67, 1, 1.1, 2, 4))
    words = texts(panel_picture(replace(plot(), x=close)))
    assert words.count("4") == words.count("0.67") == 2
    assert "1.1" not in words


def test_the_same_values_give_the_same_picture(picture: PanelPicture) -> None:
    assert panel_picture(plot()) == picture


@pytest.mark.parametrize("colour", ["#E69F00", "#56B4E9", "#F0E442", "#767676", "#000000"])
def test_labels_can_be_read_on_white(colour: str) -> None:
    channels = tuple(bytes.fromhex(ink(colour)[1:]))
    assert contrast(channels) >= READABLE


def test_a_colour_that_can_be_read_stays_as_it_is() -> None:
    assert ink("#0072B2") == "#0072B2"
