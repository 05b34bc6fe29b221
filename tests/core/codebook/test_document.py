"""Documents: every scalar stays text, and a refusal names the place and the nearest key."""

from pathlib import Path

import pytest
from pydantic import Field

from leeward.core.codebook.yaml_document import (
    Written,
    parse,
    place,
    read_document,
    read_text,
    unknown_key,
)
from leeward.core.errors import BadFile, nearest


class Inner(Written):
    wanted: str
    listed: tuple[str, ...] = ()


class Outer(Written):
    one: Inner
    named: dict[str, Inner] = Field(default_factory=dict)
    several: tuple[Inner, ...] = ()


def document(folder: Path, text: str) -> dict[str, object]:
    path = folder / "x.yaml"
    path.write_text(text, encoding="utf-8")
    return read_document(path, "x")


@pytest.mark.parametrize("written", ["01", "1e3", "NO", "null", "0x10", "2026-01-01", "~", "1_0"])
def test_every_scalar_stays_the_text_that_was_written(tmp_path: Path, written: str) -> None:
    assert document(tmp_path, f"a: {written}\nb: [{written}]\n") == {"a": written, "b": [written]}


def test_a_mark_at_the_beginning_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes("\ufeffa: 1\n".encode())
    assert read_document(tmp_path / "x.yaml", "x") == {"a": "1"}


@pytest.mark.parametrize("text", ["!!python/name:os.system", "!!python/object/apply:os.getcwd []"])
def test_tags_make_no_objects(tmp_path: Path, text: str) -> None:
    held = document(tmp_path, f"a: {text}\n")["a"]
    assert isinstance(held, (str, list))


def test_an_anchor_alone_is_harmless_and_an_alias_is_refused(tmp_path: Path) -> None:
    assert document(tmp_path, "a: &x 1\n") == {"a": "1"}
    with pytest.raises(BadFile, match=r"write the value out \(line 2, column 4\)"):
        document(tmp_path, "a: &x 1\nb: *x\n")


def test_a_billion_laughs_are_refused_at_once(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
    with pytest.raises(BadFile, match="aliases are not read here"):
        document(tmp_path, "\n".join(lines))


def test_all_that_is_wrong_is_told_at_once() -> None:
    written = {"one": {}, "named": {"n": {"wanted": []}}, "several": [{"wnted": "x"}]}
    held, problems = parse(Outer, written, "x")
    assert held is None
    told = [problem.parameter for problem in problems]
    assert told == ["x.one.wanted", "x.named.n.wanted", "x.several[0].wnted"]


def test_a_misspelt_key_is_not_also_missing() -> None:
    held, problems = parse(Outer, {"one": {"wnted": "x"}}, "x")
    assert held is None
    assert [problem.next_step for problem in problems] == ["Did you mean 'wanted'?"]


def test_a_missing_key_beside_an_unknown_one_is_told_too() -> None:
    held, problems = parse(Outer, {"one": {"zzz": "x"}}, "x")
    assert held is None
    assert [problem.value for problem in problems] == ["nothing", "'zzz'"]


@pytest.mark.parametrize(
    ("content", "known"),
    [
        ({"one": {"wanted": "a"}, "zz": "b"}, "one, named, several"),
        ({"one": {"wanted": "a", "zz": "b"}}, "wanted, listed"),
        ({"one": {"wanted": "a"}, "named": {"one": {"wanted": "a", "zz": "b"}}}, "wanted, listed"),
        ({"one": {"wanted": "a"}, "several": [{"wanted": "a", "zz": "b"}]}, "wanted, listed"),
    ],
)
def test_an_unknown_key_is_told_the_known_ones_of_its_place(
    content: dict[str, object], known: str
) -> None:
    held, (problem,) = parse(Outer, content, "x")
    assert held is None
    assert f"known are {known};" in str(problem)


def test_what_was_parsed_does_not_change() -> None:
    held, problems = parse(Inner, {"wanted": "a"}, "x")
    assert held is not None
    assert problems == []
    with pytest.raises(ValueError, match="frozen"):
        held.wanted = "b"


@pytest.mark.parametrize(
    ("written", "found"), [("acount", "account"), ("ACCOUNT", "account"), ("zzz", None)]
)
def test_the_nearest_name_is_suggested(written: str, found: str | None) -> None:
    assert nearest(written, ("account", "period")) == found


def test_an_unknown_key_without_a_near_one_is_to_be_left_out() -> None:
    assert unknown_key("x.zzz", "zzz", ("account",)).next_step == "Leave it out."


def test_a_decimal_comma_is_recognised() -> None:
    said = str(unknown_key("plan.protect.0", "0", ("policy", "epsilon")))
    assert said == (
        "plan.protect.0: is not a known key; known are policy, epsilon; got '0'. "
        "Write a decimal point in place of the comma before it, or leave it out."
    )


def test_places_read_like_paths() -> None:
    assert place(("plan", "tables", 1, "by", 0)) == "plan.tables[1].by[0]"
    assert place(("codebook", "a\nb")) == r"codebook.'a\nb'"
    assert place(()) == ""


def test_a_text_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xe9")
    for name, rule in (
        ("no", "must be a file that exists"),
        (".", "must be a file, not a folder"),
        ("/dev/zero", "must be a file, not a device or pipe"),
        ("latin", "must be text in UTF-8"),
        ("latin/x", r"must be a file that can be read \(Not a directory\)"),
        ("a\0b", r"must be a file that can be read \(bad name\)"),
    ):
        with pytest.raises(BadFile, match=rule):
            read_text(tmp_path / name, "x")
