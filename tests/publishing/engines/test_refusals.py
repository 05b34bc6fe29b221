"""What cannot be read is refused in fixed words, without a password and without a row."""

import gzip
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import EveryJob, JobsRule, Marginal, PrimaryJob
from leeward.core.errors import BadData, BadFile, InvalidParameter, LeewardError, Undisclosed
from leeward.publishing.engines import connect
from leeward.publishing.engines.address import ENDINGS
from leeward.publishing.engines.address_reading import read_addresses, seen_from
from tests.publishing.engines.small import (
    CODEBOOK,
    Sources,
    codebook,
    duck_file,
    economy,
    parquet,
    plain_csv,
    whole,
    zipped_csv,
)

SECRET = "SECRET123"  # noqa: S105 (a value that must not be seen in any message)


HIDDEN = str(Undisclosed())


def refusal(sources: Sources, base: Path) -> str:
    """What is said; of what is not disclosed, what is said inside."""
    with pytest.raises(LeewardError) as caught:
        connect(sources, base).close()
    context = caught.value.__context__
    assert context is None or isinstance(context, OSError | ImportError)
    return inside(caught.value)


def inside(refused: LeewardError) -> str:
    if not isinstance(refused, Undisclosed):
        return str(refused)
    assert str(refused) == HIDDEN
    assert refused.inside is not None
    assert refused.inside.__context__ is None
    return f"hidden: {refused.inside}"


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return parquet(economy(8), tmp_path)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (
            "",
            "data.jobs: must name a file or a table of a database; got nothing. "
            "Write a path such as workplaces.parquet.",
        ),
        (
            "none.parquet",
            "data.jobs: must be a file that exists; got 'none.parquet'. "
            "Look at the name and the file.",
        ),
        (
            "jobs.por",
            f"data.jobs: must be a file that ends in {ENDINGS}, or a table of a database; "
            "got 'jobs.por'. Write the table as Parquet or CSV.",
        ),
        (
            "x.duckdb",
            f"data.jobs: must be a file that ends in {ENDINGS}, or a table of a database; "
            "got 'x.duckdb'. "
            "Write duckdb://x.duckdb#TABLE for a table of a DuckDB file.",
        ),
        (
            "folder.csv",
            "data.jobs: must be a file, not a folder; got 'folder.csv'. "
            "Look at the name and the file.",
        ),
        (
            "empty.csv",
            "data.jobs: must not be an empty file; got 'empty.csv'. Look at the name and the file.",
        ),
        (
            "a\0b.csv",
            r"data.jobs: must be a file that can be opened (bad name); got 'a\x00b.csv'. "
            "Look at the name and the file.",
        ),
        (
            "latin.csv",
            "data.jobs: must be CSV in UTF-8, or its encoding must be given; got 'latin.csv'. It "
            "may be in cp1252: write `encoding: cp1252` under `data` in the plan, or --encoding "
            "cp1252 where a command has it; or convert the file (iconv -f cp1252 -t utf-8).",
        ),
        (
            "twice.csv",
            "data.jobs: must name each column once, also without regard to upper and lower case; "
            "got 'Worker_ID' twice, as columns 1 and 2. Rename one of them, or leave it out.",
        ),
        (
            "twice.parquet",
            "data.jobs: must name each column once, also without regard to upper and lower case; "
            "got 'Sex' twice, as columns 1 and 2. Rename one of them, or leave it out.",
        ),
        (
            "nameless.csv",
            "data.jobs: must begin with names of all columns; got column 2 without a name. "
            "Name it, or leave it out.",
        ),
        (
            "numbered.csv",
            "data.jobs: must begin with names of all columns; got column 1 without a name. Row "
            "numbers? Write the file with write.csv(row.names = FALSE) in R, or "
            "to_csv(index=False) in pandas. Name it, or leave it out.",
        ),
        (
            "none.csv.gz",
            "hidden: data.jobs: must be a CSV file that can be read (compressed with gzip if it "
            "ends in .gz); got 'none.csv.gz'. Look at the file's first line.",
        ),
        (
            "cut.parquet",
            "hidden: data.jobs: must be a Parquet file; got a failure of the kind ArrowInvalid "
            "(its message may quote rows and is not shown). "
            "Look at the file or the database with its own tools.",
        ),
        (
            "duckdb://none.duckdb#jobs",
            "data.jobs: must be a file that exists; got 'none.duckdb'. "
            "Look at the name and the file.",
        ),
        (
            f"postgres://me:{SECRET}@host/db",
            "data.jobs: must end in # and the name of a table, or of a schema and a table with a "
            "dot; got a postgres connection (not shown) and ''. Write postgres://…#jobs.",
        ),
        (
            f"postgres://me:{SECRET}@host/db#jobs",
            "data: must be three files or frames, or three tables of one and the same database; "
            "got parquet, parquet, postgres. Put the three tables in one place.",
        ),
    ],
)
def test_a_bad_source(written: str, message: str, sources: Sources, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "empty.csv").touch()
    (tmp_path / "latin.csv").write_bytes(b"worker_id,\xe9\n")
    (tmp_path / "twice.csv").write_text("worker_id,Worker_ID\n1,2\n")
    (tmp_path / "nameless.csv").write_text("worker_id,,pay\n1,2,3\n")
    (tmp_path / "numbered.csv").write_text('"","worker_id"\n"1",7\n')
    both = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["sex", "Sex"])
    pq.write_table(both, tmp_path / "twice.parquet")
    (tmp_path / "none.csv.gz").write_text("worker_id\n1\n")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "jobs.parquet").read_bytes()[:-20])
    assert refusal(sources | {"jobs": written}, tmp_path) == message


