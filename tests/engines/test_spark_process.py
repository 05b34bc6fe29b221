"""Processes with Spark of their own: silent, clean, and only where it is asked for."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leeward.engines import Resources, connect
from leeward.engines.spill import SpillFolder
from leeward.model import TABLES, SingleJob
from tests.engines.conftest import Cluster
from tests.engines.small import codebook, economy, marginal, parquet
from tests.engines.truth import counts

OPEN = """
import sys
from pathlib import Path
from leeward.engines import Resources, connect
sources = {name: f"{name}.parquet" for name in ("workplaces", "workers", "jobs")}
"""
LAZY = """
with connect(sources, Path(sys.argv[1])) as engine:
    engine.describe()
print([name for name in ("pyspark", "py4j", "grpc", "pandas") if name in sys.modules])
"""
TABLE = """
import json
sys.path.insert(0, sys.argv[-1])
from leeward.model import SingleJob
from tests.engines.small import codebook, marginal
from tests.engines.truth import counts
folder = Path(sys.argv[1])
book = codebook(folder)
table = marginal(12, book)
"""
ALONE = """
import tempfile
from leeward.errors import LeewardError
with connect(sources, Path(sys.argv[1]), Resources(engine="spark")) as engine:
    (folder,) = Path(tempfile.gettempdir()).glob("leeward-spill-*")
    print(oct(folder.stat().st_mode & 0o777), len(engine.describe()))
    engine.prepare(book, SingleJob(), [table], [table])
    print(json.dumps(list(counts(engine, table).items())))
    Path(sys.argv[1], "jobs.parquet").write_bytes(b"PAR1 SECRET123")
    try:
        engine.digest()
    except LeewardError as error:
        print("SECRET123" in str(error))
print(list(Path(tempfile.gettempdir()).iterdir()))
"""
KILLED = """
import time
with connect(sources, Path(sys.argv[1]), Resources(engine="spark")) as engine:
    engine.digest()
    print("ready", flush=True)
    time.sleep(100)
"""
CONNECT = """
sources = {name: str(folder / file) for name, file in sources.items()}
with connect(sources, folder, Resources(engine="spark", remote=sys.argv[2])) as engine:
    engine.prepare(book, SingleJob(), [table], [])
    told = [engine.digest(), len(engine.codes("place")), list(counts(engine, table).items())]
print(json.dumps(told))
"""
ROOT = Path(__file__).parents[2]
PATIENCE = 100
"""Seconds that a process may take."""


def run(program: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", OPEN + program, *words]
    known = os.environ | environment
    return subprocess.run(
        command, capture_output=True, text=True, env=known, check=False, timeout=PATIENCE
    )


def test_duckdb_never_loads_spark(tmp_path: Path) -> None:
    parquet(economy(8), tmp_path)
    done = run(LAZY, str(tmp_path))
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_without_pyspark_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(Exception, match="PySpark") as caught:
        connect(parquet(economy(8), tmp_path), tmp_path, Resources(engine="spark"))
    assert str(caught.value) == (
        "data.engine: spark needs PySpark, which is not installed; got no PySpark. "
        'Run `pip install "leeward[spark]"`.'
    )


def test_without_the_parts_for_connect_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "grpc", None)
    remote = Resources(engine="spark", remote="sc://SECRET123")
    with pytest.raises(Exception, match="grpcio") as caught:
        connect(dict.fromkeys(TABLES, "#rows"), tmp_path, remote)
    assert str(caught.value) == (
        "data.remote: needs the parts of PySpark for Spark Connect, which are not installed; "
        'got no grpcio. Run `pip install "leeward[spark]"`.'
    )


def test_without_java_it_says_what_to_install(tmp_path: Path) -> None:
    parquet(economy(8), tmp_path)
    done = run(TABLE + ALONE, str(tmp_path), str(ROOT), PATH="", JAVA_HOME="")
    assert done.stderr.endswith(
        "data.engine: spark needs Java, which is not installed; got no java in JAVA_HOME or "
        "PATH. Install a Java 17 runtime.\n"
    )


def test_a_server_that_does_not_answer_is_refused(tmp_path: Path) -> None:
    parquet(economy(8), tmp_path)
    nobody = "sc://127.0.0.1:1/;token=SECRET123;use_ssl=false"
    done = run(TABLE + CONNECT, str(tmp_path), nobody, str(ROOT))
    assert "SECRET123" not in done.stderr
    assert done.stderr.splitlines()[-1].endswith("Spark 4.0 needs Java 17 or 21.")


@pytest.mark.usefixtures("spark")
def test_a_spark_of_its_own_counts_right_says_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    """With all of Spark's own settings, which those of the other tests are not."""
    data, spill = tmp_path / "data", tmp_path / "spill"
    data.mkdir()
    spill.mkdir()
    sources, book = parquet(economy(8), data), codebook(data)
    table = marginal(12, book)
    with connect(sources, data) as engine:
        engine.prepare(book, SingleJob(), [table], [])
        expected = counts(engine, table)
    done = run(TABLE + ALONE, str(data), str(ROOT), TMPDIR=str(spill))
    assert done.stderr == ""
    private, found, quoted, left = done.stdout.splitlines()
    assert (private, quoted, left) == ("0o700 3", "False", "[]")
    assert {key: tuple(row) for key, row in json.loads(found)} == expected
    files = sorted(one.name for one in data.iterdir())
    assert files == sorted(["codebook.yaml", *(f"{name}.parquet" for name in TABLES)])


@pytest.mark.usefixtures("spark")
def test_a_killed_process_takes_java_with_it_and_the_next_clears_up(tmp_path: Path) -> None:
    parquet(economy(8), tmp_path)
    spill = tmp_path / "spill"
    spill.mkdir()
    command = [sys.executable, "-c", OPEN + KILLED, str(tmp_path)]
    known = os.environ | {"TMPDIR": str(spill)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=known) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        (java,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.kill()
    assert list(spill.iterdir()) != []
    deadline = time.monotonic() + PATIENCE
    while _runs(java):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    SpillFolder(spill).remove()
    assert list(spill.iterdir()) == []


def _runs(process: str) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def test_spark_connect_gives_the_same(spark: Cluster, tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    table = marginal(12, book)
    sources = parquet(made, tmp_path)
    done = run(TABLE + CONNECT, str(tmp_path), spark.remote, str(ROOT))
    assert done.stderr == ""
    digest, places, found = json.loads(done.stdout)
    with connect(sources, tmp_path) as engine:
        engine.prepare(book, SingleJob(), [table], [])
        expected = counts(engine, table)
        assert places == len(engine.codes("place"))
    assert {key: tuple(row) for key, row in found} == expected
    with connect(sources, tmp_path, Resources(engine="spark")) as engine:
        assert engine.digest() == digest
    manager = spark.session._jsparkSession.sharedState().cacheManager()
    assert manager.isEmpty()
