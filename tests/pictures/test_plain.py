"""What holds for every plain picture."""

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction

import pytest

from leeward.errors import InvalidParameter
from leeward.pictures import Picture
from leeward.pictures.plain import (
    STYLE,
    Band,
    Bar,
    Bin,
    Dot,
    bars,
    budget,
    heat_map,
    histogram,
    noise,
    scatter,
)
from tests.pictures.plain_samples import CASES, LONG, Draw, table
from tests.pictures.test_plain_drawing import covered, drawn, outside, root, texts

ELEMENTS = {"svg", "g", "title", "desc", "text", "rect", "path", "circle"}
WIDTHS = (320, 520, 680)


@pytest.mark.parametrize("draw", CASES.values(), ids=CASES)
def test_a_picture_is_one_accessible_image_without_overlaps(draw: Draw) -> None:
    """Nothing leaves the picture, no text covers another, and nothing leads out of it."""
    for width in WIDTHS:
        picture = draw(width)
        assert outside(picture) == []
        assert covered(picture) == []
        assert picture == draw(width)
    named(picture)
    harmless(picture)
    for one in drawn(picture):
        assert f"\n.picture-{one.look}{{" in STYLE


def named(picture: Picture) -> None:
    whole = root(picture)
    assert whole.attrib["role"] == "img"
    assert whole.attrib["aria-label"] == picture.title
    assert [child.text for child in whole][:2] == [picture.title, picture.description]
    assert whole.attrib["viewBox"].startswith(f"0 0 {WIDTHS[-1]} ")


def harmless(picture: Picture) -> None:
    for element in root(picture).iter():
        assert element.tag.rpartition("}")[2] in ELEMENTS
        assert not {"style", "href", "id"} & element.attrib.keys()
        assert not [name for name in element.attrib if name.startswith("on")]
        assert float(element.attrib.get("font-size", "11")) >= 11
    assert "<script" not in picture.svg
    assert "url(" not in picture.svg


@pytest.mark.parametrize("name", [name for name in CASES if name.endswith(": none")])
def test_an_empty_picture_says_so(name: str) -> None:
    picture = CASES[name](680)
    if name == "parts: none":
        assert texts(picture) == ["Left", "3"]
    else:
        assert texts(picture) == ["Nothing to show."]


def test_a_label_that_was_cut_is_told_whole() -> None:
    picture = bars([Bar(LONG.strip(), 3)], title="t")
    (label,) = [one for one in drawn(picture) if one.text.startswith("A label")]
    assert label.text.endswith("…")
    assert len(label.text) < 60
    assert label.told == LONG.strip()


def test_large_pictures_stay_small_files() -> None:
    names = [f"<{LONG}{n}>" for n in range(40)]
    picture = heat_map(names, names[:25], table(40, 25), title="t")
    assert len(picture.svg.encode()) < 150_000
    dots = [Dot(n * 1.234567, n * 7.654321 % 3000, n % 3 == 0, LONG) for n in range(3000)]
    assert len(scatter(dots, title="t", x="x", y="y").svg.encode()) < 300_000


@pytest.mark.parametrize(
    "draw",
    [
        lambda: bars([Bar("a", 1)] * 41, title="t"),
        lambda: heat_map(["a"] * 41, ["b"], [[1]] * 41, title="t"),
        lambda: heat_map(["a"], ["b"] * 26, [[1] * 26], title="t"),
        lambda: heat_map(["a", "b"], ["c"], [[1]], title="t"),
        lambda: heat_map(["a"], ["c"], [[1, 2]], title="t"),
        lambda: histogram([Bin(1, 2, 3)] * 41, title="t", x="x"),
        lambda: noise([Band("a", 1, 1, 1, [])] * 13, title="t"),
        lambda: scatter([Dot(1, 1)] * 3001, title="t", x="x", y="y"),
        lambda: bars([], title="t", width=279),
        lambda: budget(Fraction(1), Fraction(1), Fraction(1), title="t", width=0),
    ],
)
def test_what_no_picture_can_show_is_refused(draw: Callable[[], Picture]) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        draw()
    assert refusal.value.next_step.endswith(".")


def test_no_package_is_loaded_to_draw() -> None:
    program = (
        "import sys; from fractions import Fraction as F\n"
        "from leeward.pictures.plain import budget; budget(F(1), F(1), F(1), title='t')\n"
        "print({'altair', 'vl_convert', 'jinja2'} & set(sys.modules))\n"
        "import leeward.report.writing  # what every release waits for\n"
        "print({f'leeward.pictures.{one}' for one in ('drawing', 'layout', 'chart')}"
        " & set(sys.modules))"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    assert run.stdout == "set()\nset()\n"
