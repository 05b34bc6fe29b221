"""A report never holds the answer, and is drawn once."""

import json
import os
from datetime import date
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from leeward.core.errors import BadFile, InvalidParameter, LeewardError
from leeward.core.state import state_folder
from leeward.systems.local.channel_choice import METHODS
from leeward.systems.local.response import (
    Report,
    draw_report,
    own_report,
    read_report,
    read_stratum,
)
from leeward.systems.local.survey import Survey
from tests.systems.local.surveys import SEVERAL, survey

TODAY, TOMORROW = date(2026, 11, 17), date(2026, 11, 18)


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def drawn(asked: Survey, answer: str = "yes") -> Report:
    return draw_report(asked, {asked.name: answer}, None)


def nothing() -> Report:
    raise AssertionError("a second report was drawn")


def kept(asked: Survey) -> list[Path]:
    return sorted((state_folder() / "surveys" / asked.digest).iterdir())


def test_a_report_is_drawn_once_and_kept_for_its_owner_alone() -> None:
    asked = survey()
    first, new = own_report(asked, lambda: drawn(asked), TODAY)
    again, newer = own_report(asked, nothing, TOMORROW)
    assert (new, newer) == (True, False)
    assert again.to_bytes(asked) == first.to_bytes(asked)
    (file,) = kept(asked)
    modes = [one.stat().st_mode & 0o777 for one in (file, file.parent, file.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]
    assert set(json.loads(file.read_bytes())) == {"day", "report"}
    other, fresh = own_report(survey(name="another"), lambda: drawn(survey(name="another")))
    assert fresh
    assert other.id != first.id


def test_a_refused_answer_draws_nothing_and_is_not_shown() -> None:
    asked = survey()
    with pytest.raises(InvalidParameter) as refusal:
        own_report(asked, lambda: drawn(asked, "SECRET"))
    assert "SECRET" not in str(refusal.value)
    assert kept(asked) == []


def test_of_calls_at_once_all_return_one_report() -> None:
    asked, barrier, found = survey(), Barrier(6), set()

    def draw() -> Report:
        barrier.wait()  # all of them have found no report
        return drawn(asked)

    def call() -> None:
        found.add(own_report(asked, draw, TODAY)[0].id)

    threads = [Thread(target=call) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(found) == 1
    assert len(kept(asked)) == 1


def test_a_new_day_gives_a_new_report_until_the_limit() -> None:
    asked = survey(limits={"per_person": 2})
    days = [TODAY, TODAY, TOMORROW, TODAY, date(2027, 1, 1)]
    made = [own_report(asked, lambda: drawn(asked), day) for day in days]
    assert [new for _, new in made] == [True, False, True, False, False]
    assert len({one.id for one, _ in made}) == 2


def test_a_clock_that_is_set_back_makes_no_room() -> None:
    asked = survey(limits={"per_person": 3})
    own_report(asked, lambda: drawn(asked), TOMORROW)
    own_report(asked, nothing, TODAY)


@pytest.mark.parametrize("harm", ["open to all", "torn", "of another survey", "a link"])
def test_a_kept_report_that_cannot_be_used_is_no_reason_to_draw_again(
    harm: str, tmp_path: Path
) -> None:
    asked = survey()
    own_report(asked, lambda: drawn(asked))
    (file,) = kept(asked)
    if harm == "open to all":
        file.chmod(0o644)
    elif harm == "torn":
        os.truncate(file, 40)
    elif harm == "of another survey":
        file.write_text(file.read_text().replace(asked.digest, "0" * 64))
    else:
        file.rename(tmp_path / "moved")
        file.symlink_to(tmp_path / "moved")
    with pytest.raises(BadFile, match="a second draw costs ε again"):
        own_report(asked, nothing)


def test_what_is_kept_counts_whatever_the_link_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of another machine may do what it is asked and still say that it did not."""
    asked, link = survey(), os.link

    def lost(source: Path, target: Path) -> None:
        link(source, target)
        link(source, target)

    monkeypatch.setattr(os, "link", lost)
    made, new = own_report(asked, lambda: drawn(asked), TODAY)
    assert new
    assert own_report(asked, nothing, TODAY)[0].id == made.id
    assert len(kept(asked)) == 1


@pytest.mark.parametrize("harm", ["open folder", "a hole"])
def test_a_folder_that_others_changed_is_no_reason_to_draw_again(harm: str) -> None:
    asked = survey(limits={"per_person": 4})
    for day in (TODAY, TOMORROW):
        own_report(asked, lambda: drawn(asked), day)
    first, _ = kept(asked)
    first.unlink()
    if harm == "open folder":
        kept(asked)[0].unlink()
        first.parent.chmod(0o770)
    with pytest.raises(BadFile, match="a second draw costs ε again"):
        own_report(asked, nothing, date(2027, 1, 1))


@pytest.mark.parametrize("method", [*METHODS, "auto"])
def test_a_report_of_every_method_is_read_as_it_was_written(method: str) -> None:
    asked = survey(method=method)
    made = drawn(asked)
    content = made.to_bytes(asked)
    read = read_report(content, asked)
    assert read.to_bytes(asked) == content
    assert set(json.loads(content)) == {"leeward", "survey", "id", "stratum", "reports"}


def test_one_question_is_drawn_or_all_are_reported() -> None:
    answers = {"pay": "a", "harassed": "yes"}
    every = draw_report(survey(SEVERAL), answers, None)
    assert [name for name, _ in every.given] == ["pay", "harassed"]
    one = survey(SEVERAL, ask="one")
    found = {draw_report(one, answers, None).given[0][0] for _ in range(60)}
    assert found == {"pay", "harassed"}  # fails by chance once in 2^59 runs
    with pytest.raises(InvalidParameter, match="harassed"):
        draw_report(one, {"pay": "a"}, None)


def test_a_stratum_has_all_its_codes_or_none() -> None:
    asked = survey(SEVERAL, strata={"region": ["north"], "trade": ["metal"]})
    assert read_stratum(asked, {"trade": "metal", "region": "north"}) == ("north", "metal")
    assert read_stratum(asked, {}) is None
    for wrong in ({"region": "north"}, {"region": "west", "trade": "metal"}):
        with pytest.raises(InvalidParameter, match="stratum"):
            read_stratum(asked, wrong)


GIVEN = [{"question": "pay", "report": [0]}, {"question": "harassed", "report": [1]}]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"leeward": "certificate"}, "must say leeward"),
        ({"survey": "0" * 64}, "must be of this survey"),
        ({"id": "ABC"}, "must have an id"),
        ({"more": 1}, "must have the keys"),
        ({"stratum": "north"}, "must have a stratum"),
        ({"stratum": {"region": "west"}}, "must have one code"),
        ({"reports": GIVEN[:1]}, "must report on every question"),
        ({"reports": GIVEN[::-1]}, "must report on every question"),
        ({"reports": {"pay": 0}}, "must have reports"),
        ({"reports": [GIVEN[0], {"question": "harassed", "report": [7]}]}, "from 0 to 1"),
        ({"reports": [GIVEN[0], {"question": "harassed", "report": [0, 1]}]}, "a list of 1"),
        ({"reports": [GIVEN[0], {"question": "harassed", "report": "yes"}]}, "must be a list"),
    ],
)
def test_what_is_no_report_is_refused(change: dict[str, Any], rule: str) -> None:
    asked = survey(SEVERAL)
    sound = {"leeward": "report", "survey": asked.digest, "id": "0" * 32, "stratum": None,
             "reports": GIVEN}  # fmt: skip
    read_report(json.dumps(sound), asked)
    with pytest.raises(LeewardError, match=rule):
        read_report(json.dumps(sound | change), asked)


def test_a_report_that_programs_may_read_otherwise_is_refused() -> None:
    asked = survey()
    sound = drawn(asked).to_bytes(asked).decode()
    for wrong in (sound.encode("utf-16"), sound.replace('"id"', '"id": "x", "id"').encode()):
        with pytest.raises(InvalidParameter, match="each key once"):
            read_report(wrong, asked)
