"""Opening: from the addresses in a plan to the engine that reads them."""

from collections.abc import Callable, Mapping
from pathlib import Path

from leeward.engines.address import FileAddress, TableAddress, read_addresses
from leeward.engines.database import Database
from leeward.engines.embedded import DuckFile, Files
from leeward.engines.engine import Engine
from leeward.engines.ibis_engine import IbisEngine
from leeward.engines.postgres import Postgres
from leeward.engines.remote import Remote

SPECIAL: Mapping[str, Callable[[tuple[TableAddress, ...]], Database]] = {
    "duckdb": DuckFile,
    "postgres": Postgres,
}
"""Databases that have a file of their own here; all others are read in the common way."""


def connect(sources: Mapping[str, str], base: Path) -> Engine:
    """The engine for the tables workplaces, workers and jobs.

    Each source is a Parquet or CSV file, its path relative to `base`; or all three are tables of
    one database, such as `duckdb://file.duckdb#jobs` or `postgres://user@host/db#schema.jobs`.
    """
    addresses = read_addresses(sources, base)
    return IbisEngine(_database(addresses))


def _database(addresses: tuple[FileAddress | TableAddress, ...]) -> Database:
    tables = tuple(one for one in addresses if isinstance(one, TableAddress))
    if not tables:
        return Files(tuple(one for one in addresses if isinstance(one, FileAddress)))
    return SPECIAL.get(tables[0].scheme, Remote)(tables)
