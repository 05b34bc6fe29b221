"""Processes with Spark of their own: silent, clean, and only where it is asked for."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leeward.core.codebook import TABLES, SingleJob
from leeward.core.codebook.resources import Resources
from leeward.core.errors import BadFile
from leeward.core.installation import hint
from leeward.publishing.engines import connect
from leeward.publishing.engines.private_file import SpillFolder
from leeward.publishing.engines.spark.java import launched, private_settings, variables
from tests.publishing.engines.small import codebook, economy, marginal, parquet
from tests.publishing.engines.spark.conftest import Cluster
from tests.publishing.engines.truth import counts

OPEN = """
import sys
from pathlib import Path
from leeward.publishing.engines import connect
from leeward.core.codebook.resources import Resources
sources = {name: f"{name}.parquet" for name in ("workplaces", "workers", "jobs")}
"""
TABLE = """
import json
sys.path.insert(0, sys.argv[-1])
from leeward.core.codebook import SingleJob
from tests.publishing.engines.small import codebook, marginal
from tests.publishing.engines.truth import counts
folder = Path(sys.argv[1])
book = codebook(folder)
table = marginal(12, book)
"""
ALONE = """
import tempfile
from leeward.core.errors import LeewardError
with connect(sources, Path(sys.argv[1]), Resources(engine="spark")) as engine:
    (private,) = Path(tempfile.gettempdir()).glob("leeward-spill-*")
    print(oct(private.stat().st_mode & 0o777), len(engine.describe()))
    engine.prepare(book, SingleJob(), [table], [], steps=frozenset())  # tidy rows
    print(json.dumps(list(counts(engine, table).items())))
    other = connect(sources, folder, Resources(engine="spark"))
with other as engine:  # goes on when the one that started Spark has been closed
    (kept,) = Path(tempfile.gettempdir()).glob("leeward-spill-*")
    print(kept == private, len(engine.digest()))
    Path(sys.argv[1], "jobs.parquet").write_bytes(b"PAR1 SECRET123")
    try:
        engine.digest()
    except LeewardError as error:
        print("SECRET123" in str(error))
print(list(Path(tempfile.gettempdir()).iterdir()))
"""
KILLED = """
import time
with connect(sources, Path(sys.argv[1]), Resources(engine="spark")):
    print("ready", flush=True)
    time.sleep(100)
"""
INTERRUPTED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
from leeward.interface.commands import start
from leeward.publishing.engines.spark.cluster import Spark
asked = Spark._asked
def slow(self, query):
    java = self._session.sparkContext._jvm.java.lang.System
    conf = self._session.sparkContext.getConf()
    print(conf.get("spark.master"), conf.get("spark.test"), java.getProperty("user.test"))
    print(java.getProperty("log4j2.configurationFile"), java.getProperty("java.io.tmpdir"))
    print("ready", flush=True)
    return asked(self, "SELECT sum(a.id ^ b.id) FROM range(10000000) a JOIN range(10000000) b")
Spark._asked = slow
start()
"""
CONNECT = """
sources = {name: str(folder / file) for name, file in sources.items()}
with connect(sources, folder, Resources(engine="spark", remote=sys.argv[2])) as engine:
    engine.prepare(book, SingleJob(), [table], [], steps=frozenset())  # tidy rows
    told = [engine.digest(), len(engine.codes("place")), list(counts(engine, table).items())]
print(json.dumps(told))
"""
ROOT = Path(__file__).parents[4]
PATIENCE = 300
"""Seconds that a process may take; Spark with its own settings is slow on a busy machine."""
QUICK = "-XX:TieredStopAtLevel=1"
"""Java compiles for a short life: no setting of Spark, and a third less work."""


