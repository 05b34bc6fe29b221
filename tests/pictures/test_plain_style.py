import re
from itertools import pairwise

import pytest

from leeward.pictures.colour import contrast
from leeward.pictures.plain import STYLE
from leeward.pictures.plain.style import DARK, LIGHT, LOOKS, SHADES, dressed

THEMES = {"light": LIGHT, "dark": DARK}
themes = pytest.mark.parametrize("colours", THEMES.values(), ids=THEMES)


def light(colour: str) -> float:
    """Relative luminance, from the contrast to white."""
    channels = tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 1.05 / contrast(channels) - 0.05


def apart(one: str, other: str) -> float:
    bright, dim = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert apart("#FFFFFF", "#000000") == pytest.approx(21)
    assert apart("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@themes
def test_text_is_readable(colours: dict[str, str]) -> None:
    for ink in ("ink", "soft"):
        assert apart(colours[ink], colours["ground"]) >= 4.5, ink


@themes
def test_numbers_in_cells_are_readable(colours: dict[str, str]) -> None:
    assert apart(colours["on-below"], colours["below"]) >= 4.5
    for step in range(SHADES):
        assert apart(colours[f"on-{step}"], colours[f"shade-{step}"]) >= 4.5, step


@themes
def test_marks_stand_out_from_the_ground(colours: dict[str, str]) -> None:
    for mark in ("bar", "less", "line", "mark", "dot", "fold"):
        assert apart(colours[mark], colours["ground"]) >= 3, mark


@themes
def test_what_lies_upon_a_mark_stands_out_from_it(colours: dict[str, str]) -> None:
    assert apart(colours["ink"], colours["bar"]) >= 3
    assert apart(colours["ink"], colours["less"]) >= 3
    assert apart(colours["ink"], colours["core"]) >= 3
    assert apart(colours["fold"], colours["below"]) >= 3


@themes
def test_neighbours_differ_without_colour(colours: dict[str, str]) -> None:
    shades = [colours["ground"], *(colours[f"shade-{step}"] for step in range(SHADES))]
    steps = [light(one) for one in shades]
    assert steps in (sorted(steps), sorted(steps, reverse=True))
    assert min(apart(one, other) for one, other in pairwise(shades)) >= 1.08
    assert apart(colours["past"], colours["bar"]) >= 1.5
    assert apart(colours["core"], colours["pale"]) >= 1.5


def test_both_themes_have_the_same_colours_and_all_are_worn() -> None:
    worn = {name for look in LOOKS.values() for _, name in look.colours}
    assert LIGHT.keys() == DARK.keys() == worn


def test_the_style_sheet_has_day_night_and_paper_in_this_order() -> None:
    day, night, paper = re.findall(r":root\{[^}]*\}", STYLE)
    assert day == paper != night
    assert f"@media (prefers-color-scheme:dark){{{night}}}" in STYLE
    assert STYLE.index("@media print") > STYLE.index("prefers-color-scheme")


def test_every_property_that_is_used_is_set() -> None:
    used = set(re.findall(r"var\((--[\w-]+)\)", STYLE))
    assert used == {f"--picture-{name}" for name in LIGHT}


def test_every_rule_is_about_pictures_alone() -> None:
    rules = re.findall(r"(?m)^([^@}\s][^{]*)\{", STYLE)
    assert len(rules) > len(LOOKS)
    assert all(rule == ":root" or rule.startswith(".picture") for rule in rules)
    assert STYLE.count("{") == STYLE.count("}")


def test_an_element_is_dressed_as_by_day() -> None:
    for look, worn in LOOKS.items():
        for key, name in worn.colours:
            assert f'{key}="{LIGHT[name]}"' in dressed(look)
        assert dressed(look).startswith(f'class="picture-{look}"')