@pytest.mark.parametrize(
    ("written", "moved"),
    [
        ("jobs.csv", "../jobs.csv"),
        ("/data/jobs.csv", "/data/jobs.csv"),
        ("duckdb://office.duckdb#jobs", "duckdb://../office.duckdb#jobs"),
        ("sqlite://in/office.db#jobs", "sqlite://../in/office.db#jobs"),
        ("duckdb:///data/office.duckdb#a.jobs", "duckdb:///data/office.duckdb#a.jobs"),
        ("postgres://me@host/db#a.jobs", "postgres://me@host/db#a.jobs"),
    ],
)
def test_an_address_is_seen_from_another_folder(written: str, moved: str) -> None:
    assert seen_from(written, Path("new")) == moved


def test_an_unknown_scheme(sources: Sources, tmp_path: Path) -> None:
    said = refusal(sources | {"jobs": f"ftp://me:{SECRET}@host/jobs"}, tmp_path)
    assert said.startswith("data.jobs: must begin with the name of a database: athena, ")
    assert said.endswith(
        "; got 'ftp' before ://. Take one of them, or the path of a Parquet or CSV file."
    )
    assert SECRET not in said


def test_a_file_system_of_spark(sources: Sources, tmp_path: Path) -> None:
    said = refusal(sources | {"jobs": f"s3a://{SECRET}/jobs"}, tmp_path)
    assert said.endswith(
        "got 's3a' before ://. Write `engine: spark`, or --engine spark, which reads Parquet there."
    )


def test_all_bad_sources_are_named_at_once(tmp_path: Path) -> None:
    said = refusal({"workplaces": "a.csv", "workers": "b.csv", "jobs": "c.csv"}, tmp_path)
    assert said.startswith("3 problems:")


def test_two_databases(tmp_path: Path) -> None:
    found = duck_file(economy(8), tmp_path)
    (tmp_path / "two.duckdb").write_bytes((tmp_path / "a'b.duckdb").read_bytes())
    said = refusal(found | {"jobs": "duckdb://two.duckdb#jobs_2026"}, tmp_path)
    assert said.startswith(
        "data: must be three files or frames, or three tables of one and the same"
    )


