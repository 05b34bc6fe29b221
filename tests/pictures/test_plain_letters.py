from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leeward.pictures.plain.text import cleaned, escaped, fitted, width

TRUE_WIDTHS = {
    0.222: "ijl",
    0.278: " !,./:;I[\\]ft·",
    0.333: "()-`r",
    0.389: "*",
    0.469: "^",
    0.5: "Jckvxysz",
    0.556: "#$0123456789?L_abdeghnopqu–éü",
    0.584: "+<=>~−",
    0.611: "FTZ",
    0.667: "&ABEKPSVXYÅ",
    0.722: "CDHNRUwЯ",
    0.778: "GOQ",
    0.833: "Mm",
    0.889: "%",
    0.944: "W",
    1.015: "@",
}
"""Of Arial and the two fonts of the same widths, as a browser measures them."""


def test_letters_are_measured_at_least_as_wide_as_they_are() -> None:
    for share, letters in TRUE_WIDTHS.items():
        for letter in letters:
            assert share <= width(letter, 1) <= share + 0.09, letter


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("漢字", 2, 2.2),
        ("👍", 1.2, 1.5),
        ("e\u0301", 0.55, 0.6),
        ("مرحبا", 2.5, 4),
    ],
)
def test_other_scripts_are_measured_with_care(text: str, least: float, most: float) -> None:
    assert least <= width(text, 1) <= most


@given(st.text(), st.floats(12, 300))
def test_a_fitted_text_fits(text: str, room: float) -> None:
    shown = fitted(text, room)
    assert width(shown) <= room + 1e-6 or shown == "…"
    assert shown == cleaned(text) or shown.endswith("…")


@given(st.text())
def test_a_text_with_room_is_whole(text: str) -> None:
    assert fitted(text, 1e6) == cleaned(text)


def test_as_much_as_fits_is_shown() -> None:
    shown = fitted("m" * 100, 200)
    assert width(shown) > 200 - width("m")


@pytest.mark.parametrize(("letter", "mark"), [("e", "\u0301"), ("👍", "🏽")])
def test_a_letter_is_never_parted_from_its_mark(letter: str, mark: str) -> None:
    lengths = set()
    for room in range(15, 160):
        shown = fitted((letter + mark) * 30, room).removesuffix("…")
        assert shown == (letter + mark) * shown.count(letter)
        lengths.add(len(shown))
    assert len(lengths) > 2


@given(st.text(st.characters(codec=None)))
def test_what_xml_cannot_hold_is_gone(text: str) -> None:
    kept = cleaned(text)
    kept.encode()
    assert not [letter for letter in kept if category(letter) in {"Cc", "Cs"}]


def test_marks_that_turn_writing_are_gone() -> None:
    assert cleaned("a\u202eb\u2066c\u200fd") == "abcd"


def test_accents_do_not_pile_up() -> None:
    assert cleaned("Z" + "\u0301\u0302" * 40 + "a") == "Z\u0301\u0302a"


def test_quotes_and_angles_are_escaped() -> None:
    assert escaped("<a b=\"c\" d='e'>&") == "&lt;a b=&quot;c&quot; d=&#x27;e&#x27;&gt;&amp;"
