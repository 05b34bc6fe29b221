"""Every command on good input: what it says, what it writes, how it ends."""

import json
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

from leeward.bundle import read_bundle, verify_bundle
from leeward.model import TABLES
from tests.cli.scene import CODEBOOK, Office

DATA = [part for name in TABLES for part in (f"--{name}", f"{name}.csv")]


def answer(office: Office, *arguments: str) -> Any:  # noqa: ANN401 (whatever the JSON holds)
    result = office.run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_release_is_checked_charged_and_verified(office: Office) -> None:
    result = office.release()
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == (
        "Published: bundle\nCharged:   epsilon 4 to account office (entry 2); 12 left.\n"
    )
    assert verify_bundle(office.folder / "bundle") == ()
    table = read_bundle(office.folder / "bundle").table("by_place")
    assert table.column_names == ["place", "sector", "value", "status", "margin"]
    assert table.num_rows == 6


MARK = "Confidential: what follows may hold facts about the data. It stays inside."


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of this test's user, beside the office."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state of"))
    return tmp_path / "state of" / "leeward"


def test_check_writes_a_receipt_for_its_owner_alone(office: Office, state: Path) -> None:
    result = office.run("check", "plan.yaml")
    assert (result.exit_code, result.stderr) == (0, "")
    (receipt,) = state.glob("*.json")
    assert result.stdout == f"{MARK}\nNo problems. The receipt is '{receipt}'.\n"
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (state, *sorted(state.iterdir()))]
    assert modes == [0o700, 0o600, 0o600]
    assert {path.name for path in office.folder.iterdir()} == {
        *("workplaces.csv", "workers.csv", "jobs.csv", "codebook.yaml", "plan.yaml"),
        *("ledger.sqlite", "state of"),
    }
    assert answer(office, "check", "plan.yaml") == {
        "confidential": MARK,
        "findings": [],
        "hints": [],
        "receipt": str(receipt),
    }
    assert set(json.loads(receipt.read_text())) == {"steps", "seal"}


@pytest.mark.parametrize("json_too", [(), ("--json",)])
def test_rows_that_passed_pass_without_a_receipt(
    office: Office, state: Path, json_too: tuple[str, ...]
) -> None:
    state.parent.mkdir()
    state.write_text("")
    result = office.run("check", "plan.yaml", *json_too)
    assert result.exit_code == 0
    if json_too:
        assert json.loads(result.stdout)["receipt"] is None
    else:
        assert result.stdout == f"{MARK}\nNo problems.\n"
    assert result.stderr == (
        f"No receipt. receipt: must be writable (File exists); got '{state}'. The check itself "
        "passed. Give the state folder to its owner alone (XDG_STATE_HOME names another), or the "
        "release looks at the rows again.\n"
    )


def test_check_hints_at_formulas_and_at_a_frame_made_of_jobs(office: Office) -> None:
    office.edit("codebook.yaml", ("[F, M]", "[F, M, '=1+1']"))
    assert [one.split(":")[0] for one in answer(office, "check", "plan.yaml")["hints"]] == [
        "codebook.attributes.sex"
    ]
    office.edit("workplaces.csv", ("e5,03,B,G\n", ""))
    told = office.run("check", "plan.yaml").stdout.splitlines()
    assert told[1:3] == [
        "Hint: codebook.attributes.sex: a spreadsheet takes codes such as '=1+1' for formulas; "
        "tell readers to open the Parquet files, or change the codes.",
        "Hint: workplaces: no establishment is without jobs. Was the frame derived from the jobs? "
        "It must be public, and made without looking at them.",
    ]


