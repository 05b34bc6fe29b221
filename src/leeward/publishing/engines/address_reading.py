"""Address reading: from what a plan or a command writes to addresses, and what is wrong with it.

Under `engine: spark` a source is Parquet at a path or URL, or a table of a catalog.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import entry_points
from itertools import combinations
from pathlib import Path
from typing import TypeVar

from leeward.core.codebook import TABLES
from leeward.core.errors import BadFile, LeewardError, raise_all, shown
from leeward.publishing.engines.address import (
    ENDINGS,
    IN_FILES,
    SUFFIXES,
    Address,
    FileAddress,
    FrameAddress,
    SparkAddress,
    TableAddress,
    format_of,
    parameter_of,
    split_sheet,
)

BACKENDS = "ibis.backends"
"""The entry points by which Ibis knows its databases."""

SAME_NAMES = {"postgresql": "postgres"}
OF_SPARK = ("spark", "pyspark", "sc")
"""Schemes of Spark itself, which are no addresses of tables."""

LAKES = ("hdfs", "s3", "s3a", "gs", "abfs", "abfss", "wasbs", "file")
"""File systems that Spark reads."""


AnyAddress = TypeVar("AnyAddress", bound=Address)


ONE_SOURCE = {
    "workplaces": (
        "the list of workplaces is public, and one that is made from workers or jobs shows which "
        "establishments have an employee",
        "Take the list of all establishments from a public register.",
    ),
    "workers": (
        "one more row of jobs would change what other jobs of that worker count as",
        "Write workers and jobs as two tables; of one table of employees "
        "`leeward init --workers FILE` makes them.",
    ),
}
"""Why a table must not be the source of another one too, and what to do."""


def read_each(tables: Iterable[str], read: Callable[[str], AnyAddress]) -> tuple[AnyAddress, ...]:
    """The addresses of the tables; everything wrong with them at once."""
    problems: list[LeewardError] = []
    addresses: list[AnyAddress] = []
    for table in tables:
        try:
            addresses.append(read(table))
        except LeewardError as problem:
            problems.append(problem)
    raise_all(problems)
    return tuple(addresses)


def read_addresses(
    sources: Mapping[str, object], base: Path, tables: Iterable[str] = TABLES
) -> tuple[FileAddress | FrameAddress | TableAddress, ...]:
    """The addresses of files or frames, or of tables of one database; each has its own source."""
    addresses = read_each(tables, lambda table: _read(table, sources.get(table, ""), base))
    databases = {place.url if isinstance(place, TableAddress) else "" for place in addresses}
    if len(databases) > 1:
        raise BadFile(
            "data",
            rule="must be three files or frames, or three tables of one and the same database",
            value=", ".join(place.kind for place in addresses),
            next_step="Put the three tables in one place.",
        )
    # With one source for two tables, a row of one would be a row of the other.
    for first, second in combinations(addresses, 2):
        if second.is_same(first):
            why, step = ONE_SOURCE[first.table]
            raise BadFile(
                second.parameter,
                rule=f"must be another table than {first.parameter}: {why}",
                value="the same source",
                next_step=step,
            )
    return addresses


def seen_from(written: str, folder: Path) -> str:
    """An address whose path is relative to here, written relative to a folder."""
    if written.startswith("#") and not written.lower().endswith(tuple(SUFFIXES)):
        return written
    scheme, mark, rest = written.partition("://")
    if mark and scheme.lower() not in IN_FILES:
        return written
    path, hash_mark, name = rest.partition("#") if mark else (written, "", "")
    moved = path if Path(path).is_absolute() else os.path.relpath(path, folder)
    return f"{scheme}{mark}{moved}{hash_mark}{name}" if mark else moved


def _read(table: str, written: object, base: Path) -> FileAddress | FrameAddress | TableAddress:
    if isinstance(written, Path):
        return _file_address(table, str(written), base)
    if not isinstance(written, str):
        return FrameAddress(table, written)
    if not written.strip():
        raise BadFile(
            parameter_of(table),
            rule="must name a file or a table of a database",
            value="nothing",
            next_step="Write a path such as workplaces.parquet.",
        )
    scheme, mark, rest = written.partition("://")
    if scheme.lower() in OF_SPARK or (written.startswith("#") and not (base / written).exists()):
        raise BadFile(
            parameter_of(table),
            rule="is read by Spark only if `engine` says so",
            value=f"{shown(scheme)} before ://" if mark else repr(written),
            next_step="Write `engine: spark`, or --engine spark, and #database.table or a path of "
            "Parquet.",
        )
    if mark:
        return _table_address(table, scheme.lower(), rest, base)
    return _file_address(table, written, base)


def _file_address(table: str, written: str, base: Path) -> FileAddress:
    file, sheet = split_sheet(written)
    path, kind = base / file, format_of(file)
    if kind is None:
        database = path.suffix.lower() in (".duckdb", ".ddb", ".db", ".sqlite")
        raise BadFile(
            parameter_of(table),
            rule=f"must be a file that ends in {ENDINGS}, or a table of a database",
            value=repr(written),
            next_step=f"Write duckdb://{written}#TABLE for a table of a DuckDB file."
            if database
            else "Write the table as Parquet or CSV.",
        )
    refuse_unreadable(path, parameter_of(table), file)
    return FileAddress(table, path, kind, sheet)


def refuse_unreadable(path: Path, parameter: str, written: str) -> None:
    """Reject a path that is not a readable file with some content.

    The path is shown in full: files often differ in its end only.
    """
    try:
        state = path.stat()
        rule = "must be a file, not a folder" if path.is_dir() else ""
        if not rule and state.st_size == 0:
            rule = "must not be an empty file"
        if not rule:
            path.open("rb").close()
    except FileNotFoundError:
        rule = "must be a file that exists"
    except (OSError, ValueError) as error:
        rule = f"must be a file that can be opened ({getattr(error, 'strerror', 'bad name')})"
    if rule:
        raise BadFile(
            parameter, rule=rule, value=repr(written), next_step="Look at the name and the file."
        )


def known_databases() -> set[str]:
    """The databases that Ibis knows here."""
    return {point.name for point in entry_points(group=BACKENDS)}


def _table_address(table: str, scheme: str, rest: str, base: Path) -> TableAddress:
    parameter = parameter_of(table)
    scheme = SAME_NAMES.get(scheme, scheme)
    known = sorted(known_databases())
    if scheme not in known:
        raise BadFile(
            parameter,
            rule=f"must begin with the name of a database: {', '.join(known)}",
            value=f"{shown(scheme)} before ://",
            next_step="Write `engine: spark`, or --engine spark, which reads Parquet there."
            if scheme in LAKES
            else "Take one of them, or the path of a Parquet or CSV file.",
        )
    where, _, name = rest.partition("#")
    parts = tuple(name.split("."))
    if not all(parts) or len(parts) > 2:
        raise BadFile(
            parameter,
            rule="must end in # and the name of a table, or of a schema and a table with a dot",
            value=f"a {scheme} connection (not shown) and {shown(name)}",
            next_step=f"Write {scheme}://…#{table}.",
        )
    if scheme in IN_FILES:
        path = re.sub(r"\?.*$", "", where)
        refuse_unreadable(base / path, parameter, path)
        return TableAddress(table, scheme, str(base / path), parts)
    return TableAddress(table, scheme, f"{scheme}://{where}", parts)


SPARK_READS = "must be Parquet or a table of Spark's catalog under `engine: spark`"


def read_spark_addresses(
    sources: Mapping[str, object],
    base: Path,
    tables: Iterable[str] = TABLES,
    *,
    elsewhere: bool = False,
) -> tuple[SparkAddress, ...]:
    """The addresses under `engine: spark`; `elsewhere` means that a server reads them."""

    def read(table: str) -> SparkAddress:
        source, parameter = sources.get(table, ""), parameter_of(table)
        if not isinstance(source, str | Path):
            raise BadFile(
                parameter,
                rule=SPARK_READS,
                value=f"a {type(source).__name__} in this process",
                next_step="Leave out `engine: spark`, or write the table as Parquet.",
            )
        address, path = _spark_address(table, str(source), base), Path(source)
        if address.name or "://" in str(source):
            return address
        if not elsewhere:
            # A folder is looked at by Spark.
            if not (base / path).is_dir():
                refuse_unreadable((base / path).absolute(), parameter, str(source))
        elif not path.is_absolute():
            raise BadFile(
                parameter,
                rule="must be an absolute path or a URL where a server reads it",
                value=repr(str(source)),
                next_step="Write where the server finds it, such as /data/jobs or "
                "s3a://bucket/jobs.",
            )
        return address

    return read_each(tables, read)


def _spark_address(table: str, written: str, base: Path) -> SparkAddress:
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