@pytest.mark.parametrize(
    ("workers", "jobs", "same"),
    [
        ("duckdb://x.db#emp", "duckdb://x.db#main.emp", True),
        ("duckdb://x.db#emp", "duckdb://x.db#MAIN.Emp", True),
        ("duckdb://x.db#emp", "duckdb://x.db#old.emp", False),
        ("sqlite://x.db#emp", "sqlite://x.db#Emp", True),
        ("postgres://h/d#emp", "postgres://h/d#public.emp", True),
        ("postgres://h/d#emp", "postgres://h/d#Emp", False),
        ("emp.xlsx", "emp.xlsx#One", True),
        ("emp.xlsx#Two", "emp.xlsx#One", False),
    ],
)
def test_one_table_by_two_names(workers: str, jobs: str, same: bool, tmp_path: Path) -> None:
    for name in ("x.db", "emp.xlsx", "w.csv"):
        (tmp_path / name).write_text("id\n1\n")
    scheme, mark, rest = workers.partition("://")
    places = f"{scheme}{mark}{rest.partition('#')[0]}#list" if mark else "w.csv"
    sources = {"workplaces": places, "workers": workers, "jobs": jobs}
    if not same:
        assert len(read_addresses(sources, tmp_path)) == 3
        return
    with pytest.raises(BadFile, match=r"must be another table than data\.workers"):
        read_addresses(sources, tmp_path)


def test_a_missing_table(tmp_path: Path) -> None:
    found = duck_file(economy(8), tmp_path)
    said = refusal(found | {"jobs": "duckdb://a'b.duckdb#no_jobs"}, tmp_path)
    assert said.startswith(
        "data.jobs: must be a table of the database; there is no 'no_jobs' in it; got a failure"
    )


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "x.duckdb").write_text("nothing of the kind")
    every = {name: f"duckdb://x.duckdb#{name}" for name in ("workplaces", "workers", "jobs")}
    assert refusal(every, tmp_path).startswith("data: must be a DuckDB file; got a failure of the")


def test_a_database_that_does_not_answer_or_has_no_driver(tmp_path: Path) -> None:
    url = f"postgres://me:{SECRET}@127.0.0.1:1/db"
    every = {name: f"{url}#{name}" for name in ("workplaces", "workers", "jobs")}
    said = refusal(every, tmp_path)
    assert said.startswith(("data: must be a postgres database that answers", "data: needs the"))
    assert SECRET not in said


WRONG_HEADERS = [
    (
        "sex: {table: workers, codes: [F, M]}",
        "sex: {table: workers, column: sexe, codes: [F, M]}",
        "data.workers: must have the column 'sexe'; got no such column among 4. "
        "Did you mean 'sex'?",
    ),
    (
        "sex: {table: workers, codes: [F, M]}",
        "sex: {table: workers, column: qqq, codes: [F, M]}",
        "data.workers: must have the column 'qqq'; got no such column among 4. "
        "Add it, or mend the codebook.",
    ),
    (
        "contract: {table: jobs, codes: [T, P], null_as: P}",
        "contract: {table: jobs, column: since, codes: [T, P]}",
        "hidden: data.jobs.since: must hold text, whole numbers or true and false; got date. "
        "Convert the column: dates, bytes and nested values make no ids or codes.",
    ),
    (
        "sector: {table: workplaces, public: true, codes: [A, B, C], other: C, null_as: B}",
        "sector: {table: workplaces, column: since, public: true, codes: [A, B, C]}",
        "data.workplaces.since: must hold text, whole numbers or true and false; got date. "
        "Convert the column: dates, bytes and nested values make no ids or codes.",
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), WRONG_HEADERS)
def test_wrong_headers(old: str, new: str, message: str, sources: Sources, tmp_path: Path) -> None:
    book = codebook(tmp_path, CODEBOOK.replace(old, new))
    assert old in CODEBOOK
    for name in ("jobs", "workplaces"):
        rows = pq.read_table(tmp_path / f"{name}.parquet")
        more = rows.append_column("since", pa.array([date(2026, 1, 1)] * rows.num_rows))
        pq.write_table(more, tmp_path / f"{name}.parquet")
    with connect(sources, tmp_path) as engine:
        (found,) = engine.check_headers(book, EveryJob())
        (finding,) = engine.check(book, EveryJob())
    assert isinstance(found, BadData)
    assert inside(found) == message
    assert finding.refuses
    assert f"{finding.problem};" in message
    assert message.endswith(finding.remedy)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            PrimaryJob("wage"),
            "data.jobs: must have the column 'wage', which the plan names as `jobs.primary`; "
            "got no such column among 5. Add it, or mend `jobs.primary` in the plan.",
        ),
        (
            PrimaryJob("many"),
            "hidden: data.jobs.many: must hold numbers or dates, by which the primary job is "
            "chosen; got array<int64>. Convert the column, or name another as `jobs.primary` in "
            "the plan.",
        ),
    ],
)
def test_wrong_headers_of_a_jobs_rule(
    rule: JobsRule, message: str, sources: Sources, tmp_path: Path
) -> None:
    jobs = pq.read_table(tmp_path / "jobs.parquet")
    nested = pa.array([[1]] * jobs.num_rows)
    pq.write_table(jobs.append_column("many", nested), tmp_path / "jobs.parquet")
    with connect(sources, tmp_path) as engine:
        (found,) = engine.check_headers(codebook(tmp_path), rule)
    assert inside(found) == message


