"""`leeward ledger`: create, show, verify, commit and withdraw."""

import stat

import pytest

from tests.interface.commands.scene import Office, answer


def test_the_ledger_is_created_shown_and_verified(office: Office) -> None:
    (office.folder / "ledger.sqlite").unlink()
    made = office.run(
        *("ledger", "create", "--account", "a", "--policy", "strong"),
        *("--alpha", "0.1", "--epsilon", "16"),
    )
    assert made.exit_code == 0
    meant = (
        "  All of it spent, a suspicion of 1 in 100 becomes at most 100 in 100. That is no useful "
        "bound.\n"
    )
    assert made.stdout == (
        f"Account a in ledger.sqlite: strong, alpha 0.1, epsilon 16 in all, for ever.\n{meant}"
    )
    assert stat.S_IMODE((office.folder / "ledger.sqlite").stat().st_mode) == 0o600
    shown = office.run("ledger", "show").stdout
    first = "a: strong, alpha 0.1, epsilon 16 in all; epsilon 16 left\n"
    assert shown.startswith(f"{first}{meant}     1  2")
    assert shown.endswith("  account opened\n")
    assert office.run("ledger", "verify").stdout == "ledger.sqlite is sound.\n"


def test_the_ledger_shows_releases_and_what_became_of_them(office: Office) -> None:
    office.released(out="first")
    office.released("--again", "--corrects", "2", out="second")
    done = office.run("ledger", "withdraw", "2", "--reason", "wrong period")
    assert done.stdout == "Entry 2 is withdrawn by entry 6; its charge stays.\n"
    shown = office.run("ledger", "show").stdout
    for words in (
        "office: strong, alpha 0.1, epsilon 16 in all; epsilon 8 left\n",
        "charged strong, alpha 0.1, epsilon 4 for first (2026Q2), "
        "data not checked (a test of something else)\n",
        "entry 2 committed: its bundle is complete\n",
        "charged strong, alpha 0.1, epsilon 4 for second (2026Q2), corrects entry 2, "
        "data not checked (a test of something else)\n",
        "entry 2 withdrawn (wrong period); its charge stays\n",
    ):
        assert words in shown
    told = answer(office, "ledger", "show")
    (account,) = told["accounts"]
    assert account == {
        "name": "office",
        "policy": "strong",
        "alpha": "1/10",
        "plus": 1,
        "unit": "establishment",
        "epsilon": "16",
        "delta": "0",
        "rho": "0",
        "spent": "8",
        "left": "8",
    }
    kinds = ["opened", "reserved", "committed", "reserved", "committed", "withdrawn"]
    assert [entry["kind"] for entry in told["entries"]] == kinds
    verified = office.run("ledger", "verify", "--against", "first", "--against", "second")
    assert verified.stdout == "ledger.sqlite is sound, and knows 2 bundles.\n"


def test_the_ledger_says_what_the_cap_means_for_several_jobs(office: Office) -> None:
    office.edit("plan.yaml", ("tables:", "jobs: {max_per_worker: 3}\ntables:"))
    office.released()
    third = office.run("ledger", "show").stdout.splitlines()[2]
    assert third.startswith("  Up to 3 jobs of a worker count: such a worker may lose 3 times as")


def test_an_old_copy_of_the_ledger_is_found_with_the_bundle(office: Office) -> None:
    old = office.ledger
    office.released()
    (office.folder / "ledger.sqlite").write_bytes(old)
    assert office.run("ledger", "verify").exit_code == 0
    result = office.run("ledger", "verify", "--against", "bundle")
    assert result.exit_code == 1
    assert "its end was cut off or an old copy was put back" in result.stdout


def test_a_whole_bundle_is_committed_later(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("the ledger is away")

    with monkeypatch.context() as patch:
        patch.setattr("leeward.publishing.ledger.Ledger.commit", fail)
        assert office.release().exit_code == 3
    unsaid = office.run("verify", "bundle", "--ledger", "ledger.sqlite")
    assert unsaid.exit_code == 1
    committed = office.run("ledger", "commit", "bundle")
    assert committed.stdout == "Entry 2 is committed.\n"
    assert office.run("verify", "bundle", "--ledger", "ledger.sqlite").exit_code == 0
    assert office.run("ledger", "commit", "bundle").exit_code == 0  # the same again


def test_an_account_is_opened_with_a_part_for_gaussian_noise(office: Office) -> None:
    words = ("ledger", "create", "--account", "both", "--policy", "strong", "--alpha", "0.1")
    made = office.run(*words, "--epsilon", "4", "--delta", "1e-9", "--gaussian-rho", "0.1")
    assert made.exit_code == 0
    assert "  Of it, rho 1/10 (0.1) is for Gaussian noise, epsilon " in made.stdout
    shown = office.run("ledger", "show").stdout
    assert "Of it, rho 1/10 (0.1) is for Gaussian noise" in shown
    assert " and rho 0.1 left" in shown
    too_much = office.run(*words, "--epsilon", "4", "--delta", "1e-9", "--gaussian-rho", "9")
    assert too_much.exit_code == 1
    assert "gaussian_rho: must imply at most the epsilon of the cap, 4" in too_much.stderr
