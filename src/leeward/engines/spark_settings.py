"""Spark settings: what is known before Spark is started, and what keeps it private and silent."""

import os
import shlex
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

SILENT = """\
appender.none.type = Null
appender.none.name = none
rootLogger.level = off
rootLogger.appenderRef.none.ref = none
"""
"""Messages of tasks quote rows. Without an appender Spark would fall back to its own settings."""


def settings_elsewhere() -> Mapping[str, str]:
    """What the environment and spark-defaults.conf say before Spark is started."""
    import pyspark  # noqa: PLC0415 (loaded if asked for)

    home = os.environ.get("SPARK_HOME") or str(Path(pyspark.__file__).parent)
    path = Path(os.environ.get("SPARK_CONF_DIR") or f"{home}/conf") / "spark-defaults.conf"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    found = dict(_setting(line) for line in map(str.strip, lines) if line and line[0] != "#")
    if "MASTER" in os.environ:
        found["spark.master"] = os.environ["MASTER"]
    words = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    for word, following in pairwise(words):
        if word == "--master":
            found["spark.master"] = following
        elif word in ("--conf", "-c"):
            found |= dict([_setting(following)])
    return found


def _setting(line: str) -> tuple[str, str]:
    """A line of a properties file: a key, then blanks, = or :, then its value."""
    length = next((k for k, mark in enumerate(line) if mark in "=: \t"), len(line))
    return line[:length], line[length:].lstrip("=: \t")


def is_local(known: Mapping[str, str]) -> bool:
    """Whether Spark will run inside one process on this machine."""
    return known.get("spark.master", "local").startswith("local")


def private_settings(folder: Path, known: Mapping[str, str]) -> Mapping[str, str]:
    """Nothing is said; on this machine alone, also nothing is left and nobody else is let in."""
    silent = folder / "log4j2.properties"
    silent.write_text(SILENT)
    java = [f"-Dlog4j2.configurationFile=file:{silent}", f"-Djava.io.tmpdir={folder}"]
    words = " ".join(f'"{word}"' for word in (*java, "-XX:-UsePerfData"))
    given = known.get("spark.driver.extraJavaOptions", "")
    options = {
        "spark.driver.extraJavaOptions": f"{given} {words}",
        "spark.ui.showConsoleProgress": "false",
    }
    if is_local(known):
        options |= {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.eventLog.enabled": "false",
            "spark.local.dir": str(folder),
            "spark.sql.warehouse.dir": known.get("spark.sql.warehouse.dir", f"{folder}/warehouse"),
            "spark.ui.enabled": "false",
        }
    return options
