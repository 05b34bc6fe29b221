"""`leeward doctor`: what it looks at, and what it reports."""

import pytest

from tests.interface.commands.scene import Office


def test_doctor_finds_nothing_wrong(office: Office) -> None:
    result = office.run("doctor", "--ledger", "ledger.sqlite")
    assert result.exit_code == 0
    assert all(line.startswith("ok   ") for line in result.stdout.splitlines())
    assert result.stdout.endswith("ledger ledger.sqlite: sound, 1 entries\n")


def test_doctor_lists_what_killed_releases_left(office: Office) -> None:
    for name in (".first.partial-4797-0", ".b's.partial-12-3", ".partial-1-2", "partial-1-0"):
        (office.folder / name).mkdir()
    (office.folder / ".first.report-4797-0").touch()
    line = next(line for line in office.run("doctor").stdout.splitlines() if "leftovers" in line)
    assert line == (
        "ok   leftovers in .: .b's.partial-12-3, .first.partial-4797-0, .first.report-4797-0. A "
        "release that was killed left them; they may hold noisy values that were paid for, and "
        "must not be published. If no release is running, remove them: in that folder, "
        "`rm -r '.b'\"'\"'s.partial-12-3' .first.partial-4797-0 .first.report-4797-0`"
    )
    other = office.run("doctor", "--bundles", "none")
    assert other.exit_code == 1
    assert "BAD  leftovers in none" in other.stdout


def test_doctor_says_what_is_wrong_and_looks_at_the_rest(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise ArithmeticError("a sum that is none")

    monkeypatch.setattr("leeward.interface.commands.doctor_command.require_accuracy", fail)
    (office.folder / "ledger.sqlite").chmod(0o644)
    result = office.run("doctor", "--ledger", "ledger.sqlite")
    assert result.exit_code == 1
    bad = [line for line in result.stdout.splitlines() if line.startswith("BAD")]
    assert bad[0] == "BAD  arithmetic: a sum that is none"
    assert bad[1].startswith("BAD  ledger ledger.sqlite: ledger: must be closed to everyone")
    assert len(bad) == 2
