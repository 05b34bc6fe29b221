"""The same rows give the same tables wherever they lie, and nothing is left behind."""

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pytest

from leeward.core.codebook import Marginal, PrimaryJob, SingleJob
from leeward.core.errors import Undisclosed
from leeward.publishing.engines import connect
from tests.publishing.engines.small import (
    WRITERS,
    Economy,
    codebook,
    duck_file,
    economy,
    marginal,
    parquet,
    sqlite_file,
    unfolded,
    whole,
)
from tests.publishing.engines.truth import read, truth


@pytest.mark.parametrize("place", WRITERS)
def test_every_place_gives_the_same(place: str, tmp_path: Path) -> None:
    rule = PrimaryJob("pay")
    # Ids as texts that sort like numbers: in a CSV file all ids are texts.
    made = economy(8, single=False, text_ids=True)
    book = codebook(tmp_path)
    tables = [
        marginal(12, book),
        Marginal("all", whole(book, "place", "state_owned"), whole(book, "age", "contract")),
    ]
    with connect(WRITERS[place](made, tmp_path), tmp_path) as engine:
        assert engine.check_headers(book, rule) == ()
        assert unfolded(engine.check(book, rule, strict=True)) == ()
        engine.prepare(book, rule, tables, tables)
        for table in tables:
            assert read(engine, table, batch=3) == truth(made, rule, table)
        assert not engine.unchanged()  # nothing was digested
        assert len(engine.digest()) == 64
        assert engine.unchanged()


