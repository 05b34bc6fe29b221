"""Spark that others use too: nothing of theirs is read or changed, and files that come are seen."""

import logging
import os
import shutil
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from leeward.core.codebook import TABLES, Codebook, Marginal, SingleJob, Steps
from leeward.core.codebook.resources import Resources
from leeward.core.errors import BadFile
from leeward.publishing.engines import Engine, connect
from leeward.publishing.engines.address_reading import read_spark_addresses
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.spark.cluster import Spark
from leeward.publishing.engines.spark.session import TALKING, Loggers, Running, open_session
from tests.publishing.engines.small import Economy, Sources, codebook, economy, parquet, whole
from tests.publishing.engines.spark.conftest import Cluster
from tests.publishing.engines.truth import counts, truth

SPARK = Resources(engine="spark")
SLOW = "SELECT sum(a.id ^ b.id) AS n FROM range(10000000) a CROSS JOIN range(10000000) b"
NONE: Mapping[str, str] = {}
SOON = 20
"""Seconds in which an interrupted query must have ended; it would take hours."""


def by_place(folder: Path) -> tuple[Codebook, Marginal]:
    book = codebook(folder)
    return book, Marginal("t", whole(book, "place"), ())


def check_counts(engine: Engine, made: Economy, folder: Path, steps: Steps = frozenset()) -> None:
    """The engine counts the jobs that are there."""
    book, table = by_place(folder)
    engine.prepare(book, SingleJob(), [table], [], steps=steps)
    expected = truth(made, SingleJob(), table)
    assert counts(engine, table) == {key: cell.counts for key, cell in expected.items()}


def halves(made: Economy, folder: Path) -> tuple[Sources, Path]:
    """The jobs in two files, the second of which has not come yet."""
    sources = parquet(made, folder)
    (folder / "folder").mkdir()
    jobs = made.arrow("jobs")
    pq.write_table(jobs[:5], folder / "folder" / "a.parquet")
    pq.write_table(jobs[5:], folder / "later.parquet")
    return dict(sources) | {"jobs": "folder"}, folder / "later.parquet"


def arrive(later: Path) -> None:
    shutil.move(later, later.parent / "folder" / "b.parquet")


@pytest.mark.usefixtures("spark")
def test_a_file_that_arrives_before_the_digest_is_checked_and_counted(tmp_path: Path) -> None:
    """Known bad: what was digested was not what was checked."""
    made = economy(8)
    sources, later = halves(made, tmp_path)
    with connect(sources, tmp_path, SPARK) as engine:
        arrive(later)
        engine.digest()
        assert engine.unchanged()
        check_counts(engine, made, tmp_path)
        pq.write_table(made.arrow("jobs")[:1], tmp_path / "folder" / "c.parquet")
        assert not engine.unchanged()
        engine.digest()
        made.jobs.append(made.jobs[0])
        check_counts(engine, made, tmp_path, frozenset({"repeated_job"}))


@pytest.mark.usefixtures("spark")
def test_a_table_whose_columns_change_before_the_digest_is_refused(tmp_path: Path) -> None:
    made = economy(8)
    sources = parquet(made, tmp_path)
    with connect(sources, tmp_path, SPARK) as engine:
        rows = made.arrow("jobs").drop_columns("contract")
        pq.write_table(rows, tmp_path / "jobs.parquet")
        with pytest.raises(BadFile) as caught:
            engine.digest()
    assert str(caught.value) == (
        "data.jobs: must keep its columns while it is read; got other names or types than a "
        "moment ago. Run it again when nothing writes to the table."
    )


@pytest.mark.usefixtures("spark")
def test_what_another_engine_keeps_is_not_read(tmp_path: Path) -> None:
    made = economy(8)
    sources, later = halves(made, tmp_path)
    with connect(sources, tmp_path, SPARK) as first:
        check_counts(first, Economy(made.workplaces, made.workers, made.jobs[:5]), tmp_path)
        arrive(later)
        with connect(sources, tmp_path, SPARK) as second:
            check_counts(second, made, tmp_path)


