"""`leeward init`, `leeward economy` and `leeward demo`: commands that write files to try."""

import re
from pathlib import Path

import duckdb
import pytest

from leeward.core.codebook import TABLES
from leeward.core.codebook.classifications import Library
from leeward.core.errors import BadFile
from leeward.interface.commands import screen
from leeward.interface.commands.draft import ANOTHER_ID, FirstDraft
from leeward.interface.commands.draft_documents import Stated, codebook_lines, plan_lines
from leeward.interface.commands.keys import KeyColumns
from leeward.interface.commands.meaning import fit_by_codes, is_pay, is_weight
from leeward.interface.commands.new_files import write_texts
from leeward.publishing.plan.plan import read_plan
from tests.core.codebook.made import read
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


def draft(workplaces: str = "id", workers: str = "worker_id", **kinds: str) -> FirstDraft:
    """A draft of headers alone, with text in all columns but those of other kinds."""
    tables = {"workplaces": workplaces, "workers": workers, "jobs": "id worker_id"}
    return FirstDraft(
        {table: {name: kinds.get(name, "string") for name in names.split()}
         for table, names in tables.items()}
    )  # fmt: skip


def codebook_of(made: FirstDraft, classifications: str | None = None) -> str:
    return "\n".join(codebook_lines(made, classifications))


def plan_of(made: FirstDraft, sources: dict[str, str]) -> str:
    return "\n".join(plan_lines(made, sources, Stated()))


def by_of(made: FirstDraft) -> dict[str, tuple[str, ...]]:
    return {one.name: (*one.by, *one.breakdowns) for one in made.tables}


def test_names_of_attributes_are_legal_and_their_own(tmp_path: Path) -> None:
    made = draft("id ÖNACE Größenklasse value 2nd own", "worker_id own sex")
    assert [one.attribute for one in made.columns] == [
        "onace", "own", "grossenklasse", "sex", "value_code", "column_2nd", "own_2",
    ]  # fmt: skip
    text = codebook_of(made)
    assert 'column: "ÖNACE"' in text
    assert "public: false" in text.partition("Größenklasse")[2][:30]
    assert set(read(tmp_path, text).attributes) == {"own", "sex"}


def test_what_holds_no_codes_is_named_with_the_reason() -> None:
    made = draft("id county", "worker_id Geburtsdatum weight sex", county="float64", weight="!date")
    assert made.skipped == (
        ("workplaces", "county", "float64: numbers with fractions"),
        ("workers", "Geburtsdatum", "a date of birth"),
        ("workers", "weight", "!date: a time"),
    )
    assert by_of(made) == {"by_worker": ("sex",)}


def test_codes_that_stata_keeps_as_fractions_are_proposed() -> None:
    """Known bad: a sex of 1.0 and 2.0 was left out as a column of fractions."""
    made = draft("id", "worker_id sex education", sex="float64", education="float64")
    assert [one.attribute for one in made.active] == ["sex"]
    assert made.skipped == (("workers", "education", "float64: numbers with fractions"),)


def test_whole_numbers_are_not_taken_for_codes_with_letters() -> None:
    made = draft("id", "worker_id sex education agegrp", sex="int64", education="int8")
    assert [one.attribute for one in made.active] == ["sex", "agegrp"]


BREAKING = "hired_date\nattributes:\n  size: {table: workplaces, public: true, codes: [s]}\n#"
HOSTILE = (
    BREAKING,
    "\x1b[31mred",
    "\x9b31m",
    "a\u2028b",
    "a\x85b",
    "\u202eabc",
    "\U000e0041",
    "x\r\ny",
)