def test_a_receipt_spares_the_release_the_rows(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert office.run("check", "plan.yaml").exit_code == 0

    def again(*_: object) -> None:
        raise AssertionError("the rows were looked at again")

    monkeypatch.setattr("leeward.engines.ibis_engine.find_problems", again)
    office.released()


def test_a_receipt_of_other_data_is_not_accepted(office: Office) -> None:
    office.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    assert office.run("check", "plan.yaml").exit_code == 0
    office.edit("workers.csv", ("w00,F", "w00,X"))
    result = office.release()
    assert result.exit_code == 1
    assert "agree with the codebook in every row" in result.stderr


@pytest.mark.parametrize("checked", [False, True])
def test_a_receipt_says_which_rules_touch_rows(office: Office, checked: bool) -> None:
    """The wrong rows count by their rules, whether the release looks or a receipt tells it."""
    with (office.folder / "jobs.csv").open("a") as jobs:
        jobs.write("w00,e0\nw01,e9\n,e1\n")
    with (office.folder / "workers.csv").open("a") as workers:
        workers.write("w00,F,E4\n,F,E1\n")
    office.edit("plan.yaml", ("epsilon: 4", "epsilon: 2000"))
    office.run("ledger", "create", "--ledger", "big.sqlite", "--account", "office", "--policy",
               "strong", "--alpha", "0.1", "--epsilon", "4000")  # fmt: skip
    if checked:
        found = answer(office, "check", "plan.yaml")["findings"]
        assert [one["rule"] for one in found] == [
            *("missing_id", "missing_id", "worker_rows", "repeated_job", "lost_job")
        ]
    done = office.run("release", "plan.yaml", "--out", "bundle", "--ledger", "big.sqlite")
    assert done.exit_code == 0, done.output
    rows = read_bundle(office.folder / "bundle").table("by_place")["value"].to_pylist()
    assert rows == pytest.approx([8, 8, 8, 8, 8, 0], abs=1)


def test_plan_shows_promise_cost_and_error_without_the_data(office: Office) -> None:
    for name in ("workplaces", "workers", "jobs"):
        (office.folder / f"{name}.csv").unlink()
    result = office.run("plan", "plan.yaml", "--ledger", "ledger.sqlite")
    assert result.exit_code == 0
    for words in (
        "What is promised",
        "by_place: place × sector (workplace table)",
        "by_sex: place × sex (worker table)",
        "  cost       epsilon 2, of it 0.2 for margins",
        "  cells      at most 3 workplace × 2 worker combinations",
        "Cost: epsilon 4 of account office.",
        "Left: 16 before, 12 after.",
    ):
        assert words in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_plan_as_json_has_the_promised_keys(office: Office) -> None:
    told = answer(office, "plan", "plan.yaml", "--ledger", "ledger.sqlite")
    assert {"guarantee", "tables", "remaining"} <= set(told)
    assert told["guarantee"]["policy"] == "strong"
    assert told["guarantee"]["epsilon"] == "4"
    assert told["remaining"] == "16"
    assert told["refused"] is None
    assert [table["name"] for table in told["tables"]] == ["by_place", "by_sex"]
    for table in told["tables"]:
        assert {"name", "mechanism", "epsilon", "cells", "predicted_error"} <= set(table)
        assert table["epsilon"] == "2"
        assert table["cells"] == 6
        assert table["predicted_error"]["mean"] > 0
        sizes = [row["largest"] for row in table["predicted_error"]["by_largest"]]
        assert sizes == [10, 100, 1000]
    assert answer(office, "plan", "plan.yaml")["remaining"] is None


def test_plan_says_what_the_account_would_really_pay(office: Office) -> None:
    office.edit("plan.yaml", ("alpha: 0.1", "alpha: 0.05"))
    planned = office.run("plan", "plan.yaml", "--ledger", "ledger.sqlite").stdout
    assert planned.endswith(
        "Left: 16 before, 4 after. The account pays epsilon 12: its alpha is another.\n"
    )
    assert office.release().stdout.endswith(
        "Charged:   epsilon 4, which is 12 at the alpha of the account, to account office "
        "(entry 2); 4 left.\n"
    )


def test_plan_says_that_it_would_be_refused(office: Office) -> None:
    office.edit("plan.yaml", ("epsilon: 4", "epsilon: 17"))
    result = office.run("plan", "plan.yaml", "--ledger", "ledger.sqlite")
    assert result.exit_code == 0
    assert "This plan would be refused. charge: must keep account 'office'" in result.stdout
    assert result.stdout.endswith(" a cap is never raised. Nothing was spent.\n")
    refused = answer(office, "plan", "plan.yaml", "--ledger", "ledger.sqlite")["refused"]
    assert refused.startswith("charge: must keep account 'office' within its cap of epsilon 16")


def test_errors_are_predicted_for_a_size_profile(office: Office) -> None:
    (office.folder / "sizes.csv").write_text("largest,cells\n10,3\n1000,1\n")
    office.edit("plan.yaml", ("period:", "sizes: sizes.csv\nperiod:"))
    result = office.run("plan", "plan.yaml")
    assert " jobs over the size profile of 4 cells\n" in result.stdout


def next_below(number: Fraction) -> Fraction:
    """The next smaller number of three significant digits."""
    step = Fraction(1)
    while number / step >= 1000:
        step *= 10
    while number / step < 100:
        step /= 10
    return number - step


@pytest.mark.parametrize("target", ["by_sex: 20", "by_place:0.5 jobs"])
def test_the_target_is_reached_by_the_smallest_epsilon_to_three_digits(
    office: Office, target: str
) -> None:
    name, wanted = target.removesuffix("jobs").split(":")
    told = answer(office, "plan", "plan.yaml", "--target", target)
    smallest = Fraction(told["smallest_epsilon"])
    assert smallest * 1000 == int(smallest * 1000) or smallest < Fraction(1, 10)
    assert mean(told, name) <= float(wanted)
    office.edit("plan.yaml", ("epsilon: 4", f"epsilon: {next_below(smallest)}"))
    assert mean(answer(office, "plan", "plan.yaml"), name) > float(wanted)


def mean(told: Any, name: str) -> float:  # noqa: ANN401 (JSON)
    (table,) = [table for table in told["tables"] if table["name"] == name]
    return float(table["predicted_error"]["mean"])


TARGETS = [
    ("x", "must be a table and a mean error above 0, such as 'place_industry: 5 jobs'; got 'x'. "
     "Write it like that."),
    ("by_place: 0", "must be a table and a mean error above 0, such as 'place_industry: 5 jobs'; "
     "got 'by_place: 0'. Write it like that."),
    ("other: 5", "must name a table of the plan: by_place, by_sex; got 'other'. "
     "Choose one of them."),
]  # fmt: skip


@pytest.mark.parametrize(("target", "says"), TARGETS)
def test_a_bad_target_is_refused(office: Office, target: str, says: str) -> None:
    office.refuse("plan", "plan.yaml", "--target", target, says=f"--target: {says}")


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
        "charged strong, alpha 0.1, epsilon 4 for first (2026Q2)\n",
        "entry 2 committed: its bundle is complete\n",
        "charged strong, alpha 0.1, epsilon 4 for second (2026Q2), corrects entry 2\n",
        "entry 2 withdrawn (wrong period); its charge stays\n",
    ):
        assert words in shown
    told = answer(office, "ledger", "show")
    (account,) = told["accounts"]
    assert account == {
        "name": "office",
        "policy": "strong",
        "alpha": "1/10",
        "epsilon": "16",
        "delta": "0",
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
        patch.setattr("leeward.ledger.Ledger.commit", fail)
        assert office.release().exit_code == 3
    unsaid = office.run("verify", "bundle", "--ledger", "ledger.sqlite")
    assert unsaid.exit_code == 1
    committed = office.run("ledger", "commit", "bundle")
    assert committed.stdout == "Entry 2 is committed.\n"
    assert office.run("verify", "bundle", "--ledger", "ledger.sqlite").exit_code == 0
    assert office.run("ledger", "commit", "bundle").exit_code == 0  # the same again


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

    monkeypatch.setattr("leeward.cli.doctor.require_accuracy", fail)
    (office.folder / "ledger.sqlite").chmod(0o644)
    result = office.run("doctor", "--ledger", "ledger.sqlite")
    assert result.exit_code == 1
    bad = [line for line in result.stdout.splitlines() if line.startswith("BAD")]
    assert bad[0] == "BAD  arithmetic: a sum that is none"
    assert bad[1].startswith("BAD  ledger ledger.sqlite: ledger: must be closed to everyone")
    assert len(bad) == 2


def test_init_writes_what_runs_once_its_lists_are_filled(office: Office) -> None:
    result = office.run("init", *DATA, "--out", "new")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Wrote new/codebook.yaml and new/plan.yaml.",
        "Fill these code lists (header code,label; one row for each code), or delete their",
        "attributes:",
        "  new/codes/place.csv",
        "  new/codes/owner.csv",
        "Then: decide which workplace attributes are public, choose tables and epsilon, and run",
        "  leeward plan new/plan.yaml",
    ]
    empty = office.run("plan", "new/plan.yaml")
    assert empty.exit_code == 1
    assert (
        "codebook.attributes.place.codes: must list at least one code; got no codes in "
        "'codes/place.csv'. Fill the file, or delete the attribute.\n"
    ) in empty.stderr
    comment = "codes: codes/owner.csv  # fill the list (header code,label), or delete the attribute"
    assert comment in (office.folder / "new" / "codebook.yaml").read_text()
    lists = office.folder / "new" / "codes"
    (lists / "place.csv").write_text("code,label\n01,One\n02,Two\n03,Three\n")
    (lists / "owner.csv").write_text("code,label\nP,private\nG,state\n")
    assert office.run("plan", "new/plan.yaml").exit_code == 0


