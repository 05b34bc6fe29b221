"""Processes with Spark of their own: silent, clean, and only where it is asked for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from leeward.engines import Resources, connect
from leeward.engines.spark_settings import private_settings, settings_elsewhere
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
ALONE = """
import tempfile
from leeward.errors import LeewardError
with connect(sources, Path(sys.argv[1]), Resources(engine="spark")) as engine:
    (folder,) = Path(tempfile.gettempdir()).glob("leeward-spill-*")
    print(oct(folder.stat().st_mode & 0o777), len(engine.describe()))
    Path(sys.argv[1], "jobs.parquet").write_bytes(b"PAR1 SECRET123")
    try:
        engine.digest()
    except LeewardError as error:
        print("SECRET123" in str(error))
print(list(Path(tempfile.gettempdir()).iterdir()))
"""
CONNECT = """
import json
sys.path.insert(0, sys.argv[3])
from leeward.model import SingleJob
from tests.engines.small import codebook, marginal
from tests.engines.truth import counts
folder = Path(sys.argv[1])
book = codebook(folder)
table = marginal(12, book)
with connect(sources, folder, Resources(engine="spark", remote=sys.argv[2])) as engine:
    engine.prepare(book, SingleJob(), [table], [])
    told = [engine.digest(), len(engine.codes("place")), list(counts(engine, table).items())]
print(json.dumps(told))
"""
ROOT = Path(__file__).parents[2]


def run(program: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", OPEN + program, *words]
    known = os.environ | environment
    return subprocess.run(
        command, capture_output=True, text=True, env=known, check=False, timeout=100
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
        connect(parquet(economy(8), tmp_path), tmp_path, remote)
    assert str(caught.value) == (
        "data.remote: needs the parts of PySpark for Spark Connect, which are not installed; "
        'got no grpcio. Run `pip install "leeward[spark]"`.'
    )


def test_without_java_it_says_what_to_install(tmp_path: Path) -> None:
    parquet(economy(8), tmp_path)
    done = run(ALONE, str(tmp_path), PATH="", JAVA_HOME="")
    assert done.stderr.endswith(
        "data.engine: spark needs Java, which is not installed; got no java in JAVA_HOME or "
        "PATH. Install a Java 17 runtime.\n"
    )


def test_a_server_that_does_not_answer_is_refused(tmp_path: Path) -> None:
    parquet(economy(8), tmp_path)
    nobody = "sc://127.0.0.1:1/;token=SECRET123;use_ssl=false"
    done = run(CONNECT, str(tmp_path), nobody, str(ROOT))
    assert "SECRET123" not in done.stderr
    assert done.stderr.splitlines()[-1].endswith("Spark 4.0 needs Java 17 or 21.")


@pytest.mark.usefixtures("spark")
def test_a_spark_of_its_own_says_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    data, spill = tmp_path / "data", tmp_path / "spill"
    data.mkdir()
    spill.mkdir()
    parquet(economy(8), data)
    done = run(ALONE, str(data), TMPDIR=str(spill))
    assert done.stdout.splitlines() == ["0o700 3", "False", "[]"]
    assert done.stderr == ""
    assert sorted(one.name for one in data.iterdir()) == sorted(f"{n}.parquet" for n in TABLES)


def test_spark_connect_gives_the_same(spark: Cluster, tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    table = marginal(12, book)
    sources = parquet(made, tmp_path)
    done = run(CONNECT, str(tmp_path), spark.remote, str(ROOT))
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


def test_settings_are_found_where_spark_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "# ours\nspark.master  yarn\nspark.local.dir=/scratch,/other\n\nspark.a : b c\n"
    (tmp_path / "spark-defaults.conf").write_text(lines)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    found = {"spark.master": "yarn", "spark.local.dir": "/scratch,/other", "spark.a": "b c"}
    assert settings_elsewhere() == found
    monkeypatch.setenv("MASTER", "local[3]")
    assert settings_elsewhere()["spark.master"] == "local[3]"
    given = '--master spark://h:7077 --conf "spark.a=x y" pyspark-shell'
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", given)
    assert settings_elsewhere() == found | {"spark.master": "spark://h:7077", "spark.a": "x y"}


def test_on_a_cluster_only_the_driver_is_silenced(tmp_path: Path) -> None:
    given = {"spark.master": "yarn", "spark.driver.extraJavaOptions": "-Da=b"}
    there = private_settings(tmp_path, given)
    assert set(there) == {"spark.driver.extraJavaOptions", "spark.ui.showConsoleProgress"}
    assert there["spark.driver.extraJavaOptions"].startswith("-Da=b ")
    here = private_settings(tmp_path, {})
    assert here["spark.local.dir"] == str(tmp_path)
    assert {here["spark.ui.enabled"], here["spark.eventLog.enabled"]} == {"false"}
    assert here["spark.driver.bindAddress"] == "127.0.0.1"
