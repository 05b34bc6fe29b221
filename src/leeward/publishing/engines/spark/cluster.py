"""Spark: three tables that a cluster, or Spark on this machine, reads and adds up.

Only aggregates come here, as Arrow. The machines of the cluster need Spark, but no Python and no
package.
"""

import hashlib
import math
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import count, pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from leeward.core.errors import BadFile
from leeward.publishing.engines.address import SparkAddress
from leeward.publishing.engines.database import Table, closed_on_refusal, ibis
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.headers import require_names
from leeward.publishing.engines.spark.session import Session, Worker, open_session

DataFrame = Any
"""A table or a query of PySpark, classic or Connect."""

MARKS = re.compile(r"[{}\[\]*?\\]")
"""Wildcards in a path of Spark."""

PLAIN = "UTF8_BINARY"
"""The collation that compares texts byte by byte."""

WORDS = 8
"""A hash has eight words of 32 bits."""

NUMBERS = count()
"""Numbers of the names that this process has made."""

PARTS = (
    "SELECT min(cell_index) AS low, max(cell_index) AS high, count(*) AS held "
    "FROM (SELECT spark_partition_id() AS part, cell_index FROM {}) GROUP BY part"
)
"""The first and last cell index of each partition, and its number of rows."""

PIECE = 1_000_000
"""Rows in a piece of a stream, roughly."""

CACHED = "InMemoryRelation"
"""The name of a cached table in a query plan of Spark."""

Part = tuple[int, int, int]
"""A partition of a result: its first and last cell index, and its number of rows."""


class Spark:
    """A session of our own; derived tables are cached views and vanish with it."""

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
            self._backend = hiding_errors(lambda: ibis.pyspark.connect(self._session), public=True)
            self._columns = {
                place: hiding_errors(
                    partial(self._look, place), place.parameter, place.rule, public=bool(place.name)
                )
                for place in addresses
            }
            self._tables = {
                place.table: self._backend.table(self._view(place.table)) for place in addresses
            }

    def _view(self, name: str) -> str:
        """A name that no table or view of others has."""
        return f"{name}_{self._mark}"

    def _look(self, address: SparkAddress, name: str = "") -> list[tuple[str, str]]:
        """The names and types of a table as it is now; from here on a view holds its files."""
        view = self._view(name or address.table)

        def work() -> tuple[list[tuple[str, str]], str]:
            frame = table_now(self._session, address)
            require_names(frame.columns, address.parameter)
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
        rows: list[dict[str, Any]]
        rows = self._asked(self._backend.compile(query.as_table())).to_pylist()
        return rows

    def _asked(self, query: str) -> pa.Table:
        return self._worker.ask(lambda: self._session.sql(query).toArrow())

    def stream(self, query: Table) -> Iterator[pa.RecordBatch]:
        """Rows by `cell_index`: sorted and cached by Spark, and fetched one span after the other.

        Spans do not overlap, even if Spark has lost its cache in between and computes it again.
        """
        name = f"leeward_stream_{next(self._names)}"
        view, compiled = self._view(name), self._backend.compile(query)
        self._worker.ask(lambda: self._cache(name, self._session.sql(compiled)))
        try:
            rows = self._asked(PARTS.format(view)).to_pylist()
            parts = [(row["low"], row["high"], row["held"]) for row in rows]
            for low, high in spans(parts, PIECE):
                inside = f"cell_index >= {low} AND cell_index < {high}"
                span = self._asked(f"SELECT * FROM {view} WHERE {inside}")  # noqa: S608 (our own names and numbers)
                order = pc.sort_indices(span["cell_index"])
                yield from span.take(order).combine_chunks().to_batches()
        finally:
            with suppress(KeyError):  # closed before the stream was read
                self.drop(name)

    def digest(self) -> str:
        """Of the tables as they are now; these, and no file that arrives later, are then read."""
        for place, columns in self._columns.items():
            if self._look(place) != columns:
                raise BadFile(
                    place.parameter,
                    rule="must keep its columns while it is read",
                    value="other names or types than a moment ago",
                    next_step="Run it again when nothing writes to the table.",
                )
        self._digest = self._digest_of({place: place.table for place in self._addresses})
        return self._digest

    def unchanged(self) -> bool:
        """Whether the tables, with their files listed again, still have the digest."""
        now = {place: f"leeward_now_{place.table}" for place in self._addresses}
        for place, name in now.items():
            self._look(place, name)
        return self._digest_of(now) == self._digest

    def _digest_of(self, names: Mapping[SparkAddress, str]) -> str:
        """SHA-256 over names, types, and the number and summed SHA-256 of the rows of each table.

        Independent of the order of rows. Spark hashes the rows; nine numbers per table come here.
        """
        whole = hashlib.sha256()
        for place, name in names.items():
            frame = self._session.table(self._view(name))
            sums = self._worker.ask(partial(digest_parts, frame))
            whole.update(repr((place.table, frame.dtypes, sums)).encode())
        return whole.hexdigest()

    def close(self) -> None:
        """Drop what is cached, also in a Spark that goes on; errors of that are ignored."""
        for name in list(self._kept):
            with suppress(Exception):
                self.drop(name)
        self._worker.end()
        with suppress(Exception):
            self._opened.end()


