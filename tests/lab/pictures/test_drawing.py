import re
from dataclasses import replace
from itertools import pairwise
from struct import unpack
from xml.etree import ElementTree as Xml

import pytest

from leeward.lab.pictures import Picture, Series, draw
from leeward.lab.pictures.colour import READABLE, RED, contrast, ink
from leeward.lab.pictures.layout import LINE
from leeward.lab.pictures.picture import PNG_SCALE
from tests.lab.pictures.samples import CHART, MARK, TITLE, rows

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def picture() -> Picture:
    return draw(rows(), CHART)


def parsed(picture: Picture) -> Xml.Element:
    return Xml.fromstring(picture.svg)  # noqa: S314 (our own drawing)


def texts(picture: Picture) -> list[str]:
    return ["".join(one.itertext()) for one in parsed(picture).iter(f"{SVG}text")]


def test_every_word_is_in_the_picture(picture: Picture) -> None:
    found = texts(picture)
    for words in (TITLE, MARK, "What is seen.", "left", "right", "privacy loss ε", "as today"):
        assert words in found
    assert found.count("first <line>") == 2
    assert found.count("second line") == found.count("in two rows") == 2


def test_the_mark_is_red_and_absent_where_none_is_given(picture: Picture) -> None:
    (mark,) = [one for one in parsed(picture).iter(f"{SVG}text") if MARK in one.itertext()]
    assert mark.get("fill") == RED
    assert MARK not in texts(draw(rows(), replace(CHART, mark=None)))


def test_a_picture_has_a_name_and_a_description(picture: Picture) -> None:
    root = parsed(picture)
    assert (root.get("role"), root.get("aria-label")) == ("img", TITLE)
    assert root.findtext(f"{SVG}title") == TITLE == picture.title
    assert root.findtext(f"{SVG}desc") == picture.description
    for words in (MARK, "left; right", "first <line>", "second line in two rows", "as today"):
        assert words in picture.description


def test_a_picture_needs_nothing_from_elsewhere_and_fits_a_page(picture: Picture) -> None:
    assert re.findall(r"https?://(?!www\.w3\.org/)|<image|<script|@import|\bid=", picture.svg) == []
    assert 700 < float(parsed(picture).get("width", "")) < 960


def test_a_long_title_of_a_panel_is_wrapped() -> None:
    long = [{**row, "panel": 40 * "word " + str(row["panel"])} for row in rows()]
    assert float(parsed(draw(long, CHART)).get("width", "")) < 960


def labels(picture: Picture) -> list[list[tuple[float, str]]]:
    """Height and text of the labels at the ends of lines, a list for each panel."""
    groups = []
    for group in parsed(picture).iter(f"{SVG}g"):
        inside = group.findall(f"{SVG}text")
        if "mark-text role-mark" in group.get("class", "") and inside:
            places = [re.findall(r"[-.\d]+", one.get("transform", "")) for one in inside]
            heights = [float(place[1]) for place in places]
            words = ["".join(one.itertext()) for one in inside]
            groups.append(sorted(zip(heights, words, strict=True)))
    return groups


def test_labels_stand_apart_where_lines_end_together(picture: Picture) -> None:
    panels = labels(picture)
    assert len(panels) == 2
    for panel in panels:
        assert {"as today", "first <line>", "third line"} < {words for _, words in panel}
        assert all(low[0] - high[0] >= LINE - 0.01 for high, low in pairwise(panel))


def lines(picture: Picture, colour: str) -> list[Xml.Element]:
    """The paths of a series, without markers (closed, or arcs) and leaders (hair-thin)."""
    drawn = [one for one in parsed(picture).iter(f"{SVG}path") if one.get("stroke") == colour]
    thick = [one for one in drawn if float(one.get("stroke-width", "1")) > 1]
    return [one for one in thick if "L" in one.get("d", "") and "Z" not in one.get("d", "")]


def test_a_gap_is_not_bridged(picture: Picture) -> None:
    steps = [line.get("d", "").count("L") for line in lines(picture, "#0072B2")]
    assert steps == [3, 3]
    broken = [line.get("d", "").count("L") for line in lines(picture, "#E69F00")]
    assert sum(broken) == 2  # in each panel only from 2 to 4


def test_lines_differ_in_more_than_colour(picture: Picture) -> None:
    (dashed, *_), (dotted, *_) = lines(picture, "#E69F00"), lines(picture, "#56B4E9")
    assert dashed.get("stroke-dasharray") == "6,3"
    assert dotted.get("stroke-dasharray") == "1,3"
    assert lines(picture, "#0072B2")[0].get("stroke-width") == "2.5"


def test_a_bound_is_drawn_with_its_text() -> None:
    bounded = [{**row, "bound": "> 4" if row["epsilon"] == 4 else ""} for row in rows()]
    assert texts(draw(bounded, CHART)).count("> 4") == 2 * 3 * 2  # each on a ground of white


def test_the_same_rows_give_the_same_picture(picture: Picture) -> None:
    again = draw(list(rows()), CHART)
    assert again == picture
    assert again.png() == picture.png()


def test_a_png_is_the_same_picture_in_pixels(picture: Picture) -> None:
    png = picture.png()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = unpack(">II", png[16:24])
    root = parsed(picture)
    assert width == PNG_SCALE * float(root.get("width", ""))
    assert height == PNG_SCALE * float(root.get("height", ""))


def test_text_is_drawn_into_the_png() -> None:
    series = (Series("a", "", "#000000"), *CHART.series[1:])
    with_text = draw(rows(), replace(CHART, mark=None)).png()
    without = draw(rows(), replace(CHART, mark=None, series=series)).png()
    assert len(with_text) > len(without)


@pytest.mark.parametrize("colour", ["#E69F00", "#56B4E9", "#F0E442", "#767676", "#000000"])
def test_labels_can_be_read_on_white(colour: str) -> None:
    channels = tuple(bytes.fromhex(ink(colour)[1:]))
    assert contrast(channels) >= READABLE


def test_a_colour_that_can_be_read_stays_as_it_is() -> None:
    assert ink("#0072B2") == "#0072B2"
