"""Java for a Spark of our own: silent, in a private folder, which is removed when it ends.

What spark-defaults.conf, spark-env.sh, PYSPARK_SUBMIT_ARGS and MASTER set is not guessed: Java is
started with the variables that it needs from its first moment, and then asked what it has.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from leeward.core.errors import BadFile
from leeward.publishing.engines.private_file import SpillFolder

SETTINGS = {
    "spark.sql.ansi.enabled": "true",  # an overflow raises
    "spark.sql.caseSensitive": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",  # else rows would be missing in silence
    "spark.sql.files.ignoreInvalidPartitionPaths": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.legacy.parquet.nanosAsLong": "true",  # else such a file could not be opened at all
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # 01 keeps its zero
}
"""Settings of every session of ours, wherever it runs."""

SILENT = """\
appender.none.type = Null
appender.none.name = none
rootLogger.level = off
rootLogger.appenderRef.none.ref = none
"""
"""Log settings: messages of tasks quote rows. Without an appender Spark would use its own."""

LOG = "log4j2.configurationFile"
"""The Java property that names the log settings."""

ROOM = "SPARK_EXECUTOR_DIRS"
"""The variable that overrides SPARK_LOCAL_DIRS, wherever that is set, and `spark.local.dir`."""

JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
"""Java reads the first before its command line and the second after it, so that no setting of
Spark can override them; not every Java knows the second."""

LOCAL = re.compile(r"local(\[.*\])?")
"""A master that is one process on this machine."""

Context = Any
"""A SparkContext of PySpark."""

Gateway = Any
"""The connection of Py4J to Java."""

PATIENCE = 30
"""Seconds that a server may take to answer, and Java to end."""


def launched() -> tuple[Context, Callable[[], None]]:
    """A SparkContext in a new Java, and a function that ends both and removes their files."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415 (loaded if asked for)
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415 (loaded if asked for)

    home = os.environ.get("JAVA_HOME")
    if shutil.which(f"{home}/bin/java" if home else "java") is None:
        raise BadFile(
            "data.engine",
            rule="spark needs Java, which is not installed",
            value="no java in JAVA_HOME or PATH",
            next_step="Install a Java 17 runtime.",
        )
    with ExitStack() as ends:
        folder = _folder(ends, None)
        with _inherited(variables(folder, os.environ)):
            nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            gateway = launch_gateway(None, nowhere)  # type: ignore[no-untyped-call] # has no types
        ends.callback(_end_java, gateway)
        _require_privacy(gateway.jvm, folder)
        conf = SparkConf(_jvm=gateway.jvm)
        known = dict(conf.getAll())
        # Blocks go to a private folder: on the disk that Spark is configured to use, if any.
        from_env = gateway.jvm.java.lang.System.getenv("SPARK_LOCAL_DIRS")
        disks = from_env or known.get("spark.local.dir")
        disk = Path(disks.split(",")[0]) if disks else None
        if disk is not None and (is_local(known) or disk.is_dir()):
            room(folder).symlink_to(_folder(ends, disk), target_is_directory=True)
        else:
            room(folder).mkdir(mode=0o700)
        conf.setAll(list(private_settings(folder, known).items()))
        ends.callback(_forget, gateway)
        with same_signals():
            context = SparkContext(conf=conf, gateway=gateway)
        ends.callback(_stop, context)
        return context, ends.pop_all().close


def _folder(ends: ExitStack, inside: Path | None) -> Path:
    spill = SpillFolder(inside)
    ends.callback(lambda: spill.remove())  # noqa: PLW0108 (holds the folder, which would vanish)
    return spill.path


def _require_privacy(jvm: Any, folder: Path) -> None:  # noqa: ANN401 (Py4J ships no types)
    """Reject a Java with other settings than ours, which spark-env.sh may have set."""
    system = jvm.java.lang.System
    wanted = (log_settings(folder), str(folder), str(room(folder)))
    kept = system.getProperty(LOG), system.getProperty("java.io.tmpdir"), system.getenv(ROOM)
    if kept != wanted:
        raise BadFile(
            "data.engine",
            rule="must be a Spark that keeps its messages and files to itself",
            value="a Java that was told otherwise",
            next_step=f"Look for _JAVA_OPTIONS and {ROOM} in spark-env.sh, and remove them.",
        )


@contextmanager
def _inherited(given: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables while Java is started."""
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def same_signals() -> Iterator[None]:
    """Restore the handler of Ctrl-C, which a new SparkContext replaces."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)


def _stop(context: Context) -> None:
    from pyspark.sql import SparkSession  # noqa: PLC0415 (loaded if asked for)

    root = SparkSession._instantiatedSession
    if root is not None and root._sc is context:
        SparkSession._instantiatedSession = SparkSession._activeSession = None
    if context._jsc is not None:
        context.stop()


def _forget(gateway: Gateway) -> None:
    """Remove the gateway from PySpark, which would go on to call the Java that has ended."""
    from pyspark import SparkContext  # noqa: PLC0415 (loaded if asked for)

    if SparkContext._gateway is gateway:
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None


def _end_java(gateway: Gateway) -> None:
    """Java ends when its input does."""
    try:
        gateway.shutdown()
    finally:
        gateway.proc.stdin.close()
        try:
            gateway.proc.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            gateway.proc.kill()
            gateway.proc.wait()


def log_settings(folder: Path) -> str:
    """The URL of the log settings of a Spark of our own."""
    return f"file:{folder / 'log4j2.properties'}"


def variables(folder: Path, given: Mapping[str, str]) -> Mapping[str, str]:
    """Environment variables of a Java that logs nothing and writes into the folder only."""
    (folder / "log4j2.properties").write_text(SILENT)
    options = [f"-D{LOG}={log_settings(folder)}", f"-Djava.io.tmpdir={folder}", "-XX:-UsePerfData"]
    words = shlex.join(options)
    java = {name: f"{given.get(name, '')} {words}".strip() for name in JAVA_OPTIONS}
    return java | {ROOM: str(room(folder))}


def room(folder: Path) -> Path:
    """The folder for blocks and shuffle files."""
    return folder / "local"


def is_local(known: Mapping[str, str]) -> bool:
    """Whether Spark runs inside one process on this machine."""
    return LOCAL.fullmatch(known["spark.master"]) is not None


def private_settings(folder: Path, known: Mapping[str, str]) -> Mapping[str, str]:
    """Settings of a Spark of our own: no output; locally also no files left, no other users."""
    options = {"spark.ui.showConsoleProgress": "false"}
    if is_local(known):
        options |= {
            "spark.authenticate": "true",  # Spark makes a secret, which stays in its memory
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.eventLog.enabled": "false",
            "spark.local.dir": str(room(folder)),
            "spark.sql.warehouse.dir": known.get("spark.sql.warehouse.dir", f"{folder}/warehouse"),
            "spark.ui.enabled": "false",
        }
    return options
