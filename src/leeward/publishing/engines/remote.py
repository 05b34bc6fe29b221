"""Remote: three tables of any database that Ibis connects to, in the common way."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from leeward.core.errors import BadFile
from leeward.core.installation import hint, hint_beside
from leeward.publishing.engines.address import IN_FILES, TableAddress
from leeward.publishing.engines.database import (
    Table,
    bytewise,
    closed_on_refusal,
    ibis,
    open_tables,
    small_result,
)
from leeward.publishing.engines.digest import Sha256, digest_rows
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.import_hooks import unblock_pandas

PIECE = 200_000
"""Rows in a piece of a stream."""


class Remote:
    """A connection; derived tables are temporary and vanish with it.

    The driver decides whether a stream is held in memory; the limit of a plan is for DuckDB.
    """

    sha256: Sha256 | None = None
    """How the database hashes, if it can."""

    def __init__(self, addresses: tuple[TableAddress, ...]) -> None:
        first = addresses[0]
        self._digest = ""
        rule = f"must be a {first.scheme} database that answers"
        self._backend = hiding_errors(lambda: _connected(first), "data", rule, public=True)
        with closed_on_refusal(self.close):
            self._opened = open_tables(addresses, self._table)

    def _table(self, name: tuple[str, ...]) -> Table:
        database = name[0] if len(name) > 1 else None
        return bytewise(self._backend.table(name[-1], database=database))

    def tables(self, columns: Mapping[str, tuple[str, ...]] | None = None) -> Mapping[str, Table]:
        return self._opened

    def keep(self, name: str, content: Table | pa.Table) -> Table:
        return self._backend.create_table(name, content, temp=True)

    def drop(self, name: str) -> None:
        self._backend.drop_table(name)

    def rows(self, query: Table) -> list[dict[str, Any]]:
        return small_result(self._backend, query)

    def stream(self, query: Table) -> Iterator[pa.RecordBatch]:
        yield from self._backend.to_pyarrow_batches(query, chunk_size=PIECE)

    def digest(self) -> str:
        self._digest = digest_rows(self, self._opened, self.sha256)
        return self._digest

    def unchanged(self) -> bool:
        return digest_rows(self, self._opened, self.sha256) == self._digest

    def close(self) -> None:
        self._backend.disconnect()


def _connected(address: TableAddress) -> Any:  # noqa: ANN401 (Ibis ships no types)
    unblock_pandas()  # several drivers of Ibis need it
    try:
        url = f"{address.scheme}://{address.url}" if address.scheme in IN_FILES else address.url
        return ibis.connect(url)
    except ImportError:
        raise BadFile(
            "data",
            rule=f"needs the driver for {address.scheme}, which is not installed",
            value="no driver",
            # PostgreSQL's is an extra, others are those of Ibis.
            next_step=hint(address.scheme)
            if address.scheme == "postgres"
            else hint_beside(f"ibis-framework[{address.scheme}]"),
        ) from None
