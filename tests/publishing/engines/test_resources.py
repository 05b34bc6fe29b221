"""What a plan or a command line allows the embedded database."""

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest

from leeward.core.codebook import Marginal, SingleJob
from leeward.core.codebook.resources import Resources, read_memory, read_resources
from leeward.core.errors import BadFile, InvalidParameter, LeewardError
from leeward.publishing.engines import connect
from leeward.publishing.engines.engine import Engine
from tests.publishing.engines.small import codebook, duck_file, economy, parquet, whole
from tests.publishing.engines.truth import read, truth

GB = 10**9


def setting(engine: object, name: str) -> str:
    assert isinstance(engine, Engine)
    backend = engine._database._backend  # type: ignore[attr-defined]
    return str(backend.con.sql(f"SELECT current_setting('{name}')").fetchone()[0])


@pytest.mark.parametrize("written", [parquet, duck_file])
def test_the_database_is_held_to_them(tmp_path: Path, written: object) -> None:
    made, scratch = economy(8), tmp_path / "scratch"
    scratch.mkdir()
    sources = written(made, tmp_path)  # type: ignore[operator]
    with connect(sources, tmp_path, Resources(memory=2 * GB, spill=scratch)) as engine:
        limit = setting(engine, "memory_limit")
        (folder,) = scratch.iterdir()
        assert Path(setting(engine, "temp_directory")).parent == folder
        assert folder.stat().st_mode & 0o777 == 0o700
    with duckdb.connect(config={"memory_limit": "2GB"}) as other:
        found = other.sql("SELECT current_setting('memory_limit')").fetchone()
    assert found is not None
    assert limit == found[0]
    assert list(scratch.iterdir()) == []


def test_nothing_is_said_in_vain(tmp_path: Path) -> None:
    url = "postgres://nobody@/nothing?host=/nowhere"
    sources = {name: f"{url}#{name}" for name in ("workplaces", "workers", "jobs")}
    for given in (Resources(memory=GB), Resources(spill=tmp_path), Resources(engine="duckdb")):
        with pytest.raises(InvalidParameter, match="is for files and for tables of DuckDB"):
            connect(sources, tmp_path, given)
    sqlite = {name: f"sqlite://{tmp_path}/x.db#{name}" for name in sources}
    (tmp_path / "x.db").write_bytes(b"something")
    with pytest.raises(InvalidParameter, match="tables of sqlite"):
        connect(sqlite, tmp_path, Resources(memory=GB))


def test_duckdb_may_be_named(tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    with connect(parquet(made, tmp_path), tmp_path, Resources(engine="duckdb")) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        assert read(engine, table, batch=3) == truth(made, SingleJob(), table)


def test_a_missing_folder_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    given = Resources(spill=tmp_path / "missing")
    with pytest.raises(BadFile, match=r"No such file or directory.*missing'.*--spill"):
        connect(parquet(economy(8), tmp_path), tmp_path, given)


@pytest.mark.parametrize(
    ("written", "size"),
    [("6GB", 6 * GB), ("800 MB", 800 * 10**6), ("1GiB", 2**30), ("256MB", 256 * 10**6)],
)
def test_amounts_of_memory(written: str, size: int) -> None:
    assert read_memory(written, "data.memory") == size


@pytest.mark.parametrize("written", ["6", "6gb", "", "-1GB", "6.5GB", "255MB", "6GB;"])
def test_what_is_no_amount_of_memory(written: str) -> None:
    with pytest.raises(InvalidParameter, match=r"data\.memory: must be an amount such as 6GB"):
        read_memory(written, "data.memory")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"engine": "sparc"}, "data.engine: must be one of duckdb, spark; got 'sparc'"),
        ({"remote": "sc://host"}, "data.remote: is the address of a Spark Connect server"),
        ({"engine": "spark", "memory": "6GB"}, "memory: is for DuckDB"),
        ({"engine": "spark", "spill": "scratch"}, "spill: is for DuckDB"),
    ],
)
def test_what_does_not_fit_together(written: Mapping[str, str], said: str, tmp_path: Path) -> None:
    with pytest.raises(LeewardError) as refusal:
        read_resources(written, tmp_path)
    assert str(refusal.value).startswith(said)


def test_the_address_of_a_server_is_not_shown() -> None:
    assert "secret" not in repr(Resources(engine="spark", remote="sc://host/;token=secret"))