def spans(parts: Iterable[Part], most: int) -> list[tuple[int, int]]:
    """Spans of cell indices, from one to below the next, each of at most about `most` rows.

    Small partitions share a span; large ones are divided evenly.
    """
    edges: set[int] = set()
    last = filled = 0
    for low, high, rows in sorted(parts):
        if not edges or filled + rows > most:
            edges.add(low)
            filled = 0
        pieces = math.ceil(rows / most)
        step = math.ceil((high - low + 1) / pieces)
        edges.update(range(low + step, high + 1, step))
        filled += rows // pieces
        last = max(last, high + 1)
    return list(pairwise(sorted(edges | {last}))) if edges else []


def unique_name() -> str:
    """A name that no other read, engine or process has used; it need not be hard to guess."""
    return f"{time.time_ns():x}_{os.getpid():x}_{next(NUMBERS):x}"


def table_now(session: Session, address: SparkAddress) -> DataFrame:
    """The table as it is now: files are listed again, and texts compared byte by byte.

    Spark takes two reads of a path for the same whatever its files, and would give what any
    session has cached of it. An option that no other read has makes them different.
    """
    reader = session.read.option("leeward", unique_name())
    if address.name:
        name = ".".join(map(quoted, address.name))
        session.catalog.refreshTable(name)
        return _plain_texts(reader.table(name))
    return _plain_texts(reader.parquet(MARKS.sub(r"\\\g<0>", address.url)))


def _plain_texts(frame: DataFrame) -> DataFrame:
    collated = [
        column.name
        for column in frame.schema
        if getattr(column.dataType, "collation", PLAIN) != PLAIN
    ]
    if not collated:
        return frame
    return frame.selectExpr(
        *(
            f"collate({quoted(name)}, '{PLAIN}') AS {quoted(name)}"
            if name in collated
            else quoted(name)
            for name in frame.columns
        )
    )


def digest_parts(frame: DataFrame) -> list[dict[str, int]]:
    """The number and the summed SHA-256 of the rows: nine numbers, computed by Spark."""
    texts = [f"CAST({quoted(name)} AS STRING)" for name in frame.columns]
    # The length before each text keeps columns apart; a null has none.
    parts = [f"coalesce(concat(octet_length({text}), ':', {text}), '-')" for text in texts]
    hashes = frame.selectExpr(f"sha2(concat({', '.join(parts)}), 256) AS hash")
    words = [f"conv(substring(hash, {8 * k + 1}, 8), 16, 10)" for k in range(WORDS)]
    # In int64 up to 2^31 rows.
    sums = (f"coalesce(sum(CAST({word} AS BIGINT)), 0) AS word_{k}" for k, word in enumerate(words))
    row: list[dict[str, int]]
    row = hashes.selectExpr("count(*) AS number", *sums).toArrow().to_pylist()
    return row


def quoted(name: str) -> str:
    """A name as Spark's SQL writes it."""
    return "`" + name.replace("`", "``") + "`"
