"""`leeward init`, `leeward economy` and `leeward demo`: commands that write files to try."""

from pathlib import Path

import duckdb

from leeward.cli.init import Suggestion, codebook_lines
from leeward.model import TABLES
from tests.cli.scene import CODEBOOK, Office
from tests.model.made import read

DATA = [part for name in TABLES for part in (f"--{name}", f"{name}.csv")]


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


def test_init_proposes_pay_whose_cap_a_person_decides(tmp_path: Path) -> None:
    headers = {"workplaces": {"id": "int64"}, "workers": {"worker_id": "string"}}
    jobs = {"worker_id": "int64", "id": "int64", "pay": "decimal(9, 2)", "since": "interval('D')"}
    lines = list(codebook_lines(Suggestion({**headers, "jobs": jobs})))
    assert read(tmp_path, "\n".join(line.replace("# ", "", 1) for line in lines[1:])).numeric
    assert sum("table: jobs" in line for line in lines) == 1
    assert any("cap_from" in line and line.startswith("  # ") for line in lines)


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