def run(program: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", OPEN + program, *words]
    known = os.environ | environment
    return subprocess.run(
        command, capture_output=True, text=True, env=known, check=False, timeout=PATIENCE
    )


def test_without_pyspark_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(Exception, match="PySpark") as caught:
        connect(parquet(economy(8), tmp_path), tmp_path, Resources(engine="spark"))
    assert str(caught.value) == (
        "data.engine: spark needs PySpark, which is not installed; got no PySpark. " + hint("spark")
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
        f"got no grpcio. {hint('spark')}"
    )


def test_without_java_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("JAVA_HOME", "")
    with pytest.raises(BadFile) as caught:
        launched()
    assert str(caught.value) == (
        "data.engine: spark needs Java, which is not installed; got no java in JAVA_HOME or "
        "PATH. Install a Java 17 runtime."
    )


def test_a_server_that_does_not_answer_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    nobody = Resources(engine="spark", remote="sc://127.0.0.1:1/;token=SECRET123;use_ssl=false")
    with pytest.raises(BadFile) as caught:
        connect(dict.fromkeys(TABLES, "#rows"), tmp_path, nobody)
    assert str(caught.value).endswith("Spark 4.0 needs Java 17 or 21.")
    assert "SECRET123" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("spark")
def test_a_spark_of_its_own_counts_right_says_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    """With Spark's own settings, which those of the other tests are not, but fewer partitions."""
    data, spill = tmp_path / "data", tmp_path / "spill"
    data.mkdir()
    spill.mkdir()
    sources, book = parquet(economy(8), data), codebook(data)
    table = marginal(12, book)
    with connect(sources, data) as engine:
        engine.prepare(book, SingleJob(), [table], [])
        expected = counts(engine, table)
    fewer = "--conf spark.sql.shuffle.partitions=3 pyspark-shell"
    known = {"TMPDIR": str(spill), "JAVA_TOOL_OPTIONS": QUICK, "PYSPARK_SUBMIT_ARGS": fewer}
    done = run(TABLE + ALONE, str(data), str(ROOT), **known)
    assert done.stderr == ""
    private, found, kept, quoted, left = done.stdout.splitlines()
    assert (private, kept, quoted, left) == ("0o700 3", "True 64", "False", "[]")
    assert {key: tuple(row) for key, row in json.loads(found)} == expected
    files = sorted(one.name for one in data.iterdir())
    assert files == sorted(["codebook.yaml", *(f"{name}.parquet" for name in TABLES)])


@pytest.mark.usefixtures("spark")
def test_a_killed_process_takes_java_with_it_and_the_next_clears_up(tmp_path: Path) -> None:
    parquet(economy(8), tmp_path)
    spill = tmp_path / "spill"
    spill.mkdir()
    command = [sys.executable, "-c", OPEN + KILLED, str(tmp_path)]
    submitted = f"--driver-java-options {QUICK} pyspark-shell"
    known = os.environ | {"TMPDIR": str(spill), "PYSPARK_SUBMIT_ARGS": submitted}
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


SPARK_ENV = """\
SPARK_LOCAL_DIRS={}
MASTER=spark://nobody:7077
"""
SUBMITTED = (
    f"--master=local[1] --conf=spark.test=a --driver-java-options '{QUICK} "
    "-Dlog4j2.configurationFile=none.xml -Djava.io.tmpdir=/ -Duser.test=b' pyspark-shell"
)
PLAN = """\
data: {engine: spark, workplaces: workplaces.parquet, workers: workers.parquet, jobs: jobs.parquet}
codebook: codebook.yaml
account: office
period: 2026Q2
protect: {policy: strong, alpha: 0.1, epsilon: 4}
tables:
  - {name: t, by: [place, sex]}
"""


@pytest.mark.usefixtures("spark")
def test_ctrl_c_ends_a_spark_whose_settings_come_from_everywhere(tmp_path: Path) -> None:
    """Known bad: a guess of the master, and Java's options, were wrong with such settings."""
    conf, scratch, spill = (tmp_path / name for name in ("conf", "scratch", "spill"))
    for one in (conf, scratch, spill):
        one.mkdir()
    parquet(economy(8), tmp_path)
    codebook(tmp_path)
    (tmp_path / "plan.yaml").write_text(PLAN)
    (conf / "spark-env.sh").write_text(SPARK_ENV.format(scratch))
    (conf / "spark-defaults.conf").write_text("spark.master spark://nobody:7077\n")
    known = {"SPARK_CONF_DIR": str(conf), "PYSPARK_SUBMIT_ARGS": SUBMITTED, "TMPDIR": str(spill)}
    command = [sys.executable, "-c", OPEN + INTERRUPTED, "check", "plan.yaml"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=os.environ | known,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        heard = [process.stdout.readline().decode() for _ in range(3)]
        (private,), (blocks,) = (list(one.glob("leeward-spill-*")) for one in (spill, scratch))
        assert heard[0] == "local[1] a b\n"
        assert heard[1] == f"file:{private}/log4j2.properties {private}\n"
        assert any(one.name.startswith("blockmgr-") for one in blocks.rglob("*"))
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        try:
            _, said = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert time.monotonic() - begun < 20
    assert process.returncode == 130
    (ended,) = said.decode().splitlines()
    assert ended == "leeward: interrupted; nothing was charged."
    assert [*spill.iterdir(), *scratch.iterdir()] == []


def test_settings_elsewhere_are_left_to_a_cluster(tmp_path: Path) -> None:
    there = {"spark.ui.showConsoleProgress": "false"}
    for master in ("yarn", "spark://host:7077", "local-cluster[2,1,1024]", "k8s://host"):
        assert private_settings(tmp_path, {"spark.master": master}) == there
    for master in ("local", "local[*]", "local[4,2]"):
        here = private_settings(tmp_path, {"spark.master": master})
        assert here["spark.local.dir"] == str(tmp_path / "local")
        assert {here["spark.ui.enabled"], here["spark.eventLog.enabled"]} == {"false"}
        assert (here["spark.driver.bindAddress"], here["spark.authenticate"]) == (
            "127.0.0.1",
            "true",
        )


def test_options_of_java_are_added_to_those_that_are_there(tmp_path: Path) -> None:
    folder = tmp_path / "a 'b"
    folder.mkdir()
    found = variables(folder, {"_JAVA_OPTIONS": "-Xss2m"})
    first, *options = shlex.split(found["_JAVA_OPTIONS"])
    assert (first, options) == ("-Xss2m", shlex.split(found["JAVA_TOOL_OPTIONS"]))
    assert f"-Djava.io.tmpdir={folder}" in options


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