def test_what_a_person_has_cached_is_not_read(spark: Cluster, tmp_path: Path) -> None:
    made = economy(8)
    sources, later = halves(made, tmp_path)
    path = f"file:{tmp_path}/folder"
    mine = spark.session.read.parquet(path).cache()
    assert mine.count() == 5
    arrive(later)
    assert spark.session.read.parquet(path).count() == 5  # so it is with Spark
    try:
        with connect(sources, tmp_path, SPARK) as engine:
            check_counts(engine, made, tmp_path)
    finally:
        mine.unpersist(blocking=True)


def stored(
    made: Economy, cluster: Cluster, database: str, collations: Mapping[str, str] = NONE
) -> Sources:
    """Tables of a catalog; ids of workplaces have collations in some."""
    for name in TABLES:
        rows = cluster.session.createDataFrame(made.arrow(name))
        columns = [
            f"{one}{collations.get(name, '')} AS {one}" if one == "workplace_id" else one
            for one in rows.columns
        ]
        rows.selectExpr(*columns).write.saveAsTable(f"{database}.{name}")
    return {name: f"#{database}.{name}" for name in TABLES}


def test_a_cached_table_is_read_anew_and_a_view_over_one_refused(
    spark: Cluster, catalog: str, tmp_path: Path
) -> None:
    """No option reaches the tables below a view."""
    made = economy(8)
    sources = dict(stored(made, spark, catalog))
    mine = spark.session.table(f"{catalog}.jobs").cache()
    mine.count()
    spark.session.sql(f"CREATE VIEW {catalog}.seen AS SELECT * FROM {catalog}.jobs")  # noqa: S608 (our own name)
    try:
        with connect(sources, tmp_path, SPARK) as engine:
            check_counts(engine, made, tmp_path)
            assert mine.is_cached
        with pytest.raises(BadFile) as caught:
            connect(sources | {"jobs": f"#{catalog}.seen"}, tmp_path, SPARK)
    finally:
        mine.unpersist(blocking=True)
    assert str(caught.value) == (
        "data.jobs: must be read anew, not from what somebody has cached in Spark; got a table "
        "or view over one that is cached. "
        "Run `UNCACHE TABLE`, `unpersist` or `CLEAR CACHE` where it was cached."
    )
    connect(sources | {"jobs": f"#{catalog}.seen"}, tmp_path, SPARK).close()


@pytest.mark.parametrize("sides", [("jobs",), ("workplaces", "jobs")])
def test_texts_are_compared_byte_by_byte_whatever_the_collation(
    sides: tuple[str, ...], spark: Cluster, catalog: str, tmp_path: Path
) -> None:
    """Known bad: A1 and a1 were one establishment, and its jobs counted twice."""
    made = lower_and_upper()
    sources = stored(made, spark, catalog, dict.fromkeys(sides, " COLLATE UTF8_LCASE"))
    with connect(sources, tmp_path, SPARK) as engine:
        assert len(engine.digest()) == 64
        check_counts(engine, made, tmp_path)


def lower_and_upper() -> Economy:
    """Two establishments whose ids differ by nothing but case."""
    made = economy(8, text_ids=True)
    names = dict(
        zip(sorted({one["workplace_id"] for one in made.jobs}), ("A1", "a1"), strict=False)
    )
    for rows in (made.workplaces, made.jobs):
        for row in rows:
            row["workplace_id"] = names.get(row["workplace_id"], row["workplace_id"])
    return made


def test_tables_that_are_called_as_ours_are_read(spark: Cluster, tmp_path: Path) -> None:
    made = economy(8)
    turned = dict(zip(TABLES, (*TABLES[1:], TABLES[0]), strict=True))
    for name, other in turned.items():
        rows = spark.session.createDataFrame(made.arrow(other))
        rows.write.saveAsTable(f"leeward_{name}")
    try:
        sources = {str(other): f"#leeward_{name}" for name, other in turned.items()}
        with connect(sources, tmp_path, SPARK) as engine:
            assert len(engine.digest()) == 64
            check_counts(engine, made, tmp_path)
    finally:
        for name in TABLES:
            spark.session.sql(f"DROP TABLE leeward_{name}")