def test_the_name_of_a_column_is_one_name_wherever_it_is_written(tmp_path: Path) -> None:
    """Known bad: a header with a line break, which declared an attribute in a comment."""
    others = dict.fromkeys(HOSTILE, "string")
    many = {f"{name}{n}": "string" for n in range(3) for name in HOSTILE}  # too many to propose
    nested = {"pair": f"struct<{BREAKING}: int64>"}
    headers = {"workplaces": {"id": "int64", **others, **nested, "sector": "string"},
               "workers": {HOSTILE[1]: "int64", **many, "sex": "string"},
               "jobs": {"id": "int64", HOSTILE[1]: "int64", BREAKING: "float64"}}  # fmt: skip
    made = FirstDraft(headers)
    for text in (codebook_of(made, BREAKING), plan_of(made, {"jobs": BREAKING})):
        assert all(one.isprintable() or one == "\n" for one in text)
    written = read(tmp_path, codebook_of(made))
    assert set(written.attributes) == {"sector", "sex"}
    assert written.keys.workers.id == HOSTILE[1]


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


def test_a_plan_without_any_list_has_no_table() -> None:
    made = draft("id county", "worker_id age")
    assert made.tables == ()
    assert "tables: []  # name tables once an attribute has a list\n" in plan_of(made, {}) + "\n"
    assert any("lehd/agegrp" in line and line.startswith("  # ") for line in codebook_lines(made))


def test_letters_that_two_vintages_share_are_left_to_a_person() -> None:
    """J is information in NACE Rev. 2 and publishing in Rev. 2.1."""
    for codes, name in (
        (("A", "J"), None),
        (("A", "V"), "nace2.1/section"),
        (("A", "B"), "nace2/section"),
    ):
        found = fit_by_codes("nace", codes, Library())
        assert (found and found.listed.name) == name


def test_init_proposes_pay_whose_cap_a_person_decides(tmp_path: Path) -> None:
    headers = {"workplaces": {"id": "int64"}, "workers": {"worker_id": "string"}}
    jobs = {"worker_id": "int64", "id": "int64", "pay": "decimal(9, 2)", "since": "interval('D')"}
    lines = list(codebook_lines(FirstDraft({**headers, "jobs": jobs})))
    uncommented = (re.sub("^  # ", "  ", line) for line in lines)
    assert read(tmp_path, "\n".join(uncommented)).numeric
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


def keys_of(**headers: str) -> dict[str, str]:
    tables = {table: dict.fromkeys(names.split(), "string") for table, names in headers.items()}
    return {key.place: f"{key.column} ({key.reason})" for key in KeyColumns(tables)}


def test_a_key_says_how_sure_it_is() -> None:
    assert keys_of(
        workplaces="Name primary_key firm cnty", workers="person sex", jobs="person estab wage"
    ) == {
        "workplaces.id": "primary_key (by its name)",
        "workplaces.employer": "firm (by its name)",
        "workers.id": "person (by its name)",
        "jobs.worker": "person (by its name)",
        "jobs.workplace": "estab (by its name)",
    }
    assert keys_of(workplaces="lokal sector", workers="sex pnr", jobs="pnr sex arbeidssted") == {
        "workplaces.id": "lokal (not sure: the first column; usual names are workplace_id, "
        "estab_id, establishment_id …)",
        "workers.id": "pnr (not sure: jobs have a column of this name too)",
        "jobs.worker": "pnr (not sure: jobs have a column of this name too)",
        "jobs.workplace": "lokal (not sure: jobs have no column of this name; name the column "
        "that has workplaces.id)",
    }


def test_no_first_column_is_silently_the_id_of_workers(tmp_path: Path) -> None:
    """Known bad: an earnings survey, whose first column has three regions."""
    columns = "location size sex age"
    assert (
        keys_of(workplaces="IDunit", workers=columns, jobs=f"{columns} IDunit")["workers.id"]
        == "location (not sure: the first of 2 columns that jobs have too)"
    )
    headers = {"workplaces": "IDunit own", "workers": columns, "jobs": f"{columns} IDunit"}
    made = FirstDraft(
        {table: dict.fromkeys(names.split(), "string") for table, names in headers.items()}
    )
    text = codebook_of(made)
    assert "  workers: {id: location}  # id is not sure: the first of 2 columns" in text
    assert read(tmp_path, text).keys.workers.id == "location"


