"""A whole release from a PostgreSQL server is the release from files; its password stays secret."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import TABLES
from tests.publishing.compared import assert_alike, read_csv
from tests.publishing.engines.cluster import GUARDED, cluster
from tests.publishing.office import TABLES as PLANNED
from tests.publishing.office import Driver, Office, noted, release
from tests.publishing.release.test_order import make_strict

PASSWORD = "s3cret-of-the-office"  # noqa: S105 (of a role that lives as long as a test)
KINDS = {"int32": "integer", "int64": "bigint"}
JOBS = 3000
HEAD = """\
data:
  workplaces: {url}.workplaces
  workers: {url}.workers
  jobs: {url}.jobs
codebook: {codebook}
account: office
period: 2026Q2
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Path]:
    with cluster() as home:
        with psycopg.connect(host=str(home), user="postgres", dbname="postgres") as connection:
            connection.execute(f"CREATE ROLE {GUARDED} LOGIN PASSWORD '{PASSWORD}'")
        yield home


@pytest.fixture
def connection(server: Path, small_economy: Path) -> Iterator[psycopg.Connection]:
    """A connection to a server with the economy, and with a role that may read it."""
    with psycopg.connect(
        host=str(server), user="postgres", dbname="postgres", autocommit=True
    ) as connection:
        connection.execute("SET lock_timeout = 10000")
        connection.execute("CREATE SCHEMA lodes")
        for name in TABLES:
            load(connection, small_economy / f"{name}.parquet", f"lodes.{name}")
        connection.execute(f"GRANT USAGE ON SCHEMA lodes TO {GUARDED}")
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA lodes TO {GUARDED}")
        yield connection
        connection.execute("DROP SCHEMA lodes CASCADE")


def load(connection: psycopg.Connection, file: Path, name: str) -> None:
    table = pq.read_table(file)
    header = [f"{one.name} {KINDS.get(str(one.type), 'text')}" for one in table.schema]
    connection.execute(f"CREATE TABLE {name} ({', '.join(header)})")
    with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
        for row in table.to_pylist():
            copy.write_row(tuple(row.values()))


@pytest.fixture
def office(
    tmp_path: Path, driver: Driver, small_economy: Path, connection: psycopg.Connection
) -> Office:
    """An office with a plan for the server."""
    made = Office(driver, tmp_path / "server")
    made.folder.mkdir()
    made.open_account(40)
    url = f"postgres://{GUARDED}:{PASSWORD}@/postgres?host={connection.info.host}#lodes"
    head = HEAD.format(url=url, codebook=small_economy / "codebook.yaml")
    (made.folder / "2026Q2.yaml").write_text(head + PLANNED)
    return made


def total(office: Office, run: str, table: str) -> int:
    rows = read_csv(office.folder / run / "bundle" / "tables" / f"{table}.csv")
    return sum(int(value) for value in rows["value"].to_pylist())


def test_it_is_the_release_from_files(
    office: Office, driver: Driver, small_economy: Path, tmp_path: Path
) -> None:
    files = Office(driver, tmp_path / "files")
    files.folder.mkdir()
    shutil.copy(office.ledger, files.ledger)
    files.write_plan(small_economy)
    ledger = ("--ledger", "../ledger.sqlite")
    steps = {
        "plan": ("plan", "../2026Q2.yaml", *ledger),
        "check": ("check", "../2026Q2.yaml"),
        "release": release(),
        "verify": ("verify", "../release/bundle", *ledger),
        "show": ("ledger", "show", "--json", *ledger),
    }
    for name, arguments in steps.items():
        for one in (office, files):
            ended = one.run(name, *arguments)
            assert ended.code == 0, ended.err
    assert_alike(*(one.folder / "release" / "bundle" for one in (office, files)))
    for table in ("by_sector", "by_sex"):
        assert abs(total(office, "release", table) - JOBS) < JOBS / 3
    found = [path for path in office.folder.rglob("*") if path.is_file()]
    assert any(path.is_relative_to(office.folder / "state") for path in found)  # receipts
    holding = [path.name for path in found if PASSWORD.encode() in path.read_bytes()]
    assert holding == ["2026Q2.yaml"]


@pytest.mark.parametrize("step", ["rows are checked", "tabulate"])
def test_rows_that_are_written_during_a_release_are_not_in_it(
    step: str, office: Office, connection: psycopg.Connection
) -> None:
    """Neither those that would be refused, nor their number."""
    make_strict(office)
    running = office.start("moving", *release(), changes=noted(wait=[f"before: {step}"]))
    running.wait_for(f"before: {step}")
    connection.execute(
        "INSERT INTO lodes.jobs SELECT j.* FROM lodes.jobs j, generate_series(1, 99)"
    )
    running.let_through(f"before: {step}")
    assert running.ended() == 0
    assert abs(total(office, "moving", "by_sector") - JOBS) < JOBS / 3
    refused = office.run("refused", *release("--again"))
    assert refused.code == 1
    assert "rows that do not (not shown)" in refused.err


def test_a_receipt_is_for_the_rows_that_were_checked(
    office: Office, connection: psycopg.Connection
) -> None:
    make_strict(office)
    assert office.run("check", "check", "../2026Q2.yaml").code == 0
    connection.execute("UPDATE lodes.workers SET sex = 'X9'")
    refused = office.run("refused", *release())
    assert refused.code == 1
    assert "rows that do not (not shown)" in refused.err
    assert [entry.kind for entry in office.entries()] == ["opened"]
