"""`leeward init`, `leeward economy` and `leeward demo`: commands that write files to try."""

import re
from pathlib import Path

import duckdb
import pytest

from leeward.core.codebook import TABLES
from leeward.core.errors import BadFile
from leeward.interface.commands import screen
from leeward.interface.commands.new_files import write_texts
from leeward.publishing.plan.plan import read_plan
from tests.interface.commands.scene import CODEBOOK, Office, write_csv

DATA = [part for name in TABLES for part in (f"--{name}", f"{name}.csv")]
STATED = ("--account", "office", "--period", "2026Q2")
KEYS = """\
These columns are taken as keys. Check each:
  workplaces.id: workplace_id (by its name)
  workers.id: worker_id (by its name)
  jobs.worker: worker_id (by its name)
  jobs.workplace: workplace_id (by its name)
""".splitlines()


def test_a_drafted_plan_is_accepted_unedited(office: Office) -> None:
    result = office.run("init", *DATA, *STATED, "--out", "new")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Wrote new/codebook.yaml and new/plan.yaml.",
        *KEYS,
        "These columns got a classification. Check that each is right:",
        "  sector: standard:naics/sector (11 Agriculture, Forestry,…; 21 Mining, Quarrying, and "
        "Oil…; 22 Utilities; … 20 codes)",
        "  sex: standard:lehd/sex (1 Male; 2 Female)",
        "    read too: M as 1, F as 2 and so on, and the labels. Check that this is right.",
        "  education: standard:lehd/education (E1 Less than high school; E2 High school or "
        "equivalent, no…; E3 Some college or Associate…; … 5 codes)",
        "No list is known for these: they are comments in the codebook. Write a list",
        "(header code,label), and uncomment the attribute or delete it:",
        "  place: new/codes/place.csv",
        "  owner: new/codes/owner.csv",
        "Then decide which workplace attributes are public, choose tables and epsilon. Run",
        "  leeward plan new/plan.yaml",
    ]
    assert office.run("plan", "new/plan.yaml").exit_code == 0
    codebook = office.folder / "new" / "codebook.yaml"
    codebook.write_text(re.sub(r"(?m)^  # ", "  ", codebook.read_text()))
    assert office.run("plan", "new/plan.yaml").exit_code == 0  # no table is by place or owner
    office.edit("new/plan.yaml", ("by: [sector]", "by: [place, sector]"))
    asked = office.run("plan", "new/plan.yaml")
    assert asked.stderr == (
        "leeward: codebook.attributes.place.codes: must be a file that exists; got "
        "'new/codes/place.csv'. Look at the name and the file.\n"
    )


def test_codes_that_init_read_from_the_data_are_to_be_confirmed(office: Office) -> None:
    result = office.run("init", *DATA, *STATED, "--out", "my new", "--list-codes")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-9:] == [
        "These code lists were read from the data, from workplace columns that are",
        "usually public. Confirm that their values are public:",
        "  my new/codes/place.csv",
        "  my new/codes/sector.csv",
        "No list is known for these: they are comments in the codebook. Write a list",
        "(header code,label), and uncomment the attribute or delete it:",
        "  owner: my new/codes/owner.csv",
        "Then decide which workplace attributes are public, choose tables and epsilon. Run",
        "  leeward plan 'my new/plan.yaml'",
    ]
    assert (
        "    codes: codes/place.csv  # read from the data: confirm that these values are public\n"
    ) in (office.folder / "my new" / "codebook.yaml").read_text()


INDUSTRY = """\
industry,label,ind_level
00,"All NAICS Sectors",A
44-45,Retail Trade,S
44,none,A
455110,Department Stores,6
722511,Full-Service Restaurants,6
722513,Limited-Service Restaurants,6
722514,Cafeterias,6
722515,Snack Bars,6
722310,Food Service Contractors,6
"""
GEOGRAPHY = """\
geography,label,geo_level
44,Rhode Island,S
44001,"Bristol, RI",C
44003,"Kent, RI",C
48001,"Anderson, TX",C
"""


def wide_office(office: Office) -> None:
    """Tables as users have them: 200 columns, short county numbers, old industry codes, dates."""
    sites = [
        {"primary_key": f"{n}", "state": "44", "cnty": "13"[n % 2], "own": "5", "firm": f"f{n}",
         "naics": ["722511", "722513", "722514", "722515", "722310", "722110"][n], "m1emp": "3"}
        for n in range(6)
    ]  # fmt: skip
    filler = {f"q{n:03}": "1" for n in range(190)}
    people = [
        {"person_id": f"{n}", "birth_date": "1980-01-01", "sex": "12"[n % 2], "agegrp": "A04",
         "educ": "E1", "age": "30", "Straßenname": "x", **filler}
        for n in range(12)
    ]  # fmt: skip
    held = [{"person_id": f"{n}", "primary_key": f"{n % 6}"} for n in range(12)]
    for name, rows in (("workplaces", sites), ("workers", people), ("jobs", held)):
        write_csv(office.folder / f"{name}.csv", rows)
    official = office.folder / "official"
    official.mkdir()
    (official / "label_industry.csv").write_text(INDUSTRY)
    (official / "label_geography.csv").write_text(GEOGRAPHY)
    (official / "notes.csv").write_text("a,b\n1,2\n")


