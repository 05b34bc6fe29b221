"""Spark: three tables that a cluster, or Spark on this machine, reads and adds up where they lie.

Only aggregates come here, in Spark's own Arrow. Nothing is asked of the machines that do the work
but Spark: no Python and no package.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import count, pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from leeward.engines.database import closed_on_refusal
from leeward.engines.discretion import discreetly
from leeward.engines.relations import Table, ibis
from leeward.engines.spark_address import SparkAddress
from leeward.engines.spark_session import open_session

PIECE = 1_000_000
"""About so many rows come in one piece of a stream."""

DataFrame = Any
"""A table or a query of PySpark, classic or Connect."""

Part = tuple[int, int, int]
"""A partition of a result: its first and last place, and its rows."""

MARKS = re.compile(r"[{}\[\]*?\\]")
"""Characters that stand for others in a path of Spark."""

WORDS = 8
"""A hash has eight words of 32 bits."""


class Spark:
    """A session of our own; what is derived lies in cached views and vanishes with it."""

    def __init__(self, addresses: tuple[SparkAddress, ...], remote: str | None) -> None:
        self._addresses = addresses
        self._digest = ""
        self._names = count()
        self._kept: dict[str, DataFrame] = {}
        self._opened = open_session(remote)
        self._session = self._opened.session
        with closed_on_refusal(self.close):
            self._backend = discreetly(lambda: ibis.pyspark.connect(self._session))
            self._tables = {
                one.table: discreetly(partial(self._open, one), one.parameter, one.rule)
                for one in addresses
            }

    def _open(self, address: SparkAddress) -> Table:
        name = f"leeward_{address.table}"
        self._frame(address).createOrReplaceTempView(name)
        return self._backend.table(name)

    def _frame(self, address: SparkAddress) -> DataFrame:
        """The table as it is now: files are listed anew."""
        if not address.name:
            return self._session.read.parquet(MARKS.sub(r"\\\g<0>", address.url))
        name = ".".join(map(_quoted, address.name))
        self._session.catalog.refreshTable(name)
        return self._session.table(name)

    def tables(self, columns: Mapping[str, tuple[str, ...]] | None = None) -> Mapping[str, Table]:
        return self._tables

    def keep(self, name: str, content: Table | pa.Table) -> Table:
        """Computed at once: then Spark knows its size, and brings what is small to the rows."""
        if isinstance(content, pa.Table):
            frame = self._session.createDataFrame(content)
        else:
            frame = self._session.sql(self._backend.compile(content))
        self._cache(name, frame).count()
        return self._backend.table(name)

    def _cache(self, name: str, frame: DataFrame) -> DataFrame:
        self._kept[name] = frame.persist()
        self._kept[name].createOrReplaceTempView(name)
        return self._kept[name]

    def drop(self, name: str) -> None:
        frame = self._kept.pop(name)
        self._session.catalog.dropTempView(name)
        frame.unpersist()

    def rows(self, query: Table) -> list[dict[str, Any]]:
        found: list[dict[str, Any]]
        found = self._asked(self._backend.compile(query.as_table())).to_pylist()
        return found

    def _asked(self, query: str) -> pa.Table:
        return self._session.sql(query).toArrow()

    def stream(self, query: Table) -> Iterator[pa.RecordBatch]:
        """Rows by `place`: sorted and kept where they are, and fetched one span after the other.

        Spans do not overlap whatever Spark does in between, also if it has lost what it kept.
        """
        name = f"leeward_stream_{next(self._names)}"
        self._cache(name, self._session.sql(self._backend.compile(query)))
        try:
            for low, high in spans(self._parts(name), PIECE):
                found = self._asked(f"SELECT * FROM {name} WHERE place >= {low} AND place < {high}")  # noqa: S608 (our own names and numbers)
                yield from found.take(pc.sort_indices(found["place"])).combine_chunks().to_batches()
        finally:
            with suppress(KeyError):  # closed before the stream was read
                self.drop(name)

    def _parts(self, name: str) -> list[Part]:
        parts = f"SELECT spark_partition_id() AS part, place FROM {name}"  # noqa: S608 (our own name)
        found = self._asked(
            "SELECT min(place) AS low, max(place) AS high, count(*) AS held "  # noqa: S608 (our own name)
            f"FROM ({parts}) GROUP BY part"
        )
        return [(row["low"], row["high"], row["held"]) for row in found.to_pylist()]

    def digest(self) -> str:
        self._digest = self._digest_now()
        return self._digest

    def unchanged(self) -> bool:
        return self._digest_now() == self._digest

    def _digest_now(self) -> str:
        """SHA-256 over names, types, and the number and summed SHA-256 of the rows of each table.

        Independent of the order of rows. Rows are hashed where they lie; nine numbers come here.
        """
        whole = hashlib.sha256()
        for one in self._addresses:
            frame = self._frame(one)
            sums = hashed_rows(frame).selectExpr(*summed_words()).toArrow().to_pylist()
            whole.update(repr((one.table, frame.dtypes, sums)).encode())
        return whole.hexdigest()

    def close(self) -> None:
        """What is kept is forgotten also where Spark goes on; an error of that is no news."""
        for name in list(self._kept):
            with suppress(Exception):
                self.drop(name)
        with suppress(Exception):
            self._opened.end()


def hashed_rows(frame: DataFrame) -> DataFrame:
    """The SHA-256 of each row, from a text that no two different rows share."""
    texts = [f"CAST({_quoted(name)} AS STRING)" for name in frame.columns]
    # The length before each text keeps columns apart; a null has none.
    parts = [f"coalesce(concat(octet_length({text}), ':', {text}), '-')" for text in texts]
    return frame.selectExpr(f"sha2(concat({', '.join(parts)}), 256) AS hash")


def summed_words() -> Iterator[str]:
    """The number of rows, and the sums of the words of their hashes: in int64 up to 2^31 rows."""
    yield "count(*) AS number"
    for k in range(WORDS):
        word = f"conv(substring(hash, {8 * k + 1}, 8), 16, 10)"
        yield f"coalesce(sum(CAST({word} AS BIGINT)), 0) AS word_{k}"


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


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
