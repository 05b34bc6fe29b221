"""What fails when the bundle is already whole: it is said so, and can be mended."""

import errno
import os
from pathlib import Path

import pytest

from leeward.core.errors import BadFile, FailedAfterCharge
from leeward.interface.commands.release_command import run
from leeward.publishing.bundle import disk, verify_bundle
from leeward.publishing.ledger import Entry, Ledger
from leeward.publishing.plan.plan import read_plan
from tests.publishing.office import Driver, Office
from tests.unchecked import REASON


@pytest.fixture
def office(tmp_path: Path, driver: Driver, small_economy: Path) -> Office:
    made = Office(driver, tmp_path)
    made.open_account(8)
    made.write_plan(small_economy)
    return made


def broken_off(office: Office) -> str:
    """What a release says that breaks off after the charge."""
    plan = read_plan(office.folder / "2026Q2.yaml")
    with pytest.raises(FailedAfterCharge) as failure:
        run(plan, office.folder / "bundle", office.ledger, unchecked=REASON)
    return str(failure.value)


def judge(office: Office, said: str) -> None:
    """The bundle is there, and the command that was named commits it."""
    bundle = office.folder / "bundle"
    command = f"leeward ledger commit {bundle} --ledger {office.ledger}"
    assert f"The bundle is whole: run `{command}`." in said
    assert "No bundle was written" not in said
    assert verify_bundle(bundle) == ()
    assert [entry.kind for entry in office.entries()] == ["opened", "reserved"]
    assert office.run("mend", *command.split()[1:]).code == 0
    verify = ("verify", str(bundle), "--ledger", str(office.ledger))
    assert office.run("verify", *verify).code == 0


def test_a_ledger_that_cannot_be_told(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> Entry:
        raise BadFile("ledger", rule="must be writable", value="full", next_step="Make room.")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "commit", full)
        said = broken_off(office)
    judge(office, said)


def test_a_folder_that_cannot_be_flushed_after_the_rename(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = disk.flush

    def failing(path: Path) -> None:
        if (office.folder / "bundle").exists():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        honest(path)

    with monkeypatch.context() as patch:
        patch.setattr(disk, "flush", failing)
        said = broken_off(office)
    judge(office, said)
