"""Loose values: cells of sheets, values of SQLite, objects of pandas; each has a type of its own.

A column that had one type for all its values would take it from all rows. So a column of such
values is text, and the text of a value depends on this value only.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral
from uuid import UUID

import numpy as np
import pyarrow as pa

DAY = timedelta(days=1)
DAY_0 = datetime(1899, 12, 30)
"""The day from which Excel counts days."""

MARCH_1900 = datetime(1900, 3, 1)
"""Excel counts a 29 February 1900, so days before this have a number that is one less."""

MOST_DIGITS = 99
"""A number with more digits before or after its point is written with an exponent."""

LARGEST = 10**MOST_DIGITS
"""A larger whole number is neither an id nor a code."""

ABSENT = ("NaTType", "NAType")
"""The types of missing values in pandas, which is not loaded here."""


def value_text(value: object) -> str | None:  # noqa: PLR0911 (a kind of value each)
    """The text of a value; None where it is missing, and where no rule makes a text of it.

    A whole number has its digits, another number its shortest decimal, a date the number of days
    that Excel gives it; true and false are these words. Bytes are no text.
    """
    if isinstance(value, str):
        return value if value.isascii() or _is_unicode(value) else None
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


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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