def test_codes_that_init_read_from_the_data_are_to_be_confirmed(office: Office) -> None:
    result = office.run("init", *DATA, "--out", "my new", "--list-codes")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Wrote my new/codebook.yaml and my new/plan.yaml.",
        "These code lists were read from the data, from workplace columns that are usually",
        "public. Somebody must confirm that their values are public:",
        "  my new/codes/place.csv",
        "Fill these code lists (header code,label; one row for each code), or delete their",
        "attributes:",
        "  my new/codes/owner.csv",
        "Then: decide which workplace attributes are public, choose tables and epsilon, and run",
        "  leeward plan 'my new/plan.yaml'",
    ]
    assert (
        "    codes: codes/place.csv  # read from the data: somebody must confirm that these values "
        "are public\n"
    ) in (office.folder / "my new" / "codebook.yaml").read_text()


def test_init_finds_a_database_from_the_folder_of_the_plan(office: Office) -> None:
    with duckdb.connect(str(office.folder / "office.duckdb")) as connection:
        for name in TABLES:
            read = f"SELECT * FROM read_csv('{name}.csv', all_varchar = true)"  # noqa: S608 (fixed names)
            connection.execute(f"CREATE TABLE {name} AS {read}")
    tables = [part for name in TABLES for part in (f"--{name}", f"duckdb://office.duckdb#{name}")]
    assert office.run("init", *tables, "--out", "dbe").exit_code == 0
    plan = (office.folder / "dbe" / "plan.yaml").read_text()
    assert '  jobs: "duckdb://../office.duckdb#jobs"\n' in plan
    (office.folder / "dbe" / "codebook.yaml").write_text(CODEBOOK)
    checked = office.run("check", "dbe/plan.yaml")
    assert checked.exit_code == 0, checked.output


