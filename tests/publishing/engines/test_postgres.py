"""PostgreSQL gives what the embedded database gives."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

import leeward
from leeward.core.codebook import (
    EVERY_STEP,
    TABLES,
    BoundedJobs,
    EveryJob,
    JobsRule,
    Marginal,
    PrimaryJob,
    SingleJob,
)
from leeward.core.codebook.wage_jobs import Quarter, WageJobs
from leeward.core.errors import BadFile
from leeward.publishing.engines import connect
from leeward.publishing.engines.wages import write_jobs
from leeward.publishing.release.check import needed_steps
from tests.publishing.engines.cluster import GUARDED, PATIENCE, cluster
from tests.publishing.engines.lists import FRAMES, Lists, by, filled, listed
from tests.publishing.engines.small import (
    CODEBOOK,
    NULLED,
    OWNED,
    REQUEST,
    WAGED,
    Economy,
    Sources,
    codebook,
    economy,
    marginal,
    marked,
    owned,
    parquet,
    product,
    soiled,
    unfolded,
    whole,
)
from tests.publishing.engines.test_lost_jobs import is_true
from tests.publishing.engines.test_nulls import asked
from tests.publishing.engines.test_workplaces import KEY, true_sketch
from tests.publishing.engines.truth import (
    counts,
    plan_is_true,
    product_is_true,
    read,
    read_holdings,
    true_holdings,
    truth,
)
from tests.publishing.engines.wage_rows import ROWS, records

ROOT = Path(__file__).parents[3]
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


@contextmanager
def superuser(socket: Path, database: str = "postgres") -> Iterator[psycopg.Connection]:
    found = psycopg.connect(host=str(socket), user="postgres", dbname=database, autocommit=True)
    with found as connection:
        yield connection


def there(
    socket: Path, schema: str, *, role: str = "postgres", database: str = "postgres"
) -> Sources:
    url = f"postgres://{role}@/{database}?host={socket}"
    return {name: f"{url}#{schema}.{name}" for name in TABLES}


def written(made: Economy, socket: Path, schema: str, database: str = "postgres") -> Sources:
    with superuser(socket, database) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        for name in TABLES:
            table = made.arrow(name)
            header = ", ".join(f"{one.name} {POSTGRES[str(one.type)]}" for one in table.schema)
            connection.execute(f"CREATE TABLE {schema}.{name} ({header})")
            with connection.cursor().copy(f"COPY {schema}.{name} FROM STDIN") as copy:
                for row in table.to_pylist():
                    copy.write_row(tuple(row.values()))
    return there(socket, schema, database=database)


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
        assert {one.rule for one in unfolded(engine.check(book, rule, strict=True))} <= {"limit"}
        engine.prepare(book, rule, tables, tables)
        for table in tables:
            assert read(engine, table, batch=3) == truth(made, rule, table)
        together = product(book)
        engine.prepare(book, rule, [together], [together])
        product_is_true(engine, made, rule, together)


def test_wage_records_of_a_server_give_the_same_file(socket: Path, tmp_path: Path) -> None:
    """To the byte, whatever order and collation the server has."""
    with superuser(socket) as connection:
        types = "worker_id text, workplace_id text, quarter text, earnings numeric"
        connection.execute(f"CREATE TABLE wages ({types})")
        with connection.cursor().copy("COPY wages FROM STDIN") as copy:
            for row in reversed(ROWS):
                copy.write_row(row)
    there = f"postgres://postgres@/postgres?host={socket}#wages"
    for n, (kind, one) in enumerate([("any", None), ("any", "primary"), ("end", "dominant")]):
        asked = WageJobs(Quarter(2026, 2), kind, one)
        here, far = (tmp_path / f"{place}_{n}.parquet" for place in ("here", "far"))
        write_jobs(records(), asked, here)
        write_jobs(there, asked, far)
        assert far.read_bytes() == here.read_bytes()


def test_a_plan_without_tables_reads_those_of_a_server(socket: Path) -> None:
    made, plan = economy(5), leeward.read_plan(REQUEST)
    tables: dict[str, Any] = {**written(made, socket, "planned")}
    plan_is_true(plan.reading(**tables), made)


@pytest.mark.parametrize("rule", [EveryJob(), PrimaryJob("pay"), BoundedJobs(1, "contract")])
def test_every_row_falls_under_a_rule(rule: JobsRule, socket: Path, tmp_path: Path) -> None:
    made = soiled(economy(7, single=False, text_ids=rule.name == "every"), 1)
    book = codebook(tmp_path)
    tables = [marginal(seed, book) for seed in (12, 13, 14)]
    with connect(written(made, socket, f"dirty_{rule.name}"), tmp_path) as engine:
        found = engine.check(book, rule)
        assert not any(one.refuses for one in found)
        assert len(needed_steps(found)) == 4
        for steps in (EVERY_STEP, needed_steps(found)):
            engine.prepare(book, rule, tables, tables, steps=steps)
            for table in tables:
                assert read(engine, table, batch=3) == truth(made, rule, table)


@pytest.mark.parametrize("text_ids", [True, False])
def test_texts_that_mean_missing_are_nulls(text_ids: bool, socket: Path, tmp_path: Path) -> None:
    made = soiled(economy(7, single=False, text_ids=text_ids), 1)
    answers = []
    for name, rows, text in (("plain", made, WAGED), ("marked", marked(made), NULLED)):
        with connect(written(rows, socket, f"{name}_{text_ids}".lower()), tmp_path) as engine:
            answers.append(asked(codebook(tmp_path, text), PrimaryJob("pay"))(engine))
    assert answers[0] == answers[1]


@pytest.mark.parametrize(("declared", "text_ids"), [(True, False), (True, True), (False, True)])
def test_owners_are_true(declared: bool, text_ids: bool, socket: Path, tmp_path: Path) -> None:
    made = economy(8, text_ids=text_ids)
    made = owned(made, 1, text_ids=text_ids) if declared else made
    book = codebook(tmp_path, OWNED) if declared else codebook(tmp_path)
    tables = [marginal(seed, book) for seed in (12, 13, 14)]
    schema = f"owners_{declared}_{text_ids}".lower()
    with connect(written(made, socket, schema), tmp_path) as engine:
        assert unfolded(engine.check(book, SingleJob(), strict=True)) == ()
        engine.prepare(book, SingleJob(), [], tables, owners="named")
        held = read_holdings(engine, tables, batch=3)
        engine.prepare(book, SingleJob(), [], tables[:1], owners="merged")
        merged = read(engine, tables[0], batch=3)
    assert held == true_holdings(made, SingleJob(), tables)
    assert max(map(len, held)) > 1 or not declared
    assert merged == truth(made, SingleJob(), tables[0], merged=True)


def test_the_digest_ignores_the_order_of_rows(socket: Path, tmp_path: Path) -> None:
    made = economy(8)
    turned = Economy(made.workplaces[::-1], made.workers[::-1], made.jobs[::-1])
    other = Economy(made.workplaces, made.workers, made.jobs[1:])
    found = []
    for n, rows in enumerate((made, turned, other)):
        with connect(written(rows, socket, f"digest_{n}"), tmp_path) as engine:
            found.append(engine.digest())
    assert found[0] == found[1] != found[2]


def test_a_row_written_by_another_is_not_seen(socket: Path, tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    table = marginal(12, book)
    with connect(written(made, socket, "moving"), tmp_path) as engine:
        assert not engine.unchanged()
        before = engine.digest()
        with superuser(socket) as other:
            other.execute("DELETE FROM moving.jobs")
            other.execute("INSERT INTO moving.workers SELECT worker_id + 1000 FROM moving.workers")
        assert unfolded(engine.check(book, SingleJob(), strict=True)) == ()
        engine.prepare(book, SingleJob(), [table], [table])
        assert read(engine, table, batch=1) == truth(made, SingleJob(), table)
        assert engine.unchanged()
        assert engine.digest() == before
    with connect(there(socket, "moving"), tmp_path) as engine:
        assert engine.digest() != before


def test_a_table_in_use_can_be_neither_emptied_nor_altered(socket: Path, tmp_path: Path) -> None:
    with connect(written(economy(8), socket, "held"), tmp_path), superuser(socket) as other:
        other.execute("SET lock_timeout = 100")
        for name in TABLES:
            for statement in (f"TRUNCATE held.{name}", f"ALTER TABLE held.{name} ADD more text"):
                with pytest.raises(psycopg.errors.LockNotAvailable), other.transaction():
                    other.execute(statement)


def test_what_no_snapshot_fixes_is_read_again(socket: Path, tmp_path: Path) -> None:
    """A view may show what another transaction does; here, what a sequence has come to."""
    sources = written(economy(8), socket, "views")
    with superuser(socket) as other:
        other.execute("CREATE SEQUENCE views.moved")
        other.execute(
            "CREATE VIEW views.some AS SELECT j.*, s.last_value FROM views.jobs j, views.moved s"
        )
    sources["jobs"] = sources["jobs"].replace("views.jobs", "views.some")
    with connect(sources, tmp_path) as engine:
        assert not engine.unchanged()
        engine.digest()
        assert engine.unchanged()
        with superuser(socket) as other:
            other.execute("SELECT setval('views.moved', 7)")
        assert not engine.unchanged()


@pytest.mark.parametrize("right", ["SELECT", "USAGE", "TEMPORARY", "every row"])
def test_a_right_that_is_missing_is_named_before_anything_is_read(
    right: str, socket: Path, tmp_path: Path
) -> None:
    schema = f"lacks_{right.partition(' ')[0].lower()}"
    written(economy(8), socket, schema)
    with superuser(socket) as other:
        other.execute(f"CREATE ROLE {schema} LOGIN")
        other.execute(f"CREATE DATABASE {schema}_closed")
        other.execute(f"REVOKE TEMPORARY ON DATABASE {schema}_closed FROM PUBLIC")
        if right != "USAGE":
            other.execute(f"GRANT USAGE ON SCHEMA {schema} TO {schema}")
        if right != "SELECT":
            other.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {schema}")
        if right == "every row":
            other.execute(f"ALTER TABLE {schema}.workplaces ENABLE ROW LEVEL SECURITY")
    database = "postgres"
    if right == "TEMPORARY":
        database = f"{schema}_closed"
        copied = written(economy(8), socket, schema, database)
        assert len(copied) == len(TABLES)
    with pytest.raises(BadFile) as caught:
        connect(there(socket, schema, role=schema, database=database), tmp_path)
    told = str(caught.value)
    assert "permission denied" not in told
    assert "query would be affected" not in told
    assert caught.value.__context__ is None
    if right == "every row":
        assert "may read all rows" in told
    else:
        assert f"GRANT {right}" in told or f"and {right}" in told


def test_a_role_that_may_read_and_make_temporary_tables_is_enough(
    socket: Path, tmp_path: Path
) -> None:
    """Also if its transactions only read, as long as nobody says otherwise."""
    made, book = economy(8), codebook(tmp_path)
    table = marginal(12, book)
    written(made, socket, "reading")
    with superuser(socket) as other:
        other.execute("CREATE ROLE reader LOGIN")
        other.execute("ALTER ROLE reader SET default_transaction_read_only = on")
        other.execute("ALTER ROLE reader SET extra_float_digits = -3")
        other.execute("GRANT USAGE ON SCHEMA reading TO reader")
        other.execute("GRANT SELECT ON ALL TABLES IN SCHEMA reading TO reader")
    with connect(there(socket, "reading", role="reader"), tmp_path) as engine:
        found = engine.digest()
        assert unfolded(engine.check(book, SingleJob(), strict=True)) == ()
        engine.prepare(book, SingleJob(), [table], [table])
        assert read(engine, table, batch=3) == truth(made, SingleJob(), table)
    with connect(there(socket, "reading"), tmp_path) as engine:
        assert engine.digest() == found


@pytest.mark.parametrize("way", ["PGPASSWORD", "PGPASSFILE", "PGSERVICEFILE"])
def test_the_password_may_come_from_elsewhere(
    way: str, socket: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(economy(8), socket, way.lower())
    with superuser(socket) as other:
        other.execute(f"DROP ROLE IF EXISTS {GUARDED}")
        other.execute(f"CREATE ROLE {GUARDED} LOGIN PASSWORD 'right' IN ROLE pg_read_all_data")
    sources = there(socket, way.lower(), role=GUARDED)
    with pytest.raises(BadFile, match="must be a postgres database that answers") as caught:
        connect({n: s.replace("@", ":SECRET123@", 1) for n, s in sources.items()}, tmp_path)
    assert "SECRET123" not in str(caught.value)
    file = tmp_path / "secret"
    file.write_text("*:*:*:*:right\n" if way == "PGPASSFILE" else "[office]\npassword=right\n")
    file.chmod(0o600)
    monkeypatch.setenv(way, "right" if way == "PGPASSWORD" else str(file))
    if way == "PGSERVICEFILE":
        sources = {n: s.replace("#", "&service=office#") for n, s in sources.items()}
    with connect(sources, tmp_path) as engine:
        assert engine.digest()


class Fetched:
    """Counts the rows that come from the server."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows = 0
        for cursor in (psycopg.Cursor, psycopg.ServerCursor):
            for name in ("fetchone", "fetchmany", "fetchall"):
                monkeypatch.setattr(cursor, name, self._counting(getattr(cursor, name)))

    def _counting(self, fetch: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:  # noqa: ANN401 (whatever the driver takes)
            found = fetch(*args, **options)
            self.rows += len(found) if isinstance(found, list) else 1
            return found

        return counted


MANY = (
    "CREATE TABLE many.workplaces AS SELECT g AS workplace_id, "
    "(ARRAY['01', '03'])[1 + g % 2] AS place, 'A' AS sector, true AS state_owned "
    "FROM generate_series(1, 50) g",
    "CREATE TABLE many.workers AS SELECT g AS worker_id, (ARRAY['F', 'M'])[1 + g / 50 % 2] AS sex, "
    "'E1' AS education, 1 AS age_group FROM generate_series(1, 40000) g",
    "CREATE TABLE many.jobs AS SELECT g AS worker_id, 1 + g % 50 AS workplace_id, "
    "'T' AS contract FROM generate_series(1, 40000) g",
)


def test_cells_travel_and_jobs_do_not(
    socket: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "sex"), ())
    with superuser(socket) as other:
        other.execute("CREATE SCHEMA many")
        for statement in MANY:
            other.execute(statement)
    fetched, told = Fetched(monkeypatch), {}
    with connect(there(socket, "many"), tmp_path) as engine:
        steps: dict[str, Callable[[], object]] = {
            "check": lambda: engine.check(book, SingleJob()),
            "digest": engine.digest,
            "unchanged": engine.unchanged,
            "prepare": lambda: engine.prepare(book, SingleJob(), [table], [table]),
            "cells": lambda: list(engine.cells(table, batch=10, cell_largest=True)),
            "establishments": lambda: list(engine.establishments(table, batch=10)),
        }
        for step, work in steps.items():
            fetched.rows = 0
            work()
            told[step] = fetched.rows
    assert told["digest"] == 3  # one row of nine numbers a table
    assert told["unchanged"] == 0
    assert told["cells"] == 2 + 4  # the frame, and the cells
    assert told["establishments"] == 2 + 50 + 100  # of which each has workers of both sexes
    assert max(told["check"], told["prepare"]) < 100


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
        findings = engine.check(codebook(tmp_path), SingleJob(), strict=True)
    found = [(one.problem, one.column) for one in unfolded(findings)]
    assert found == [("duplicate id", "worker_id"), ("unlisted code", "sex")]


