"""Bad ledgers: one row each with the exact message, and the file stays as it was."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interface.commands.scene import RELEASE, Office

OTHER = "Give the file of a ledger, or make one with `leeward ledger create`."
DAMAGE = "Release nothing from it and run `leeward ledger verify`."
CREATE = ("ledger", "create", "--account", "new")
STRONG = ("--policy", "strong", "--alpha", "0.1")

Spoil = Callable[[Path], object]


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def other_database(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE a (b)")
    connection.close()
    path.chmod(0o600)


def open_text(path: Path) -> None:
    path.write_text("hello\n" * 100)
    path.chmod(0o644)


def raised_cap(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER entries_never_updated")
        connection.execute("""UPDATE entries SET body = replace(body, '"16"', '"99"')""")
    connection.close()


FILES: dict[str, tuple[Spoil, str]] = {
    "missing": (
        Path.unlink,
        "ledger: must exist; got no such file ('ledger.sqlite'). "
        "Check the path, or make a ledger with `leeward ledger create`.",
    ),
    "a folder": (
        folder,
        "ledger: must be a file; got a folder ('ledger.sqlite'). Give the file of the ledger.",
    ),
    "another database": (
        other_database,
        f"ledger: must be a ledger; got another database ('ledger.sqlite'). {OTHER}",
    ),
    "a text": (
        lambda path: path.write_text("hello\n" * 100),
        f"ledger: must be a ledger; got a file that is no database ('ledger.sqlite'). {OTHER}",
    ),
    "a text open to others": (
        open_text,
        f"ledger: must be a ledger; got a file that is no database ('ledger.sqlite'). {OTHER}",
    ),
    "an empty file": (
        lambda path: path.write_bytes(b""),
        "ledger: must be a ledger; got an empty file ('ledger.sqlite'). "
        "If it stays so, its making broke off: remove it and make the ledger anew.",
    ),
    "open to others": (
        lambda path: path.chmod(0o644),
        "ledger: must be closed to everyone but its owner; got mode 644 ('ledger.sqlite'). "
        "Run `chmod 600 ledger.sqlite`.",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_ledger_is_refused_in_these_words(office: Office, name: str) -> None:
    spoil, says = FILES[name]
    spoil(office.folder / "ledger.sqlite")
    office.refuse_release(says=says)
    office.refuse("plan", "plan.yaml", "--ledger", "ledger.sqlite", says=says)
    office.refuse("ledger", "show", says=says)


def test_verify_does_not_close_a_file_that_is_no_ledger(office: Office) -> None:
    office.released()
    (office.folder / "plan.yaml").chmod(0o644)
    office.refuse(
        *("verify", "bundle", "--ledger", "plan.yaml"),
        says=f"ledger: must be a ledger; got a file that is no database ('plan.yaml'). {OTHER}",
    )


def test_an_edited_entry_is_refused(office: Office) -> None:
    raised_cap(office.folder / "ledger.sqlite")
    said = office.release()
    assert said.exit_code == 1
    assert said.stderr.startswith("leeward: ledger: every entry must be as it was written; got ")
    assert said.stderr.endswith(f"{DAMAGE}\n")
    assert not (office.folder / "bundle").exists()
    verified = office.run("ledger", "verify")
    assert verified.exit_code == 1
    assert "entry 1: its text does not agree with its hash" in verified.stdout
    assert verified.stdout.splitlines()[-1].startswith("ledger.sqlite is NOT sound: ")


PLANS = {
    "a misspelt account": (
        ("account: office", "account: ofice"),
        "account: must be open in this ledger (office); got 'ofice'. Did you mean 'office'?",
    ),
    "an account that is not open": (
        ("account: office", "account: xyz"),
        "account: must be open in this ledger (office); got 'xyz'. Open it with its cap first.",
    ),
    "more than the cap": (
        ("epsilon: 4", "epsilon: 17"),
        "charge: must keep account 'office' within its cap of epsilon 16; got epsilon 17 where "
        "epsilon 16 is left. Charge at most epsilon 16; a cap is never raised.",
    ),
    "a policy that cannot pay": (
        ("policy: strong, alpha: 0.1", "policy: worker"),
        "charge: must follow under the policy of account 'office', strong at alpha 1/10: worker "
        "does not imply strong: it protects one job, never a share of a size; got worker. Release "
        "under strong at alpha 1/10, or charge an account with a cap under the policy of the "
        "release.",
    ),
    "an alpha that pays three times": (
        ("alpha: 0.1, epsilon: 4", "alpha: 0.05, epsilon: 6"),
        "charge: must keep account 'office' within its cap of epsilon 16; got epsilon 6, which is "
        "epsilon 18 under strong at alpha 1/10, where epsilon 16 is left. Charge at most epsilon "
        "16/3 (about 5.33333); a cap is never raised.",
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_what_an_account_cannot_pay_is_refused_in_these_words(office: Office, name: str) -> None:
    change, says = PLANS[name]
    office.edit("plan.yaml", change)
    office.refuse_release(says=says)


def test_what_would_fit_fits(office: Office) -> None:
    office.edit("plan.yaml", ("epsilon: 4", "epsilon: 10"))
    office.released(out="first")
    office.edit("plan.yaml", ("2026Q2", "2026Q3"))
    office.refuse_release(
        says="charge: must keep account 'office' within its cap of epsilon 16; got epsilon 10 "
        "where epsilon 6 is left. Charge at most epsilon 6; a cap is never raised."
    )
    office.edit("plan.yaml", ("epsilon: 10", "epsilon: 6"))
    office.released()
    office.edit("plan.yaml", ("2026Q3", "2026Q4"))
    office.refuse_release(
        out="third",
        says="charge: must keep account 'office' within its cap of epsilon 16; got epsilon 6 "
        "where nothing is left. Release nothing more from this account; a cap is never raised.",
    )


def test_the_same_plan_is_refused_unless_again(office: Office) -> None:
    office.released(out="first")
    office.refuse_release(
        says="plan: must not have been charged to this account before; got entry 2 of account "
        "'office', bundle 'first'. Use that bundle; or release with --again, which pays once more "
        "for new noise."
    )
    office.released("--again")


def test_other_data_need_the_same_word(office: Office) -> None:
    """Known bad: a second bundle without --again, which showed that the data had changed."""
    office.released(out="first")
    office.edit("jobs.csv", ("w00,e0", "w00,e1"))
    office.refuse_release(
        says="plan: must not have been charged to this account before; got entry 2 of account "
        "'office', bundle 'first'. Use that bundle; or release with --again, which pays once more "
        "for new noise."
    )
    office.released("--again")


def test_departments_in_place_of_workplaces_are_refused(office: Office) -> None:
    office.released(out="first")
    keys = "tables: {workplaces: {id: department}, jobs: {workplace: department}}\n"
    office.edit("codebook.yaml", ("attributes:", f"{keys}attributes:"))
    for table in ("workplaces", "jobs"):
        office.edit(f"{table}.csv", ("workplace_id", "department"))
    office.refuse_release(
        says="workplaces.id: must be the same column in all releases of an account: guarantees "
        "about different workplaces or workers do not add up; got 'department' after "
        "'workplace_id' in entry 2. If only its name changed, call the column 'workplace_id' in "
        "data and codebook; or charge another account."
    )


def test_the_same_establishments_of_another_account_need_a_reason(office: Office) -> None:
    office.edit("plan.yaml", ("tables:", "rows: strict\ntables:"))
    office.released(out="first")
    office.open_account("second")
    office.edit("plan.yaml", ("account: office", "account: second"))
    office.refuse_release(
        says="account: must be the one that most of these establishments were charged to: losses "
        "about them add up there; got more than half in common with entry 2 of account 'office', "
        "bundle 'first'. Charge account 'office'; or, if they are others or their losses are added "
        "up elsewhere, release with --same-establishments REASON, which the ledger keeps."
    )
    office.refuse_release(
        *("--same-establishments", ""),
        says="same_establishments: must be text of 1 to 1000 characters without control "
        "characters; got ''. Write same_establishments as one plain line.",
    )
    office.released("--same-establishments", "a second register")
    shown = office.run("ledger", "show").stdout
    assert "for bundle (2026Q2), establishments of another account (a second register)" in shown
    told = office.run("ledger", "show", "--json").stdout
    assert '"same_establishments": "a second register"' in told
    assert '"frame"' not in told
    office.edit("workplaces.csv", *((f"e{n},", f"x{n},") for n in range(4)))
    office.edit("jobs.csv", *((f",e{n % 5}\n", f",x{n % 5}\n") for n in range(40) if n % 5 < 4))
    office.open_account("third")
    office.edit("plan.yaml", ("account: second", "account: third"))
    office.released(out="third")  # e4 and e5 are a third of them


def test_a_correction_names_a_charge_of_the_account(office: Office) -> None:
    office.refuse_release(
        *("--corrects", "7"),
        says="--corrects: must be the number of an earlier charge of account 'office'; got 7. See "
        "the numbers with `leeward ledger show`.",
    )


NEW = [
    (
        ("--policy", "stron", "--alpha", "0.1", "--epsilon", "1"),
        "policy: must be one of strong, weak, worker, person, proportional (of an account also "
        "establishment); got 'stron'. "
        "Did you mean 'strong'?",
    ),
    (
        ("--policy", "strong", "--epsilon", "1"),
        "alpha: must be given under the strong policy; got nothing. "
        "Give the protected growth of an establishment, such as 0.1.",
    ),
    (
        ("--policy", "worker", "--alpha", "0.1", "--epsilon", "1"),
        "alpha: has no meaning under the worker policy; got 1/10. "
        "Leave alpha out, or choose the strong or the weak policy.",
    ),
    (
        (*STRONG, "--epsilon", "four"),
        "epsilon: must be a number such as 4, 0.1 or 1/10; got 'four'. Write it in plain digits.",
    ),
    ((*STRONG, "--epsilon", "0"), "epsilon: must be above 0; got 0. Give a positive number."),
    ((*STRONG, "--epsilon", "-1"), "epsilon: must be above 0; got -1. Give a positive number."),
    (
        (*STRONG, "--epsilon", "1", "--delta", "1"),
        "delta: must be at least 0 and below 1; got 1. "
        "Give a small probability, such as 1e-6, or 0.",
    ),
    (
        (*STRONG, "--epsilon", "1", "--account", "my office"),
        "account: must be 1 to 64 letters, digits, dots, underscores or hyphens; got 'my office'. "
        "Choose a name such as 'lodes-2026'.",
    ),
    (
        (*STRONG, "--epsilon", "1", "--account", "office"),
        "account: must be new: a cap is set once; got 'office', opened in entry 1. "
        "Use the account as it is, or choose another name or cap.",
    ),
    (
        (*STRONG, "--epsilon", "1", "--ledger", "no/ledger.sqlite"),
        "ledger: must be a usable path; got No such file or directory ('no/ledger.sqlite'). "
        "Give a path in a folder that can be written.",
    ),
    (
        (*STRONG, "--epsilon", "1", "--ledger", "plan.yaml/ledger.sqlite"),
        "ledger: must be a usable path; got Not a directory ('plan.yaml/ledger.sqlite'). "
        "Give a path in a folder that can be written.",
    ),
]


@pytest.mark.parametrize(("options", "says"), NEW)
def test_an_account_that_cannot_be_opened_is_refused(
    office: Office, options: tuple[str, ...], says: str
) -> None:
    office.refuse(*CREATE, *options, says=says)


def test_what_cannot_be_withdrawn_or_committed_is_refused(office: Office) -> None:
    office.refuse(
        *("ledger", "withdraw", "9", "--reason", "wrong"),
        says="entry: must be the number of a reserved entry; got 9. "
        "See the numbers with `leeward ledger show`.",
    )
    office.refuse(
        *("ledger", "commit", "nothing"),
        says="bundle: must be whole; got nothing. "
        "`leeward verify nothing` says what is wrong; it must not be published.",
    )
    office.released()
    office.refuse(
        *("ledger", "withdraw", "2", "--reason", ""),
        says="reason: must be text of 1 to 1000 characters without control characters; got ''. "
        "Write reason as one plain line.",
    )
    assert office.run("ledger", "withdraw", "2", "--reason", "wrong period").exit_code == 0
    office.refuse(
        *("ledger", "withdraw", "2", "--reason", "again"),
        says="entry: must be a charge that was not withdrawn; got 2, withdrawn in 4. "
        "See what became of it with `leeward ledger show`.",
    )


def test_a_bundle_of_another_ledger_is_not_committed(office: Office) -> None:
    office.released()
    (office.folder / "ledger.sqlite").unlink()
    office.open_account()
    result = office.run("ledger", "commit", "bundle")
    assert result.exit_code == 1
    assert "must hold the entry that paid for the bundle" in result.stderr
    assert result.stderr.endswith("Use the ledger of the release.\n")


def test_a_missing_option_is_wrong_usage(office: Office) -> None:
    before = office.ledger
    for wrong in (
        [*RELEASE, "--out", "bundle"],
        [*RELEASE, "--ledger", "ledger.sqlite"],
        [*RELEASE, "--out", "b", "--ledger", "ledger.sqlite", "--corrects", "x"],
        [*RELEASE, "--out", "b", "--ledger", "ledger.sqlite", "--seed", "1"],
        ["release", "--out", "b", "--ledger", "ledger.sqlite"],
        ["ledger", "create", "--account", "a"],
        ["ledger", "withdraw", "one", "--reason", "x"],
    ):
        result = office.run(*wrong)
        assert result.exit_code == 2, wrong
        assert "Usage: leeward" in result.stderr
        assert "Traceback" not in result.output
    assert office.ledger == before