def test_what_was_not_prepared(sources: Sources, tmp_path: Path) -> None:
    book = codebook(tmp_path)
    known, other = (Marginal(name, whole(book, "place"), whole(book, "sex")) for name in "ab")
    with connect(sources, tmp_path) as engine:
        with pytest.raises(InvalidParameter, match="marginal: must be prepared first; got an eng"):
            engine.frame_cells(known)
        engine.prepare(book, EveryJob(), [known], [])
        with pytest.raises(InvalidParameter) as caught:
            list(engine.cells(other, batch=1))
        assert str(caught.value) == "marginal: must be prepared first; got 'b'. Give it to prepare."
        with pytest.raises(InvalidParameter, match="prepared first with its establishments; got"):
            list(engine.establishments(known, batch=1))
        with pytest.raises(InvalidParameter, match="prepared first with its establishments; got"):
            list(engine.cells(known, batch=1, cell_largest=True))
        with pytest.raises(InvalidParameter) as caught:
            list(engine.cells(known, batch=0))
        assert str(caught.value) == (
            "batch: must be at least 1 workplace cell; got 0. Give a number such as 10000."
        )


def ragged(text: str) -> bytes:
    return (text + f"{SECRET},1,2,3,4,5,6\n").encode()


def foreign(text: str) -> bytes:
    return text.encode() + f"{SECRET}\xff\xfe,1,T,1\n".encode("latin-1")


def unclosed(text: str) -> bytes:
    return (text + f'"{SECRET},1,T,1\n').encode()


def short(text: str) -> bytes:
    return (text + f"{SECRET}\n").encode()


VALUES = "must have a value for each name of the header in every row; got {} in line 16 for 4 names"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (foreign, "must be CSV in UTF-8, or its encoding must be given; got 'jobs.csv'. It may"),
        (unclosed, VALUES.format("1 value")),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_a_broken_csv_shows_none_of_its_rows(
    spoil: Callable[[str], bytes], message: str, zipped: bool, tmp_path: Path
) -> None:
    sources, book = plain_csv(economy(8), tmp_path), codebook(tmp_path)
    content = spoil((tmp_path / "jobs.csv").read_text())
    (tmp_path / "jobs.csv").write_bytes(content)
    if zipped:
        (tmp_path / "jobs.csv.gz").write_bytes(gzip.compress(content))
        sources["jobs"] = "jobs.csv.gz"
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    with connect(sources, tmp_path) as engine:
        for work in (
            lambda: engine.check(book, EveryJob()),
            lambda: engine.prepare(book, EveryJob(), [table], []),
        ):
            with pytest.raises(Undisclosed) as caught:
                work()
            assert inside(caught.value).startswith(f"hidden: data.jobs: {message}")
            assert SECRET not in inside(caught.value)
            assert caught.value.__context__ is None
            assert caught.value.__cause__ is None