def test_two_columns_that_may_be_the_id_are_both_named() -> None:
    """Known bad: the first was taken as sure, and the other was an attribute of many codes."""
    headers = {"workplaces": "estab_id siret sector", "workers": "worker_id sex"}
    headers["jobs"] = "worker_id estab_id siret"
    assert (
        keys_of(**headers)["workplaces.id"]
        == "estab_id (not sure: or siret: jobs have all of these)"
    )
    made = FirstDraft(
        {table: dict.fromkeys(names.split(), "int64") for table, names in headers.items()}
    )
    assert ("workplaces", "siret", ANOTHER_ID) in made.skipped
    assert list(made.numeric) == []


def test_a_usual_name_in_jobs_is_its_key_rather_than_a_column_that_tables_share() -> None:
    """Known bad: `zone`, which workplaces and jobs share, was taken for the id of workplaces."""
    keys = keys_of(workplaces="lokal zone", workers="worker_id", jobs="worker_id estab_id zone")
    assert keys["workplaces.id"].startswith("lokal (not sure: the first column")
    assert keys["jobs.workplace"] == "estab_id (by its name)"


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


def test_the_flow_of_jobs_is_an_attribute(tmp_path: Path) -> None:
    made = FirstDraft(
        {
            "workplaces": {"workplace_id": "int64", "sector": "string"},
            "workers": {"worker_id": "int64", "sex": "string"},
            "jobs": {"worker_id": "int64", "workplace_id": "int64", "earnings": "int64",
                     "flow": "string", "contract": "string", "weight": "float64"},
        }
    )  # fmt: skip
    written = read(tmp_path, codebook_of(made)).attributes["flow"]
    assert (written.table, written.codes) == ("jobs", ("11", "10", "01", "00"))
    flows = "# - {name: flows, by: [sector], statistic: flows, of: flow, share: 1/4}"
    assert flows in plan_of(made, {})
    assert list(made.numeric) == ["earnings"]
    assert made.further == {"jobs": ("contract",)}
    assert made.weights == ("jobs.weight",)


@pytest.mark.parametrize(
    ("kind", "unit"), [("int64", "cent"), ("float64", "dollar"), ("string", "dollar")]
)
def test_pay_is_proposed_by_its_name_with_a_unit(kind: str, unit: str) -> None:
    """Known bad: a sheet, whose columns are texts, had its wage neither proposed nor named."""
    made = FirstDraft({"workplaces": {"id": "string"}, "workers": {"worker_id": "string"},
                  "jobs": {"worker_id": "string", "id": "string", "wage": kind}})  # fmt: skip
    lines = [line.strip("# ") for line in codebook_lines(made)]
    assert any(line.startswith(f"unit: {unit}  # or ") for line in lines)
    cap = {"cent": 1_500_000, "dollar": 15_000}[unit]
    assert any(line.startswith(f"cap: {cap}  # public") for line in lines)
    assert any(line.startswith(f"classes: {{low: {cap // 5}, high: {cap}}}") for line in lines)


@pytest.mark.parametrize("name", ["pweight", "PERWT", "hh_wt", "fac_expansion", "fexp", "Weight2"])
def test_survey_weights_are_known_by_their_names(name: str) -> None:
    assert is_weight(name)


@pytest.mark.parametrize("name", ["weighted_hours", "facility", "wtr", "respond", "pondside"])
def test_other_columns_are_no_survey_weights(name: str) -> None:
    assert not is_weight(name)


@pytest.mark.parametrize("name", ["annual_bonus", "salaire_net", "remuneracion", "Bonus"])
def test_pay_is_known_by_its_name(name: str) -> None:
    assert is_pay(name)
