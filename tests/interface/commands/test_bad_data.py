"""Bad data: files that cannot be read are told apart; what is wrong in rows is told inside only."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.publishing.engines.address import ENDINGS
from tests.interface.commands.scene import Office, Rows, jobs, workers, workplaces, write_csv

MARKER = "SECRET"
"""What must never be seen outside."""

NOTE = "Confidential: what follows may hold facts about the data. It stays inside.\n"
LOOK = "Look at the name and the file."
TOOLS = "Look at the file or the database with its own tools."
HIDDEN = "(its message may quote rows and is not shown)"
INVALID = f"got a failure of the kind InvalidInputException {HIDDEN}. {TOOLS}"
ARROW = INVALID.replace("InvalidInputException", "ArrowInvalid")
ONE_ANSWER = (
    "data: must be readable and agree with the codebook in every row; got files or rows that do "
    "not (not shown). Run `leeward check`, whose output is confidential."
)
ENCODING = (
    "must be CSV in UTF-8, or its encoding must be given; got {}. It may be in cp1252: write "
    "`encoding: cp1252` under `data` in the plan, or --encoding cp1252 where a command has it; or "
    "convert the file (iconv -f cp1252 -t utf-8)."
)
EVERY_ROW = "must have a value for each name of the header in every row"
VALUES = f"{EVERY_ROW}; got {{}} in line {{}} for 3 names."
LAST = len(workers()) + 2
QUOTE = (
    "Quote values that hold the separator or a line break. If no value is in quotes, write "
    "`quotes: none` under `data` in the plan. Parquet has no such lines."
)
ONE_PLACE = "must be three files or frames, or three tables of one and the same database"
OR_TABLE = f"must be a file that ends in {ENDINGS}, or a table of a database"

Spoil = Callable[[Office], object]


def plan(workers_at: str) -> Spoil:
    return lambda office: office.edit("plan.yaml", ("workers.csv", workers_at))


def file(name: str, content: bytes) -> Spoil:
    def spoil(office: Office) -> None:
        (office.folder / name).write_bytes(content)
        office.edit("plan.yaml", ("workers.csv", name))

    return spoil


def more(line: bytes) -> Spoil:
    def spoil(office: Office) -> None:
        with (office.folder / "workers.csv").open("ab") as file:
            file.write(line)

    return spoil


def parquet(office: Office, *, kind: pa.DataType | None = None) -> bytes:
    rows = workers()
    table = pa.table({name: [row[name] for row in rows] for name in rows[0]})
    if kind is not None:
        table = table.set_column(1, "sex", pa.array(range(len(rows)), pa.int32()).cast(kind))
    pq.write_table(table, office.folder / "w.parquet", compression="zstd")
    return (office.folder / "w.parquet").read_bytes()


def cut(office: Office) -> None:
    whole = parquet(office)
    file("w.parquet", whole[: len(whole) // 2])(office)


def overwritten(office: Office) -> None:
    whole = parquet(office)
    file("w.parquet", whole[:40] + bytes(80) + whole[120:])(office)


def folder(office: Office) -> None:
    (office.folder / "w.csv").mkdir()
    plan("w.csv")(office)


def dates(office: Office) -> None:
    file("w.parquet", parquet(office, kind=pa.date32()))(office)


def database(*tables: str) -> Spoil:
    def spoil(office: Office) -> None:
        with duckdb.connect(str(office.folder / "x.duckdb")) as connection:
            for name in tables:
                read = f"SELECT * FROM read_csv('{name}.csv', all_varchar = true)"  # noqa: S608 (fixed names)
                connection.execute(f"CREATE TABLE {name} AS {read}")
        names = ("workplaces", "workers", "jobs")
        office.edit("plan.yaml", *((f"{n}.csv", f"duckdb://x.duckdb#{n}") for n in names))

    return spoil


def mixture(office: Office) -> None:
    database("workers")(office)
    office.edit("plan.yaml", ("duckdb://x.duckdb#jobs", "jobs.csv"))


def no_table(office: Office) -> None:
    database("workers")(office)
    office.edit("plan.yaml", ("x.duckdb#workers", "x.duckdb"))


def no_database(office: Office) -> None:
    database("workers")(office)
    (office.folder / "x.duckdb").write_text(MARKER * 1000)


FILES: dict[str, tuple[Spoil, str]] = {
    "missing": (
        plan("no.csv"),
        f"data.workers: must be a file that exists; got 'no.csv'. {LOOK}",
    ),
    "missing in a long path": (
        plan(f"{'deep/' * 20}no.csv"),
        f"data.workers: must be a file that exists; got '{'deep/' * 20}no.csv'. {LOOK}",
    ),
    "no name": (plan("''"), "data.workers: must be given; got nothing. Add the key."),
    "a folder": (folder, f"data.workers: must be a file, not a folder; got 'w.csv'. {LOOK}"),
    "a sheet": (
        plan("workers.ods"),
        f"data.workers: {OR_TABLE}; got 'workers.ods'. Write the table as Parquet or CSV.",
    ),
    "a database without a table": (
        plan("workers.duckdb"),
        f"data.workers: {OR_TABLE}; got 'workers.duckdb'. Write duckdb://workers.duckdb#TABLE for "
        "a table of a DuckDB file.",
    ),
    "no Parquet": (
        file("w.parquet", b"hello SECRET world"),
        f"data.workers: must be a Parquet file; {ARROW}",
    ),
    "Parquet cut short": (cut, f"data.workers: must be a Parquet file; {ARROW}"),
    "Parquet overwritten": (
        overwritten,
        f"data: must be readable from the first row to the last; {INVALID}",
    ),
    "an empty CSV": (
        file("workers.csv", b""),
        f"data.workers: must not be an empty file; got 'workers.csv'. {LOOK}",
    ),
    "a header that is not UTF-8": (
        file("w.csv", b"worker_id,sex,education,b\xfcro\n"),
        f"data.workers: {ENCODING.format(repr('w.csv'))}",
    ),
    "a column twice": (
        file("w.csv", b"worker_id,sex,education,sex\nSECRET,F,E1,F\n"),
        "data.workers: must name each column once, also without regard to upper and lower case; "
        "got 'sex' twice, as columns 2 and 4. Rename one of them, or leave it out.",
    ),
    "a row that is not UTF-8": (
        more(b"SECRET\xe9,F,E1\n"),
        f"data.workers: {ENCODING.format(repr('workers.csv'))}",
    ),
    "a quote left open": (
        more(b'"SECRET,F,E1\n'),
        f"data.workers: {VALUES.format('1 value', LAST)} {QUOTE}",
    ),
    "gz that is not compressed": (
        file("w.csv.gz", b"worker_id,sex,education\nSECRET,F,E1\n"),
        "data.workers: must be a CSV file that can be read (compressed with gzip if it ends in "
        ".gz); got 'w.csv.gz'. Look at the file's first line.",
    ),
    "a misspelt column": (
        file("w.csv", b"worker_id,sx,education\nSECRET,F,E1\n"),
        "data.workers: must have the column 'sex'; got no such column among 3. Did you mean 'sx'?",
    ),
    "dates as codes": (
        dates,
        "data.workers.sex: must hold text, whole numbers or true and false; got date. "
        "Convert the column: dates, bytes and nested values make no ids or codes.",
    ),
    "files and a database": (
        mixture,
        f"data: {ONE_PLACE}; got duckdb, duckdb, csv. Put the three tables in one place.",
    ),
    "no table named": (
        no_table,
        "data.workers: must end in # and the name of a table, or of a schema and a table with a "
        "dot; got a duckdb connection (not shown) and ''. Write duckdb://…#workers.",
    ),
    "no such table": (
        database("workplaces", "jobs"),
        "data.workers: must be a table of the database; there is no 'workers' in it; got a "
        f"failure of the kind TableNotFound {HIDDEN}. {TOOLS}",
    ),
    "no database": (
        no_database,
        f"data: must be a DuckDB file; got a failure of the kind IOException {HIDDEN}. {TOOLS}",
    ),
}


UNDISCLOSED = (
    *("no Parquet", "Parquet cut short", "Parquet overwritten", "a row that is not UTF-8"),
    *("a quote left open", "gz that is not compressed", "dates as codes"),
)
"""What a release says nothing about: it may depend on rows."""


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read_is_refused_in_these_words(office: Office, name: str) -> None:
    spoil, says = FILES[name]
    spoil(office)
    hidden = name in UNDISCLOSED
    office.refuse_release(says=ONE_ANSWER if hidden else says)
    checked = office.run("check", "plan.yaml")
    assert (checked.exit_code, checked.stdout) == (1, "")
    assert checked.stderr == f"{NOTE if hidden else ''}leeward: {says}\n"


def test_jobs_that_cannot_be_read_have_the_same_answer(office: Office) -> None:
    with (office.folder / "jobs.csv").open("a") as jobs:
        jobs.write('"a,b\n')
    office.refuse_release(says=ONE_ANSWER)


@pytest.mark.parametrize("line", [b"SECRET,F,E1,too,many\n", b"1,SECRET,F,E1\n", b"SECRET,F\n"])
def test_a_line_of_workers_that_is_no_row_is_left_out_and_counted(
    office: Office, line: bytes
) -> None:
    more(line)(office)
    checked = office.run("check", "plan.yaml")
    assert checked.exit_code == 0
    assert "workers.worker_id: missing id, 1 of 41 rows\n" in checked.stdout
    assert "A line of a CSV file with too many or too few values has none" in checked.stdout
    assert MARKER not in checked.output
    assert office.release().exit_code == 0


def test_a_wrong_quote_is_a_letter_where_there_are_no_quotes(office: Office) -> None:
    more(b'"SECRET,F,E1\n')(office)
    office.refuse_release(says=ONE_ANSWER)
    office.edit("plan.yaml", ("data:\n", "data:\n  quotes: none\n"))
    assert office.release().exit_code == 0


def test_of_workplaces_what_cannot_be_read_is_told(office: Office) -> None:
    with (office.folder / "workplaces.csv").open("a") as workplaces:
        workplaces.write("a,b,c,d,e,f\n")
    assert office.release().stderr.startswith(f"leeward: data.workplaces: {EVERY_ROW}; got 6 val")


def test_an_unknown_database_lists_the_known_ones(office: Office) -> None:
    plan("no_such://host/db#workers")(office)
    said = office.release().stderr
    assert said.startswith("leeward: data.workers: must begin with the name of a database: ")
    assert "duckdb" in said
    assert said.endswith(
        "got 'no_such' before ://. Take one of them, or the path of a Parquet or CSV file.\n"
    )


def test_a_password_is_never_shown(office: Office) -> None:
    for name in ("workplaces", "workers", "jobs"):
        office.edit("plan.yaml", (f"{name}.csv", f"postgres://me:{MARKER}@localhost:1/db"))
    result = office.release()
    assert result.exit_code == 1
    assert MARKER not in result.output


def set_first(table: Callable[[], Rows], **values: str) -> Callable[[], Rows]:
    return lambda: [{**table()[0], **values}, *table()[1:]]


def and_row(table: Callable[[], Rows], **values: str) -> Callable[[], Rows]:
    return lambda: [*table(), {**table()[0], **values}]


Found = tuple[str, str, str, int]
"""Problem, table, column, rows."""

BAD_ROWS: dict[str, tuple[str, Callable[[], Rows], str, list[Found]]] = {
    "an unlisted code": (
        "workers",
        set_first(workers, sex=MARKER),
        "unlisted_code",
        [("unlisted code", "workers", "sex", 1)],
    ),
    "an unlisted code of workplaces": (
        "workplaces",
        set_first(workplaces, place=MARKER),
        "",
        [("unlisted code", "workplaces", "place", 1)],
    ),
    "an unlisted code of a private attribute": (
        "workplaces",
        set_first(workplaces, owner=MARKER),
        "",
        [("unlisted code", "workplaces", "owner", 1)],
    ),
    "no code": (
        "workers",
        set_first(workers, sex=""),
        "missing_code",
        [("missing code", "workers", "sex", 1)],
    ),
    "no worker id": (
        "workers",
        and_row(workers, worker_id=""),
        "missing_id",
        [("missing id", "workers", "worker_id", 1)],
    ),
    "no workplace id": (
        "workplaces",
        and_row(workplaces, workplace_id=""),
        "",
        [("missing id", "workplaces", "workplace_id", 1)],
    ),
    "a job without a worker": (
        "jobs",
        set_first(jobs, worker_id=""),
        "missing_id",
        [("missing id", "jobs", "worker_id", 1)],
    ),
    "a worker twice": (
        "workers",
        and_row(workers),
        "worker_rows",
        [("duplicate id", "workers", "worker_id", 1)],
    ),
    "a workplace twice": (
        "workplaces",
        and_row(workplaces),
        "",
        [("duplicate id", "workplaces", "workplace_id", 1)],
    ),
    "a job twice": (
        "jobs",
        and_row(jobs),
        "repeated_job",
        [
            ("duplicate job", "jobs", "worker_id", 1),
            ("worker with several jobs", "jobs", "worker_id", 2),
        ],
    ),
    "a worker with two jobs": (
        "jobs",
        and_row(jobs, workplace_id="e3"),
        "every",
        [("worker with several jobs", "jobs", "worker_id", 2)],
    ),
    "a job of nobody": (
        "jobs",
        set_first(jobs, worker_id=MARKER),
        "lost_job",
        [("not in workers", "jobs", "worker_id", 1)],
    ),
    "a job nowhere": (
        "jobs",
        set_first(jobs, workplace_id=MARKER),
        "lost_job",
        [("not in workplaces", "jobs", "workplace_id", 1)],
    ),
    "a column of nulls": (
        "workers",
        lambda: [{**row, "sex": ""} for row in workers()],
        "missing_code",
        [("missing code", "workers", "sex", 40)],
    ),
}
"""Table, rows, the rule that counts them (none: they refuse), and what a check finds."""


def told(office: Office) -> list[dict[str, object]]:
    checked = office.run("check", "plan.yaml", "--json")
    assert checked.stderr == ""
    answer = json.loads(checked.stdout)
    assert answer["confidential"] == NOTE.rstrip("\n")
    found: list[dict[str, object]] = answer["findings"]
    refused = any(one["refuses"] for one in found)
    assert checked.exit_code == (1 if refused else 4 if answer["warnings"] else 0)
    assert Path(answer["receipt"]).is_file()
    return found


def listed(found: list[dict[str, object]]) -> list[Found]:
    keys = ("problem", "table", "column", "rows")
    return [tuple(one[key] for key in keys) for one in found]  # type: ignore[misc] # four of them


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_rows_are_listed_inside_and_refused_by_strict_plans(office: Office, name: str) -> None:
    table, rows, _, found = BAD_ROWS[name]
    office.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    write_csv(office.folder / f"{table}.csv", rows())
    office.refuse_release(says=ONE_ANSWER)
    findings = told(office)
    assert listed(findings) == found
    assert all(one["next_step"] and one["refuses"] and not one["rule"] for one in findings)
    hidden = MARKER in "".join(str(value) for row in rows() for value in row.values())
    assert (MARKER in str(findings)) == hidden


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_rows_of_workers_and_jobs_fall_under_a_rule(office: Office, name: str) -> None:
    table, rows, rule, found = BAD_ROWS[name]
    write_csv(office.folder / f"{table}.csv", rows())
    findings = told(office)
    if not rule:
        assert listed(findings) == found
        office.refuse_release(says=ONE_ANSWER)
        return
    ruled = [] if rule == "every" else [found[0]]
    assert listed(findings) == ruled
    assert [one["rule"] for one in findings] == [rule] * len(ruled)
    released = office.release()
    assert released.exit_code == 0, released.output
    assert MARKER not in released.output


@pytest.mark.parametrize("table", ["workers", "jobs"])
def test_a_table_without_rows_is_a_table(office: Office, table: str) -> None:
    path = office.folder / f"{table}.csv"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    result = office.run("check", "plan.yaml")
    assert result.exit_code == 4
    lost = "Every job is lost" if table == "workers" else "There is no job"
    assert result.stdout.endswith(f"\n{lost}: a release would publish noise around 0.\n")
    assert (
        f"{table}: empty table, 0 rows\n  Tables of workers and jobs without rows are tables.\n"
        in result.stdout
    )
    office.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    assert office.run("check", "plan.yaml").exit_code == 1
    office.refuse_release(says=ONE_ANSWER)
    office.edit("plan.yaml", ("rows: strict\n", ""))
    office.released()


HINT = (
    "Hint: sex has no `other` and no `null_as`: jobs without a listed sex count in no cell of "
    "by_sex, so its rows add up to at most all jobs, unlike those of other tables. Write `other` "
    "and `null_as` beside sex in the codebook, or `unknown` with a code for unknown."
)
"""What a check says of the office's own codebook, whatever the rows are."""


