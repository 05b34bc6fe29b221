"""What holds for every plain picture, of ordinary, extreme and hostile numbers and names."""

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from math import exp, inf, nan
from random import Random

import pytest

from leeward.errors import InvalidParameter
from leeward.pictures import Picture
from leeward.pictures.plain import (
    STYLE,
    Band,
    Bar,
    Bin,
    Dot,
    Part,
    bars,
    budget,
    budget_parts,
    heat_map,
    histogram,
    noise,
    scatter,
)
from tests.pictures.test_plain_drawing import covered, drawn, outside, root, texts

LONG = "A label of two hundred letters and more " * 6
SCRIPT = "<script>alert('1')</script>"
HOSTILE = [
    SCRIPT,
    LONG,
    "مرحبا بالعالم",
    "👩‍👩‍👧‍👦 👍🏽 🇩🇪",
    "a\x00b\ud800c\nd\u202ee\ufffe",
    "﷽ ㎏ 漢字漢字漢字漢字漢字漢字漢字",
    '"\' onload=\'x\' href="y" style="z" & ]]> <!--',
    "W" * 80,
    "Z" + "\u0301" * 50,
    "",
]
HUGE = 10**12
ELEMENTS = {"svg", "g", "title", "desc", "text", "rect", "path", "circle"}
WIDTHS = (300, 340, 480, 520, 680, 900)


def hill(true: float, spread: float) -> list[tuple[float, float]]:
    return [(true + n * spread / 5, exp(-abs(n) / 5)) for n in range(-40, 41)]


def table(rows: int, columns: int) -> list[list[int | None]]:
    random = Random(7)  # noqa: S311 (made-up numbers)
    choices = (None, -3, 0, 7, 88, 950, 1234, 56789)
    return [[random.choice(choices) for _ in range(columns)] for _ in range(rows)]


Draw = Callable[[int], Picture]
CASES: dict[str, Draw] = {
    "bars": lambda w: bars(
        [Bar(f"Sector {n}", 900 - 70 * n, n) for n in range(20)], title="t", width=w
    ),
    "bars: none": lambda w: bars([], title="t", width=w),
    "bars: one zero": lambda w: bars([Bar("a", 0)], title="t", width=w),
    "bars: forty": lambda w: bars(
        [Bar(f"P {n}", n * n, 5, "n") for n in range(40)], title="t", width=w
    ),
    "bars: below": lambda w: bars(
        [Bar("a", -5, 9), Bar("b", -7), Bar("c", 0, 4)], title="t", width=w
    ),
    "bars: huge": lambda w: bars([Bar("a", HUGE, HUGE), Bar("b", -HUGE, 1)], title="t", width=w),
    "bars: beyond": lambda w: bars([Bar("a", 10**400, 10**400), Bar("b", 1)], title="t", width=w),
    "bars: hostile": lambda w: bars(
        [Bar(name, n, n, name) for n, name in enumerate(HOSTILE)], title=SCRIPT, unit=LONG, width=w
    ),
    "heat": lambda w: heat_map(
        [f"03{n:05}" for n in range(9)],
        [f"{n}" for n in range(11, 31)],
        table(9, 20),
        title="t",
        width=w,
    ),
    "heat: none": lambda w: heat_map([], [], [], title="t", width=w),
    "heat: no column": lambda w: heat_map(["a"], [], [[]], title="t", width=w),
    "heat: one": lambda w: heat_map(["a"], ["b"], [[3]], title="t", width=w),
    "heat: nobody": lambda w: heat_map(["a"], ["b", "c"], [[None, None]], title="t", width=w),
    "heat: zeros": lambda w: heat_map(["a"], ["b", "c"], [[0, 0]], title="t", width=w),
    "heat: below": lambda w: heat_map(["a"], ["b", "c"], [[-1, -HUGE]], title="t", width=w),
    "heat: beyond": lambda w: heat_map(
        ["a"], ["b", "c"], [[10**400, -(10**400)]], title="t", width=w
    ),
    "heat: full": lambda w: heat_map(
        [f"Place {n}" for n in range(40)],
        [f"Sector {n}" for n in range(25)],
        table(40, 25),
        title="t",
        width=w,
    ),
    "heat: hostile": lambda w: heat_map(
        HOSTILE,
        HOSTILE,
        [[(i - 4) * 10**j for j in range(10)] for i in range(10)],
        title=SCRIPT,
        unit=LONG,
        width=w,
    ),
    "bins": lambda w: histogram(
        [Bin(2**n, 2 ** (n + 1) - 1, n * n) for n in range(9)], title="t", x="x", width=w
    ),
    "bins: none": lambda w: histogram([], title="t", x="x", width=w),
    "bins: one": lambda w: histogram([Bin(-5, 5, 0)], title="t", x="x", width=w),
    "bins: forty": lambda w: histogram(
        [Bin(n, n + 9, n * HUGE) for n in range(40)], title="t", x="x", width=w
    ),
    "bins: huge": lambda w: histogram(
        [Bin(HUGE * n, HUGE * n + 1, HUGE) for n in range(-3, 3)],
        title=SCRIPT,
        x=SCRIPT,
        y=LONG,
        width=w,
    ),
    "noise": lambda w: noise(
        [Band("Small", 5, 1, 9, hill(5, 2)), Band("Large", 2000, 1900, 2100, hill(2000, 50))],
        title="t",
        width=w,
    ),
    "noise: none": lambda w: noise([], title="t", width=w),
    "noise: odd": lambda w: noise(
        [
            Band(LONG, HUGE, HUGE - 5, HUGE + 5, hill(HUGE, 2)),
            Band(SCRIPT, 7, 7, 7, []),
            Band("", 0, 0, 0, [(0.0, 0.0)]),
            Band("a", -3, -9, 9, [(nan, 1), (1, inf), (-9, 0.5), (9, 1)]),
            Band("far", 0, 50, 90, hill(70, 5)),
        ],
        title=SCRIPT,
        width=w,
    ),
    "budget": lambda w: budget(Fraction(2), Fraction(4), Fraction(10), title="t", width=w),
    "budget: nothing": lambda w: budget(Fraction(0), Fraction(0), Fraction(0), title="t", width=w),
    "budget: tiny": lambda w: budget(
        Fraction(1, 10**9), Fraction(1, 3), Fraction(HUGE), title="t", width=w
    ),
    "budget: over": lambda w: budget(
        Fraction(10**5000, 3), Fraction(-1), Fraction(-2, 7**6000), title="t", width=w
    ),
    "parts": lambda w: budget_parts(
        [Part(name, Fraction(1, 7)) for name in HOSTILE], Fraction(1), title="t", width=w
    ),
    "parts: none": lambda w: budget_parts([], Fraction(3), title="t", width=w),
    "parts: many": lambda w: budget_parts(
        [Part(f"Release {n}", Fraction(n, 2)) for n in range(99)], Fraction(3), title="t", width=w
    ),
    "dots": lambda w: scatter(
        [Dot(n, n * n / 50, n % 9 == 0) for n in range(50)], title="t", x="x", y="y", width=w
    ),
    "dots: none": lambda w: scatter([Dot(nan, 1), Dot(1, inf)], title="t", x="x", y="y", width=w),
    "dots: one": lambda w: scatter([Dot(3, 3, True)], title="t", x=LONG, y=LONG, width=w),
    "dots: decades": lambda w: scatter(
        [Dot(10.0 ** (n % 7), -(10.0 ** (n % 5)), n == 3, name) for n, name in enumerate(HOSTILE)],
        title=SCRIPT,
        x=SCRIPT,
        y=HOSTILE[2],
        width=w,
    ),
    "dots: far": lambda w: scatter(
        [Dot(HUGE + n, HUGE - n) for n in range(9)],
        title="t",
        x="x",
        y="y",
        diagonal=False,
        width=w,
    ),
    "dots: beyond": lambda w: scatter(
        [Dot(1e300, -1e300), Dot(0, 1)], title="t", x="x", y="y", width=w
    ),
}
every = pytest.mark.parametrize("draw", CASES.values(), ids=CASES)


