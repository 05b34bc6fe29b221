"""Codebooks: codes become positions, in the order of the list, whatever the data hold."""

from pathlib import Path

import pytest

from leeward.core.codebook import LEFT_OUT
from leeward.core.codebook.code_list import MOST_CODES, read_codes, read_parents
from leeward.core.errors import InvalidParameter, LeewardError
from tests.core.codebook.made import read

BOOK = """
tables:
  workplaces: {id: wid, employer: firm}
  jobs: {worker: person, workplace: wid}
attributes:
  county: {table: workplaces, public: true, codes: [N, S], from: place, map: {"02": N, "01": S}}
  place: {table: workplaces, public: true, codes: {"02": Two, "01": One}}
  owner: {table: workplaces, public: false, codes: [P, G]}
  age: {table: workers, column: age_group, codes: ["1", "2"], other: "2", omit: ["9"], null_as: "1"}
  young: {table: workers, codes: [Y, O], from: age, map: {"1": Y, "2": O}}
  contract: {table: jobs, codes: [T]}
"""


def test_codes_keep_their_order_and_labels(tmp_path: Path) -> None:
    place = read(tmp_path, BOOK).attributes["place"]
    assert place.codes == ("02", "01")
    assert place.labels == ("Two", "One")
    assert [place.position(code) for code in ("02", "01", "1")] == [0, 1, None]
    assert dict(place.recode) == {"02": 0, "01": 1}
    assert (place.unlisted, place.missing) == (None, None)


def test_other_omit_and_null_as_say_what_becomes_of_the_rest(tmp_path: Path) -> None:
    age = read(tmp_path, BOOK).attributes["age"]
    assert age.column == "age_group"
    assert dict(age.recode) == {"1": 0, "2": 1, "9": LEFT_OUT}
    assert (age.unlisted, age.missing) == (1, 0)
    assert age.leaves_out


def test_a_derived_attribute_follows_its_origin_in_everything(tmp_path: Path) -> None:
    book = read(tmp_path, BOOK)
    young, county = book.attributes["young"], book.attributes["county"]
    assert young.column == "age_group"
    assert dict(young.recode) == {"1": 0, "2": 1, "9": LEFT_OUT}
    assert (young.unlisted, young.missing) == (1, 0)
    assert dict(county.recode) == {"02": 0, "01": 1}
    assert not county.leaves_out


def test_attributes_keep_the_order_in_which_they_are_written(tmp_path: Path) -> None:
    names = list(read(tmp_path, BOOK).attributes)
    assert names == ["county", "place", "owner", "age", "young", "contract"]


def test_only_private_attributes_of_workplaces_may_not_be_tabulated(tmp_path: Path) -> None:
    book = read(tmp_path, BOOK)
    may = {name: one.may_be_tabulated for name, one in book.attributes.items()}
    assert [name for name, allowed in may.items() if not allowed] == ["owner"]
    assert book.attribute("age", "by").name == "age"
    with pytest.raises(InvalidParameter, match="must not be a private attribute of workplaces"):
        book.attribute("owner", "by")
    with pytest.raises(InvalidParameter, match="Did you mean 'place'"):
        book.attribute("plce", "by")


HALF = "half: {table: workplaces, public: PUBLIC, codes: [h], from: owner, map: {P: h, G: h}}"
ALL = "all: {table: workplaces, public: true, codes: [t], from: half, map: {h: t}}"
BESIDE = "beside: {table: workplaces, public: true, column: owner, codes: [P, G]}"
GIVEN_AWAY = {
    "derived": (f"  {HALF}\n".replace("PUBLIC", "true"), ["half"]),
    "derived in two steps": (f"  {ALL}\n  {HALF}\n".replace("PUBLIC", "false"), ["all"]),
    "both steps": (f"  {ALL}\n  {HALF}\n".replace("PUBLIC", "true"), ["all", "half"]),
    "the same column": (f"  {BESIDE}\n", ["beside"]),
}


