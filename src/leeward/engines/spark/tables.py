"""Spark tables: how the three are read, and the digest of their rows."""

import os
import re
import time
from collections.abc import Iterator
from itertools import count
from typing import Any

from leeward.engines.spark.address import SparkAddress
from leeward.engines.spark.session import Session

DataFrame = Any
"""A table or a query of PySpark, classic or Connect."""

MARKS = re.compile(r"[{}\[\]*?\\]")
"""Characters that stand for others in a path of Spark."""

PLAIN = "UTF8_BINARY"
"""The collation that compares texts byte by byte."""

WORDS = 8
"""A hash has eight words of 32 bits."""


NUMBERS = count()


def unique_name() -> str:
    """A name that no other read, engine or process has had; it need not be hard to guess."""
    return f"{time.time_ns():x}_{os.getpid():x}_{next(NUMBERS):x}"


def table_now(session: Session, address: SparkAddress) -> DataFrame:
    """The table as it is now: files are listed anew, and texts compared byte by byte.

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
        one.name for one in frame.schema if getattr(one.dataType, "collation", PLAIN) != PLAIN
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
    """The number and the summed SHA-256 of the rows, hashed where they lie: nine numbers."""
    found: list[dict[str, int]]
    found = _hashed_rows(frame).selectExpr(*_summed_words()).toArrow().to_pylist()
    return found


def _hashed_rows(frame: DataFrame) -> DataFrame:
    """The SHA-256 of each row, from a text that no two rows share which differ in plain columns."""
    texts = [f"CAST({quoted(name)} AS STRING)" for name in frame.columns]
    # The length before each text keeps columns apart; a null has none.
    parts = [f"coalesce(concat(octet_length({text}), ':', {text}), '-')" for text in texts]
    return frame.selectExpr(f"sha2(concat({', '.join(parts)}), 256) AS hash")


def _summed_words() -> Iterator[str]:
    """The number of rows, and the sums of the words of their hashes: in int64 up to 2^31 rows."""
    yield "count(*) AS number"
    for k in range(WORDS):
        word = f"conv(substring(hash, {8 * k + 1}, 8), 16, 10)"
        yield f"coalesce(sum(CAST({word} AS BIGINT)), 0) AS word_{k}"


def quoted(name: str) -> str:
    """A name as Spark's SQL writes it."""
    return "`" + name.replace("`", "``") + "`"