def test_check_lists_everything_at_once_with_its_rule_and_remedy(office: Office) -> None:
    write_csv(office.folder / "workers.csv", set_first(workers, sex=MARKER, education="")())
    write_csv(office.folder / "jobs.csv", and_row(jobs, workplace_id="e9")())
    write_csv(office.folder / "workplaces.csv", set_first(workplaces, sector="")())
    result = office.run("check", "plan.yaml")
    assert result.exit_code == 1
    assert result.stderr == ""
    no_cell = "where it names none, the job counts in no cell of that attribute, but in the size of"
    assert result.stdout.splitlines() == [
        NOTE.rstrip("\n"),
        "jobs.workplace_id: not in workplaces, 1 of 41 rows (such as e9)",
        "  A job whose worker is not in the table of workers, or whose workplace is not in the "
        "table of workplaces, is left out.",
        "  Add the missing rows to workplaces, or remove the jobs.",
        "workplaces.sector: missing code, 1 of 6 rows",
        "  This refuses a release.",
        "  Fill the rows, or name a code with `null_as` in the codebook.",
        "workers.sex: unlisted code, 1 of 40 rows (such as SECRET)",
        "  A code that the codebook does not list counts as the one that it names with other; "
        f"{no_cell} its establishment.",
        "  List or omit the codes in the codebook, or name a code with `other`.",
        "workers.education: missing code, 1 of 40 rows",
        "  A missing code counts as the code that the codebook names with null_as; "
        f"{no_cell} its establishment.",
        "  Fill the rows, or name a code with `null_as` in the codebook.",
        HINT,
    ]