def test_codes_are_told_apart_by_their_bytes(socket: Path, tmp_path: Path) -> None:
    made = economy(8)
    sources = written(made, socket, "folded")
    with superuser(socket) as other:
        other.execute(
            "CREATE COLLATION folded.same (provider = icu, locale = 'und-u-ks-level2', "
            "deterministic = false)"
        )
        other.execute("ALTER TABLE folded.workers ALTER sex TYPE text COLLATE folded.same")
    book = codebook(tmp_path, CODEBOOK.replace("codes: [F, M]", "codes: [F, f, M]"))
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    with connect(sources, tmp_path) as engine:
        assert unfolded(engine.check(book, SingleJob(), strict=True)) == ()
        engine.prepare(book, SingleJob(), [table], [table])
        assert read(engine, table, batch=3) == truth(made, SingleJob(), table)


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


KILLED = """
import time
from tests.publishing.engines.cluster import cluster
with cluster() as home:
    print(home, flush=True)
    time.sleep(600)
"""


@pytest.mark.usefixtures("socket")  # without PostgreSQL it is skipped
def test_a_cluster_ends_with_those_who_started_it_also_if_they_are_killed() -> None:
    command = [sys.executable, "-c", KILLED]
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        home = Path(started.stdout.readline().strip())
        server = Path("/proc") / (home / "data" / "postmaster.pid").read_text().partition("\n")[0]
        if os.geteuid() == 0:
            assert home.owner() != "root"
            assert server.owner() == home.owner()
        started.kill()
    deadline = time.monotonic() + PATIENCE
    while home.exists() or server.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_sketch_of_a_frame_is_that_of_files(socket: Path, tmp_path: Path) -> None:
    made, book = economy(5, text_ids=True), codebook(tmp_path)
    sketches = set()
    for sources in (parquet(made, tmp_path), written(made, socket, "sketched")):
        with connect(sources, tmp_path) as engine:
            sketches.add(engine.frame_sketch(book, "5eed" * 8, 5))
    (sketch,) = sketches
    assert len(sketch) == 5


def test_ids_in_plain_form_are_those_of_files(socket: Path, tmp_path: Path) -> None:
    made, book = economy(5, text_ids=True), codebook(tmp_path)
    padded = [row | {"workplace_id": f" 0{k}.0"} for k, row in enumerate(made.workplaces)]
    sources = written(Economy(padded, made.workers, made.jobs), socket, "padded")
    with connect(sources, tmp_path) as engine:
        plain = engine.frame_sketch(book, KEY, 1024, plain=True)
    assert plain == true_sketch([*range(len(padded))], 1024)


def test_lost_jobs_are_those_of_files(socket: Path, tmp_path: Path) -> None:
    made, book = soiled(economy(5, single=False, text_ids=True), 5), codebook(tmp_path)
    with connect(written(made, socket, "losing"), tmp_path) as engine:
        is_true(engine, book, made, EveryJob())
