"""Spellings of a public list: one is published, all are accepted, and no row is looked at."""

from itertools import chain, permutations
from pathlib import Path

import pytest

from leeward.errors import LeewardError
from leeward.model import Attribute
from leeward.model.classifications import PACKAGED, Library
from leeward.model.spellings import SPELLINGS
from tests.model.made import read

SEX = "attributes:\n  sex: {{table: workers, codes: 'standard:lehd/sex{}'{}}}\n"


def sex(folder: Path, query: str, more: str = "") -> Attribute:
    return read(folder, SEX.format(query, more)).attributes["sex"]


@pytest.mark.parametrize(
    ("way", "codes"), [("numbers", "1 2"), ("letters", "M F"), ("words", "male female")]
)
def test_one_spelling_is_published_and_all_are_accepted(
    tmp_path: Path, way: str, codes: str
) -> None:
    found = sex(tmp_path, f"?spelling={way}")
    assert (found.codes, found.labels) == (tuple(codes.split()), ("Male", "Female"))
    texts = [[text for text, at in found.recode.items() if at == place] for place in (0, 1)]
    assert {*texts[0]} == {"1", "01", "M", "male", "Male"}
    assert {*texts[1]} == {"2", "02", "F", "W", "female", "Female"}
    assert found.unlisted is None


def test_a_list_without_a_spelling_accepts_its_codes_only(tmp_path: Path) -> None:
    assert {*sex(tmp_path, "").recode} == {"1", "2"}


def test_unknown_and_other_go_with_a_spelling(tmp_path: Path) -> None:
    found = sex(tmp_path, "?spelling=letters", ', unknown: U, other: "1"')
    assert found.codes == ("M", "F", "U")
    assert (found.unlisted, found.missing) == (0, 2)


def test_every_spelling_gives_each_code_of_its_list_texts_of_its_own() -> None:
    listed = {one.name: one for one in PACKAGED}
    for name, ways in SPELLINGS.items():
        texts: dict[str, set[str]] = {code: set() for code in listed[name].codes}
        for spelling in ways.values():
            assert {*spelling} == {*listed[name].codes}
            for code, written in spelling.items():
                texts[code] |= {*written}
        assert all(not one & other for one, other in permutations(texts.values(), 2))
        assert {*listed[name].codes} <= {*chain(*texts.values())}


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("lehd/sex?spelling=latin", "?spelling: must be one of numbers, letters, words; got 'la"),
        ("lehd/race?spelling=letters", "?spelling: has no meaning for lehd/race; got 'letters'"),
        ("lehd/sex?spelling=words&code=number", "must not be beside a state, a country or a code"),
        ("lehd/sex?spelling=", "must have state=CODE"),
    ],
)
def test_a_spelling_that_is_not_there_is_rejected(written: str, says: str) -> None:
    with pytest.raises(LeewardError) as rejected:
        Library().find(f"standard:{written}", "codebook.attributes.sex.codes")
    assert says in str(rejected.value)


@pytest.mark.parametrize("more", [', unknown: "M"', ', omit: ["male"]', ', nulls: ["F"]'])
def test_a_text_has_one_meaning(tmp_path: Path, more: str) -> None:
    with pytest.raises(LeewardError):
        sex(tmp_path, "?spelling=numbers", more)
