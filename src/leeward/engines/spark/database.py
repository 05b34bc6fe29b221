"""Spark: three tables that a cluster, or Spark on this machine, reads and adds up where they lie.

Only aggregates come here, in Spark's own Arrow. Nothing is asked of the machines that do the work
but Spark: no Python and no package.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import count, pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from leeward.engines.database import closed_on_refusal
from leeward.engines.discretion import discreetly
from leeward.engines.headers import require_distinct
from leeward.engines.relations import Table, ibis
from leeward.engines.spark.address import SparkAddress
from leeward.engines.spark.session import open_session
from leeward.engines.spark.tables import DataFrame, digest_parts, table_now, unique_name
from leeward.engines.spark.worker import Worker
from leeward.errors import BadFile

PIECE = 1_000_000
"""About so many rows come in one piece of a stream."""

CACHED = "InMemoryRelation"
"""What Spark calls in its plans what somebody has cached."""

Part = tuple[int, int, int]
"""A partition of a result: its first and last place, and its rows."""


class Spark:
    """A session of our own; what is derived lies in cached views and vanishes with it."""

    def __init__(self, addresses: tuple[SparkAddress, ...], remote: str | None) -> None:
        self._addresses = addresses
        self._digest = ""
        self._mark = unique_name()
        self._names = count()
        self._kept: dict[str, DataFrame] = {}
        self._opened = open_session(remote)
        self._session = self._opened.session
        self._worker = Worker(self._session.interruptAll)
        with closed_on_refusal(self.close):
            self._backend = discreetly(lambda: ibis.pyspark.connect(self._session), public=True)
            self._columns = {
                one: discreetly(
                    partial(self._look, one), one.parameter, one.rule, public=bool(one.name)
                )
                for one in addresses
            }
            self._tables = {
                one.table: self._backend.table(self._view(one.table)) for one in addresses
            }

    def _view(self, name: str) -> str:
        """A name that no table or view of others has."""
        return f"{name}_{self._mark}"

    def _look(self, address: SparkAddress, name: str = "") -> list[tuple[str, str]]:
        """The names and types of a table as it is now; from here on a view holds its files."""
        view = self._view(name or address.table)

        def work() -> tuple[list[tuple[str, str]], str]:
            frame = table_now(self._session, address)
            require_distinct(frame.columns, address.parameter)
            frame.createOrReplaceTempView(view)
            (plan,) = self._session.sql(f"EXPLAIN SELECT * FROM {view}").toArrow()["plan"]  # noqa: S608 (our own name)
            return frame.dtypes, plan.as_py()

        columns, plan = self._worker.ask(work)
        if CACHED in plan:
            raise BadFile(
                address.parameter,
                rule="must be read anew, not from what somebody has cached in Spark",
                value="a table or view over one that is cached",
                next_step="Run `UNCACHE TABLE`, `unpersist` or `CLEAR CACHE` where it was cached.",
            )
        return columns

    def tables(self, columns: Mapping[str, tuple[str, ...]] | None = None) -> Mapping[str, Table]:
        return self._tables

    def keep(self, name: str, content: Table | pa.Table) -> Table:
        """Computed at once: then Spark knows its size, and brings what is small to the rows."""
        query = None if isinstance(content, pa.Table) else self._backend.compile(content)

        def work() -> None:
            frame = (
                self._session.createDataFrame(content)
                if query is None
                else self._session.sql(query)
            )
            self._cache(name, frame).count()

        self._worker.ask(work)
        return self._backend.table(self._view(name))

    def _cache(self, name: str, frame: DataFrame) -> DataFrame:
        self._kept[name] = frame.persist()
        self._kept[name].createOrReplaceTempView(self._view(name))
        return self._kept[name]

    def drop(self, name: str) -> None:
        frame = self._kept.pop(name)
        self._session.catalog.dropTempView(self._view(name))
        frame.unpersist()

    def rows(self, query: Table) -> list[dict[str, Any]]:
        found: list[dict[str, Any]]
        found = self._asked(self._backend.compile(query.as_table())).to_pylist()
        return found

    def _asked(self, query: str) -> pa.Table:
        return self._worker.ask(lambda: self._session.sql(query).toArrow())

    def stream(self, query: Table) -> Iterator[pa.RecordBatch]:
        """Rows by `place`: sorted and kept where they are, and fetched one span after the other.

        Spans do not overlap whatever Spark does in between, also if it has lost what it kept.
        """
        name = f"leeward_stream_{next(self._names)}"
        view, compiled = self._view(name), self._backend.compile(query)
        self._worker.ask(lambda: self._cache(name, self._session.sql(compiled)))
        try:
            for low, high in spans(self._parts(view), PIECE):
                found = self._asked(f"SELECT * FROM {view} WHERE place >= {low} AND place < {high}")  # noqa: S608 (our own names and numbers)
                yield from found.take(pc.sort_indices(found["place"])).combine_chunks().to_batches()
        finally:
            with suppress(KeyError):  # closed before the stream was read
                self.drop(name)

    def _parts(self, view: str) -> list[Part]:
        parts = f"SELECT spark_partition_id() AS part, place FROM {view}"  # noqa: S608 (our own name)
        found = self._asked(
            "SELECT min(place) AS low, max(place) AS high, count(*) AS held "  # noqa: S608 (our own name)
            f"FROM ({parts}) GROUP BY part"
        )
        return [(row["low"], row["high"], row["held"]) for row in found.to_pylist()]

    def digest(self) -> str:
        """Of the tables as they are now; these, and no file that arrives later, are then read."""
        for one, columns in self._columns.items():
            if self._look(one) != columns:
                raise BadFile(
                    one.parameter,
                    rule="must keep its columns while it is read",
                    value="other names or types than a moment ago",
                    next_step="Run it again when nothing writes to the table.",
                )
        self._digest = self._digest_of({one: one.table for one in self._addresses})
        return self._digest

    def unchanged(self) -> bool:
        """Whether the tables, with their files listed anew, still have the digest."""
        now = {one: f"leeward_now_{one.table}" for one in self._addresses}
        for one, name in now.items():
            self._look(one, name)
        return self._digest_of(now) == self._digest

    def _digest_of(self, names: Mapping[SparkAddress, str]) -> str:
        """SHA-256 over names, types, and the number and summed SHA-256 of the rows of each table.

        Independent of the order of rows. Rows are hashed where they lie; nine numbers come here.
        """
        whole = hashlib.sha256()
        for one, name in names.items():
            frame = self._session.table(self._view(name))
            sums = self._worker.ask(partial(digest_parts, frame))
            whole.update(repr((one.table, frame.dtypes, sums)).encode())
        return whole.hexdigest()

    def close(self) -> None:
        """What is kept is forgotten also where Spark goes on; an error of that is no news."""
        for name in list(self._kept):
            with suppress(Exception):
                self.drop(name)
        self._worker.end()
        with suppress(Exception):
            self._opened.end()


def spans(parts: Iterable[Part], most: int) -> list[tuple[int, int]]:
    """Spans of places, from one to below the next, each with about `most` rows at most.

    Small partitions share a span; large ones are divided evenly.
    """
    edges: set[int] = set()
    last = held = 0
    for low, high, rows in sorted(parts):
        if not edges or held + rows > most:
            edges.add(low)
            held = 0
        pieces = math.ceil(rows / most)
        step = math.ceil((high - low + 1) / pieces)
        edges.update(range(low + step, high + 1, step))
        held += rows // pieces
        last = max(last, high + 1)
    return list(pairwise(sorted(edges | {last}))) if edges else []
