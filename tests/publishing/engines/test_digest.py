"""The digest of rows: hashed in the server as here, and another for all rows that differ."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
import pytest

from leeward.core.codebook import TABLES
from leeward.publishing.engines import connect
from leeward.publishing.engines.address import TableAddress
from leeward.publishing.engines.digest import Sha256, digest_rows, sums_here, sums_there
from leeward.publishing.engines.postgres import Postgres
from tests.publishing.engines.cluster import cluster
from tests.publishing.engines.small import economy, parquet

Rows = list[tuple[Any, ...]]

COLUMNS = "a text, b text, c boolean, d double precision, e bigint"
ODD = "é\x01\x1e\x1f'\"\\ – 𝔘"
FULL: Rows = [
    ("x", "y", True, 0.1, 2**62),
    (ODD, "", False, 1e300, -1),
    (None, None, None, None, None),
    ("x", "y", True, 0.1, 2**62),
]
ALIKE: dict[str, tuple[Rows, Rows]] = {
    "a null and no text": ([("", "b")], [(None, "b")]),
    "a null and its mark": ([("-", "b")], [(None, "b")]),
    "a null and its old mark": ([("\x1f", "b")], [(None, "b")]),
    "a text and its neighbour": ([("ab", "c")], [("a", "bc")]),
    "a text that ends as values did": ([("a\x1e", "b")], [("a", "\x1eb")]),
    "a text with a length in it": ([("a1:b", "")], [("a", "b0:")]),
    "one row and the same twice": ([("a", "b")], [("a", "b"), ("a", "b")]),
    "a change in two rows": ([("a", "b"), ("c", "d")], [("a", "d"), ("c", "b")]),
    "no rows and a null": ([], [(None, None)]),
}


@pytest.fixture(scope="module")
def socket() -> Iterator[Path]:
    with cluster() as home:
        yield home


@contextmanager
def opened(socket: Path, rows: Rows) -> Iterator[Postgres]:
    """Three tables of the same rows."""
    with psycopg.connect(host=str(socket), user="postgres", dbname="postgres") as connection:
        connection.execute("SET lock_timeout = 10000")
        for name in TABLES:
            connection.execute(f"DROP TABLE IF EXISTS {name}")
            connection.execute(f"CREATE TABLE {name} ({COLUMNS})")
            for row in rows:
                values = [*row, *[None] * (5 - len(row))]
                connection.execute(f"INSERT INTO {name} VALUES (%s, %s, %s, %s, %s)", values)  # noqa: S608 (fixed names)
    url = f"postgres://postgres@/postgres?host={socket}"
    with closing(
        Postgres(tuple(TableAddress(name, "postgres", url, (name,)) for name in TABLES))
    ) as database:
        yield database


def digest(socket: Path, rows: Rows) -> str:
    with opened(socket, rows) as database:
        return database.digest()


@pytest.mark.parametrize("rows", [FULL, FULL[1:2], []], ids=["some", "odd", "none"])
def test_the_server_hashes_as_we_do(rows: Rows, socket: Path) -> None:
    with opened(socket, rows) as database:
        table = database.tables()["jobs"]
        there = sums_there(database, table, Postgres.sha256)
        assert there == sums_here(database, table)
        digests = {digest_rows(database, {"jobs": table}, how) for how in (Postgres.sha256, None)}
    assert there[0] == len(rows)
    assert len(there) == 9
    assert {type(one) for one in there} == {int}
    assert len(digests) == 1


def test_sums_are_exact_beyond_what_floats_can_hold(socket: Path) -> None:
    """As they are with two milliards of rows, each with the largest word."""
    large = Sha256(
        lambda rows: rows.select(hash=rows.row),
        lambda row, k: row.length().cast("int64") * 0 + (2**61 + k),
    )
    with opened(socket, FULL[:3]) as database:
        found = sums_there(database, database.tables()["jobs"], large)
    assert found == (3, *(3 * (2**61 + k) for k in range(8)))


@pytest.mark.parametrize("case", ALIKE)
def test_rows_that_are_almost_the_same_have_other_digests(case: str, socket: Path) -> None:
    one, other = ALIKE[case]
    assert digest(socket, one) != digest(socket, other)


def test_the_order_of_rows_does_not_matter(socket: Path) -> None:
    assert digest(socket, FULL) == digest(socket, FULL[::-1])


def test_files_are_hashed_as_they_were_when_they_were_opened(tmp_path: Path) -> None:
    sources = parquet(economy(3), tmp_path)
    hashes = [sha256((tmp_path / name).read_bytes()).digest() for name in sources.values()]
    with connect(sources, tmp_path, hashed=True) as engine:
        (tmp_path / sources["jobs"]).touch()
        assert engine.digest() == sha256(b"".join(hashes)).hexdigest()
        assert not engine.unchanged()  # since it was opened, not since the digest was asked for
        assert engine.digest() == sha256(b"".join(hashes)).hexdigest()
        assert engine.unchanged()