def test_what_init_wrote_is_released(office: Office) -> None:
    made = office.run("economy", "--out", "e", "--jobs", "900", "--establishments", "60")
    assert made.exit_code == 0
    tables = [
        part
        for name in ("workplaces", "workers", "jobs")
        for part in (f"--{name}", f"e/{name}.parquet")
    ]
    assert office.run("init", *tables, "--out", "new").exit_code == 0
    lists = office.folder / "new" / "codes"
    assert [path.name for path in lists.iterdir()] == ["place.csv"]
    (lists / "place.csv").write_text((office.folder / "e" / "place.csv").read_text())
    office.edit("new/plan.yaml", ("my-account", "office"))
    result = office.run("release", "new/plan.yaml", "--out", "b", "--ledger", "ledger.sqlite")
    assert result.exit_code == 0, result.output


def test_economy_repeats_itself(office: Office) -> None:
    for folder in ("one", "two"):
        result = office.run(
            *("economy", "--out", folder, "--jobs", "500", "--establishments", "40"),
            *("--seed", "3"),
        )
        assert result.exit_code == 0
        assert result.stdout.startswith("500 jobs in 40 establishments, all made up (seed 3):\n")
    first = {path.name: path.read_bytes() for path in Path("one").glob("*.parquet")}
    assert sorted(first) == ["jobs.parquet", "workers.parquet", "workplaces.parquet"]
    assert all(Path("two", name).read_bytes() == held for name, held in first.items())


def test_demo_releases_a_made_up_economy_and_compares(office: Office) -> None:
    result = office.run("demo", "--out", "demo", "--jobs", "2000", "--establishments", "100")
    assert result.exit_code == 0
    for words in ("1. A made-up economy", "2. What the plan", "3. The release", "truth", "margins"):
        assert words in result.stdout
    assert office.run("verify", "demo/bundle", "--ledger", "demo/ledger.sqlite").exit_code == 0
    assert {"bundle", "economy", "ledger.sqlite", "plan.yaml"} <= {
        path.name for path in Path("demo").iterdir()
    }


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

    def verified(bundle: Path) -> tuple[str, ...]:
        (bundle / "certificate.json").write_text("another one")
        return ()

    monkeypatch.setattr("leeward.cli.verify.report_findings", verified)  # the last look at it
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
