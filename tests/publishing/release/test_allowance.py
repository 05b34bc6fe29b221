"""Memory and spill folder of a release, and what is left of them after a kill."""

import signal
from pathlib import Path

import pytest

from tests.publishing.office import Driver, Office, noted, release

SPILL = "../scratch"


@pytest.fixture
def office(tmp_path: Path, driver: Driver, small_economy: Path) -> Office:
    made = Office(driver, tmp_path)
    made.open_account(100)
    made.write_plan(small_economy)
    (tmp_path / "scratch").mkdir()
    return made


def left(office: Office) -> list[Path]:
    return list((office.folder / "scratch").iterdir())


def test_the_folder_of_the_command_line_is_used_and_left_empty(office: Office) -> None:
    options = ("--memory", "500MB", "--spill", SPILL)
    running = office.start("first", *release(*options), changes=noted(wait=["before: tabulate"]))
    running.wait_for("before: tabulate")
    (folder,) = left(office)
    assert folder.stat().st_mode & 0o777 == 0o700
    running.let_through("before: tabulate")
    assert running.ended() == 0
    assert left(office) == []


def test_a_killed_release_leaves_rows_only_until_the_next_start(office: Office) -> None:
    options = ("--spill", SPILL)
    running = office.start("killed", *release(*options), changes=noted(wait=["before: tabulate"]))
    running.wait_for("before: tabulate")
    (folder,) = left(office)
    (folder / "rows").mkdir(exist_ok=True)
    (folder / "rows" / "block").write_text("rows")
    running.send(signal.SIGKILL)
    running.ended()
    assert (folder / "rows" / "block").exists()
    assert office.run("next", "check", "../2026Q2.yaml", "--spill", SPILL).code == 0
    assert left(office) == []


def test_the_plan_may_say_it(office: Office) -> None:
    plan = office.folder / "2026Q2.yaml"
    said = plan.read_text().replace("data:\n", "data:\n  memory: 500MB\n  spill: missing\n")
    plan.write_text(said)
    ended = office.run("without", "check", "../2026Q2.yaml")
    assert ended.code == 1
    assert "must be a folder in which folders can be made" in ended.err
    plan.write_text(said.replace("spill: missing", "spill: scratch"))
    assert office.run("there", "check", "../2026Q2.yaml").code == 0


@pytest.mark.parametrize("command", ["check", "release"])
def test_the_command_line_is_held_to_the_same_rules(office: Office, command: str) -> None:
    words = ("check", "../2026Q2.yaml") if command == "check" else release()
    ended = office.run("wrong", *words, "--memory", "plenty")
    assert ended.code == 1
    assert "--memory: must be an amount such as 6GB, at least 256MB; got 'plenty'." in ended.err
    assert [entry.kind for entry in office.entries()] == ["opened"]
