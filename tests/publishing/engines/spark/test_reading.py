"""Spark reads folders, odd names and catalogs, tells data apart, and shows no damaged rows."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import TABLES, SingleJob
from leeward.core.errors import Undisclosed
from leeward.publishing.engines import connect
from tests.publishing.engines.small import Economy, Sources, economy, parquet
from tests.publishing.engines.spark.asking import SECRET, SPARK, inside, place_by_sex, refusal
from tests.publishing.engines.spark.conftest import Cluster
from tests.publishing.engines.truth import counts, truth


def check_counts(made: Economy, sources: Sources, folder: Path) -> None:
    book, table = place_by_sex(folder)
    with connect(sources, folder, SPARK) as engine:
        engine.prepare(book, SingleJob(), [table], [], steps=frozenset())  # tidy rows
        expected = truth(made, SingleJob(), table)
        assert counts(engine, table) == {key: cell.counts for key, cell in expected.items()}


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
        with pytest.raises(Undisclosed) as caught:
            engine.prepare(book, SingleJob(), [table], [])
        assert inside(caught.value).startswith(
            "data: must be readable from the first row to the last; got a failure of the kind"
        )
        with pytest.raises(Undisclosed) as caught:
            engine.digest()
    assert SECRET not in inside(caught.value)
    assert caught.value.__context__ is None
    assert capfd.readouterr() == ("", "")
