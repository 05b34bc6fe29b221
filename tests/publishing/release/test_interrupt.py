"""Ctrl-C on real processes: a clean state, and no doubt about what was charged."""

import signal
import time
from pathlib import Path

import pytest

from leeward.publishing.bundle import verify_bundle
from tests.publishing.office import Driver, Ended, Office, Running, noted, release

CHARGED = "entry 2 of the ledger stays: epsilon 4 of account office."


@pytest.fixture
def office(tmp_path: Path, driver: Driver, small_economy: Path) -> Office:
    made = Office(driver, tmp_path)
    made.open_account(8)
    made.write_plan(small_economy)
    return made


def interrupted(office: Office, *moments: str) -> Ended:
    """A release to which Ctrl-C is sent when it has come to each of these steps."""
    running = office.start("run", *release(), changes=noted(wait=moments))
    for words in moments:
        running.wait_for(words)
        running.send(signal.SIGINT)
        running.let_through(words)
    return ended(running)


def ended(running: Running) -> Ended:
    code = running.ended()
    said = [(running.folder / f"{stream}.txt").read_text() for stream in ("stdout", "stderr")]
    return Ended(code, *said)


def left(office: Office) -> list[str]:
    """What the release wrote into its folder."""
    return sorted(path.name for path in (office.folder / "run").iterdir() if "bundle" in path.name)


@pytest.mark.parametrize("moment", ["before: rows are checked", "after: rows are checked"])
def test_before_the_charge_nothing_is_charged(office: Office, moment: str) -> None:
    before = office.ledger.read_bytes()
    told = interrupted(office, moment)
    assert told == Ended(130, "", "leeward: interrupted; nothing was charged.\n")
    assert office.ledger.read_bytes() == before
    assert left(office) == []


@pytest.mark.parametrize(
    "moments",
    [
        ("before: reserve",),  # it waits until the charge stands, or is refused
        ("after: an entry is added",),
        ("after: reserve",),
        ("before: tabulate",),
        ("draw",),
        ("after: write a batch",),
        ("draw", "before: discard"),  # pressed twice
    ],
)
def test_after_the_charge_it_stays_and_no_bundle_is_left(
    office: Office, moments: tuple[str, ...]
) -> None:
    told = interrupted(office, *moments)
    assert told == Ended(
        130,
        "",
        f"leeward: interrupted; {CHARGED} No bundle was written; releasing again costs again.\n",
    )
    assert [entry.kind for entry in office.entries()] == ["opened", "reserved", "failed"]
    assert office.entries()[-1].reason == "interrupted"
    assert left(office) == []


@pytest.mark.parametrize(
    ("after", "told", "kinds"),
    [
        ("before: rows are checked", "nothing was charged.", ["opened"]),
        (
            "before: tabulate",
            f"{CHARGED} No bundle was written; releasing again costs again.",
            ["opened", "reserved", "failed"],
        ),
    ],
)
def test_in_the_middle_of_a_query(office: Office, after: str, told: str, kinds: list[str]) -> None:
    endless = {"tests.publishing.steps:ask_endlessly": {"after": after}}
    running = office.start("run", *release(), changes={**noted(), **endless})
    running.wait_for("endless")
    time.sleep(0.3)  # the same must come out if the query has not begun yet
    running.send(signal.SIGINT)
    assert ended(running) == Ended(130, "", f"leeward: interrupted; {told}\n")
    assert [entry.kind for entry in office.entries()] == kinds
    assert left(office) == []


@pytest.mark.parametrize("moment", ["before: rename", "after: rename", "before: commit"])
def test_when_the_bundle_is_as_good_as_done_it_is_done(office: Office, moment: str) -> None:
    told = interrupted(office, moment)
    assert (told.code, told.err) == (0, "")
    assert [entry.kind for entry in office.entries()] == ["opened", "reserved", "committed"]
    assert left(office) == ["bundle"]
    assert verify_bundle(office.folder / "run" / "bundle") == ()


def test_after_the_commit_nobody_hears_that_nothing_was_charged(office: Office) -> None:
    told = interrupted(office, "before: forget the data")
    end = "`leeward ledger show` says what became of it."
    assert told == Ended(130, "", f"leeward: interrupted; {CHARGED} {end}\n")
    assert [entry.kind for entry in office.entries()] == ["opened", "reserved", "committed"]
    assert verify_bundle(office.folder / "run" / "bundle") == ()


def test_a_polite_request_to_stop_is_like_an_interruption(office: Office) -> None:
    running = office.start("run", *release(), changes=noted(wait=["before: tabulate"]))
    running.wait_for("before: tabulate")
    running.send(signal.SIGTERM)
    told = ended(running)
    assert told.code == 130
    assert CHARGED in told.err
    assert [entry.kind for entry in office.entries()] == ["opened", "reserved", "failed"]
    assert left(office) == []


def test_an_interrupted_release_can_be_made_again(office: Office) -> None:
    assert interrupted(office, "before: tabulate").code == 130
    refused = office.run("same", *release())
    assert refused.code == 1
    assert "which failed: its budget is spent, there is no bundle" in refused.err
    assert office.run("again", *release("--again")).code == 0
    assert office.run("over", *release("--again")).code == 1
