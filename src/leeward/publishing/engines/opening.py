"""Opening: from the addresses in a plan to the engine that reads them."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from leeward.core.codebook import TABLES
from leeward.core.codebook.resources import Resources
from leeward.core.errors import InvalidParameter
from leeward.publishing.engines.address import TableAddress
from leeward.publishing.engines.address_reading import read_addresses, read_spark_addresses
from leeward.publishing.engines.database import SqlDatabase
from leeward.publishing.engines.duckdb import DuckFile
from leeward.publishing.engines.engine import Engine
from leeward.publishing.engines.postgres import Postgres
from leeward.publishing.engines.remote import Remote
from leeward.publishing.engines.spark.cluster import Spark
from leeward.publishing.engines.spark.session import chosen_remote
from leeward.publishing.engines.sqlite import Sqlite
from leeward.publishing.engines.table_files import Files

ANYTHING = Resources()

SPECIAL: Mapping[str, Callable[[tuple[TableAddress, ...]], SqlDatabase]] = {
    "postgres": Postgres,
    "sqlite": Sqlite,
}
"""Databases with a class of their own; all others are read in the common way."""


def connect(
    sources: Mapping[str, object],
    base: Path,
    resources: Resources = ANYTHING,
    *,
    tables: tuple[str, ...] = TABLES,
    hashed: bool = False,
    headers: Collection[str] = (),
) -> Engine:
    """The engine for the tables workplaces, workers and jobs, or for some of them.

    Each source is a file, its path relative to `base`, or a frame in this process
    (anything that streams Arrow, a table of Ibis); or all three are tables of one database, such
    as `duckdb://file.duckdb#jobs` or `postgres://user@host/db#schema.jobs`. With `engine: spark`
    each is a path or URL of Parquet, or a table of its catalog (`#db.jobs`). With `hashed` the
    digest of files is begun at once, for one who will ask for it. Of tables in `headers` names and
    types of columns alone are read.
    """
    return Engine(
        open_database(sources, base, resources, tables=tables, hashed=hashed, headers=headers)
    )


def open_database(
    sources: Mapping[str, object],
    base: Path,
    resources: Resources = ANYTHING,
    *,
    tables: tuple[str, ...] = TABLES,
    hashed: bool = False,
    headers: Collection[str] = (),
) -> SqlDatabase:
    """The database that holds these tables."""
    if resources.engine == "spark":
        remote = chosen_remote(resources.remote)
        spark = read_spark_addresses(sources, base, tables, elsewhere=remote is not None)
        return Spark(spark, remote)
    addresses = read_addresses(sources, base, tables)
    stored = tuple(place for place in addresses if isinstance(place, TableAddress))
    if not stored:
        here = tuple(place for place in addresses if not isinstance(place, TableAddress))
        return Files(here, resources, hashed=hashed, headers=headers)
    scheme = stored[0].scheme
    if scheme == "duckdb":
        _refuse_useless(("encoding", "quotes"), scheme, resources)
        return DuckFile(stored, resources)
    _refuse_useless(("engine", "memory", "spill", "encoding", "quotes"), scheme, resources)
    return SPECIAL.get(scheme, Remote)(stored)


def _refuse_useless(options: tuple[str, ...], scheme: str, resources: Resources) -> None:
    """Reject an option that would have no effect."""
    useless = [name for name in options if getattr(resources, name) is not None]
    if useless:
        text = useless[0] in ("encoding", "quotes")
        raise InvalidParameter(
            f"data.{useless[0]}",
            rule="is for CSV files" if text else "is for files and for tables of DuckDB",
            value=f"tables of {scheme}",
            next_step="Leave it out; the database has its own settings.",
        )
