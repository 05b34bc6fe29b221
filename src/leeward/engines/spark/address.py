"""Spark address: where one of the three tables lies, as it is written under `engine: spark`."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from leeward.engines.address import BACKENDS, OF_SPARK, SAME_NAMES, refuse_unreadable
from leeward.errors import BadFile, LeewardError, raise_all
from leeward.model import TABLES


@dataclass(frozen=True)
class SparkAddress:
    """What Spark reads: Parquet at a path or URL, which is not shown, or a table of its catalog."""

    table: str
    url: str
    name: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"SparkAddress({self.table!r}, url not shown, {self.name!r})"

    @property
    def parameter(self) -> str:
        """Its place in the plan."""
        return f"data.{self.table}"

    @property
    def rule(self) -> str:
        """What breaks when Spark does not find it."""
        if self.name:
            return f"must be a table of Spark's catalog; there is no {'.'.join(self.name)!r} in it"
        return "must be a Parquet file, or a folder of them, that Spark can read"


def read_spark_addresses(
    sources: Mapping[str, str], base: Path, *, elsewhere: bool = False
) -> tuple[SparkAddress, ...]:
    """The same for Spark; paths are not looked at if it runs `elsewhere`, at a server."""
    found: list[LeewardError] = []
    addresses: list[SparkAddress] = []
    for table in TABLES:
        try:
            written = sources.get(table, "")
            addresses.append(_read_for_spark(table, written, base))
            (_refuse_relative if elsewhere else _refuse_missing)(addresses[-1], written)
        except LeewardError as problem:
            found.append(problem)
    raise_all(found)
    return tuple(addresses)


def _read_for_spark(table: str, written: str, base: Path) -> SparkAddress:
    scheme, mark, _ = written.partition("://")
    parts = tuple(written[1:].split(".")) if written.startswith("#") else ()
    databases = {*SAME_NAMES, *OF_SPARK, *(one.name for one in entry_points(group=BACKENDS))}
    value, next_step = "", "Write a path such as workplaces.parquet, or #database.table."
    if not written.strip():
        value = "nothing"
    elif parts and (not all(parts) or len(parts) > 3):
        value = repr(written)
    elif mark and scheme.lower() in databases:
        value = f"{scheme.lower()}://… (not shown)"
        next_step = "Leave out `engine: spark`, or register the tables in Spark's catalog."
    elif written.lower().endswith((".csv", ".csv.gz")):
        value = "CSV"
        next_step = "Write the table as Parquet, or register it in Spark's catalog as #table."
    if value:
        raise BadFile(
            f"data.{table}",
            rule="must be Parquet or a table of Spark's catalog under `engine: spark`",
            value=value,
            next_step=next_step,
        )
    # Without a scheme Spark would look where its settings say, such as in HDFS.
    return SparkAddress(table, written if mark else f"file:{(base / written).absolute()}", parts)


def _refuse_relative(address: SparkAddress, written: str) -> None:
    """A server knows nothing of the folder of a plan."""
    if not address.name and "://" not in written and not Path(written).is_absolute():
        raise BadFile(
            address.parameter,
            rule="must be an absolute path or a URL where a server reads it",
            value=repr(written),
            next_step="Write where the server finds it, such as /data/jobs or s3a://bucket/jobs.",
        )


def _refuse_missing(address: SparkAddress, written: str) -> None:
    """Say of a file on this machine what is wrong with it; a folder is looked at by Spark."""
    path = Path(address.url.removeprefix("file:"))
    if not address.name and "://" not in written and not path.is_dir():
        refuse_unreadable(path, address.parameter, written)
