"""The order of a release: checked, charged, and only then drawn and written."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core import randomness
from leeward.core.randomness import SecretBits
from leeward.interface.commands.release_command import run
from leeward.publishing.ledger import Entry, Ledger
from leeward.publishing.plan.plan import read_plan
from tests.publishing.office import TABLES, Driver, Ended, Office, noted, release, steps
from tests.unchecked import REASON

LOOKED = "before: rows are checked"
CHANGED = "data: must not change while they are checked and released; got a file that changed."


@pytest.fixture
def office(tmp_path: Path, driver: Driver, small_economy: Path) -> Office:
    """An office with data of its own, which a test may spoil."""
    made = Office(driver, tmp_path)
    made.open_account(40)
    shutil.copytree(small_economy, tmp_path / "economy")
    made.write_plan(Path("economy"))
    return made


def rewrite(office: Office, table: str, edit: Callable[[pa.Table], pa.Table]) -> None:
    path = office.folder / "economy" / f"{table}.parquet"
    edited = edit(pq.read_table(path))
    path.unlink()
    pq.write_table(edited, path)


def second_job(jobs: pa.Table) -> pa.Table:
    """Bad rows: a worker gets the workplace of another as well."""
    rows = jobs.slice(0, 1).to_pylist()
    other = next(at for at in jobs["workplace_id"] if at.as_py() != rows[0]["workplace_id"])
    rows[0]["workplace_id"] = other.as_py()
    return pa.concat_tables([jobs, pa.Table.from_pylist(rows, schema=jobs.schema)])


def unlisted_code(workers: pa.Table) -> pa.Table:
    """Bad rows: a code that the codebook does not know."""
    codes = ["X9", *workers["sex"].to_pylist()[1:]]
    return workers.set_column(workers.schema.get_field_index("sex"), "sex", pa.array(codes))


def another_sex(workers: pa.Table) -> pa.Table:
    """Good rows, but other ones."""
    first, *rest = workers["sex"].to_pylist()
    codes = ["F" if first == "M" else "M", *rest]
    return workers.set_column(workers.schema.get_field_index("sex"), "sex", pa.array(codes))


def renamed_column(workers: pa.Table) -> pa.Table:
    names = ["gender" if name == "sex" else name for name in workers.column_names]
    return workers.rename_columns(names)


def test_nothing_is_drawn_or_written_before_the_charge_is_on_disk(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    reserve = Ledger.reserve

    def charging(*args: Any, **kwargs: Any) -> Entry:  # noqa: ANN401 (whatever a charge takes)
        assert happened == []
        listed = sorted(path.name for path in office.folder.iterdir())
        entry = reserve(*args, **kwargs)
        assert sorted(path.name for path in office.folder.iterdir()) == listed
        happened.append("charged")
        return entry

    def drawing(size: int) -> bytes:
        if "drawn" not in happened:
            assert happened == ["charged"]
            # Another process sees the charge.
            shown = office.run("seen", "ledger", "show", "--json", "--ledger", "../ledger.sqlite")
            kinds = [entry["kind"] for entry in json.loads(shown.out)["entries"]]
            assert kinds == ["opened", "reserved"]
            assert not (office.folder / "bundle").exists()
            happened.append("drawn")
        return bytes(range(1, 256)) * (size // 255) + bytes(range(1, size % 255 + 1))

    monkeypatch.setattr(Ledger, "reserve", charging)
    monkeypatch.setattr(randomness, "os", SimpleNamespace(urandom=drawing))
    monkeypatch.setattr(
        "leeward.publishing.ledger.ledger.salt", lambda: "0" * 32
    )  # of the entry, no noise
    plan = read_plan(office.folder / "2026Q2.yaml")
    run(plan, office.folder / "bundle", office.ledger, unchecked=REASON)
    assert happened == ["charged", "drawn"]
    assert [entry.kind for entry in office.entries()] == ["opened", "reserved", "committed"]


def test_a_draw_before_the_charge_is_noticed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hasty() -> None:
        SecretBits().word(8)

    monkeypatch.setattr("leeward.publishing.release.run.require_accuracy", hasty)
    with pytest.raises(AssertionError):
        test_nothing_is_drawn_or_written_before_the_charge_is_on_disk(office, monkeypatch)


def refused(office: Office, *options: str, name: str = "refused") -> Ended:
    """A release that is refused before the charge and leaves no trace."""
    before = office.ledger.read_bytes()
    told = office.run(name, *release(*options), changes=noted())
    done = steps(office.folder / name)
    assert told.code == 1
    assert told.out == ""
    assert office.ledger.read_bytes() == before
    assert not {"draw", "after: reserve", "before: tabulate"} & set(done)
    assert list((office.folder / name).glob(".*")) == []
    return told


def test_what_no_certificate_can_state_is_not_charged(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unspeakable(*_: object) -> None:
        raise ValueError("a sentence that is too long")

    monkeypatch.setattr("leeward.publishing.release.certify.firm_promise", unspeakable)
    plan = read_plan(office.folder / "2026Q2.yaml")
    with pytest.raises(ValueError, match="too long"):
        run(plan, office.folder / "bundle", office.ledger, unchecked=REASON)
    assert [entry.kind for entry in office.entries()] == ["opened"]


def test_a_plan_over_the_cap_is_refused(office: Office) -> None:
    office.write_plan(Path("economy"), tables=TABLES.replace("epsilon: 4", "epsilon: 41"))
    assert "must keep account 'office' within its cap of epsilon 40" in refused(office).err
    assert LOOKED not in steps(office.folder / "refused")


def test_a_folder_that_exists_is_refused(office: Office) -> None:
    bundle = office.folder / "refused" / "bundle"
    bundle.mkdir(parents=True)
    assert "must not exist" in refused(office).err
    assert LOOKED not in steps(office.folder / "refused")
    assert list(bundle.iterdir()) == []


def test_a_wrong_header_is_refused(office: Office) -> None:
    rewrite(office, "workers", renamed_column)
    assert "sex" in refused(office).err
    assert LOOKED not in steps(office.folder / "refused")


def test_bad_rows_are_refused_in_words_that_do_not_depend_on_them(office: Office) -> None:
    make_strict(office)
    rewrite(office, "jobs", second_job)
    several = refused(office)
    rewrite(office, "workers", unlisted_code)
    assert refused(office, name="more") == several
    (office.folder / "economy" / "jobs.parquet").write_bytes(b"nothing of the kind")
    assert refused(office, name="unreadable") == several
    assert several.err == (
        "leeward: data: must be readable and agree with the codebook in every row; got files or "
        "rows that do not (not shown). Run `leeward check`, whose output is confidential.\n"
    )


def make_strict(office: Office) -> None:
    plan = office.folder / "2026Q2.yaml"
    plan.write_text(plan.read_text() + "rows: strict\n")


def disturbed(office: Office, words: str, edit: Callable[[pa.Table], pa.Table]) -> Ended:
    """A release whose workers are written again when it has come to this step."""
    running = office.start("run", *release(), changes=noted(wait=[words]))
    running.wait_for(words)
    rewrite(office, "workers", edit)
    running.let_through(words)
    code = running.ended()
    return Ended(code, "", (running.folder / "stderr.txt").read_text())


@pytest.mark.parametrize("words", [LOOKED, "after: rows are checked"])
@pytest.mark.parametrize("edit", [another_sex, unlisted_code])
def test_data_that_change_before_the_charge_are_refused(
    office: Office, words: str, edit: Callable[[pa.Table], pa.Table]
) -> None:
    before = office.ledger.read_bytes()
    told = disturbed(office, words, edit)
    assert told.code == 1
    assert office.ledger.read_bytes() == before
    if edit is another_sex or words != LOOKED:
        assert CHANGED in told.err


@pytest.mark.parametrize("words", ["before: tabulate", "after: tabulate", "after: write a batch"])
def test_data_that_change_after_the_charge_fail(office: Office, words: str) -> None:
    told = disturbed(office, words, another_sex)
    assert told.code == 3
    assert CHANGED in told.err
    assert "Entry 2 of the ledger stays: epsilon 4 of account office." in told.err
    assert [entry.kind for entry in office.entries()] == ["opened", "reserved", "failed"]
    assert not [path for path in (office.folder / "run").iterdir() if "bundle" in path.name]


def test_data_that_change_while_they_are_checked_earn_no_receipt(office: Office) -> None:
    running = office.start("check", "check", "../2026Q2.yaml", changes=noted(wait=[LOOKED]))
    running.wait_for(LOOKED)
    rewrite(office, "workers", another_sex)
    running.let_through(LOOKED)
    assert running.ended() == 1
    assert office.run("release", *release(), changes=noted()).code == 0
    assert LOOKED in steps(office.folder / "release")
