"""Loose values: cells of sheets, values of SQLite, objects of pandas; each has a type of its own.

A column that had one type for all its values would take it from all rows. So a column of such
values is text, and the text of a value depends on this value only.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa

from leeward.core.errors import BadFile

DAY = timedelta(days=1)
DAY_0 = datetime(1899, 12, 30)
"""The day from which Excel counts days."""

MARCH_1900 = datetime(1900, 3, 1)
"""Excel counts a 29 February 1900, so days before this have a number that is one less."""

MOST_DIGITS = 99
"""A number with more digits before or after its point is written with an exponent."""

LARGEST = 10**MOST_DIGITS
"""A larger whole number is neither an id nor a code."""

OBJECTS = "object"
"""The type of columns of pandas whose values have a type each."""

ABSENT = ("NaTType", "NAType")
"""The types of missing values in pandas, which is not loaded here."""


def value_text(value: object) -> str | None:  # noqa: PLR0911 (a kind of value each)
    """The text of a value; None where it is missing, and where no rule makes a text of it.

    A whole number has its digits, another number its shortest decimal, a date the number of days
    that Excel gives it; true and false are these words. Bytes are no text.
    """
    if isinstance(value, str):
        # A surrogate alone is no text, and UTF-8 has no bytes for it.
        whole = value.isascii() or value.encode(errors="ignore").decode() == value
        return value if whole else None
    if value is None or type(value).__name__ in ABSENT:
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value)) if abs(int(value)) < LARGEST else None
    if isinstance(value, float | np.floating) and value.is_integer() and abs(value) < LARGEST:
        return str(int(value))
    if isinstance(value, float | np.floating):
        return _decimal(Decimal(str(value)))
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, date | time | timedelta):
        return _decimal(Decimal(repr(_days(value))))
    return str(value) if isinstance(value, UUID) else None


def text_array(values: Iterable[object]) -> pa.Array:
    """A column of texts, value by value."""
    return pa.array(map(value_text, values), pa.large_string())


def decoded(raw: bytes, encoding: str = "utf-8") -> str | None:
    """The text of bytes; None where they are no text in this encoding."""
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


def arrow_stream(frame: Any, parameter: str) -> pa.RecordBatchReader:  # noqa: ANN401 (of any library)
    """The rows of a frame: by the Arrow C stream, or as Ibis gives them.

    Columns of pandas whose values have a type each are texts, by value: PyArrow would look for the
    type of such a column in all its rows, and reject several.
    """
    if hasattr(frame, "to_pyarrow_batches"):
        return frame.to_pyarrow_batches()
    if not hasattr(frame, "__arrow_c_stream__"):
        raise BadFile(
            parameter,
            rule="must be a path, or a frame that streams Arrow (pandas, Polars, Arrow, DuckDB, "
            "Ibis)",
            value=f"a {type(frame).__name__}",
            next_step="Give a data frame of one of these libraries, or the path of a file.",
        )
    if type(frame).__module__.partition(".")[0] != "pandas":
        return pa.RecordBatchReader.from_stream(frame)
    from pandas.arrays import ArrowExtensionArray  # type: ignore[import-untyped] # noqa: PLC0415 (whose frame it is)

    whole = frame.copy(deep=False)
    for place, kind in enumerate(frame.dtypes):
        column = frame.iloc[:, place]
        if kind == OBJECTS or getattr(kind, "storage", "") == "python":
            whole.isetitem(place, ArrowExtensionArray(text_array(column)))
        elif getattr(getattr(kind, "categories", None), "dtype", None) == OBJECTS:
            codes = pa.array(column.cat.codes, pa.int64(), mask=(column.cat.codes < 0).to_numpy())
            texts = text_array(kind.categories).take(codes)
            whole.isetitem(place, ArrowExtensionArray(texts))
    return pa.RecordBatchReader.from_stream(whole)


def _decimal(value: Decimal) -> str | None:
    if value.is_nan():
        return None
    if value.is_infinite() or abs(value.adjusted()) > MOST_DIGITS:
        return str(value)
    text = f"{value:f}"
    short = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if short == "-0" else short


def _days(value: date | time | timedelta) -> float:
    """The number that Excel keeps of a date, a time of day or a duration: days and their parts."""
    if isinstance(value, timedelta):
        return value / DAY
    if isinstance(value, time):
        return (datetime.combine(date.min, value.replace(tzinfo=None)) - datetime.min) / DAY
    moment = value if isinstance(value, datetime) else datetime.combine(value, time())
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return (moment - DAY_0) / DAY - (moment < MARCH_1900)
