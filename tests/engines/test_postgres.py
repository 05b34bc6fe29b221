"""PostgreSQL gives what the embedded database gives."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leeward.engines import connect
from leeward.model import TABLES, BoundedJobs, JobsRule, PrimaryJob, SingleJob
from tests.engines.cluster import cluster, programs
from tests.engines.small import Economy, Sources, codebook, economy, marginal
from tests.engines.truth import read, truth

psycopg = pytest.importorskip("psycopg", reason="ibis-framework[postgres] is not installed")

POSTGRES = {
    "int64": "bigint",
    "int32": "integer",
    "string": "text",
    "bool": "boolean",
    "double": "double precision",
}


@pytest.fixture(scope="module")
def socket() -> Iterator[Path]:
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL is not installed")
    with cluster(found) as home:
        yield home


def written(made: Economy, socket: Path, schema: str) -> Sources:
    with psycopg.connect(host=str(socket), user="postgres", dbname="postgres") as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        for name in TABLES:
            table = made.arrow(name)
            header = ", ".join(f"{one.name} {POSTGRES[str(one.type)]}" for one in table.schema)
            connection.execute(f"CREATE TABLE {schema}.{name} ({header})")
            with connection.cursor().copy(f"COPY {schema}.{name} FROM STDIN") as copy:
                for row in table.to_pylist():
                    copy.write_row(tuple(row.values()))
    url = f"postgres://postgres@/postgres?host={socket}"
    return {name: f"{url}#{schema}.{name}" for name in TABLES}


@pytest.mark.parametrize("rule", [SingleJob(), PrimaryJob("pay"), BoundedJobs(2)])
@pytest.mark.parametrize("text_ids", [False, True])
def test_the_tables_are_true(rule: JobsRule, text_ids: bool, socket: Path, tmp_path: Path) -> None:
    made = economy(8, single=isinstance(rule, SingleJob), text_ids=text_ids)
    book = codebook(tmp_path)
    tables = [marginal(seed, book) for seed in (12, 13, 14)]
    with connect(written(made, socket, f"{rule.name}_{text_ids}".lower()), tmp_path) as engine:
        assert engine.check_headers(book, rule) == ()
        assert engine.check(book, rule) == ()
        engine.prepare(book, rule, tables, tables)
        for table in tables:
            assert read(engine, table, batch=3) == truth(made, rule, table)
        assert engine.unchanged()


def test_the_digest_ignores_the_order_of_rows(socket: Path, tmp_path: Path) -> None:
    made = economy(8)
    turned = Economy(made.workplaces[::-1], made.workers[::-1], made.jobs[::-1])
    other = Economy(made.workplaces, made.workers, made.jobs[1:])
    found = []
    for n, rows in enumerate((made, turned, other)):
        with connect(written(rows, socket, f"digest_{n}"), tmp_path) as engine:
            found.append(engine.digest())
    assert found[0] == found[1] != found[2]


def test_wrong_rows_are_found(socket: Path, tmp_path: Path) -> None:
    made = economy(8)
    made.workers[0]["sex"] = " F"
    made.workers.append(made.workers[1])
    with connect(written(made, socket, "wrong"), tmp_path) as engine:
        found = [(one.problem, one.column) for one in engine.check(codebook(tmp_path), SingleJob())]
    assert found == [("duplicate id", "worker_id"), ("unlisted code", "sex")]


def test_nothing_is_left_in_the_database(socket: Path, tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    table = marginal(12, book)
    with connect(written(made, socket, "clean"), tmp_path) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        list(engine.cells(table, batch=2))
    with psycopg.connect(host=str(socket), user="postgres", dbname="postgres") as connection:
        left = connection.execute("SELECT relname FROM pg_class WHERE relname LIKE 'leeward%'")
        assert left.fetchall() == []


def test_a_missing_table_shows_no_address(socket: Path, tmp_path: Path) -> None:
    url = f"postgres://postgres:SECRET123@/postgres?host={socket}"
    with pytest.raises(Exception, match="must be a table of the database; there") as caught:
        connect({name: f"{url}#{name}" for name in TABLES}, tmp_path)
    assert "SECRET123" not in str(caught.value)
