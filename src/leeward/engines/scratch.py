"""Scratch: temporary tables under names that nobody else has, forgotten together."""

from itertools import count

import pyarrow as pa

from leeward.engines.database import Database
from leeward.engines.relations import Table


class Scratch:
    """Where everything derived from the data is put down."""

    def __init__(self, database: Database, purpose: str = "tabulate") -> None:
        self._database = database
        self._purpose = purpose
        self._numbers = count()
        self._names: list[str] = []

    def keep(self, content: Table | pa.Table) -> Table:
        """Compute a query once, or bring a small table to the data."""
        name = f"leeward_{self._purpose}_{next(self._numbers)}"
        self._names.append(name)
        return self._database.keep(name, content)

    def clear(self) -> None:
        """Forget all of it."""
        while self._names:
            self._database.drop(self._names.pop())