def test_a_rank_that_is_no_number_ranks_last(office: Office) -> None:
    ranked = [{**row, "pay": "1"} for row in jobs()]
    write_csv(office.folder / "jobs.csv", [{**ranked[0], "pay": MARKER}, *ranked[1:]])
    office.edit("plan.yaml", ("period:", "jobs: {primary: pay}\nperiod:"))
    checked = office.run("check", "plan.yaml")
    assert "jobs.pay: missing rank, 1 of 40 rows\n" in checked.stdout
    office.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    office.refuse_release(says=ONE_ANSWER)
    office.edit("plan.yaml", ("rows: strict\n", ""))
    office.released()


def test_an_unlisted_code_of_workplaces_is_not_to_be_omitted(office: Office) -> None:
    write_csv(office.folder / "workplaces.csv", set_first(workplaces, place=MARKER)())
    assert office.run("check", "plan.yaml").stdout == (
        f"{NOTE}workplaces.place: unlisted code, 1 of 6 rows (such as SECRET)\n"
        "  This refuses a release.\n"
        "  List the codes in the codebook, or fold them into a listed one with `other`.\n"
        f"{HINT}\n"
    )


@pytest.mark.parametrize(
    ("column", "step"),
    [
        ("wages", "Add it, or mend `jobs.primary` in the plan."),
        ("workplaceid", "Did you mean 'workplace_id'?"),
    ],
)
def test_a_missing_rank_column_is_the_plans_matter(office: Office, column: str, step: str) -> None:
    office.edit("plan.yaml", ("period:", f"jobs: {{primary: {column}}}\nperiod:"))
    office.refuse_release(
        says=f"data.jobs: must have the column {column!r}, which the plan names as "
        f"`jobs.primary`; got no such column among 2. {step}"
    )


def test_compressed_files_are_read(office: Office) -> None:
    content = (office.folder / "workers.csv").read_bytes()
    file("w.csv.gz", gzip.compress(content))(office)
    assert office.run("check", "plan.yaml").exit_code == 0
