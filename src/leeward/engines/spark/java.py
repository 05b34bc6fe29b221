"""Spark in a Java of our own: launched without a word, in a private folder, and ended with it.

What spark-defaults.conf, spark-env.sh, PYSPARK_SUBMIT_ARGS and MASTER say is not guessed: Java is
started with what it must know from the first moment on, and then asked what it was told.
"""

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from leeward.engines.spark.settings import (
    LOG,
    ROOM,
    is_local,
    log_settings,
    private_settings,
    room,
    variables,
)
from leeward.engines.spill import SpillFolder
from leeward.errors import BadFile

Context = Any
"""A SparkContext of PySpark."""

Gateway = Any
"""The door of Py4J to Java."""

PATIENCE = 30
"""Seconds that a server may take to answer, and Java to end."""


def launched() -> tuple[Context, Callable[[], None]]:
    """Java and Spark, and what ends both and removes all that they left."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415 (loaded if asked for)
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415 (loaded if asked for)

    _require_java()
    with ExitStack() as ends:
        folder = _folder(ends, None)
        with _inherited(variables(folder, os.environ)):
            nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            gateway = launch_gateway(None, nowhere)  # type: ignore[no-untyped-call] # has no types
        ends.callback(_end_java, gateway)
        _require_privacy(gateway.jvm, folder)
        conf = SparkConf(_jvm=gateway.jvm)
        known = dict(conf.getAll())
        _make_room(ends, folder, gateway.jvm, known)
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


def _make_room(ends: ExitStack, folder: Path, jvm: Any, known: Mapping[str, str]) -> None:  # noqa: ANN401 (Py4J ships no types)
    """Where Spark has been told a disk for its blocks, they lie in a private folder on it."""
    named = jvm.java.lang.System.getenv("SPARK_LOCAL_DIRS") or known.get("spark.local.dir")
    inside = Path(named.split(",")[0]) if named else None
    if inside is not None and (is_local(known) or inside.is_dir()):
        room(folder).symlink_to(_folder(ends, inside), target_is_directory=True)
    else:
        room(folder).mkdir(mode=0o700)


def _require_privacy(jvm: Any, folder: Path) -> None:  # noqa: ANN401 (Py4J ships no types)
    """Refuse a Java that something has told otherwise, such as a line of spark-env.sh."""
    system = jvm.java.lang.System
    wanted = (log_settings(folder), str(folder), str(room(folder)))
    found = system.getProperty(LOG), system.getProperty("java.io.tmpdir"), system.getenv(ROOM)
    if found != wanted:
        raise BadFile(
            "data.engine",
            rule="must be a Spark that keeps its messages and files to itself",
            value="a Java that was told otherwise",
            next_step=f"Look for _JAVA_OPTIONS and {ROOM} in spark-env.sh, and remove them.",
        )


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
def _inherited(given: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for as long as Java is started."""
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
    """A new SparkContext puts its own handler in the place of whoever hears Ctrl-C."""
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
    """PySpark would ask the Java that has ended."""
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