@every
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_leaves_the_picture_and_no_text_covers_another(draw: Draw, width: int) -> None:
    picture = draw(width)
    assert outside(picture) == []
    assert covered(picture) == []


@every
def test_a_picture_is_one_image_with_a_name_and_no_way_out(draw: Draw) -> None:
    picture = draw(680)
    whole = root(picture)
    assert whole.attrib["role"] == "img"
    assert whole.attrib["aria-label"] == picture.title
    assert [child.text for child in whole][:2] == [picture.title, picture.description]
    assert whole.attrib["viewBox"].startswith("0 0 680 ")
    for element in whole.iter():
        assert element.tag.rpartition("}")[2] in ELEMENTS
        assert not {"style", "href", "id"} & element.attrib.keys()
        assert not [name for name in element.attrib if name.startswith("on")]
    assert "<script" not in picture.svg
    assert "url(" not in picture.svg


@every
def test_everything_wears_a_class_that_the_style_sheet_knows(draw: Draw) -> None:
    for one in drawn(draw(680)):
        assert f"\n.picture-{one.look}{{" in STYLE


@every
def test_text_is_large_enough(draw: Draw) -> None:
    sizes = {one.attrib.get("font-size", "11") for one in root(draw(680)).iter()}
    assert min(float(size) for size in sizes) >= 11


@every
def test_the_same_numbers_give_the_same_picture(draw: Draw) -> None:
    assert draw(680) == draw(680)


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


SIZES = {"bars: forty": 40_000, "bars: hostile": 40_000, "heat: full": 150_000, "noise": 20_000}


@pytest.mark.parametrize("name", SIZES)
def test_pictures_are_small(name: str) -> None:
    assert len(CASES[name](680).svg.encode()) < SIZES[name]


def test_three_thousand_dots_are_small() -> None:
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
        "print({'altair', 'vl_convert', 'jinja2'} & set(sys.modules))"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    assert run.stdout == "set()\n"
