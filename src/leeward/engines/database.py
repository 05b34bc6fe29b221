"""Database: the few things that differ from one place of data to the next."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import pyarrow as pa

from leeward.engines.relations import Table


class Database(Protocol):
    """Three tables, a place for what is derived from them, and a way to read it back."""

    def tables(self, columns: Mapping[str, tuple[str, ...]] | None = None) -> Mapping[str, Table]:
        """The three tables; with the columns that will be read, in a form fit for reading often."""

    def keep(self, name: str, content: Table | pa.Table) -> Table:
        """A temporary table that vanishes with the connection."""

    def drop(self, name: str) -> None:
        """Forget a temporary table."""

    def rows(self, query: Table) -> list[dict[str, Any]]:
        """A small result."""

    def stream(self, query: Table) -> Iterator[pa.RecordBatch]:
        """A large result, piece by piece; several may be open at once."""

    def digest(self) -> str:
        """SHA-256 over all that is read."""

    def unchanged(self) -> bool:
        """Whether all is as it was when the digest was made; not if none was."""

    def close(self) -> None:
        """End the connection and remove everything temporary."""


@contextmanager
def closed_on_refusal(close: Callable[[], None]) -> Iterator[None]:
    """Leave no connection or file behind where nobody gets an engine to close."""
    try:
        yield
    except BaseException:
        close()
        raise
