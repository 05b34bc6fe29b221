"""What comes from Spark to the driver, piece by piece, and that nothing stays behind."""

from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from leeward.core.codebook import SingleJob
from leeward.publishing.engines import connect
from leeward.publishing.engines.address_reading import read_spark_addresses
from leeward.publishing.engines.spark import cluster
from leeward.publishing.engines.spark.cluster import Spark, spans
from tests.publishing.engines.small import economy, parquet
from tests.publishing.engines.spark.asking import SPARK, place_by_sex
from tests.publishing.engines.spark.conftest import Cluster


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
def test_spans_cover_every_cell_once(
    parts: list[tuple[int, int, int]], most: int, expected: list[tuple[int, int]]
) -> None:
    found = spans(parts, most)
    assert found == expected
    assert all(before[1] == after[0] for before, after in pairwise(found))


def streaming(folder: Path) -> tuple[Spark, list[tuple[int, int, int]]]:
    """A hundred rows in many partitions, in no order."""
    sources = parquet(economy(8), folder)
    cluster = Spark(read_spark_addresses(sources, folder), None)
    rows = [(n % 50, n, n * n) for n in range(100)]
    columns = dict(
        zip(("cell_index", "worker_cell", "counts"), zip(*rows, strict=True), strict=True)
    )
    cluster.keep("rows", pa.table({k: pa.array(v, pa.int64()) for k, v in columns.items()}))
    return cluster, sorted(rows)


def test_a_stream_comes_in_order_and_in_pieces_that_are_asked_for(
    spark: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver never holds the whole: a piece is fetched when the one before has been used."""
    monkeypatch.setattr("leeward.publishing.engines.spark.cluster.PIECE", 8)
    cluster, expected = streaming(tmp_path)
    fetched: list[int] = []
    asked = cluster._asked

    def counted(query: str) -> pa.Table:
        found = asked(query)
        fetched.append(found.num_rows)
        return found

    monkeypatch.setattr(cluster, "_asked", counted)
    query = cluster._backend.table(cluster._view("rows")).order_by("cell_index")
    first, second = cluster.stream(query), cluster.stream(query)
    rows = [next(first), next(second)]
    assert len(fetched) == 4  # for each: what there is, and one piece
    assert max(fetched) <= 8
    rows = [rows[0], *first]
    assert max(fetched) <= 8
    assert len(rows) >= 100 // 8
    table = pa.Table.from_batches(rows)
    assert table["cell_index"].to_pylist() == sorted(table["cell_index"].to_pylist())
    assert sorted(map(tuple, (row.values() for row in table.to_pylist()))) == expected
    cluster.close()
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
        engine.prepare(book, SingleJob(), [table], [table], steps=frozenset())
        batches = engine.cells(table, batch=1)
        next(batches)
        assert not is_clean(spark)
    assert is_clean(spark)
    assert spark.session.conf.get("spark.sql.caseSensitive") == "false"
    assert spark.session.sql("SELECT 1").toArrow().num_rows == 1
    spark.session.conf.set("spark.sql.caseSensitive", before)


@pytest.mark.usefixtures("spark")
def test_overflow_raises(tmp_path: Path) -> None:
    cluster = Spark(read_spark_addresses(parquet(economy(8), tmp_path), tmp_path), None)
    try:
        with pytest.raises(Exception, match="OVERFLOW"):
            cluster._asked("SELECT 9223372036854775807 + 1")
    finally:
        cluster.close()


def test_pieces_are_large() -> None:
    assert cluster.PIECE >= 100_000
