"""Bad plans: one row each with the exact message, and nothing is charged.

Most rows are read as every command reads them; one in ten goes through a whole release.
"""

from pathlib import Path

import pytest

from tests.interface.commands.scene import Bad, Office, table

ROWS = table("bad_plans.yaml")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    """An office without a ledger, in which plans are read."""
    monkeypatch.chdir(tmp_path)
    made = Office(tmp_path)
    made.write()
    return made


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_bad_plan_is_refused_in_these_words(folder: Office, row: Bad) -> None:
    folder.spoil("plan.yaml", row)
    folder.refuse_plan(says=row.says)


@pytest.mark.parametrize("row", ROWS[::10], ids=str)
def test_a_release_says_the_same_and_charges_nothing(office: Office, row: Bad) -> None:
    office.spoil("plan.yaml", row)
    office.refuse_release(says=row.says)


def test_a_column_of_the_plan_that_the_jobs_do_not_have_is_refused(office: Office) -> None:
    office.edit("plan.yaml", ("period: 2026Q2", "period: 2026Q2\njobs: {primary: earnings}"))
    office.refuse_release(
        says="data.jobs: must have the column 'earnings', which the plan names as `jobs.primary`; "
        "got no such column among 2. Add it, or mend `jobs.primary` in the plan."
    )


def test_every_row_has_a_name_of_its_own() -> None:
    assert len({row.bad for row in ROWS}) == len(ROWS)


def test_no_row_shows_a_traceback_or_an_unexpected_error() -> None:
    words = ("Traceback", "unexpected", "Error", "pydantic", "validation")
    assert [row.bad for row in ROWS if any(word in row.says for word in words)] == []


@pytest.mark.parametrize("command", ["plan", "check"])
def test_other_commands_say_the_same(office: Office, command: str) -> None:
    office.edit("plan.yaml", ("epsilon: 4", "epsilon: 0"))
    office.refuse(
        command,
        "plan.yaml",
        says="protect.epsilon: must be above 0; got 0. Give a positive number.",
    )


FILES = [
    (
        "no.yaml",
        "plan: must be a file that exists; got 'no.yaml'. Look at the name and the file.",
    ),
    (".", "plan: must be a file, not a folder; got '.'. Look at the name and the file."),
    (
        "plan.yaml/x",
        "plan: must be a file that can be read (Not a directory); got 'plan.yaml/x'. "
        "Look at the name and the file.",
    ),
    (
        "latin.yaml",
        "plan: must be text in UTF-8; got 'latin.yaml'. Look at the name and the file.",
    ),
    (
        "workers.parquet",
        "plan: must be text in UTF-8; got 'workers.parquet'. Look at the name and the file.",
    ),
    (
        "deep.yaml",
        "plan: must be YAML: nested too deeply or not readable; got 'deep.yaml'. Mend that line.",
    ),
    (
        "large.yaml",
        "plan: must be a document of at most 64 MB; got 'large.yaml'. "
        "Look at the name and the file.",
    ),
]


@pytest.mark.parametrize(("name", "says"), FILES, ids=[name for name, _ in FILES])
def test_a_file_that_is_no_plan_is_refused(folder: Office, name: str, says: str) -> None:
    (folder.folder / "latin.yaml").write_bytes("account: büro\n".encode("latin-1"))
    (folder.folder / "workers.parquet").write_bytes(b"PAR1\xff\xfe\x00")
    (folder.folder / "deep.yaml").write_text("[" * 5000)
    with (folder.folder / "large.yaml").open("wb") as file:
        file.truncate((64 << 20) + 1)
    folder.refuse_plan(name=name, says=says)


def test_a_long_path_is_shown_to_its_end(office: Office) -> None:
    path = str(Path("a" * 50) / ("b" * 50) / "plan.yaml")
    office.refuse(
        *("plan", path),
        says=f"plan: must be a file that exists; got '{path}'. Look at the name and the file.",
    )


def codes(number: int) -> str:
    return "[" + ", ".join(str(n) for n in range(number)) + "]"


