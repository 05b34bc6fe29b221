"""Bad data: files that cannot be read are told apart; what is wrong in rows is told inside only."""

import gzip
from collections.abc import Callable

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.publishing.engines.address import ENDINGS
from tests.interface.commands.scene import MARKER, NOTE, ONE_ANSWER, Office, workers

LOOK = "Look at the name and the file."
TOOLS = "Look at the file or the database with its own tools."
HIDDEN = "(its message may quote rows and is not shown)"
INVALID = f"got a failure of the kind InvalidInputException {HIDDEN}. {TOOLS}"
ARROW = INVALID.replace("InvalidInputException", "ArrowInvalid")
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


def test_compressed_files_are_read(office: Office) -> None:
    content = (office.folder / "workers.csv").read_bytes()
    file("w.csv.gz", gzip.compress(content))(office)
    assert office.run("check", "plan.yaml").exit_code == 0
