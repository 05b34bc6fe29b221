"""Real processes that die at each step in turn: no noise without a charge, no half a bundle."""

import signal
from pathlib import Path

import pytest

from leeward.publishing.bundle import read_bundle, verify_bundle
from leeward.publishing.ledger import Entry, Ledger
from tests.publishing.office import Driver, Office, noted, release, steps

ORDER = (
    "before: reserve",
    "after: an entry is added",
    "after: reserve",
    "before: tabulate",
    "after: tabulate",
    "draw",
    "before: write a batch",
    "after: end a table",
    "before: write a text",
    "before: flush",
    "before: rename",
    "after: rename",
    "before: discard",
    "before: commit",
    "after: commit",
)
SAME_MOMENT = ("after: flush", "after: write a text", "after: write a batch", "after: discard")
"""Followed at once by the next step, which is tried too."""
FLUSHES = ["after: flush", "before: flush"]
"""Between two flushes in a row no file changes: the first is tried, and the step after the last."""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, driver: Driver, small_economy: Path) -> Office:
    made = Office(driver, tmp_path_factory.mktemp("office"))
    made.open_account(1000)
    made.write_plan(small_economy)
    return made


@pytest.fixture(scope="module")
def undisturbed(office: Office) -> list[str]:
    """The steps of a release that nothing happens to."""
    assert office.run("check", "check", "../2026Q2.yaml").code == 0  # later ones need not look
    ended = office.run("undisturbed", *release(), changes=noted())
    assert (ended.code, ended.err) == (0, "")
    return steps(office.folder / "undisturbed")


def test_the_steps_come_in_their_order(undisturbed: list[str]) -> None:
    first = [undisturbed.index(words) for words in ORDER]
    assert first == sorted(first)
    assert undisturbed.count("after: write a batch") == 2
    assert undisturbed.count("after: flush") == 4 + 2 + 5 + 3  # tables, CSVW, texts, folders


def test_a_process_that_dies_at_any_step_leaves_a_clean_state(
    office: Office, undisturbed: list[str]
) -> None:
    tried: set[str] = set()
    for number, words in enumerate(undisturbed):
        if words in SAME_MOMENT or undisturbed[number - 1 : number + 1] == FLUSHES:
            continue
        before = office.entries()
        killed = office.start(f"killed-{number}", *release("--again"), changes=noted(die=number))
        assert killed.ended() == -signal.SIGKILL
        done = undisturbed[: number + 1]
        assert steps(killed.folder) == done
        new = judged(office, before, done)
        judge_folder(killed.folder, new, done)
        if not words.startswith("before:") and words not in tried:
            fresh = office.run(f"fresh-{number}", *release("--again"))
            assert (fresh.code, fresh.err) == (0, "")
            tried.add(words)


def judged(office: Office, before: tuple[Entry, ...], done: list[str]) -> tuple[Entry, ...]:
    """What a process that came so far added to the ledger, which is sound."""
    with Ledger.open(office.ledger) as book:
        assert book.verify(entry.anchor for entry in before) == ()
        entries = book.entries()
    assert entries[: len(before)] == before
    new = entries[len(before) :]
    # Added is not on disk: a charge counts from the moment that `reserve` comes back.
    expected = ["reserved"] * ("after: reserve" in done) + ["committed"] * ("after: commit" in done)
    assert [entry.kind for entry in new] == expected
    assert "draw" not in done or new
    return new


def judge_folder(folder: Path, new: tuple[Entry, ...], done: list[str]) -> None:
    """A bundle is whole and paid for; what else is there is refused."""
    bundle = folder / "bundle"
    assert bundle.exists() == ("after: rename" in done)
    if bundle.exists():
        assert verify_bundle(bundle) == ()
        assert read_bundle(bundle).certificate.anchor == (
            new[0].ledger,
            new[0].number,
            new[0].hash,
        )
    for left in folder.glob(".*"):
        assert left.name.startswith(".bundle.partial-")
        assert new
        for inner in (left, *left.iterdir()):
            assert verify_bundle(inner)


def test_a_bundle_that_was_never_committed_is_noticed_and_mended(
    office: Office, undisturbed: list[str]
) -> None:
    step = undisturbed.index("before: commit")
    killed = office.start("uncommitted", *release("--again"), changes=noted(die=step))
    assert killed.ended() == -signal.SIGKILL
    number = office.entries()[-1].number
    check = ("verify", "../uncommitted/bundle", "--ledger", "../ledger.sqlite")
    found = office.run("found", *check)
    assert found.code == 1
    assert found.out == (
        f"- entry {number} was never committed: run `leeward ledger commit`\n"
        "../uncommitted/bundle is NOT sound: 1 finding.\n"
    )
    commit = ("ledger", "commit", "../uncommitted/bundle", "--ledger", "../ledger.sqlite")
    assert office.run("mended", *commit).out == f"Entry {number} is committed.\n"
    sound = office.run("sound", *check)
    assert sound.code == 0
    assert sound.out == "../uncommitted/bundle is sound and the ledger confirms it.\n"
    spent = [entry for entry in office.entries() if entry.kind == "reserved"]
    assert office.run("twice", *commit).code == 0
    assert [entry for entry in office.entries() if entry.kind == "reserved"] == spent
    assert [entry.kind for entry in office.entries()][-2:] == ["reserved", "committed"]
