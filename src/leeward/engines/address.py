"""Address: where one of the three tables lies, as it is written in the plan."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Literal

from leeward.errors import BadFile, LeewardError, raise_all, shown
from leeward.model import TABLES

Format = Literal["parquet", "csv"]
SUFFIXES: Mapping[str, Format] = {".parquet": "parquet", ".csv": "csv", ".csv.gz": "csv"}
BACKENDS = "ibis.backends"
IN_FILES = ("duckdb", "sqlite")
"""Databases that are one file, whose address is a path."""

SAME_NAMES = {"postgresql": "postgres"}
OF_SPARK = ("spark", "pyspark", "sc")
"""Addresses of Spark itself, which no table has."""

LAKES = ("hdfs", "s3", "s3a", "gs", "abfs", "abfss", "wasbs", "file")
"""File systems that Spark reads."""


@dataclass(frozen=True)
class FileAddress:
    """A table that is a file."""

    table: str
    path: Path
    format: Format


@dataclass(frozen=True)
class TableAddress:
    """A table of a database; `url` may hold a password and is never shown."""

    table: str
    scheme: str
    url: str
    name: tuple[str, ...]

    def __repr__(self) -> str:
        return f"TableAddress({self.table!r}, {self.scheme!r}, url not shown, {self.name!r})"

    @property
    def parameter(self) -> str:
        """Its place in the plan."""
        return f"data.{self.table}"

    @property
    def rule(self) -> str:
        """What a name that is not there breaks."""
        return f"must be a table of the database; there is no {'.'.join(self.name)!r} in it"


Address = FileAddress | TableAddress


def read_addresses(sources: Mapping[str, str], base: Path) -> tuple[Address, ...]:
    """The addresses of workplaces, workers and jobs; everything wrong with them at once."""
    found: list[LeewardError] = []
    addresses: list[Address] = []
    for table in TABLES:
        try:
            addresses.append(_read(table, sources.get(table, ""), base))
        except LeewardError as problem:
            found.append(problem)
    raise_all(found)
    _refuse_mixture(addresses)
    return tuple(addresses)


def seen_from(written: str, folder: Path) -> str:
    """An address whose path is relative to here, written relative to a folder."""
    if written.startswith("#") and not written.lower().endswith(tuple(SUFFIXES)):
        return written
    scheme, mark, rest = written.partition("://")
    if not mark:
        return _path_from(written, folder)
    if scheme.lower() not in IN_FILES:
        return written
    place, hash_mark, name = rest.partition("#")
    return f"{scheme}{mark}{_path_from(place, folder)}{hash_mark}{name}"


def _path_from(path: str, folder: Path) -> str:
    return path if Path(path).is_absolute() else os.path.relpath(path, folder)


def _read(table: str, written: str, base: Path) -> Address:
    parameter = f"data.{table}"
    if not written.strip():
        raise BadFile(
            parameter,
            rule="must name a file or a table of a database",
            value="nothing",
            next_step="Write a path such as workplaces.parquet.",
        )
    scheme, mark, rest = written.partition("://")
    if scheme.lower() in OF_SPARK or (written.startswith("#") and not (base / written).exists()):
        raise BadFile(
            parameter,
            rule="is read by Spark only if the plan says so",
            value=f"{shown(scheme)} before ://" if mark else repr(written),
            next_step="Write `engine: spark` beside it, and #database.table or a path of Parquet.",
        )
    if mark:
        return _table_address(table, scheme.lower(), rest, base)
    return _file_address(parameter, table, written, base)


def _file_address(parameter: str, table: str, written: str, base: Path) -> FileAddress:
    path = base / written
    kind = next((SUFFIXES[end] for end in SUFFIXES if path.name.lower().endswith(end)), None)
    if kind is None:
        database = path.suffix.lower() in (".duckdb", ".ddb", ".db", ".sqlite")
        raise BadFile(
            parameter,
            rule="must be a file that ends in .parquet, .csv or .csv.gz, or a table of a database",
            value=repr(written),
            next_step=f"Write duckdb://{written}#TABLE for a table of a DuckDB file."
            if database
            else "Write the table as Parquet or CSV.",
        )
    refuse_unreadable(path, parameter, written)
    return FileAddress(table, path, kind)


def refuse_unreadable(path: Path, parameter: str, written: str) -> None:
    """Refuse what is not a file with something in it that may be read.

    The path is shown in full: its end is what tells files apart.
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


def _table_address(table: str, scheme: str, rest: str, base: Path) -> TableAddress:
    parameter = f"data.{table}"
    scheme = SAME_NAMES.get(scheme, scheme)
    known = sorted(point.name for point in entry_points(group=BACKENDS))
    if scheme not in known:
        raise BadFile(
            parameter,
            rule=f"must begin with the name of a database: {', '.join(known)}",
            value=f"{shown(scheme)} before ://",
            next_step="Write `engine: spark`, which reads Parquet there."
            if scheme in LAKES
            else "Take one of them, or the path of a Parquet or CSV file.",
        )
    place, _, name = rest.partition("#")
    parts = tuple(name.split("."))
    if not all(parts) or len(parts) > 2:
        raise BadFile(
            parameter,
            rule="must end in # and the name of a table, or of a schema and a table with a dot",
            value=f"a {scheme} connection (not shown) and {shown(name)}",
            next_step=f"Write {scheme}://…#{table}.",
        )
    if scheme in IN_FILES:
        place = re.sub(r"\?.*$", "", place)
        refuse_unreadable(base / place, parameter, place)
        return TableAddress(table, scheme, str(base / place), parts)
    return TableAddress(table, scheme, f"{scheme}://{place}", parts)


def _refuse_mixture(addresses: list[Address]) -> None:
    places = {one.url if isinstance(one, TableAddress) else "" for one in addresses}
    if len(places) > 1:
        kinds = [one.scheme if isinstance(one, TableAddress) else one.format for one in addresses]
        raise BadFile(
            "data",
            rule="must be three files, or three tables of one and the same database",
            value=", ".join(kinds),
            next_step="Put the three tables in one place.",
        )
