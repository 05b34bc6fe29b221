"""Spellings: other texts of a column for the codes of its list."""

from pathlib import Path

import pytest

from leeward.core.codebook import Attribute
from leeward.core.codebook.classifications import PACKAGED
from leeward.core.codebook.code_list import CodeList, read_spelling
from leeward.core.errors import LeewardError
from tests.core.codebook.made import read


def made(folder: Path, written: str) -> Attribute:
    return read(folder, f"attributes:\n  one: {{table: workers, {written}}}\n").attributes["one"]


FINE = {
    "letters": ("codes: standard:lehd/sex, spelled: letters", {"M": "1", "F": "2"}),
    "labels": (
        "codes: standard:lehd/sex, spelled: labels",
        {"Male": "1", "male": "1", "MALE": "1", "Female": "2", "female": "2", "FEMALE": "2"},
    ),
    "several": (
        "codes: standard:lehd/sex, spelled: [letters, labels]",
        {"M": "1", "Male": "1", "male": "1", "MALE": "1"}
        | {"F": "2", "Female": "2", "female": "2", "FEMALE": "2"},
    ),
    "labels of a list": ("codes: {a: Low, b: Low}, spelled: {x: a}", {"x": "a"}),
    "number": ('codes: ["001", "010", "0", X], spelled: number', {"1": "001", "10": "010"}),
    "a mapping": ("codes: [T, P], spelled: {t: T, '': P, T: T}", {"t": "T", "": "P"}),
    "with unknown": (
        'codes: standard:lehd/sex, spelled: {U: "9", X: "9"}, unknown: "9"',
        {"U": "9", "X": "9"},
    ),
}
FINE["postal"] = (
    "codes: 'standard:fips/state?state=4', spelled: postal",
    {"OK": "40", "OR": "41", "PA": "42", "RI": "44", "SC": "45", "SD": "46", "TN": "47"}
    | {"TX": "48", "UT": "49"},
)


@pytest.mark.parametrize(("written", "texts"), FINE.values(), ids=FINE)
def test_such_texts_and_codes_are_codes(
    written: str, texts: dict[str, str], tmp_path: Path
) -> None:
    one = made(tmp_path, written)
    own = {code: code for code in one.codes}
    assert {text: one.codes[at] for text, at in one.recode.items()} == own | texts


BAD = {
    "no such name": ("codes: standard:lehd/sex, spelled: postal", "must be one of letters, labels"),
    "no such name of several": (
        "codes: standard:lehd/sex, spelled: [letters, latin]",
        "several of them.*got 'latin'",
    ),
    "no names": ("codes: standard:lehd/sex, spelled: []", "several of them.*got nothing"),
    "of another list": (
        "codes: [A], spelled: letters",
        "must be one of labels, number, several of them, or a map",
    ),
    "no code": ("codes: [A], spelled: {a: B}", "must give each text one of the codes; got 'B'"),
    "another code": ("codes: [A, B], spelled: {A: B}", "must not give a text two codes.*'A' for"),
    "the same labels": ("codes: {a: Low, b: low}, spelled: labels", "must not give a text two"),
    "the same number": ('codes: ["01", "1"], spelled: number', "must not give a text two codes"),
    "a null": ("codes: [A], spelled: {a: A}, nulls: [a]", "must not name a code of one"),
    "omitted": ("codes: [A], spelled: {a: A}, omit: [a]", "omit: must not name a code of the list"),
    "other": ("codes: [A], spelled: {a: A}, other: a", "other: must be one of the codes"),
    "empty": ("codes: [A], spelled: {}", "got nothing. Write for example"),
    "not printable": ('codes: [A], spelled: {"a\\n": A}', "must be the name of a spelling"),
    "numeric": (
        "type: integer, unit: u, cap: 1, classes: {a: 1}, spelled: number",
        "is for columns of codes",
    ),
}


@pytest.mark.parametrize(("written", "says"), BAD.values(), ids=BAD)
def test_what_is_refused(written: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(LeewardError, match=says):
        made(tmp_path, written)


def test_a_coarser_attribute_has_the_spelling_of_its_origin(tmp_path: Path) -> None:
    text = """
attributes:
  area: {table: workers, codes: ["0101", "0202"], spelled: number, unknown: "99"}
  state: {table: workers, from: area, prefix: 2}
impossible: [{area: "0101", state: "02"}]
"""
    book = read(tmp_path, text)
    state = book.attributes["state"]
    found = {raw: state.codes[at] for raw, at in state.recode.items()}
    assert found == {"0101": "01", "101": "01", "0202": "02", "202": "02", "99": "99"}
    assert book.parents("area")["state"] == {"0101": "01", "0202": "02", "99": "99"}
    with pytest.raises(LeewardError, match="takes column, spelled, other"):
        read(tmp_path, text.replace("prefix: 2", "prefix: 2, spelled: number"))


@pytest.mark.parametrize("one", PACKAGED, ids=lambda one: one.name)
def test_spellings_of_packaged_lists_are_whole_and_clash_with_nothing(one: object) -> None:
    listed = CodeList(tuple(one.codes), tuple(one.codes.values()))  # type: ignore[attr-defined]
    for name, texts in one.spellings.items():  # type: ignore[attr-defined]
        found = read_spelling(name, listed, {name: texts}, "spelled")
        assert {*found.values()} == {*listed.codes}
        assert len(found) == len(texts)
