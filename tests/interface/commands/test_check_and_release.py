"""`leeward check` and `leeward release` on good input, and the receipt between them."""

import json
import stat
from pathlib import Path

import pytest
import xlsxwriter

from leeward.publishing.bundle import read_bundle, verify_bundle
from tests.interface.commands.scene import Office, answer
from tests.unchecked import UNCHECKED


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


@pytest.mark.parametrize("stray", [None, (2, 9)])
def test_a_cell_beside_the_names_of_a_sheet_refuses_nothing(
    office: Office, stray: tuple[int, int] | None
) -> None:
    """It may stand in the row of one worker, and a refusal is public."""
    with xlsxwriter.Workbook(office.folder / "workers.xlsx") as book:
        sheet = book.add_worksheet()
        for number, line in enumerate((office.folder / "workers.csv").read_text().splitlines()):
            sheet.write_row(number, 0, line.split(","))
        if stray is not None:
            sheet.write(*stray, "left")
    office.edit("plan.yaml", ("workers.csv", "workers.xlsx"))
    office.released()


MARK = "Confidential: what follows may hold facts about the data. It stays inside."

GAP = (
    "sex has no `other` and no `null_as`: jobs without a listed sex count in no cell of by_sex, so "
    "its rows add up to at most all jobs, unlike those of other tables. Write `other` and "
    "`null_as` beside sex in the codebook, or `unknown` with a code for unknown."
)
"""Of the office's own plan."""


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of this test's user, beside the office."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state of"))
    return tmp_path / "state of" / "leeward"


def test_check_writes_a_receipt_for_its_owner_alone(office: Office, state: Path) -> None:
    result = office.run("check", "plan.yaml")
    assert (result.exit_code, result.stderr) == (0, "")
    (receipt,) = state.glob("*.json")
    assert result.stdout == f"{MARK}\nHint: {GAP}\nNo problems. The receipt is '{receipt}'.\n"
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (state, *sorted(state.iterdir()))]
    assert modes == [0o700, 0o600, 0o600]
    assert {path.name for path in office.folder.iterdir()} == {
        *("workplaces.csv", "workers.csv", "jobs.csv", "codebook.yaml", "plan.yaml"),
        *("ledger.sqlite", "state of"),
    }
    assert answer(office, "check", "plan.yaml") == {
        "confidential": MARK,
        "findings": [],
        "hints": [GAP],
        "losses": [
            {"what": what, "lost": 0, "of": 40, "share": 0.0}
            for what in ("every table", "tables by sex", "tables by education", "table by_place",
                         "table by_sex")
        ],
        "most": "5%",
        "warnings": [],
        "receipt": str(receipt),
    }  # fmt: skip
    assert set(json.loads(receipt.read_text())) == {"passed", "steps", "seal"}


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
        assert result.stdout == f"{MARK}\nHint: {GAP}\nNo problems.\n"
    assert result.stderr == (
        f"No receipt. receipt: must be writable (File exists); got '{state}'. The check itself "
        "ended. Let only its owner write into the state folder (XDG_STATE_HOME names another) and "
        "check again, or release with --unchecked REASON.\n"
    )


def test_check_hints_at_formulas_and_at_a_frame_made_of_jobs(office: Office) -> None:
    office.edit("codebook.yaml", ("[F, M]", "{F: F, M: '@M'}"))
    hint, gap = answer(office, "check", "plan.yaml")["hints"]
    assert gap == GAP
    assert hint.startswith("codebook.attributes.sex: a spreadsheet takes labels such as '@M'")
    office.edit("codebook.yaml", ("{F: F, M: '@M'}", "[F, M, '=1+1']"))
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

    monkeypatch.setattr("leeward.publishing.engines.engine.find_problems", again)
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
    reason = () if checked else UNCHECKED
    done = office.run("release", "plan.yaml", "--out", "bundle", "--ledger", "big.sqlite", *reason)
    assert done.exit_code == 0, done.output
    rows = read_bundle(office.folder / "bundle").table("by_place")["value"].to_pylist()
    assert rows == pytest.approx([8, 8, 8, 8, 8, 0], abs=1)
