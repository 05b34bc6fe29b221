"""The style sheet: readable by day, by night and on paper, without anything from elsewhere."""

import re
from itertools import pairwise

import pytest

from leeward.core.show.environment import style_sheet
from leeward.core.show.heat import SHADES
from leeward.lab.evaluate.panels import contrast

STYLE = str(style_sheet())
DAY, NIGHT = (
    dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    for block in re.findall(r":root \{([^}]*)\}", STYLE)[:2]
)
themes = pytest.mark.parametrize("colours", [DAY, NIGHT], ids=["light", "dark"])


def light(colour: str) -> float:
    """Relative luminance, from the contrast to white."""
    channels = tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 1.05 / contrast(channels) - 0.05


def apart(one: str, other: str) -> float:
    bright, dim = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert apart("#ffffff", "#000000") == pytest.approx(21)
    assert apart("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@themes
def test_text_is_readable(colours: dict[str, str]) -> None:
    for ink in ("ink", "quiet", "accent", "warn"):
        for ground in ("paper", "ground"):
            assert apart(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for ink, ground in (("warn", "warn-soft"), ("ink", "good-soft"), ("on-accent", "accent")):
        assert apart(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert apart("#ffffff", "#b00020") >= 4.5, "the banner of confidential pages"


@themes
def test_numbers_in_cells_are_readable(colours: dict[str, str]) -> None:
    assert apart(colours["on-below"], colours["below"]) >= 4.5
    for step in range(SHADES):
        assert apart(colours[f"on-{step}"], colours[f"shade-{step}"]) >= 4.5, step
    for step in range(1, SHADES):
        assert apart(colours[f"on-{step}"], colours[f"under-{step}"]) >= 4.5, step


@themes
def test_marks_stand_out_from_the_ground_and_from_each_other(colours: dict[str, str]) -> None:
    for mark in ("bar", "less", "field", "mark", "dot", "fold"):
        assert apart(colours[mark], colours["paper"]) >= 3, mark
    for under in ("bar", "less", "core"):
        assert apart(colours["ink"], colours[under]) >= 3, under
    assert apart(colours["fold"], colours["below"]) >= 3


@themes
def test_neighbours_differ_without_colour(colours: dict[str, str]) -> None:
    shades = [colours[f"shade-{step}"] for step in range(SHADES)]
    steps = [light(one) for one in shades]
    assert steps in (sorted(steps), sorted(steps, reverse=True))
    assert min(apart(one, other) for one, other in pairwise(shades)) >= 1.08
    assert apart(colours["past"], colours["bar"]) >= 1.5
    assert apart(colours["core"], colours["pale"]) >= 1.5


def test_both_themes_have_the_same_colours_and_every_property_is_set_and_used() -> None:
    assert DAY.keys() == NIGHT.keys()
    used = set(re.findall(r"var\(--([\w-]+)\)", STYLE))
    assert used == DAY.keys() | {"radius", "gap", "hatch"}


def test_the_sheet_is_well_formed_and_loads_nothing() -> None:
    assert STYLE.count("{") == STYLE.count("}")
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    assert "<" not in STYLE
    assert "@media screen and (prefers-color-scheme: dark)" in STYLE, "paper stays light"
