"""A code for unknown: one more code, which stands for other and missing ones."""

from pathlib import Path

import pytest

from leeward.core.codebook import LEFT_OUT, Attribute
from leeward.core.errors import InvalidParameter, LeewardError
from tests.core.codebook.made import read

SEX = "attributes:\n  sex: {table: workers, codes: standard:lehd/sex, MORE}\n"


def sex(folder: Path, more: str) -> Attribute:
    return read(folder, SEX.replace("MORE", more)).attributes["sex"]


def test_it_is_the_last_code_and_stands_for_other_and_missing_ones(tmp_path: Path) -> None:
    found = sex(tmp_path, 'unknown: "9"')
    assert found.codes == ("1", "2", "9")
    assert found.labels == ("Male", "Female", "Unknown")
    assert dict(found.recode) == {"1": 0, "2": 1, "9": 2}
    assert (found.unlisted, found.missing, found.unknown) == (2, 2, "9")
    assert found.complete


def test_it_may_have_a_label_and_other_and_null_as_of_their_own(tmp_path: Path) -> None:
    found = sex(tmp_path, 'unknown: {"9": Not known}, other: "1", omit: ["0"]')
    assert found.labels[-1] == "Not known"
    assert (found.unlisted, found.missing) == (0, 2)
    assert found.recode["0"] == LEFT_OUT
    assert sex(tmp_path, 'unknown: "9", null_as: "2"').missing == 1


BAD = {
    "a listed code": ('unknown: "2"', r"unknown: must be a code that the list does not have.*'2'"),
    "two codes": ("unknown: {a: A, b: B}", r"unknown: must be one code.*got 2 codes"),
    "no code": ("unknown: {}", r"unknown: must be one code.*got 0 codes"),
    "a list": ('unknown: ["9"]', r"unknown: must be one code, or a mapping of one code"),
    "blanks": ('unknown: "9 "', "must hold codes of 1 to 100 printable characters"),
    "the same in another form": ('unknown: "１"', "the same text in Unicode's form NFKC"),
    "the total": ('unknown: "0", total: "0"', "total: must not be one of the codes"),
    "omitted": ('unknown: "0", omit: ["0"]', "omit: must not name a code of the list"),
    "missing by a text": ('unknown: "0", nulls: ["0"]', "must not name a code of sex"),
    "neither": ("other: unknown", "must be one of the codes.*Add it to codes, or write it as `un"),
}


@pytest.mark.parametrize(("more", "says"), BAD.values(), ids=BAD)
def test_what_is_refused(more: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(LeewardError, match=says):
        sex(tmp_path, more)


FINE = """
attributes:
  job: {table: workers, codes: ["11", "12", "91"], unknown: "9999"}
  group: {table: workers, from: job, MORE}
  half: {table: workers, from: group, codes: [L], map: MAP}
impossible:
  - {group: "9999", half: "9999"}
""".replace("MAP", "{" + ", ".join(f'"{n}": L' for n in range(10)) + "}")


@pytest.mark.parametrize(
    "more",
    ["prefix: 1", 'prefix: 1, codes: ["1", "9"]', 'codes: ["1", "9"], map: {"11": "1", "12": "1",'
     ' "91": "9"}', "codes: standard:isco08/major"],
)  # fmt: skip
def test_unknown_is_unknown_in_coarser_attributes(more: str, tmp_path: Path) -> None:
    """Also where it begins like a code: 9999 is not in group 9."""
    found = read(tmp_path, FINE.replace("MORE", more)).attributes
    for name in ("group", "half"):
        one = found[name]
        assert (one.codes[-1], one.labels[-1], one.unknown) == ("9999", "Unknown", "9999")
        last = len(one.codes) - 1
        assert (one.recode["9999"], one.unlisted, one.missing) == (last, last, last)
        assert one.recode["91"] != last
    assert found["group"].codes[found["group"].recode["91"]] == "9"


def test_the_beginning_of_unknown_is_no_code(tmp_path: Path) -> None:
    text = FINE.replace("MORE", "prefix: 1").replace('"9999"', '"7777"').partition("  half")[0]
    assert read(tmp_path, text).attributes["group"].codes == ("1", "9", "7777")


def test_a_coarser_attribute_may_have_another_code_or_a_map_of_its_own(tmp_path: Path) -> None:
    own = read(tmp_path, FINE.replace("MORE", 'prefix: 1, unknown: "0"').partition("impossible")[0])
    assert own.attributes["group"].codes == ("1", "9", "0")
    assert own.attributes["group"].unlisted == 2
    mapped = 'codes: ["1"], map: {"11": "1", "12": "1", "91": "1", "9999": "1"}'
    text = FINE.replace("MORE", mapped).partition("  half")[0]
    assert read(tmp_path, text).attributes["group"].codes == ("1",)
    assert read(tmp_path, text).attributes["group"].missing == 0


def test_a_coarser_list_with_the_code_is_refused(tmp_path: Path) -> None:
    text = FINE.replace("MORE", "prefix: 1").replace('"9999"', '"9"').partition("  half")[0]
    with pytest.raises(InvalidParameter, match=r"group\.unknown: must be given.*got '9'\. Write"):
        read(tmp_path, text)
    with pytest.raises(InvalidParameter, match="needs `unknown` beside the attribute"):
        read(
            tmp_path,
            text.replace(', unknown: "9"', "").replace("prefix: 1", 'prefix: 1, unknown: "0"'),
        )
