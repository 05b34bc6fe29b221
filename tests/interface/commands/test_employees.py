"""`leeward init --workers FILE`: one table of employees, from its headers to a verified bundle."""

from collections import Counter
from collections.abc import Mapping
from shutil import rmtree

import duckdb
import pytest

from leeward.core.errors import BadData
from leeward.interface.commands.employees import Employees
from tests.interface.commands.scene import Office, Rows, write_csv

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


def numbered(office: Office) -> list[dict[str, object]]:
    """The rows of both private files, put together by their numbers."""
    folder = office.folder / "new" / "confidential"
    assert folder.stat().st_mode & 0o777 == 0o700
    with duckdb.connect() as connection:
        for name in ("workers", "jobs"):
            assert (folder / f"{name}.parquet").stat().st_mode & 0o777 == 0o600
            connection.read_parquet(str(folder / f"{name}.parquet")).create_view(name)
        joined = connection.sql("FROM workers JOIN jobs USING (worker_id) ORDER BY worker_id")
        return [dict(zip(joined.columns, row, strict=True)) for row in joined.fetchall()]


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
    write_csv(surveyed.folder / "register.csv", [{"siren": "u0"}])
    drafted(surveyed, "--workplaces", "register.csv")
    rows = numbered(surveyed)
    assert [row.pop("worker_id") for row in rows] == list(range(len(rows)))
    assert Counter(map(sorted_items, rows)) == Counter(map(sorted_items, survey()))


def sorted_items(row: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    return tuple(sorted(row.items()))


def test_rows_with_ids_of_persons_are_numbered_too(surveyed: Office) -> None:
    rows = [{"person": f"p{n}", **row} for n, row in enumerate(survey())]
    write_csv(surveyed.folder / "survey.csv", rows)
    said = drafted(surveyed)
    assert "  workers.id: worker_id (by its name)\n" in said
    assert "person is left out. A person with m rows counts as m\nworkers: for that person" in said
    assert "person" not in numbered(surveyed)[0]
    write_csv(surveyed.folder / "new" / "workplaces.csv", public_list())
    released(surveyed)


def test_a_row_does_not_change_what_other_rows_of_a_person_count_as(surveyed: Office) -> None:
    """Known bad beside it: one row of workers for each person gives all jobs its education."""
    rows = [{"person_id": "p1", "siren": "u1", "isced": "4"}] * 20
    counts = []
    for more in ([], [{"person_id": "p1", "siren": "u0", "isced": "0"}]):
        write_csv(surveyed.folder / "survey.csv", [*more, *rows])
        drafted(surveyed)
        counts.append(Counter((row["siren"], row["isced"]) for row in numbered(surveyed)))
        rmtree(surveyed.folder / "new")
    assert counts[1] - counts[0] == Counter({("u0", "0"): 1})
    assert counts[0] - counts[1] == Counter()


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
        (
            ("--workers", "survey.csv", "--workplaces", "./survey.csv"),
            "data.workers: must be another table than data.workplaces: the list of workplaces is",
        ),
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
    assert "multiplied" not in opening
    opening = " ".join(Employees("x.csv", {"person": "string", **columns}).opening)
    assert (
        "A person with m rows counts as m workers: for that person epsilon is multiplied" in opening
    )
