"""Spark settings: what every session has, and what keeps a Spark of our own private and silent."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

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
"""What a session of ours has, wherever it runs."""

SILENT = """\
appender.none.type = Null
appender.none.name = none
rootLogger.level = off
rootLogger.appenderRef.none.ref = none
"""
"""Messages of tasks quote rows. Without an appender Spark would fall back to its own settings."""

LOG = "log4j2.configurationFile"
ROOM = "SPARK_EXECUTOR_DIRS"
"""Goes before SPARK_LOCAL_DIRS, wherever that is set, and before `spark.local.dir`."""

JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
"""Java reads the first before its command line and the second after it, so that no setting of
Spark can take back what they say; the second is not known to every Java."""

LOCAL = re.compile(r"local(\[.*\])?")


def log_settings(folder: Path) -> str:
    """Where a Spark of our own finds that it must say nothing."""
    return f"file:{folder / 'log4j2.properties'}"


def variables(folder: Path, given: Mapping[str, str]) -> Mapping[str, str]:
    """What Java must inherit when it is started: it writes into the folder alone and is silent."""
    (folder / "log4j2.properties").write_text(SILENT)
    options = [f"-D{LOG}={log_settings(folder)}", f"-Djava.io.tmpdir={folder}", "-XX:-UsePerfData"]
    words = shlex.join(options)
    found = {name: f"{given.get(name, '')} {words}".strip() for name in JAVA_OPTIONS}
    return found | {ROOM: str(room(folder))}


def room(folder: Path) -> Path:
    """Where blocks and shuffle files go."""
    return folder / "local"


def is_local(known: Mapping[str, str]) -> bool:
    """Whether Spark runs inside one process on this machine."""
    return LOCAL.fullmatch(known["spark.master"]) is not None


def private_settings(folder: Path, known: Mapping[str, str]) -> Mapping[str, str]:
    """Nothing is said; on this machine alone, also nothing is left and nobody else is let in."""
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