@pytest.mark.parametrize("spoil", [ragged, short])
@pytest.mark.parametrize("zipped", [False, True])
def test_a_csv_line_that_is_no_row_is_one_without_an_id(
    spoil: Callable[[str], bytes], zipped: bool, tmp_path: Path
) -> None:
    sources, book = plain_csv(economy(8), tmp_path), codebook(tmp_path)
    with connect(sources, tmp_path) as engine:
        before = engine.check(book, EveryJob())
    content = spoil((tmp_path / "jobs.csv").read_text())
    (tmp_path / "jobs.csv").write_bytes(content)
    if zipped:
        (tmp_path / "jobs.csv.gz").write_bytes(gzip.compress(content))
        sources["jobs"] = "jobs.csv.gz"
    with connect(sources, tmp_path) as engine:
        found = [one for one in engine.check(book, EveryJob()) if one not in before]
    lost = [(one.column, one.rows, one.rule) for one in found if one.problem == "missing id"]
    assert lost == [("worker_id", 1, "missing_id"), ("workplace_id", 1, "missing_id")]
    assert not any(one.refuses for one in found)


@pytest.mark.parametrize("spoil", [ragged, short])
def test_in_the_public_frame_it_is_rejected(spoil: Callable[[str], bytes], tmp_path: Path) -> None:
    sources, book = plain_csv(economy(8), tmp_path), codebook(tmp_path)
    frame = tmp_path / "workplaces.csv"
    frame.write_bytes(spoil(frame.read_text()))
    with connect(sources, tmp_path) as engine, pytest.raises(BadFile) as caught:
        engine.check(book, EveryJob())
    assert "must have a value for each name of the header in every row" in str(caught.value)


def test_a_parquet_file_with_damaged_pages(sources: Sources, tmp_path: Path) -> None:
    book, path = codebook(tmp_path), tmp_path / "jobs.parquet"
    content = bytearray(path.read_bytes())
    content[4:400] = (SECRET * 50).encode()[:396]
    path.write_bytes(content)
    table = Marginal("t", whole(book, "place"), whole(book, "sex", "contract"))
    with connect(sources, tmp_path) as engine:
        for work in (
            lambda: engine.check(book, EveryJob()),
            lambda: engine.prepare(book, EveryJob(), [table], []),
        ):
            with pytest.raises(Undisclosed) as caught:
                work()
            assert inside(caught.value).startswith(
                "hidden: data: must be readable from the first row to the last; got a failure of"
            )
            assert SECRET not in inside(caught.value)
            assert caught.value.__context__ is None


def test_addresses_and_engines_show_no_password(tmp_path: Path) -> None:
    url = f"postgres://me:{SECRET}@host/db"
    every = {name: f"{url}#{name}" for name in ("workplaces", "workers", "jobs")}
    assert SECRET not in repr(read_addresses(every, tmp_path))


@pytest.mark.parametrize("kept", [0.5, 0.8, 0.99])
def test_a_compressed_file_that_breaks_off_is_refused(kept: float, tmp_path: Path) -> None:
    given = zipped_csv(economy(8), tmp_path)
    path = tmp_path / "jobs.csv.gz"
    whole_file = path.read_bytes()
    path.write_bytes(whole_file[: int(len(whole_file) * kept)])
    with connect(given, tmp_path) as engine, pytest.raises(Undisclosed) as caught:
        engine.check(codebook(tmp_path), EveryJob())
    assert inside(caught.value) == (
        "hidden: data.jobs: must be a whole gzip file: this one breaks off or is damaged; "
        "got 'jobs.csv.gz'. Write or copy the file again."
    )
