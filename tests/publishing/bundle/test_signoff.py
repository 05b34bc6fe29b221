"""Sign-offs: one person submits, another decides, and every line is about this very bundle."""

import json
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from leeward.core.errors import BadFile, Damaged, InvalidParameter
from leeward.publishing.bundle import verify_bundle
from leeward.publishing.bundle.signoff import (
    MOST_BYTES,
    certificate_digest,
    read_sign_offs,
    record_path,
    sign,
    standing,
)
from tests.publishing.bundle.made_up import write_demo

FIRST, SECOND = "The first person", "The second person"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    write_demo(tmp_path / "bundle")
    return tmp_path / "bundle"


def said(bundle: Path) -> list[tuple[str, str]]:
    return [(one.decision, one.name) for one in read_sign_offs(bundle)]


def test_one_person_submits_and_another_approves(bundle: Path) -> None:
    assert read_sign_offs(bundle) == ()
    sign(bundle, f"  {FIRST}\n", "author", "submitted")
    done = sign(bundle, SECOND, "review board", "approved")
    assert said(bundle) == [("submitted", FIRST), ("approved", SECOND)]
    assert (done.role, done.date[-6:]) == ("review board", "+00:00")
    assert read_sign_offs(bundle)[-1] == done


def test_the_record_lies_beside_the_bundle_which_stays_sound(bundle: Path) -> None:
    sign(bundle, FIRST, "author", "submitted")
    assert record_path(bundle) == bundle.parent / "bundle.sign-off.jsonl"
    assert record_path(bundle / "." / "tables" / "..") == record_path(bundle)
    assert verify_bundle(bundle) == ()


@pytest.mark.parametrize(
    "same",
    [
        *(
            FIRST,
            "THE  FIRST person ",
            "The ﬁrst\u3000person",
            "person, the First",
            "TheFirstPerson",
        ),
        *("The first person.", "The\u034f first pers\u115fon"),
    ],
)
def test_nobody_decides_on_what_they_submitted(bundle: Path, same: str) -> None:
    sign(bundle, FIRST, "author", "submitted")
    for decision in ("approved", "rejected"):
        with pytest.raises(InvalidParameter, match="someone other than who submitted it"):
            sign(bundle, same, "review board", decision)
    assert len(said(bundle)) == 1


def test_a_name_that_nobody_sees_is_refused(bundle: Path) -> None:
    with pytest.raises(InvalidParameter, match="--name: must be one line"):
        sign(bundle, "\u115f", "author", "submitted")


def test_nobody_submits_what_they_decided_on(bundle: Path) -> None:
    sign(bundle, FIRST, "author", "submitted")
    sign(bundle, SECOND, "review board", "rejected")
    with pytest.raises(InvalidParameter, match="by someone who has decided on it"):
        sign(bundle, SECOND, "author", "submitted")


def test_a_bundle_that_was_replaced_since_it_was_verified_is_not_signed(bundle: Path) -> None:
    with pytest.raises(Damaged, match="must stay the same while it is verified and signed"):
        sign(bundle, FIRST, "author", "submitted", verified="0" * 64)
    assert not record_path(bundle).exists()
    sign(bundle, FIRST, "author", "submitted", verified=certificate_digest(bundle))
    assert said(bundle) == [("submitted", FIRST)]


def test_names_that_differ_are_different_people(bundle: Path) -> None:
    sign(bundle, "Åsa Ñuñez", "author", "submitted")
    sign(bundle, "Asa Nunez", "review board", "approved")
    assert [decision for decision, _ in said(bundle)] == ["submitted", "approved"]


def test_the_latest_decision_on_this_certificate_stands(bundle: Path) -> None:
    certificate = certificate_digest(bundle)
    sign(bundle, FIRST, "author", "submitted")
    assert standing(read_sign_offs(bundle), certificate) is None
    for decision in ("approved", "rejected"):
        done = sign(bundle, SECOND, "review board", decision)
        assert standing(read_sign_offs(bundle), certificate) == done
    assert standing(read_sign_offs(bundle), "0" * 64) is None


def test_nothing_is_decided_that_nobody_submitted(bundle: Path) -> None:
    with pytest.raises(InvalidParameter, match="must be submitted before it is decided on"):
        sign(bundle, SECOND, "review board", "approved")
    assert said(bundle) == []


def test_lines_about_another_certificate_do_not_count(bundle: Path) -> None:
    sign(bundle, FIRST, "author", "submitted")
    record = record_path(bundle)
    other = json.loads(record.read_text()) | {"certificate": "0" * 64}
    record.write_text(json.dumps(other) + "\n")
    with pytest.raises(InvalidParameter, match="must be submitted before"):
        sign(bundle, SECOND, "review board", "approved")


@pytest.mark.parametrize(
    ("name", "role", "decision", "part"),
    [
        ("", "author", "submitted", "--name"),
        ("x" * 201, "author", "submitted", "--name"),
        (FIRST, " ", "submitted", "--role"),
        (FIRST, "a\x00b", "submitted", "--role"),
        ("nosrep \u202etsrif", "author", "submitted", "--name"),
        ("\u200b", "author", "submitted", "--name"),
        ("\udcff", "author", "submitted", "--name"),
        (FIRST, "author", "agreed", "--decision"),
    ],
)
def test_what_is_no_sign_off_is_refused(
    bundle: Path, name: str, role: str, decision: str, part: str
) -> None:
    with pytest.raises(InvalidParameter) as refused:
        sign(bundle, name, role, decision)
    assert refused.value.parameter == part
    assert not record_path(bundle).exists()


@pytest.mark.parametrize(
    "content", [b"{}\n", b"nonsense\n", b'{"name": "cut', b"x" * (MOST_BYTES + 1)]
)
def test_a_damaged_record_is_refused_and_kept(bundle: Path, content: bytes) -> None:
    record_path(bundle).write_bytes(content)
    with pytest.raises(Damaged):
        read_sign_offs(bundle)
    with pytest.raises(Damaged):
        sign(bundle, FIRST, "author", "submitted")
    assert record_path(bundle).read_bytes() == content


def test_a_link_in_place_of_the_record_is_not_followed(bundle: Path, tmp_path: Path) -> None:
    aim = tmp_path / "aim"
    aim.write_bytes(b"")
    record_path(bundle).symlink_to(aim)
    with pytest.raises(BadFile, match="must be a file that can be read and written"):
        sign(bundle, FIRST, "author", "submitted")
    assert aim.read_bytes() == b""


def test_a_pipe_in_place_of_the_record_is_not_waited_for(bundle: Path) -> None:
    os.mkfifo(record_path(bundle))
    for attempt in (read_sign_offs, lambda path: sign(path, FIRST, "author", "submitted")):
        with pytest.raises((Damaged, BadFile)):
            attempt(bundle)


def _submit(task: tuple[Path, int]) -> None:
    bundle, number = task
    sign(bundle, f"person {number}", "author", "submitted")


def test_many_sign_at_once_and_no_line_is_lost(bundle: Path) -> None:
    with ProcessPoolExecutor(4) as pool:
        list(pool.map(_submit, [(bundle, number) for number in range(40)]))
    assert sorted(said(bundle)) == sorted(("submitted", f"person {n}") for n in range(40))
