"""Spark: what it reads, what it refuses, what comes to the driver, and that nothing stays."""

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.engines import Resources, connect, spark
from leeward.engines.address import read_addresses, seen_from
from leeward.engines.spark import Spark, spans
from leeward.engines.spark_address import SparkAddress, read_spark_addresses
from leeward.engines.spark_session import chosen_remote
from leeward.errors import BadFile, InvalidParameter, LeewardError
from leeward.model import TABLES, Marginal, SingleJob
from tests.engines.conftest import Cluster
from tests.engines.small import Economy, Sources, codebook, economy, parquet, whole
from tests.engines.truth import counts, truth

SPARK = Resources(engine="spark")
SECRET = "SECRET123"  # noqa: S105 (a value that must not be seen in any message)


def refusal(sources: Sources, base: Path, resources: Resources = SPARK) -> str:
    with pytest.raises(LeewardError) as caught:
        connect(sources, base, resources).close()
    assert caught.value.__cause__ is None
    return str(caught.value)


def place_by_sex(folder: Path) -> tuple[Any, Marginal]:
    book = codebook(folder)
    return book, Marginal("t", whole(book, "place"), whole(book, "sex"))


def check_counts(made: Economy, sources: Sources, folder: Path) -> None:
    book, table = place_by_sex(folder)
    with connect(sources, folder, SPARK) as engine:
        engine.prepare(book, SingleJob(), [table], [])
        expected = truth(made, SingleJob(), table)
        assert counts(engine, table) == {key: cell.counts for key, cell in expected.items()}


RULE = "must be Parquet or a table of Spark's catalog under `engine: spark`"
PATH = "Write a path such as workplaces.parquet, or #database.table."


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", f"data.jobs: {RULE}; got nothing. {PATH}"),
        ("#", f"data.jobs: {RULE}; got '#'. {PATH}"),
        ("#a..b", f"data.jobs: {RULE}; got '#a..b'. {PATH}"),
        ("#a.b.c.d", f"data.jobs: {RULE}; got '#a.b.c.d'. {PATH}"),
        *(
            (
                name,
                f"data.jobs: {RULE}; got CSV. "
                "Write the table as Parquet, or register it in Spark's catalog as #table.",
            )
            for name in ("jobs.csv", "jobs.CSV.gz", "s3a://bucket/jobs.csv")
        ),
        *(
            (
                f"{scheme}://me:{SECRET}@host/db#jobs",
                f"data.jobs: {RULE}; got {scheme}://… (not shown). "
                "Leave out `engine: spark`, or register the tables in Spark's catalog.",
            )
            for scheme in ("postgres", "postgresql", "duckdb", "spark", "pyspark", "sc")
        ),
        (
            "none.parquet",
            "data.jobs: must be a file that exists; got 'none.parquet'. "
            "Look at the name and the file.",
        ),
    ],
)
def test_what_spark_does_not_read(written: str, message: str, tmp_path: Path) -> None:
    sources = parquet(economy(8), tmp_path) | {"jobs": written}
    with pytest.raises(LeewardError) as caught:
        read_spark_addresses(sources, tmp_path)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("#office.jobs", "'#office.jobs'"),
        (f"spark://{SECRET}:7077/db#jobs", "'spark' before ://"),
        (f"pyspark://{SECRET}/db#jobs", "'pyspark' before ://"),
    ],
)
def test_spark_is_not_guessed(written: str, value: str, tmp_path: Path) -> None:
    sources = parquet(economy(8), tmp_path) | {"jobs": written}
    assert refusal(sources, tmp_path, Resources()) == (
        f"data.jobs: is read by Spark only if the plan says so; got {value}. "
        "Write `engine: spark` beside it, and #database.table or a path of Parquet."
    )