def test_numbers_and_texts_meet_as_texts(tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    texts = [row | {"worker_id": str(row["worker_id"])} for row in made.workers]
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    sources = parquet(Economy(made.workplaces, texts, made.jobs), tmp_path)
    with connect(sources, tmp_path) as engine:
        assert unfolded(engine.check(book, SingleJob(), strict=True)) == ()
        engine.prepare(book, SingleJob(), [table], [table])
        assert read(engine, table, batch=3) == truth(made, SingleJob(), table)


def test_a_name_with_marks_is_that_file_alone(tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    for folder in ("a[b]*?'", "a[b]*?'x"):
        (tmp_path / folder).mkdir()
    sources = parquet(made, tmp_path / "a[b]*?'")
    parquet(economy(9), tmp_path / "a[b]*?'x")
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    moved = {name: f"a[b]*?'/{file}" for name, file in sources.items()}
    with connect(moved, tmp_path) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        assert read(engine, table, batch=3) == truth(made, SingleJob(), table)


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_csv_may_have_other_marks_and_quotes(mark: str, tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    sources = WRITERS["csv"](made, tmp_path)
    for file in sources.values():
        lines = (tmp_path / file).read_text().splitlines()
        quoted = [mark.join(f'"{v}"' if v else "" for v in line.split(",")) for line in lines]
        (tmp_path / file).write_text("\n".join(quoted))
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    with connect(sources, tmp_path) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        assert read(engine, table, batch=3) == truth(made, SingleJob(), table)


def test_describe_reads_headers_alone(tmp_path: Path) -> None:
    with connect(parquet(economy(8), tmp_path), tmp_path) as engine:
        assert engine.describe()["workers"] == {
            "worker_id": "int64",
            "sex": "string",
            "education": "string",
            "age_group": "int32",
        }
        assert list(engine.describe()) == ["workplaces", "workers", "jobs"]


@pytest.mark.parametrize("place", WRITERS)
def test_the_digest_tells_data_apart(place: str, tmp_path: Path) -> None:
    found = set()
    made = economy(8)
    other = Economy(made.workplaces, made.workers, made.jobs[1:])
    changed = Economy(made.workplaces, [made.workers[0] | {"sex": "X"}, *made.workers[1:]], [])
    for n, rows in enumerate((made, made, other, changed)):
        folder = tmp_path / str(n)
        folder.mkdir()
        with connect(WRITERS[place](rows, folder), folder) as engine:
            found.add(engine.digest())
    assert len(found) == 3 if place != "csv.gz" else len(found) >= 3


@pytest.mark.parametrize("place", ["duckdb", "sqlite"])
def test_the_digest_of_a_database_ignores_the_order_of_rows(place: str, tmp_path: Path) -> None:
    made = economy(8)
    turned = Economy(made.workplaces[::-1], made.workers[::-1], made.jobs[::-1])
    found = set()
    for n, rows in enumerate((made, turned)):
        folder = tmp_path / str(n)
        folder.mkdir()
        with connect(WRITERS[place](rows, folder), folder) as engine:
            found.add(engine.digest())
    assert len(found) == 1


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    sources = parquet(economy(8), tmp_path)
    with connect(sources, tmp_path) as engine:
        engine.digest()
        assert engine.unchanged()
        (tmp_path / sources["jobs"]).write_bytes((tmp_path / sources["jobs"]).read_bytes())
        assert not engine.unchanged()
        (tmp_path / sources["jobs"]).unlink()
        assert not engine.unchanged()


HIRE = "INSERT INTO {} SELECT worker_id + 1000, workplace_id, contract, pay FROM {} LIMIT 1"


def test_a_row_written_to_sqlite_is_seen(tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    with connect(sqlite_file(made, tmp_path), tmp_path) as engine:
        engine.digest()
        engine.prepare(book, SingleJob(), [table], [])
        assert engine.unchanged()
        with sqlite3.connect(tmp_path / "x.db") as other:
            other.execute(HIRE.format("jobs", "jobs"))
        other.close()
        assert not engine.unchanged()


def test_a_row_written_to_a_duckdb_file_is_seen(tmp_path: Path) -> None:
    with connect(duck_file(economy(8), tmp_path), tmp_path) as engine:
        engine.digest()
        assert engine.unchanged()
        # Another process would be kept out by the lock on the file, were it not moved there whole.
        shutil.copy(tmp_path / "a'b.duckdb", tmp_path / "new.duckdb")
        with duckdb.connect(str(tmp_path / "new.duckdb")) as other:
            other.execute(HIRE.format("jobs_2026", "jobs_2026"))
        (tmp_path / "new.duckdb").rename(tmp_path / "a'b.duckdb")
        assert not engine.unchanged()


@pytest.mark.parametrize("place", WRITERS)
def test_nothing_is_left_behind(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spill, data = tmp_path / "spill", tmp_path / "data"
    spill.mkdir()
    data.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    sources, book = WRITERS[place](economy(8), data), codebook(tmp_path)
    before = {path: path.read_bytes() for path in data.iterdir()}
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    with connect(sources, data) as engine:
        assert [path.stat().st_mode & 0o777 for path in spill.iterdir()] in ([0o700], [])
        engine.check(book, SingleJob())
        engine.prepare(book, SingleJob(), [table], [table])
    assert list(spill.iterdir()) == []
    assert {path: path.read_bytes() for path in data.iterdir()} == before


def test_a_refused_connection_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    sources = parquet(economy(8), tmp_path)
    (tmp_path / "jobs.parquet").write_bytes(b"PAR1 this is none PAR1")
    with pytest.raises(Undisclosed):
        connect(sources, tmp_path)
    assert list(spill.iterdir()) == []


def test_using_duckdb_imports_no_other_database(tmp_path: Path) -> None:
    sources = parquet(economy(8), tmp_path)
    program = (
        "import sys; from pathlib import Path; from leeward.publishing.engines import connect; "
        f"connect({sources!r}, Path({str(tmp_path)!r})).close(); "
        "print(sys.modules.keys() & {'pyspark', 'py4j', 'grpc', 'psycopg', 'pandas'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("place", ["parquet", "csv"])
def test_a_folder_is_no_column(place: str, tmp_path: Path) -> None:
    folder = tmp_path / "sex=F" / "place=02"
    folder.mkdir(parents=True)
    made, book = economy(3), codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    with connect(WRITERS[place](made, folder), folder) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        assert read(engine, table, batch=3) == truth(made, SingleJob(), table)
