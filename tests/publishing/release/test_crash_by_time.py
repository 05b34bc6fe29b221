"""Real processes that are killed at moments spread over the whole of their run."""

import signal
import time
from pathlib import Path

import pytest

from leeward.publishing.bundle import read_bundle, verify_bundle
from leeward.publishing.ledger import Ledger
from tests.publishing.office import Driver, Office, noted, release, steps

KILLS = 14


@pytest.fixture
def office(tmp_path: Path, driver: Driver, small_economy: Path) -> Office:
    made = Office(driver, tmp_path)
    made.open_account(1000)
    made.write_plan(small_economy)
    assert made.run("check", "check", "../2026Q2.yaml").code == 0  # releases need not look again
    return made


def undisturbed(office: Office) -> float:
    """How long a whole release takes."""
    begin = time.monotonic()
    ended = office.run("undisturbed", *release(), changes=noted())
    assert (ended.code, ended.err) == (0, "")
    return time.monotonic() - begin


def test_a_process_that_is_killed_at_any_time_leaves_a_clean_state(office: Office) -> None:
    longest = undisturbed(office)
    for number in range(KILLS):
        before = office.entries()
        running = office.start(f"killed-{number}", *release("--again"), changes=noted())
        time.sleep(longest * number / (KILLS - 1))
        running.send(signal.SIGKILL)
        assert running.ended() in {-signal.SIGKILL, 0}  # the last ones may be through
        with Ledger.open(office.ledger) as book:
            assert book.verify(entry.anchor for entry in before) == ()
            entries = book.entries()
        assert entries[: len(before)] == before
        judge(running.folder, [entry.number for entry in entries[len(before) :]])
    fresh = office.run("fresh", *release("--again"))
    assert (fresh.code, fresh.err) == (0, "")


def judge(folder: Path, new: list[int]) -> None:
    """What a killed process left, beside the entries that it wrote."""
    done = steps(folder)
    assert new or not {"draw", "after: reserve", "before: tabulate"} & set(done)
    bundle = folder / "bundle"
    if bundle.exists():
        assert verify_bundle(bundle) == ()
        assert read_bundle(bundle).certificate.ledger.entry == new[0]
    assert bundle.exists() or "after: rename" not in done
    for left in folder.glob(".*"):
        assert new
        if left.name.startswith(".bundle.report-"):  # half a report, beside a bundle that is whole
            assert bundle.exists()
            continue
        assert left.name.startswith(".bundle.partial-")
        for inner in (left, *left.iterdir()):
            assert verify_bundle(inner)
