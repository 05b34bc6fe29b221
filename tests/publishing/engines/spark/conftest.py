"""One Spark on this machine for all tests that need it; without Java they are skipped."""

import os
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from leeward.publishing.engines.spark.session import open_session

DEFAULTS = """\
spark.master                        local[2]
spark.default.parallelism           2
spark.sql.shuffle.partitions        2
# Queries of a few rows: compiling them takes longer than running them.
spark.sql.codegen.wholeStage        false
spark.sql.codegen.factoryMode       NO_CODEGEN
# Without adaptive plans a query is one job, not several.
spark.sql.adaptive.enabled          false
spark.driver.extraJavaOptions       -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.driver.memory                 1g
# What an office may have set for other work, and what would lose rows in silence.
spark.sql.files.ignoreCorruptFiles  true
spark.sql.files.ignoreMissingFiles  true
spark.sql.parquet.binaryAsString    true
spark.plugins                       org.apache.spark.sql.connect.SparkConnectPlugin
spark.connect.grpc.binding.address  127.0.0.1
spark.connect.grpc.binding.port     {port}
"""


@dataclass(frozen=True)
class Cluster:
    """A session of Spark as an office would have it, and the address where it serves others."""

    session: Any
    remote: str


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    home = os.environ.get("JAVA_HOME")
    if shutil.which(f"{home}/bin/java" if home else "java") is None:
        pytest.skip("no Java for Spark")
    folder, port = tmp_path_factory.mktemp("spark"), free_port()
    (folder / "spark-defaults.conf").write_text(DEFAULTS.format(port=port))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(folder))
        opened = open_session(None)
    yield Cluster(opened.session, f"sc://127.0.0.1:{port}")
    opened.end()


@pytest.fixture
def catalog(spark: Cluster, tmp_path: Path) -> Iterator[str]:
    """A database of Spark's catalog."""
    name = f"office_{abs(hash(tmp_path))}"
    spark.session.sql(f"CREATE DATABASE {name} LOCATION 'file:{tmp_path}/{name}'")
    yield name
    spark.session.sql(f"DROP DATABASE {name} CASCADE")