def test_wide_files_come_to_a_bundle_in_five_commands(office: Office) -> None:
    """As a new user has them, with the official files at hand and no list written by hand."""
    wide_office(office)
    official = ("--classifications", "official")
    made = office.run("init", *DATA, *STATED, "--out", "new", *official)
    assert made.exit_code == 0, made.output
    codebook = (office.folder / "new" / "codebook.yaml").read_text()
    for part in (
        "workplaces: {id: primary_key, employer: firm}",
        'classifications: "../official"',
        'codes: "standard:fips/county?state=44&code=number"  # 1 Bristol, RI; 3 Kent, RI',
        "codes: codes/naics.csv  # naics2022/6, and 1 codes read from the data",
        'codes: "standard:lehd/agegrp"  # A01 14-18;',
        "# 190 further columns of workers",
        "# Left out: workers.birth_date (a date of birth).",
        '# Left out: workers."Straßenname" (says who somebody is).',
    ):
        assert part in codebook
    listed = (office.folder / "new" / "codes" / "naics.csv").read_text()
    assert listed.splitlines()[-1] == '"722110","722110 (not in naics2022/6)"'
    table = "{name: jobs, by: [cnty, naics], breakdowns: [sex, agegrp, educ]}"
    assert table in (office.folder / "new" / "plan.yaml").read_text()
    for words in (
        ("plan", "new/plan.yaml"),
        ("check", "new/plan.yaml"),
        ("release", "new/plan.yaml", "--out", "b", "--ledger", "ledger.sqlite"),
        ("verify", "b", "--ledger", "ledger.sqlite"),
    ):
        result = office.run(*words)
        assert result.exit_code == 0, result.output


def test_init_writes_through_no_link(office: Office) -> None:
    victim, folder = office.folder / "victim.txt", office.folder / "new"
    folder.mkdir()
    (folder / "plan.yaml").symlink_to(victim)
    result = office.run("init", *DATA, "--out", "new")
    assert result.exit_code == 1
    assert "must not hold the file already; got 'new/plan.yaml'" in result.stderr
    with pytest.raises(BadFile, match="File exists"):  # a link that appears after the look
        write_texts(folder, {"plan.yaml": "data:"})
    assert not victim.exists()
    assert sorted(one.name for one in folder.iterdir()) == ["plan.yaml"]


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
    office.edit("dbe/plan.yaml", ("my-account", "office"), ("my-period", "2026Q2"))
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
    assert office.run("init", *tables, *STATED, "--out", "new").exit_code == 0
    assert not (office.folder / "new" / "codes").exists()
    assert office.run("check", "new/plan.yaml").exit_code == 0
    result = office.run("release", "new/plan.yaml", "--out", "b", "--ledger", "ledger.sqlite")
    assert result.exit_code == 0, result.output


def test_the_untouched_draft_on_an_economy_loses_no_job(office: Office) -> None:
    """Known bad: sex had the codes 1 and 2, the tables M and F, and every row was lost."""
    assert (
        office.run("economy", "--out", "e", "--jobs", "900", "--establishments", "60").exit_code
        == 0
    )
    tables = [part for name in TABLES for part in (f"--{name}", f"e/{name}.parquet")]
    assert office.run("init", *tables, *STATED, "--out", "new").exit_code == 0
    checked = office.run("check", "new/plan.yaml")
    assert checked.exit_code == 0
    assert "No problems." in checked.stdout
    codebook = read_plan(office.folder / "new" / "plan.yaml").codebook
    worker = [one for one in codebook.attributes.values() if one.table == "workers"]
    assert len(worker) == 4
    assert all(one.complete for one in worker)


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
    for words in (
        "1. A made-up economy",
        "2. What the plan",
        "3. The check",
        "4. The release",
        "truth",
        "margins",
    ):
        assert words in result.stdout
    assert office.run("verify", "demo/bundle", "--ledger", "demo/ledger.sqlite").exit_code == 0
    assert {"bundle", "economy", "ledger.sqlite", "plan.yaml"} <= {
        path.name for path in Path("demo").iterdir()
    }


def test_a_draft_without_account_and_period_is_rejected(office: Office) -> None:
    made = office.run("init", *DATA, "--out", "new")
    assert made.exit_code == 0
    assert made.stdout.splitlines()[-5:-2] == [
        "First type these in new/plan.yaml; until then `leeward plan` rejects it:",
        "  account: the account of the ledger that pays",
        "  period: what the jobs are of, such as 2026Q2",
    ]
    rejected = office.run("plan", "new/plan.yaml")
    assert rejected.exit_code == 1
    assert rejected.stderr.splitlines() == [
        "leeward: 2 problems:",
        "  1. account: must name the account: a draft has this word in its place; got "
        "'my-account'. Type the name of an account; `leeward ledger create --account NAME` opens "
        "one.",
        "  2. period: must name the period: a draft has this word in its place; got "
        "'my-period'. Type the period of the data, such as 2026Q1.",
    ]
    office.edit("new/plan.yaml", ("my-account", "office"), ("my-period", "2026Q2"))
    assert office.run("plan", "new/plan.yaml").exit_code == 0


def test_what_a_terminal_would_obey_is_shown(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    path = office.folder / "workplaces.csv"
    path.write_text(path.read_text().replace("owner", "\x1b[31mowner", 1))
    result = office.run("init", *DATA, "--out", "new")
    assert result.exit_code == 0
    assert '  "\\u001b[31mowner": new/codes/' in result.stdout
    assert "\x1b" not in result.stdout
    screen.say("\x1b]0;title\x07 \x9b and \ttab")
    screen.note("\x1b[2J")
    assert capsys.readouterr() == ("\\x1b]0;title\\x07 \\x9b and \ttab\n", "\\x1b[2J\n")