@pytest.fixture
def guest(spark: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """Spark that Leeward has not started, as far as it knows."""
    monkeypatch.setattr(Running, "_current", None)
    monkeypatch.setattr(Loggers, "_users", 0)
    return spark


def test_a_process_is_left_as_it_was_found(guest: Cluster, tmp_path: Path) -> None:
    made = economy(8)
    sources = parquet(made, tmp_path)
    context = guest.session.sparkContext
    level = context._jvm.org.apache.logging.log4j.LogManager.getRootLogger
    before = level().getLevel().toString()
    guest.session.createDataFrame([(1,)], "a int")  # makes it the active one
    context.setLogLevel("FATAL")
    logging.getLogger(TALKING[0]).disabled = False

    def state() -> tuple[object, ...]:
        loggers = [logging.getLogger(name).disabled for name in TALKING]
        active = SparkSession._activeSession, SparkSession.getActiveSession()
        java = context._jvm.org.apache.spark.sql.classic.SparkSession.getActiveSession()
        handler = signal.getsignal(signal.SIGINT)
        return (
            level().getLevel().toString(),
            loggers,
            active,
            java.get().equals(guest.session._jsparkSession),
            handler,
            dict(os.environ),
        )

    there = state()
    try:
        with connect(sources, tmp_path, SPARK) as first:
            second = connect(sources, tmp_path, SPARK)
            check_counts(first, made, tmp_path)
            assert level().getLevel().toString() == "OFF"
            second.close()
            assert level().getLevel().toString() == "OFF"
            assert all(logging.getLogger(name).disabled for name in TALKING)
        assert state() == there
        with connect(absolute(sources, tmp_path), tmp_path, at(guest)) as engine:
            engine.digest()
        assert state() == there
        assert guest.session.range(3).count() == 3
    finally:
        context.setLogLevel(before)
        for name in TALKING:
            logging.getLogger(name).disabled = True


def absolute(sources: Sources, folder: Path) -> Sources:
    return {name: str(folder / file) for name, file in sources.items()}


def at(cluster: Cluster) -> Resources:
    return Resources(engine="spark", remote=cluster.remote)


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is heard, also where a shell has it ignored by what it starts in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("served", [False, True])
def test_ctrl_c_ends_a_query_at_once(served: bool, guest: Cluster, tmp_path: Path) -> None:
    sources = absolute(parquet(economy(8), tmp_path), tmp_path)
    addresses = read_spark_addresses(sources, tmp_path)
    database = Spark(addresses, guest.remote if served else None)
    tracker = guest.session.sparkContext.statusTracker()
    pressed = threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    begun = time.monotonic()
    pressed.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            hiding_errors(lambda: database._asked(SLOW))
        assert time.monotonic() - begun < SOON
    finally:
        pressed.cancel()
        database.close()
    assert list(tracker.getActiveJobsIds()) == []
    assert guest.session.range(3).count() == 3


@pytest.mark.usefixtures("guest")
def test_what_was_opened_is_ended_if_a_setting_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "leeward.publishing.engines.spark.session.SETTINGS",
        {"spark.sql.warehouse.dir": "elsewhere"},
    )
    with pytest.raises(BadFile) as caught:
        open_session(None)
    assert str(caught.value) == (
        "data.engine: must be a Spark that starts here; got a failure of the kind "
        "AnalysisException. Try `pyspark` with the same settings; Spark 4.0 needs Java 17 or 21."
    )
    assert Running._current is None


def rpc(port: int) -> bytes:
    """The answer of Spark to a stranger who sends it four bytes."""
    body = struct.pack(">bqi", 3, 77, 4) + b"work"
    with socket.create_connection(("127.0.0.1", port), 5) as one:
        one.sendall(struct.pack(">q", 8 + len(body)) + body)
        return one.recv(400)


def test_a_spark_of_our_own_asks_everybody_for_a_secret(spark: Cluster) -> None:
    """Without one, it would read the bytes (and say here that they are none of its messages)."""
    context = spark.session.sparkContext
    blocks = context._jvm.org.apache.spark.SparkEnv.get().blockManager().blockManagerId().port()
    for port in (int(context.getConf().get("spark.driver.port")), blocks):
        assert b"Expected SaslMessage" in rpc(port)
    java = Path("/proc", str(context._gateway.proc.pid))
    for name in ("cmdline", "environ"):
        assert b"secret" not in (java / name).read_bytes().lower()
