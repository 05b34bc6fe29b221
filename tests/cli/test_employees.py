"""`leeward init --workers FILE`: one table of employees, from its headers to a verified bundle."""

from collections import Counter

import duckdb
import pytest

from leeward.cli.employees import Employees
from leeward.errors import BadData
from tests.cli.scene import Office, Rows, write_csv

STATED = ("--account", "office", "--period", "2026")


def survey() -> Rows:
    """Rows as an earnings survey has them: an employer's id, no person's id, a weight, twins."""
    return [
        {"region": "R1", "siren": f"u{n % 4}", "own": "5", "sex": "12"[n % 2],
         "isced": str(n % 5), "earningsMonth": f"{2000 + n % 20}.55", "grossing_factor": "1.7"}
        for n in range(40)
    ]  # fmt: skip


def public_list() -> Rows:
    """The establishments of a register: u4 has no employee in the survey."""
    return [{"siren": f"u{n}", "region": "R1", "own": "5"} for n in range(5)]


@pytest.fixture
def surveyed(office: Office) -> Office:
    write_csv(office.folder / "survey.csv", survey())
    return office


def drafted(office: Office, *more: str) -> str:
    result = office.run("init", "--workers", "survey.csv", *STATED, "--out", "new", *more)
    assert result.exit_code == 0, result.output
    return result.stdout


def numbered(office: Office) -> list[tuple[object, ...]]:
    path = office.folder / "new" / "confidential" / "employees.parquet"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    with duckdb.connect() as connection:
        return connection.read_parquet(str(path)).fetchall()


def released(office: Office) -> None:
    for words in (
        ("plan", "new/plan.yaml"),
        ("check", "new/plan.yaml"),
        ("release", "new/plan.yaml", "--out", "b", "--ledger", "ledger.sqlite"),
        ("verify", "b", "--ledger", "ledger.sqlite"),
    ):
        result = office.run(*words)
        assert result.exit_code == 0, result.output


def test_one_table_becomes_a_bundle_once_the_public_list_is_there(surveyed: Office) -> None:
    said = drafted(surveyed)
    assert "for a row." in said
    assert "Provide workplaces.csv beside the plan: the public list of all establishments" in said
    assert "Its columns: siren, region, own." in said
    assert "  workers.id: worker_id (by its name)\n" in said
    plan = (surveyed.folder / "new" / "plan.yaml").read_text()
    assert "# Provide workplaces.csv beside the plan" in plan
    assert not (surveyed.folder / "new" / "workplaces.csv").exists()
    absent = surveyed.run("check", "new/plan.yaml")
    assert absent.exit_code == 1
    assert "workplaces.csv" in absent.stderr
    write_csv(surveyed.folder / "new" / "workplaces.csv", public_list())
    released(surveyed)
    certificate = (surveyed.folder / "b" / "certificate.json").read_text()
    assert '"jobs_total"' in certificate


def test_a_public_list_that_is_there_is_the_frame(surveyed: Office) -> None:
    write_csv(surveyed.folder / "register.csv", public_list())
    said = drafted(surveyed, "--workplaces", "register.csv")
    assert "Provide" not in said
    assert (
        '  workplaces: "../register.csv"\n' in (surveyed.folder / "new" / "plan.yaml").read_text()
    )
    released(surveyed)


def test_rows_are_numbered_and_none_is_lost_or_changed(surveyed: Office) -> None:
    drafted(surveyed)
    rows = numbered(surveyed)
    assert [row[-1] for row in rows] == list(range(len(rows)))
    assert Counter(row[:-1] for row in rows) == Counter(tuple(row.values()) for row in survey())


def test_a_table_with_ids_of_persons_is_read_as_it_is(surveyed: Office) -> None:
    rows = [{"person": f"p{n}", **row} for n, row in enumerate(survey())]
    write_csv(surveyed.folder / "survey.csv", rows)
    said = drafted(surveyed)
    assert "  workers.id: person (by its name)\n" in said
    assert not (surveyed.folder / "new" / "confidential").exists()
    write_csv(surveyed.folder / "new" / "workplaces.csv", public_list())
    released(surveyed)


def test_weights_and_pay_are_named(surveyed: Office) -> None:
    said = drafted(surveyed)
    assert "Left out: workers.grossing_factor (a survey weight: not supported, every row" in said
    assert "Survey weights are not supported: tables count the rows of the file" in said
    assert "  jobs.earningsMonth\n" in said
    codebook = (surveyed.folder / "new" / "codebook.yaml").read_text()
    assert "  #   unit: dollar  # or cent …: 9390.98 counts as 9390" in codebook
    assert "grossing_factor:" not in codebook


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ("--workers", "plain.csv"),
            "--workers: must have a column of establishments or employers",
        ),
        (("--workers", "postgres://me@host/db#w"), "--workers: must be a file where no --jobs"),
        (("--workers", "survey.csv", "--list-codes"), "--workplaces: must be given; got nothing."),
        (("--workplaces", "survey.csv"), "--workers: must be given; got nothing."),
    ],
)
def test_what_is_no_table_of_employees_is_rejected(
    surveyed: Office, options: tuple[str, ...], says: str
) -> None:
    write_csv(surveyed.folder / "plain.csv", [{"sex": "1", "age": "30"}])
    result = surveyed.run("init", *options, "--out", "new")
    assert result.exit_code == 1
    assert says in result.stderr
    assert not (surveyed.folder / "new").exists()


def test_an_existing_draft_keeps_its_rows(surveyed: Office) -> None:
    drafted(surveyed)
    before = numbered(surveyed)
    again = surveyed.run("init", "--workers", "survey.csv", "--out", "new")
    assert again.exit_code == 1
    assert "must not hold the file already" in again.stderr
    assert numbered(surveyed) == before


def test_the_columns_of_one_table_are_shared_out() -> None:
    made = Employees("x.csv", dict.fromkeys(("siren", "own", "sex", "wage", "weight"), "string"))
    assert {table: list(columns) for table, columns in made.headers.items()} == {
        "workplaces": ["siren", "own"],
        "workers": ["worker_id", "sex", "weight"],
        "jobs": ["worker_id", "siren", "wage"],
    }
    with pytest.raises(BadData, match="workplace_id, estab_id"):
        Employees("x.csv", {"sex": "string"})


def test_the_plan_says_what_a_row_is() -> None:
    columns = dict.fromkeys(("siren", "sex"), "string")
    opening = " ".join(Employees("x.csv", columns).opening)
    assert (
        "Each row of the one table is a worker with one job: the guarantee is for a row." in opening
    )
    opening = " ".join(Employees("x.csv", {"person": "string", **columns}).opening)
    assert "Each row" not in opening
    assert "A worker with several rows has several jobs" in opening
    assert "`jobs: {max_per_worker: 1}`" in opening
