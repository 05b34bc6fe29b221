"""Spark session: one that is there is taken over, else one is started that leaves nothing behind.

What spark-submit, spark-defaults.conf, PYSPARK_SUBMIT_ARGS, MASTER or SPARK_REMOTE have set up is
kept. Work is done in a session of its own, so that views and settings touch nobody else's.
"""

import logging
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from leeward.engines.spark_settings import is_local, private_settings, settings_elsewhere
from leeward.engines.spill import SpillFolder
from leeward.engines.thrift import allow_pandas
from leeward.errors import BadFile, InvalidParameter, LeewardError

Session = Any
"""A session of PySpark, classic or Connect."""

SETTINGS = {
    "spark.sql.ansi.enabled": "true",  # an overflow raises
    "spark.sql.caseSensitive": "true",
    "spark.sql.legacy.parquet.nanosAsLong": "true",  # else such a file could not be opened at all
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # 01 keeps its zero
}
"""What a session of ours has, wherever it runs."""

TALKING = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""Loggers of PySpark that print whole error messages."""

PATIENCE = 30
"""Seconds that a server may take to answer, and Java to end."""

USUAL_PORT = 15002
"""Of Spark Connect."""


@dataclass(frozen=True)
class Opened:
    """A session of our own, and what ends all that was started for it."""

    session: Session
    end: Callable[[], None]


def open_session(remote: str | None) -> Opened:
    """A session at the server named, or where Spark has been set up, or in this machine."""
    _require_pyspark()
    for name in TALKING:
        logging.getLogger(name).disabled = True
    remote = remote or os.environ.get("SPARK_REMOTE")
    try:
        opened = _started() if remote is None else _connected(remote)
        for key, value in SETTINGS.items():
            opened.session.conf.set(key, value)
    except LeewardError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever fails, nothing of it is shown)
        kind = type(error).__name__
    else:
        return opened
    raise BadFile(
        "data.engine",
        rule="must be a Spark that starts here"
        if remote is None
        else "must be a Spark Connect server that answers",
        value=f"a failure of the kind {kind}",
        next_step="Try `pyspark` with the same settings; Spark 4.0 needs Java 17 or 21.",
    )


def _require_pyspark() -> None:
    allow_pandas()  # Ibis needs it for Spark
    try:
        import pandas  # type: ignore[import-untyped] # noqa: F401, PLC0415 (loaded if asked for)
        import pyspark  # noqa: F401, PLC0415 (loaded if asked for)
    except ImportError:
        raise BadFile(
            "data.engine",
            rule="spark needs PySpark, which is not installed",
            value="no PySpark",
            next_step='Run `pip install "leeward[spark]"`.',
        ) from None


def _connected(remote: str) -> Opened:
    """A new session at a Spark Connect server."""
    if not remote.startswith("sc://"):
        raise InvalidParameter(
            "data.remote",
            rule="must be the address of a Spark Connect server, which begins with sc://",
            value="another address (not shown)",
            next_step="Write sc://host:15002, or leave it out for Spark on this machine.",
        )
    try:
        import grpc  # type: ignore[import-untyped] # noqa: F401, PLC0415 (loaded if asked for)
    except ImportError:
        raise BadFile(
            "data.remote",
            rule="needs the parts of PySpark for Spark Connect, which are not installed",
            value="no grpcio",
            next_step='Run `pip install "leeward[spark]"`.',
        ) from None
    from pyspark.sql import SparkSession  # noqa: PLC0415 (loaded if asked for)

    place = urlsplit(remote)
    # PySpark would try for ten minutes.
    socket.create_connection((place.hostname or "", place.port or USUAL_PORT), PATIENCE).close()
    session = SparkSession.builder.remote(remote).create()
    return Opened(session, session.stop)


def _started() -> Opened:
    """A session beside one that is there; else beside one that is started, and ends with it."""
    from pyspark import SparkContext  # noqa: PLC0415 (loaded if asked for)
    from pyspark.sql import SparkSession  # noqa: PLC0415 (loaded if asked for)

    running = SparkContext._active_spark_context is not None
    launched = SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ
    if running or launched:
        session = SparkSession.builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        return Opened(session.newSession(), (lambda: None) if running else session.stop)
    return _launched()


def _launched() -> Opened:
    """Java and Spark, started without a word; both end together with the session."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415 (loaded if asked for)
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415 (loaded if asked for)
    from pyspark.sql import SparkSession  # noqa: PLC0415 (loaded if asked for)

    _require_java()
    known = settings_elsewhere()
    home = os.environ.get("SPARK_LOCAL_DIRS") or known.get("spark.local.dir")
    spill = SpillFolder(Path(home.split(",")[0]) if home else None)
    try:
        conf = SparkConf(loadDefaults=False)
        conf.setAll(list(private_settings(spill.path, known).items()))
        with _local_dirs(spill.path if is_local(known) else None):
            nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            gateway = launch_gateway(conf, nowhere)  # type: ignore[no-untyped-call] # has no types
    except BaseException:
        spill.remove()
        raise

    def end() -> None:
        if SparkContext._active_spark_context is not None:
            SparkContext._active_spark_context.stop()
        _end_java(gateway)
        SparkContext._gateway = SparkContext._jvm = None
        spill.remove()

    try:
        SparkContext(conf=conf, gateway=gateway)
        session = SparkSession.builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        return Opened(session.newSession(), end)
    except BaseException:
        end()
        raise


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which(f"{home}/bin/java" if home else "java") is None:
        raise BadFile(
            "data.engine",
            rule="spark needs Java, which is not installed",
            value="no java in JAVA_HOME or PATH",
            next_step="Install a Java 17 runtime.",
        )


@contextmanager
def _local_dirs(folder: Path | None) -> Iterator[None]:
    """The variable that goes before `spark.local.dir`, for as long as Java inherits it."""
    name = "SPARK_LOCAL_DIRS"
    before = os.environ.get(name)
    if folder is not None and before is not None:
        os.environ[name] = str(folder)
    try:
        yield
    finally:
        if before is not None:
            os.environ[name] = before


def _end_java(gateway: Any) -> None:  # noqa: ANN401 (Py4J ships no types)
    """Java ends when its input does."""
    gateway.shutdown()
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()
