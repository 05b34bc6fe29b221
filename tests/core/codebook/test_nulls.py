"""Texts that mean missing: who has which, and what they must not be."""

from pathlib import Path

import pytest

from leeward.core.codebook import read_codebook
from leeward.core.codebook.row_rules import NULL_RULES
from leeward.core.errors import InvalidParameter, LeewardError, Problems
from leeward.publishing.plan.plan import read_plan
from tests.core.codebook.made import read
from tests.publishing.engines.small import REQUEST

BOOK = """
nulls: ["-", NA]
tables: {nulls: ["0"]}
attributes:
  place: {table: workplaces, public: true, codes: ["01", "02"], nulls: []}
  region: {table: workplaces, public: true, codes: [R], from: place, map: {"01": R, "02": R}}
  sex: {table: workers, codes: [F, M], omit: ["?"]}
  age: {table: workers, codes: [Y, O], nulls: [".", "", "."]}
  old: {table: workers, codes: [A], from: age, map: {Y: A, O: A}}
  pay: {table: jobs, type: integer, unit: cent, cap: 9, classes: {a: 9}, null_as: a}
  rank: {table: workers, type: number}
"""


def test_a_list_beside_an_attribute_replaces_that_of_the_codebook(tmp_path: Path) -> None:
    book = read(tmp_path, BOOK)
    found = {name: one.nulls for name, one in book.attributes.items()}
    assert found == {
        "place": (),
        "region": (),
        "sex": ("-", "NA"),
        "age": ("", "."),
        "old": ("", "."),
        "pay": ("-", "NA"),
    }
    assert book.reals["rank"].nulls == book.real("pay").nulls == ("-", "NA")
    assert book.nulls_of("workers") == {
        "worker_id": ("0",),
        "sex": ("-", "NA"),
        "age": ("", "."),
    }
    assert book.nulls_of("workplaces") == {"workplace_id": ("0",)}
    assert book.nulls_of("jobs") == {
        "worker_id": ("0",),
        "workplace_id": ("0",),
        "pay": ("-", "NA"),
    }
    assert book.row_rules[-1:] == NULL_RULES


BAD = {
    "a listed code": (
        "[F, M]",
        "[F, NA]",
        r"codebook\.nulls: must not name a code of sex.*got 'NA'\. Remove it, or write "
        r"codebook\.attributes\.sex\.nulls",
    ),
    "an omitted code": ('["?"]', '["-"]', r"codebook\.nulls: must not name a code of sex.*'-'"),
    "the same in another form": ("[F, M]", "[F, ＮＡ]", "must not name a code of sex.*'ＮＡ'"),
    "of its own list": (
        'nulls: ["."',
        'nulls: ["O"',
        r"attributes\.age\.nulls: must not name a code of age.*'O'\. Remove it from nulls or",
    ),
    "no list": ('["-", NA]', '"-"', r"codebook\.nulls: must be a list"),
    "a line break": ('["-", NA]', '["\\n"]', "must be a printable text of at most 100"),
    "beside from": (
        "from: age,",
        "from: age, nulls: [x],",
        "takes column, spelled, other, null_as, nulls",
    ),
    "two lists of one column": (
        "  rank:",
        "  sexes: {table: workers, column: sex, codes: [f], nulls: [x]}\n  rank:",
        r"sexes\.nulls: must be the same as for sex.*got 'x'\. Write nulls: \['-', 'NA'\]",
    ),
    "an attribute of an id": (
        "  rank:",
        "  firm: {table: workers, column: worker_id, codes: [f]}\n  rank:",
        r"firm\.nulls: must be the same as for the ids \(tables\.nulls\).*Write nulls: \['0'\]",
    ),
}


@pytest.mark.parametrize(("old", "new", "says"), BAD.values(), ids=BAD)
def test_what_is_refused(old: str, new: str, says: str, tmp_path: Path) -> None:
    assert old in BOOK
    with pytest.raises((InvalidParameter, Problems), match=says):
        read(tmp_path, BOOK.replace(old, new, 1))


def test_a_code_of_a_coarser_attribute_may_be_such_a_text(tmp_path: Path) -> None:
    text = BOOK.replace("codes: [A], from: age, map: {Y: A, O: A}", "codes: [x], from: age, map: M")
    book = read(tmp_path, text.replace("map: M", "map: {Y: x, O: x}").replace('"."', "x"))
    assert book.attributes["old"].codes == ("x",)
    assert book.attributes["old"].nulls == ("", "x")


def test_they_belong_to_the_digest() -> None:
    """A codebook without them keeps its digest: `test_numeric.py` of the commands has it."""

    def digest(**more: object) -> str:
        book = {**REQUEST["codebook"], **more}
        return read_plan({**REQUEST, "codebook": book}).codebook_digest

    plain, some = digest(), digest(nulls=["-", "."])
    assert digest(nulls=[]) == digest(tables={}) == digest(tables={"nulls": []}) == plain
    assert digest(nulls=[".", "-", "."]) == some
    assert len({plain, some, digest(nulls=["-"]), digest(tables={"nulls": ["-"]})}) == 4


def test_a_mapping_may_have_them() -> None:
    with pytest.raises(LeewardError, match="must not name a code of sex"):
        read_codebook({"nulls": ["F"], "attributes": {"sex": {"table": "workers", "codes": ["F"]}}})
