"""Spark addresses: Parquet at a path or URL, or a table of a catalog, as the plan states them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from leeward.core.codebook import TABLES
from leeward.core.errors import BadFile
from leeward.publishing.engines.address import (
    Address,
    format_of,
    parameter_of,
    split_sheet,
    whole_name,
)
from leeward.publishing.engines.address_reading import (
    OF_SPARK,
    SAME_NAMES,
    known_databases,
    read_each,
    refuse_unreadable,
)

SPARK_READS = "must be Parquet or a table of Spark's catalog under `engine: spark`"


@dataclass(frozen=True)
class SparkAddress(Address):
    """What Spark reads: Parquet at a path or URL, which is not shown, or a table of its catalog."""

    url: str = field(repr=False)
    name: tuple[str, ...] = ()

    @property
    def source(self) -> object:
        """The same of a catalog, which ignores case."""
        name = tuple(map(str.casefold, self.name))
        return self.url, *whole_name(name, "spark_catalog", "default")

    @property
    def rule(self) -> str:
        """The rule that is broken when Spark does not find the table."""
        if self.name:
            return f"must be a table of Spark's catalog; there is no {'.'.join(self.name)!r} in it"
        return "must be a Parquet file, or a folder of them, that Spark can read"


def read_spark_addresses(
    sources: Mapping[str, object],
    base: Path,
    tables: Iterable[str] = TABLES,
    *,
    elsewhere: bool = False,
) -> tuple[SparkAddress, ...]:
    """The addresses under `engine: spark`; `elsewhere` means that a server reads them."""

    def read(table: str) -> SparkAddress:
        given = sources.get(table, "")
        if not isinstance(given, str | Path):
            raise BadFile(
                parameter_of(table),
                rule=SPARK_READS,
                value=f"a {type(given).__name__} in this process",
                next_step="Leave out `engine: spark`, or write the table as Parquet.",
            )
        written = str(given)
        address = _read_for_spark(table, written, base)
        (_refuse_relative if elsewhere else _refuse_missing)(address, written)
        return address

    return read_each(tables, read)


def _read_for_spark(table: str, written: str, base: Path) -> SparkAddress:
    scheme, mark, _ = written.partition("://")
    parts = tuple(written[1:].split(".")) if written.startswith("#") else ()
    databases = {*SAME_NAMES, *OF_SPARK, *known_databases()}
    value, next_step = "", "Write a path such as workplaces.parquet, or #database.table."
    if not written.strip():
        value = "nothing"
    elif parts and (not all(parts) or len(parts) > 3):
        value = repr(written)
    elif mark and scheme.lower() in databases:
        value = f"{scheme.lower()}://… (not shown)"
        next_step = "Leave out `engine: spark`, or register the tables in Spark's catalog."
    elif format_of(split_sheet(written)[0]) not in (None, "parquet"):
        value = f"a file that ends in {Path(split_sheet(written)[0]).suffix}"
        next_step = "Write the table as Parquet, or register it in Spark's catalog as #table."
    if value:
        raise BadFile(parameter_of(table), rule=SPARK_READS, value=value, next_step=next_step)
    # Without a scheme Spark would use its default file system, such as HDFS.
    return SparkAddress(table, written if mark else f"file:{(base / written).absolute()}", parts)


def _refuse_relative(address: SparkAddress, written: str) -> None:
    """Refuse a relative path for a server, which does not know the folder of the plan."""
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