def test_a_file_whose_name_begins_with_a_mark_is_a_file(tmp_path: Path) -> None:
    sources = parquet(economy(8), tmp_path)
    (tmp_path / "jobs.parquet").rename(tmp_path / "#jobs.parquet")
    assert read_addresses(sources | {"jobs": "#jobs.parquet"}, tmp_path)


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("jobs.parquet", "file:{}/jobs.parquet"),
        ("../jobs", "file:{}/../jobs"),
        ("/data/jobs", "file:/data/jobs"),
        ("hdfs:///data/jobs", "hdfs:///data/jobs"),
        ("s3a://bucket/jobs#1", "s3a://bucket/jobs#1"),
    ],
)
def test_a_path_is_on_this_machine_unless_it_says_where(
    written: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leeward.engines.spark_address.refuse_unreadable", lambda *_: None)
    found = read_spark_addresses(dict.fromkeys(TABLES, written), tmp_path)
    assert {one.url for one in found} == {url.format(tmp_path)}
    assert written not in repr(found)


@pytest.mark.parametrize("written", ["plan", "environment"])
def test_a_server_is_given_no_relative_path(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known bad: it would be joined to a folder of the client. SPARK_REMOTE is a `remote` too."""
    remote = "sc://127.0.0.1:1" if written == "plan" else None
    monkeypatch.setenv("SPARK_REMOTE", "" if remote else "sc://127.0.0.1:1")
    sources = {"workplaces": "#office.a", "workers": "/data/b", "jobs": "jobs.parquet"}
    assert refusal(sources, tmp_path, Resources(engine="spark", remote=remote)) == (
        "data.jobs: must be an absolute path or a URL where a server reads it; "
        "got 'jobs.parquet'. "
        "Write where the server finds it, such as /data/jobs or s3a://bucket/jobs."
    )


@pytest.mark.parametrize(
    ("written", "known", "chosen"),
    [
        (None, None, None),
        (None, "", None),
        ("", "", None),
        (None, "sc://a", "sc://a"),
        ("sc://b", "sc://a", "sc://b"),
    ],
)
def test_the_plan_names_the_server_before_the_environment(
    written: str | None, known: str | None, chosen: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    if known is not None:
        monkeypatch.setenv("SPARK_REMOTE", known)
    assert chosen_remote(written) == chosen


def test_a_table_of_the_catalog_may_have_three_names(tmp_path: Path) -> None:
    for written, name in (("#jobs", ("jobs",)), ("#lake.office.jobs", ("lake", "office", "jobs"))):
        (first, *_) = read_spark_addresses(dict.fromkeys(TABLES, written), tmp_path)
        assert first.name == name


@pytest.mark.parametrize("written", ["#jobs", "#office.jobs", "s3a://bucket/jobs", "hdfs:///jobs"])
def test_addresses_of_spark_are_the_same_from_everywhere(written: str) -> None:
    assert seen_from(written, Path("new")) == written


def test_a_server_must_be_one_of_spark_connect(tmp_path: Path) -> None:
    sources = {str(name): "#rows" for name in TABLES}
    with pytest.raises(InvalidParameter) as caught:
        connect(sources, tmp_path, Resources(engine="spark", remote=f"spark://{SECRET}"))
    assert str(caught.value) == (
        "data.remote: must be the address of a Spark Connect server, which begins with sc://; "
        "got another address (not shown). "
        "Write sc://host:15002, or leave it out for Spark on this machine."
    )


@pytest.mark.usefixtures("spark")
def test_folders_of_files_and_their_columns_are_read_as_texts(tmp_path: Path) -> None:
    """Known bad: Spark would make numbers of 01 and 02, which no code list holds."""
    made = economy(8)
    sources = parquet(made, tmp_path)
    places = made.arrow("workplaces")
    for place in ("01", "02", "03", "05"):
        folder = tmp_path / "frame" / f"place={place}"
        folder.mkdir(parents=True)
        rows = places.filter(pa.compute.equal(places["place"], place)).drop_columns("place")
        pq.write_table(rows, folder / "part-0.parquet")
    jobs = made.arrow("jobs")
    (tmp_path / "jobs").mkdir()
    for n, rows in enumerate((jobs[:7], jobs[7:])):
        pq.write_table(rows, tmp_path / "jobs" / f"part-{n}.parquet")
    check_counts(made, sources | {"workplaces": "frame", "jobs": "jobs"}, tmp_path)


@pytest.mark.usefixtures("spark")
def test_a_name_with_marks_is_that_file_alone_and_a_folder_above_no_column(tmp_path: Path) -> None:
    made = economy(8)
    for name in ("a[b]*?{c} %41'", "a[b]*?{c} %41'x"):
        (tmp_path / name / "sex=F").mkdir(parents=True)
    parquet(economy(9), tmp_path / "a[b]*?{c} %41'x" / "sex=F")
    sources = parquet(made, tmp_path / "a[b]*?{c} %41'" / "sex=F")
    moved = {name: f"a[b]*?{{c}} %41'/sex=F/{file}" for name, file in sources.items()}
    check_counts(made, moved, tmp_path)


def registered(made: Economy, cluster: Cluster, database: str) -> Sources:
    for name in TABLES:
        rows = cluster.session.createDataFrame(made.arrow(name))
        rows.write.saveAsTable(f"{database}.{name}")
    return {name: f"#{database}.{name}" for name in TABLES}


def test_tables_of_the_catalog_are_read_and_watched(
    spark: Cluster, catalog: str, tmp_path: Path
) -> None:
    made = economy(8)
    sources = registered(made, spark, catalog)
    check_counts(made, sources, tmp_path)
    with connect(sources, tmp_path, SPARK) as engine:
        assert not engine.unchanged()
        engine.digest()
        assert engine.unchanged()
        spark.session.table(sources["jobs"][1:]).limit(1).write.insertInto(f"{catalog}.jobs")
        assert not engine.unchanged()
    said = refusal(sources | {"jobs": f"#{catalog}.no_jobs"}, tmp_path)
    assert said.startswith(
        f"data.jobs: must be a table of Spark's catalog; there is no '{catalog}.no_jobs' in it; "
        "got a failure of the kind"
    )


@pytest.mark.usefixtures("spark")
def test_the_digest_tells_data_apart_and_ignores_the_order_of_rows(tmp_path: Path) -> None:
    made = economy(8)
    workers = made.workers
    versions = [
        made,
        Economy(made.workplaces[::-1], workers[::-1], made.jobs[::-1]),
        Economy(made.workplaces, workers, made.jobs[1:]),
        Economy(made.workplaces, [workers[0] | {"sex": None}, *workers[1:]], made.jobs),
        Economy(made.workplaces, [workers[0] | {"sex": "-"}, *workers[1:]], made.jobs),
        Economy(made.workplaces, [workers[0] | {"sex": ""}, *workers[1:]], made.jobs),
    ]
    found = []
    for n, rows in enumerate(versions):
        folder = tmp_path / str(n)
        folder.mkdir()
        with connect(parquet(rows, folder), folder, SPARK) as engine:
            found.append(engine.digest())
    assert found[0] == found[1]
    assert len(set(found)) == 5
    assert {len(one) for one in found} == {64}


@pytest.mark.usefixtures("spark")
def test_a_file_that_is_added_to_a_folder_is_noticed(tmp_path: Path) -> None:
    made = economy(8)
    sources = parquet(made, tmp_path)
    (tmp_path / "folder").mkdir()
    shutil.move(tmp_path / "jobs.parquet", tmp_path / "folder" / "a.parquet")
    with connect(sources | {"jobs": "folder"}, tmp_path, SPARK) as engine:
        engine.digest()
        assert engine.unchanged()
        pq.write_table(made.arrow("jobs")[:1], tmp_path / "folder" / "b.parquet")
        assert not engine.unchanged()


@pytest.mark.usefixtures("spark")
def test_columns_that_hold_no_codes_are_no_hindrance(tmp_path: Path) -> None:
    made = economy(8)
    sources = parquet(made, tmp_path)
    jobs = made.arrow("jobs")
    nested = pa.array([[n, None] for n in range(jobs.num_rows)])
    moments = pa.array(range(jobs.num_rows), pa.timestamp("ns"))
    more = jobs.append_column("many", nested).append_column("since", moments)
    pq.write_table(more.append_column("Sex", jobs["contract"]), tmp_path / "jobs.parquet")
    check_counts(made, sources, tmp_path)
    with connect(sources, tmp_path, SPARK) as engine:
        assert engine.describe()["jobs"]["many"] == "array<int64>"
        assert len(engine.digest()) == 64


def test_a_column_that_spark_cannot_read_is_refused(spark: Cluster, tmp_path: Path) -> None:
    made = economy(8)
    sources = parquet(made, tmp_path)
    jobs = made.arrow("jobs")
    hours = pa.array([0] * jobs.num_rows, pa.time64("us"))
    pq.write_table(jobs.append_column("hour", hours), tmp_path / "jobs.parquet")
    assert refusal(sources, tmp_path).startswith(
        "data.jobs: must be a Parquet file, or a folder of them, that Spark can read; got a "
        "failure of the kind AnalysisException (its message may quote rows and is not shown)."
    )
    assert spark.session.catalog.listTables() == []


@pytest.mark.usefixtures("spark")
def test_damaged_rows_are_neither_shown_nor_logged(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sources, (book, table) = parquet(economy(8), tmp_path), place_by_sex(tmp_path)
    path = tmp_path / "jobs.parquet"
    content = bytearray(path.read_bytes())
    content[4:400] = (SECRET * 50).encode()[:396]
    path.write_bytes(content)
    with connect(sources, tmp_path, SPARK) as engine:
        with pytest.raises(BadFile) as caught:
            engine.prepare(book, SingleJob(), [table], [])
        assert str(caught.value).startswith(
            "data: must be readable from the first row to the last; got a failure of the kind"
        )
        with pytest.raises(BadFile) as caught:
            engine.digest()
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("parts", "most", "expected"),
    [
        ([], 10, []),
        ([(0, 9, 10)], 10, [(0, 10)]),
        ([(0, 9, 11)], 10, [(0, 5), (5, 10)]),
        ([(0, 4, 3), (5, 7, 3), (8, 11, 3), (12, 15, 3)], 6, [(0, 8), (8, 16)]),
        ([(5, 9, 6), (0, 4, 6)], 10, [(0, 5), (5, 10)]),
        ([(0, 5, 9), (5, 9, 9)], 10, [(0, 5), (5, 10)]),
        ([(3, 3, 99)], 10, [(3, 4)]),
    ],
)
def test_spans_cover_every_place_once(
    parts: list[tuple[int, int, int]], most: int, expected: list[tuple[int, int]]
) -> None:
    found = spans(parts, most)
    assert found == expected
    assert all(before[1] == after[0] for before, after in pairwise(found))


def streaming(folder: Path) -> tuple[Spark, list[tuple[int, int, int]]]:
    """A hundred rows in many partitions, in no order."""
    sources = parquet(economy(8), folder)
    database = Spark(read_spark_addresses(sources, folder), None)
    rows = [(n % 50, n, n * n) for n in range(100)]
    columns = dict(zip(("place", "worker", "counts"), zip(*rows, strict=True), strict=True))
    database.keep("rows", pa.table({k: pa.array(v, pa.int64()) for k, v in columns.items()}))
    return database, sorted(rows)


def test_a_stream_comes_in_order_and_in_pieces_that_are_asked_for(
    spark: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver never holds the whole: a piece is fetched when the one before has been used."""
    monkeypatch.setattr("leeward.engines.spark.PIECE", 8)
    database, expected = streaming(tmp_path)
    fetched: list[int] = []
    asked = database._asked

    def counted(query: str) -> pa.Table:
        found = asked(query)
        fetched.append(found.num_rows)
        return found

    monkeypatch.setattr(database, "_asked", counted)
    query = database._backend.table(database._view("rows")).order_by("place")
    first, second = database.stream(query), database.stream(query)
    rows = [next(first), next(second)]
    assert len(fetched) == 4  # for each: what there is, and one piece
    assert max(fetched) <= 8
    rows = [rows[0], *first]
    assert max(fetched) <= 8
    assert len(rows) >= 100 // 8
    table = pa.Table.from_batches(rows)
    assert table["place"].to_pylist() == sorted(table["place"].to_pylist())
    assert sorted(map(tuple, (row.values() for row in table.to_pylist()))) == expected
    database.close()
    assert is_clean(spark)


def is_clean(cluster: Cluster) -> bool:
    """Whether nothing of anybody is cached, and no view is left."""
    session = cluster.session._jsparkSession
    return bool(session.sharedState().cacheManager().isEmpty()) and (
        cluster.session.catalog.listTables() == []
    )


def test_nothing_is_left_in_a_session_of_others(spark: Cluster, tmp_path: Path) -> None:
    sources, (book, table) = parquet(economy(8), tmp_path), place_by_sex(tmp_path)
    before = spark.session.conf.get("spark.sql.caseSensitive")
    spark.session.conf.set("spark.sql.caseSensitive", "false")
    with connect(sources, tmp_path, SPARK) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        batches = engine.cells(table, batch=1)
        next(batches)
        assert not is_clean(spark)
    assert is_clean(spark)
    assert spark.session.conf.get("spark.sql.caseSensitive") == "false"
    assert spark.session.sql("SELECT 1").toArrow().num_rows == 1
    spark.session.conf.set("spark.sql.caseSensitive", before)


@pytest.mark.usefixtures("spark")
def test_overflow_raises(tmp_path: Path) -> None:
    database = Spark(read_spark_addresses(parquet(economy(8), tmp_path), tmp_path), None)
    try:
        with pytest.raises(Exception, match="OVERFLOW"):
            database._asked("SELECT 9223372036854775807 + 1")
    finally:
        database.close()


def test_addresses_are_not_shown() -> None:
    assert SECRET not in repr(SparkAddress("jobs", f"abfss://{SECRET}@x/jobs"))
    assert spark.PIECE >= 100_000