def test_too_many_worker_cells_are_refused(folder: Office) -> None:
    folder.edit("codebook.yaml", ("[E1, E2, E3, E4]", codes(5001)))
    folder.edit("plan.yaml", ("[place, sex]", "[place, sex, education]"))
    folder.refuse_plan(
        says="tables[1].by: must have at most 10000 combinations of its worker part; got 10002 "
        "combinations. Use fewer or coarser attributes, or a filter."
    )


def test_too_many_workplace_cells_are_refused(folder: Office) -> None:
    names = [f"p{n}" for n in range(5)]
    line = "{table: workplaces, public: true, codes: " + codes(300) + "}"
    more = "".join(f"  {name}: {line}\n" for name in names)
    folder.edit("codebook.yaml", ("  sex:", f"{more}  sex:"))
    folder.edit("plan.yaml", ("[place, sector]", f"[{', '.join(names)}]"))
    folder.refuse_plan(
        says="tables[0].by: must have at most 1099511627776 combinations of its workplace part; "
        "got 2430000000000 combinations. Use fewer or coarser attributes, or a filter."
    )


def test_a_complete_table_that_is_too_large_is_refused(folder: Office) -> None:
    line = "{table: workplaces, public: true, codes: " + codes(200) + "}"
    more = "".join(f"  p{n}: {line}\n" for n in range(4))
    folder.edit("codebook.yaml", ("  sex:", f"{more}  sex:"))
    folder.edit("plan.yaml", ("[place, sector]", "[p0, p1, p2, p3], complete: true"))
    folder.refuse_plan(
        says="tables[0].complete: writes every combination of the codes, at most 1000000000 rows; "
        "got 1600000000 rows. Leave it out: combinations without an establishment are zeros anyway."
    )


SIZES = [
    "",
    "largest\n10\n",
    "largest,cells\n",
    "largest,cells\n10,0\n",
    "largest,cells\n10,-1\n",
    "largest,cells\nten,1\n",
    "largest,cells\n1.5,1\n",
    "largest,cells\n10\n",
    "largest,cells\n1000000001,1\n",
    "largest,cells\n²,1\n",
    "size,number\n10,1\n",
    "largest,cells,n\n10,1,0\n",
]


@pytest.mark.parametrize("text", SIZES)
def test_a_bad_size_profile_is_refused(folder: Office, text: str) -> None:
    (folder.folder / "sizes.csv").write_text(text)
    folder.edit("plan.yaml", ("period:", "sizes: sizes.csv\nperiod:"))
    folder.refuse_plan(
        says="sizes: must be CSV with the columns largest, cells and perhaps establishments and n, "
        "whole numbers up to 10^9; got 'sizes.csv'. Write one row for each size of largest "
        "establishment; the other numbers are above 0."
    )


def test_a_cell_has_the_jobs_of_its_largest_establishment(folder: Office) -> None:
    (folder.folder / "sizes.csv").write_text("largest,cells,n\n10,1,9\n")
    folder.edit("plan.yaml", ("period:", "sizes: sizes.csv\nperiod:"))
    folder.refuse_plan(
        says="sizes: must have an n of at least largest: the jobs of a cell with those of its "
        "largest establishment; got 'sizes.csv'. Give n as the jobs of the whole workplace cell."
    )


@pytest.mark.parametrize(("asked", "works", "fails"), [("0.1", "0.514", "0.5")])
def test_the_smallest_epsilon_that_a_refusal_names_works(
    office: Office, asked: str, works: str, fails: str
) -> None:
    office.edit("plan.yaml", ("epsilon: 4", f"epsilon: {asked}"), ("[place, sex]", "[place]"))
    assert "needs at least 0.257" in office.release().stderr  # half of the budget is its share
    office.edit("plan.yaml", (f"epsilon: {asked}", f"epsilon: {fails}"))
    assert office.run("plan", "plan.yaml").exit_code == 1
    office.edit("plan.yaml", (f"epsilon: {fails}", f"epsilon: {works}"))
    assert office.run("plan", "plan.yaml").exit_code == 0
