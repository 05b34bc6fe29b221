"""What a draft says of columns, by their names and types only."""

import re
from pathlib import Path

import pytest

from leeward.core.codebook.classifications import Library
from leeward.interface.commands.draft import ANOTHER_ID, FirstDraft
from leeward.interface.commands.draft_documents import Stated, codebook_lines, plan_lines
from leeward.interface.commands.keys import KeyColumns
from leeward.interface.commands.meaning import fit_by_codes, is_pay, is_weight
from tests.core.codebook.made import read


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
