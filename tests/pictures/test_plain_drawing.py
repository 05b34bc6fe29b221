"""What is drawn where: plain pictures read back as boxes, and the proof that the reader sees."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

from leeward.pictures.picture import Picture
from leeward.pictures.plain.text import width

SVG = "{http://www.w3.org/2000/svg}"
STEP = re.compile(r"([MLhlZ])|(-?\d+(?:\.\d+)?)")
SLACK = 0.6
"""Half a stroke, and what rounding does."""


@dataclass(frozen=True)
class Drawn:
    """An element: where it lies, what it says, and what it tells when pointed at."""

    kind: str
    look: str
    box: tuple[float, float, float, float]
    text: str = ""
    told: str = ""

    def meets(self, other: "Drawn") -> bool:
        left, top, right, bottom = self.box
        return (
            min(right, other.box[2]) - max(left, other.box[0]) > SLACK
            and min(bottom, other.box[3]) - max(top, other.box[1]) > SLACK
        )


def root(picture: Picture) -> ET.Element:
    return ET.fromstring(picture.svg)  # noqa: S314 (our own text, without entities)


def drawn(picture: Picture) -> list[Drawn]:
    return list(_walk(root(picture), {}))


def texts(picture: Picture) -> list[str]:
    return [one.text for one in drawn(picture) if one.kind == "text"]


def marks(picture: Picture, look: str) -> list[Drawn]:
    return [one for one in drawn(picture) if one.look == look and one.kind != "text"]


def _walk(parent: ET.Element, worn: dict[str, str]) -> Iterator[Drawn]:
    for element in parent:
        name, wears = element.tag.removeprefix(SVG), {**worn, **element.attrib}
        if name == "g":
            yield from _walk(element, wears)
        elif name not in {"title", "desc"}:
            title = element.find(f"{SVG}title")
            text = "".join([element.text or "", *(child.tail or "" for child in element)])
            told = "" if title is None else title.text or ""
            look = wears["class"].removeprefix("picture-")
            yield Drawn(name, look, _box(name, wears, text), text, told)


def _box(name: str, wears: dict[str, str], text: str) -> tuple[float, float, float, float]:
    if name == "text":
        return _text_box(wears, text)
    if name == "path":
        return _path_box(wears["d"])
    if name == "circle":
        x, y, r = (float(wears[key]) for key in ("cx", "cy", "r"))
        return x - r, y - r, x + r, y + r
    x, y, wide, high = (float(wears[key]) for key in ("x", "y", "width", "height"))
    return x, y, x + wide, y + high


def _text_box(wears: dict[str, str], text: str) -> tuple[float, float, float, float]:
    size = float(wears["font-size"])
    long = width(text, size * (1.08 if "font-weight" in wears else 1))
    before = {"start": 0.0, "middle": long / 2, "end": long}[wears.get("text-anchor", "start")]
    if "transform" in wears:
        x, y = (float(n) for n in re.findall(r"-?[\d.]+", wears["transform"])[:2])
        assert wears["transform"].endswith("rotate(-90)")
        return x - 0.75 * size, y + before - long, x + 0.2 * size, y + before
    x, y = float(wears["x"]), float(wears["y"])
    return x - before, y - 0.75 * size, x - before + long, y + 0.2 * size


def _path_box(steps: str) -> tuple[float, float, float, float]:
    points = list(_points(steps))
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _points(steps: str) -> Iterator[tuple[float, float]]:
    """The corners of a path of the five steps that are used."""
    assert STEP.sub("", steps).strip() == ""
    x = y = 0.0
    for step, numbers in re.findall(r"([MLhlZ])([^MLhlZ]*)", steps):
        given = [float(number) for _, number in STEP.findall(numbers)]
        if step in "ML":
            x, y = given
        elif step == "h":
            x += given[0]
        elif step == "l":
            x, y = x + given[0], y + given[1]
        yield x, y


def outside(picture: Picture) -> list[Drawn]:
    """What lies beyond the edge of the picture."""
    _, _, wide, high = (float(number) for number in root(picture).attrib["viewBox"].split())
    return [
        one
        for one in drawn(picture)
        if one.box[0] < -SLACK
        or one.box[1] < -SLACK
        or one.box[2] > wide + SLACK
        or one.box[3] > high + SLACK
    ]


def covered(picture: Picture) -> list[tuple[str, str]]:
    """Pairs of texts that touch each other."""
    words = [one for one in drawn(picture) if one.kind == "text" and one.text]
    return [(a.text, b.text) for a, b in combinations(words, 2) if a.meets(b)]


def sketch(inside: str) -> Picture:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">{inside}</svg>'
    return Picture(svg, "", "")


WORD = '<text class="picture-label" font-size="10" x="{}" y="{}"{}>mmmm</text>'


@pytest.mark.parametrize(
    "inside",
    [
        WORD.format(70, 20, ""),
        WORD.format(10, 20, ' text-anchor="middle"'),
        WORD.format(20, 20, ' text-anchor="end"'),
        WORD.format(20, 5, ""),
        WORD.format(20, 49, ""),
        '<path class="picture-line" d="M10 10L101 10"/>',
        '<path class="picture-line" d="M2 10l5 5l-8 5l-5-5Z"/>',
        '<g class="picture-dots"><circle cx="99" cy="20" r="3"/></g>',
        '<rect class="picture-bar" x="0" y="20" width="10" height="31"/>',
        WORD.format(0, 0, ' transform="translate(20 20) rotate(-90)"'),
    ],
)
def test_what_leaves_the_picture_is_seen(inside: str) -> None:
    assert len(outside(sketch(inside))) == 1


def test_what_stays_inside_is_not_reported() -> None:
    assert outside(sketch(WORD.format(20, 20, "") + '<path class="a" d="M0 0L100 50"/>')) == []


@pytest.mark.parametrize(("x", "y", "touch"), [(50, 20, 1), (20, 28, 1), (20, 30, 0), (56, 20, 0)])
def test_texts_that_touch_are_seen(x: int, y: int, touch: int) -> None:
    assert len(covered(sketch(WORD.format(20, 20, "") + WORD.format(x, y, "")))) == touch