@pytest.mark.parametrize(("more", "refused"), GIVEN_AWAY.values(), ids=GIVEN_AWAY)
def test_what_is_private_is_not_published_under_another_name(
    tmp_path: Path, more: str, refused: list[str]
) -> None:
    with pytest.raises(LeewardError, match="declares private") as refusal:
        read(tmp_path, BOOK + more)
    problems = getattr(refusal.value, "problems", (refusal.value,))
    assert sorted(one.parameter for one in problems) == [
        f"codebook.attributes.{name}.public" for name in refused
    ]


def test_columns_of_other_tables_and_private_coarsenings_are_no_concern(tmp_path: Path) -> None:
    more = "  post: {table: jobs, column: owner, codes: [P]}\n" + f"  {HALF}\n"
    book = read(tmp_path, BOOK + more.replace("PUBLIC", "false"))
    assert not book.attributes["half"].may_be_tabulated
    assert book.attributes["post"].may_be_tabulated


TWINS = [("\u00e9", "e\u0301"), ("\uff21", "A"), ("x\u00b2", "x2"), ("\ufb01", "fi")]


@pytest.mark.parametrize("pair", TWINS)
def test_codes_that_a_reader_cannot_tell_apart_are_refused(
    tmp_path: Path, pair: tuple[str, str]
) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        read_codes(["b", *pair], tmp_path, "x")
    assert "NFKC" in refusal.value.rule
    assert str(refusal.value).isascii()  # otherwise the message itself could not be read
    assert read_codes(["a", "\u00e1", "A"], tmp_path, "x").codes == ("a", "\u00e1", "A")


def test_every_column_that_is_needed_is_named(tmp_path: Path) -> None:
    assert list(read(tmp_path, BOOK).columns()) == [
        ("workplaces", "wid"),
        ("workplaces", "firm"),
        ("workers", "worker_id"),
        ("jobs", "person"),
        ("jobs", "wid"),
        ("workplaces", "place"),
        ("workplaces", "owner"),
        ("workers", "age_group"),
        ("jobs", "contract"),
    ]


def test_a_codebook_does_not_change(tmp_path: Path) -> None:
    book = read(tmp_path, BOOK)
    with pytest.raises(TypeError):
        book.attributes["place"] = book.attributes["age"]  # type: ignore[index] # that is the test
    with pytest.raises(TypeError):
        book.attributes["place"].recode["03"] = 2  # type: ignore[index] # that is the test


def test_lists_of_codes_are_read_from_files_beside_the_codebook(tmp_path: Path) -> None:
    (tmp_path / "codes").mkdir()
    (tmp_path / "codes" / "a.csv").write_bytes(
        '\ufefflabel,code,note\n"One, first",01,x\r\nTwo, 02 ,\n'.encode()
    )
    (tmp_path / "map.csv").write_text("code,parent\n01,N\n02,S\n")
    held = read_codes("codes/a.csv", tmp_path, "x")
    assert held.codes == ("01", "02")
    assert held.labels == ("One, first", "Two")
    assert read_parents("map.csv", tmp_path, "x") == {"01": "N", "02": "S"}


def test_a_repeated_code_in_a_long_list_is_found_at_once(tmp_path: Path) -> None:
    codes = [str(n) for n in range(200_000)]
    with pytest.raises(InvalidParameter, match="got '199999' twice"):
        read_codes([*codes, "199999"], tmp_path, "x")


def test_a_list_may_not_be_too_long(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="got 1000001 codes"):
        read_codes([str(n) for n in range(MOST_CODES + 1)], tmp_path, "x")


def test_one_column_is_not_both_keys_of_jobs(tmp_path: Path) -> None:
    """Known bad: every job was matched with the workplace that has the id of its worker."""
    keys = "tables: {workplaces: {id: id}, workers: {id: id}, jobs: {worker: id, workplace: id}}"
    with pytest.raises(LeewardError, match="must name different columns as worker and as") as bad:
        read(tmp_path, f"{keys}\nattributes: {{sex: {{table: workers, codes: [F, M]}}}}")
    assert "'id' as both" in str(bad.value)
