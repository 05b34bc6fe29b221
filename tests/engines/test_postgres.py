"""PostgreSQL gives what the embedded database gives."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from leeward.engines import connect
from leeward.model import TABLES, BoundedJobs, JobsRule, PrimaryJob, SingleJob
from tests.engines.cluster import cluster
from tests.engines.lists import FRAMES, Lists, by, filled, listed
from tests.engines.small import OWNED, Economy, Sources, codebook, economy, marginal, owned
from tests.engines.truth import counts, read, read_holdings, true_holdings, truth

POSTGRES = {
    "int64": "bigint",
    "int32": "integer",
    "string": "text",
    "bool": "boolean",
    "double": "double precision",
}


@pytest.fixture(scope="module")
def socket() -> Iterator[Path]:
    with cluster() as home:
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


@pytest.mark.parametrize(
    ("rule", "text_ids"),
    [(SingleJob(), False), (PrimaryJob("pay"), True), (BoundedJobs(2), True)],
)
def test_the_tables_are_true(rule: JobsRule, text_ids: bool, socket: Path, tmp_path: Path) -> None:
    made = economy(8, single=isinstance(rule, SingleJob), text_ids=text_ids)
    book = codebook(tmp_path)
    tables = [marginal(seed, book) for seed in (12, 13, 14)]
    with connect(written(made, socket, f"{rule.name}_{text_ids}".lower()), tmp_path) as engine:
        assert engine.check_headers(book, rule) == ()
        assert engine.codes("place") == tuple(sorted({row["place"] for row in made.workplaces}))
        assert engine.check(book, rule) == ()
        engine.prepare(book, rule, tables, tables)
        for table in tables:
            assert read(engine, table, batch=3) == truth(made, rule, table)


@pytest.mark.parametrize("text_ids", [False, True])
@pytest.mark.parametrize("declared", [False, True])
def test_owners_are_true(declared: bool, text_ids: bool, socket: Path, tmp_path: Path) -> None:
    made = economy(8, text_ids=text_ids)
    made = owned(made, 1, text_ids=text_ids) if declared else made
    book = codebook(tmp_path, OWNED) if declared else codebook(tmp_path)
    tables = [marginal(seed, book) for seed in (12, 13, 14)]
    schema = f"owners_{declared}_{text_ids}".lower()
    with connect(written(made, socket, schema), tmp_path) as engine:
        assert engine.check(book, SingleJob()) == ()
        engine.prepare(book, SingleJob(), [], tables, owners=True)
        held = read_holdings(engine, tables, batch=3)
    assert held == true_holdings(made, SingleJob(), tables)
    assert max(map(len, held)) > 1 or not declared


def test_the_digest_ignores_the_order_of_rows(socket: Path, tmp_path: Path) -> None:
    made = economy(8)
    turned = Economy(made.workplaces[::-1], made.workers[::-1], made.jobs[::-1])
    other = Economy(made.workplaces, made.workers, made.jobs[1:])
    found = []
    for n, rows in enumerate((made, turned, other)):
        with connect(written(rows, socket, f"digest_{n}"), tmp_path) as engine:
            found.append(engine.digest())
    assert found[0] == found[1] != found[2]


def test_a_row_written_by_another_is_seen(socket: Path, tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    table = marginal(12, book)
    with connect(written(made, socket, "moving"), tmp_path) as engine:
        assert not engine.unchanged()
        engine.digest()
        engine.prepare(book, SingleJob(), [table], [])
        batches = engine.cells(table, batch=1)
        next(batches)
        assert engine.unchanged()
        with psycopg.connect(host=str(socket), user="postgres", dbname="postgres") as other:
            other.execute("INSERT INTO moving.workers SELECT worker_id + 1000 FROM moving.workers")
        assert not engine.unchanged()


@pytest.mark.parametrize("case", ["above 2^31", "near 2^53", "above 2^63"])
def test_frames_of_long_lists(case: str, socket: Path, tmp_path: Path) -> None:
    lists: Lists = {"workplaces": FRAMES[case][0], "workers": {"p": 300}, "jobs": {"x": 300}}
    book, made = listed(tmp_path, lists), filled(1, lists)
    tables = [by(book, *names, other) for names in FRAMES[case][1] for other in "px"]
    schema = f"lists_{list(FRAMES).index(case)}"
    with connect(written(made, socket, schema), tmp_path) as engine:
        engine.prepare(book, SingleJob(), tables, [])
        for one in tables:
            expected = truth(made, SingleJob(), one)
            assert counts(engine, one) == {key: cell.counts for key, cell in expected.items()}


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
