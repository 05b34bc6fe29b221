"""`leeward verify` and `leeward report`: sound bundles, findings and sign-offs."""

import pytest

from leeward.publishing.bundle import Bundle
from tests.interface.commands.scene import Office


def test_verify_confirms_a_sound_bundle_and_its_entry(office: Office) -> None:
    office.released()
    assert office.run("verify", "bundle").stdout == "bundle is sound.\n"
    confirmed = office.run("verify", "bundle", "--ledger", "ledger.sqlite")
    assert confirmed.exit_code == 0
    assert confirmed.stdout == "bundle is sound and the ledger confirms it.\n"


def test_verify_finds_a_changed_table_and_a_withdrawal(office: Office) -> None:
    office.released()
    assert office.run("ledger", "withdraw", "2", "--reason", "wrong period").exit_code == 0
    withdrawn = office.run("verify", "bundle", "--ledger", "ledger.sqlite")
    assert withdrawn.exit_code == 1
    assert "- entry 2 was withdrawn: wrong period\n" in withdrawn.stdout
    with (office.folder / "bundle" / "tables" / "by_place.csv").open("a") as file:
        file.write("01,A,1,1,1\n")
    changed = office.run("verify", "bundle")
    assert changed.exit_code == 1
    assert "- tables/by_place.csv is not the file that was published\n" in changed.stdout
    assert changed.stdout.splitlines()[-1].startswith("bundle is NOT sound: ")


def test_verify_says_that_there_is_no_bundle(office: Office) -> None:
    result = office.run("verify", "nothing")
    assert result.exit_code == 1
    assert result.stdout.startswith("- it is not a folder\nnothing is NOT sound: 1 ")


SIGNING = ("verify", "bundle", "--sign-off")


def signed_by(name: str, role: str, decision: str) -> tuple[str, ...]:
    return (*SIGNING, "--name", name, "--role", role, "--decision", decision)


def test_a_sound_bundle_is_signed_by_two_people(office: Office) -> None:
    office.released()
    first = office.run(*signed_by("One", "author", "submitted"), "--ledger", "ledger.sqlite")
    assert first.stdout.startswith("bundle is sound and the ledger confirms it.\nRecorded in ")
    own = office.run(*signed_by("one", "board", "approved"))
    assert own.exit_code == 1
    assert "someone other than who submitted it; got approved by 'one'." in own.stderr
    assert office.run(*signed_by("Two", "board", "approved")).exit_code == 0
    told = office.run("verify", "bundle").stdout.splitlines()
    assert [line.partition("  ")[2] for line in told[1:3]] == [
        "submitted by One, author",
        "approved by Two, board",
    ]
    assert told[3:] == ["It stands approved: the latest decision holds."]


def test_an_unsound_bundle_is_not_signed(office: Office) -> None:
    office.released()
    (office.folder / "bundle" / "README.txt").write_text("better")
    result = office.run(*signed_by("One", "author", "submitted"))
    assert result.exit_code == 1
    assert result.stdout.endswith("bundle is NOT sound: 1 finding. Nothing was signed.\n")
    assert not (office.folder / "bundle.sign-off.jsonl").exists()


def test_a_bundle_that_is_replaced_after_it_was_verified_is_not_signed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.released()

    def verified(bundle: Bundle) -> tuple[str, ...]:
        (bundle.path / "certificate.json").write_text("another one")
        return ()

    last_look = "leeward.derived.settle.tidy_statements.restated_findings"
    monkeypatch.setattr(last_look, verified)
    result = office.run(*signed_by("One", "author", "submitted"))
    assert result.exit_code == 1
    assert "must stay the same while it is verified and signed" in result.stderr
    assert not (office.folder / "bundle.sign-off.jsonl").exists()


def test_half_a_sign_off_is_refused(office: Office) -> None:
    office.released()
    half = office.run(*SIGNING, "--name", "One", "--role", "author")
    assert (half.exit_code, half.stdout) == (1, "")
    assert "--decision: must be given with --sign-off; got nothing." in half.stderr
    alone = office.run("verify", "bundle", "--name", "One")
    assert "--name: belongs to --sign-off; got 'One'." in alone.stderr


def test_a_report_that_says_something_else_is_found(office: Office) -> None:
    office.released()
    report = office.folder / "bundle" / "report.html"
    report.write_text(report.read_text().replace("strong", "strict"))
    result = office.run("verify", "bundle")
    assert result.exit_code == 1
    assert "- report.html is not what the bundle says" in result.stdout
    assert office.run("report", "bundle").exit_code == 0
    assert office.run("verify", "bundle").stdout == "bundle is sound.\n"
