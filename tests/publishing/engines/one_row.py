"""One row of workers or jobs is added or changed, and all other rows count as before.

For every reader the same: rows of random values, odd ones among them, are written with and without
the change; then for every other worker the rows that count, their places in the code lists, their
numbers and the order in which jobs are kept are compared.
"""

import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st

from leeward.core.codebook import (
    EVERY_STEP,
    Attribute,
    BoundedJobs,
    Codebook,
    EveryJob,
    JobsRule,
    PrimaryJob,
)
from leeward.core.codebook.resources import Resources
from leeward.publishing.engines.counted_rows import readable_tables, tidied
from leeward.publishing.engines.database import Column, Scratch, SqlDatabase, Table, ibis
from leeward.publishing.engines.headers import header_problems
from leeward.publishing.engines.loose_values import value_text
from leeward.publishing.engines.opening import open_database
from leeward.publishing.engines.recoding import code_text, listed_code, whole_pay
from tests.publishing.engines.small import codebook

BOOK = """
nulls: ["?", "9.0", "27", NA]
attributes:
  place: {table: workplaces, public: true, codes: [A, B, C]}
  sex: {table: workers, codes: [F, M, "1", "2", "true", "2.2"]}
  birth:
    {table: workers, type: integer, unit: day, low: 0, cap: 60000, classes: {old: 27, new: 60000}}
  contract: {table: jobs, codes: [T, "1", "2", "2.2"], null_as: T, nulls: ["?"]}
  pay: {table: jobs, type: integer, unit: cent, low: 0, cap: 900, classes: {few: 10, many: 900}}
"""
COLUMNS = {
    "workers": ("worker_id", "sex", "birth"),
    "jobs": ("worker_id", "workplace_id", "contract", "pay", "start"),
}
WORKPLACES = ((9, "A"), (10, "B"), (100, "C"))
WORKERS = tuple(range(101, 105))
RULES: tuple[JobsRule, ...] = (EveryJob(), PrimaryJob("start"), BoundedJobs(1))

Row = tuple[Any, ...]
Sources = Mapping[str, object]

LONG = "x" * 5000
USUAL: Mapping[str, tuple[object, ...]] = {
    "sex": ("F", "M", 1, 2, True),
    "birth": (7, 27, 28, 12000),
    "contract": ("T", 1, 2, 2.2),
    "pay": (0, 10, 11, 250),
    "start": (1, 2, 3),
    "workplace_id": (9, 10, 100),
}
"""What a column is meant for; ids of workers are those of WORKERS, which no odd line has."""

NUMBERS = (0, -1, 1.5, 2.0, 5e-324, 1e300, float("nan"), float("inf"), 2**53 + 1, 10**20)
TEXTS = ("", " ", "?", LONG, "nan", "1e999", "9.0", "009", "Ä", "a\0b", "NULL", "1.1", "#N/A")
DATES = (date(1999, 1, 1), datetime(2001, 2, 3, 4, 5), date(1900, 1, 1))
BLOBS = (b"\xff\xfe", b"F")
OTHERS = (None, None, True, False, Decimal("1.10"), Decimal(9))
"""Odd values of every kind that some reader takes."""


@dataclass(frozen=True)
class Rows:
    """The rows of workers and jobs; a row of bytes is a line of a text file."""

    workers: Sequence[Row | bytes]
    jobs: Sequence[Row | bytes]

    def table(self, name: str) -> Sequence[Row | bytes]:
        rows: Sequence[Row | bytes] = getattr(self, name)
        return rows


@dataclass(frozen=True)
class Reader:
    """How rows are written for a reader, and which values it takes in which columns."""

    write: Callable[[Rows, Mapping[str, str], Path], Sources]
    kinds: Sequence[str] = ("loose",)
    """Types that a column may be declared with; `loose` is none."""

    odd: Mapping[str, Sequence[object]] = field(default_factory=dict)
    """Odd values by type."""

    lines: Sequence[bytes] = ()
    """Odd lines, in place of rows."""

    resources: Resources = field(default_factory=Resources)
    examples: int = 6


FACTOR = settings().max_examples // 100
"""1 in `make test`; more with the profile `long` of `make audit`, which also draws other rows."""


def drawn(reader: Reader) -> settings:
    """How many examples are tried."""
    return settings(
        max_examples=reader.examples * FACTOR, derandomize=FACTOR == 1, phases=[Phase.generate]
    )


def one_row_changes_no_other(reader: Reader, data: st.DataObject) -> None:
    """The property."""
    kinds = {one: data.draw(st.sampled_from(_kinds(reader, one))) for one in _names()}
    table = data.draw(st.sampled_from(["workers", "jobs"]))
    before = _rows(reader, kinds, data)
    old = before.table(table)
    at = data.draw(st.integers(0, len(old)))
    new = data.draw(_odd_row(reader, kinds, table))
    changed = [*old[:at], new, *old[at + 1 :]]
    after = Rows(**{**vars(before), table: changed})
    rule = data.draw(st.sampled_from(RULES))
    touched = {_person(row) for row in (*old[at : at + 1], new)}
    first, second = (_others(reader, rows, kinds, rule, touched) for rows in (before, after))
    assert first, "nothing is compared"
    assert first == second


def _kinds(reader: Reader, column: str) -> list[str]:
    """The types that a column may have: a truth value is no number, and no two ids."""
    may_be_true = column in ("sex", "contract")
    return [one for one in reader.kinds if may_be_true or one != "bool"]


def _names() -> list[str]:
    return list(dict.fromkeys(one for columns in COLUMNS.values() for one in columns))


def _rows(reader: Reader, kinds: Mapping[str, str], data: st.DataObject) -> Rows:
    """Every worker has a plain row and a plain job; others may be odd, or all are plain."""
    if data.draw(st.booleans()):
        reader = replace(reader, odd={})
    workers: list[Row | bytes] = [(one, "F", 7) for one in WORKERS[:2]]
    workers += [
        (one, *(data.draw(_value(reader, kinds, c)) for c in ("sex", "birth")))
        for one in WORKERS[2:]
    ]
    jobs: list[Row | bytes] = [(one, 10, 1, 11, 2) for one in WORKERS]
    for one in WORKERS:
        jobs += [
            (one, *(data.draw(_value(reader, kinds, c)) for c in COLUMNS["jobs"][1:]))
            for _ in range(data.draw(st.integers(1, 2)))
        ]
    typed = {name: [_typed(row, COLUMNS[name], kinds) for row in rows] for name, rows in
             (("workers", workers), ("jobs", jobs))}  # fmt: skip
    return Rows(typed["workers"], typed["jobs"])


def _value(reader: Reader, kinds: Mapping[str, str], column: str) -> st.SearchStrategy[Any]:
    """A value of a column: one that it is meant for, or an odd one of its type."""
    usual = st.sampled_from(USUAL.get(column, WORKERS))
    odd = reader.odd.get(kinds[column], ())
    return usual | st.sampled_from(odd) if odd else usual


def _odd_row(reader: Reader, kinds: Mapping[str, str], table: str) -> st.SearchStrategy[Any]:
    row = st.tuples(*(_value(reader, kinds, one) for one in COLUMNS[table]))
    typed = row.map(lambda one: _typed(one, COLUMNS[table], kinds))
    return typed | st.sampled_from(reader.lines) if reader.lines else typed


def _typed(row: Row | bytes, columns: Sequence[str], kinds: Mapping[str, str]) -> Row | bytes:
    """The row as its declared types allow: what a type cannot hold is missing."""
    if isinstance(row, bytes):
        return row
    return tuple(AS[kinds[one]](value) for one, value in zip(columns, row, strict=True))


def _whole(value: object, most: int = 2**63) -> int | None:
    try:
        found = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return None
    return found if abs(found) < most else None


def _float(value: object) -> float | None:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def _decimal(value: object) -> Decimal | None:
    found = _float(value)
    fits = found is not None and abs(found) < 10**9
    return Decimal(str(found)).quantize(Decimal("0.01")) if fits else None


AS: Mapping[str, Callable[[Any], object]] = {
    "loose": lambda value: value,
    "text": lambda value: value if isinstance(value, str) else value_text(value),
    "int": _whole,
    "int32": lambda value: _whole(value, 2**31 - 100),
    "float": _float,
    "decimal": _decimal,
    "bool": lambda value: None if value is None else bool(value),
}


def _person(row: Row | bytes) -> str | None:
    return None if isinstance(row, bytes) else value_text(row[0])


Counted = Mapping[str, list[tuple[object, ...]]]


def _others(
    reader: Reader, rows: Rows, kinds: Mapping[str, str], rule: JobsRule, touched: set[str | None]
) -> Counted:
    """How the rows of every worker count who has no part in the change."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        book = codebook(folder, BOOK)
        sources = reader.write(rows, kinds, folder)
        with closing(open_database(sources, folder, reader.resources)) as database:
            assert not list(header_problems(database.tables(), book, rule))
            with warnings.catch_warnings(action="ignore"):  # as for every query of a release
                found = _counted(database, book, rule)
    others = {str(one) for one in WORKERS} - touched
    return {person: sorted(held) for person, held in found.items() if person in others}


def _counted(database: SqlDatabase, book: Codebook, rule: JobsRule) -> Counted:
    scratch = Scratch(database)
    tables = tidied(scratch, readable_tables(database, book, rule), book, rule, EVERY_STEP)
    found: dict[str, list[tuple[object, ...]]] = defaultdict(list)
    for name, ids in (("workers", ("worker_id",)), ("jobs", ("worker_id", "workplace_id"))):
        table = tables[name]
        texts = {f"id_{k}": code_text(table[one]) for k, one in enumerate(ids)}
        attributes = [one for one in book.attributes.values() if one.table == name]
        columns = dict(_columns(table, attributes))
        for row in database.rows(table.select(**texts, **columns)):
            person, *rest = row.values()
            found[str(person)].append((name, *("–" if one is None else str(one) for one in rest)))
    scratch.clear()
    return found


def _columns(table: Table, attributes: Sequence[Attribute]) -> list[tuple[str, Column]]:
    """The place of each row in the list of each attribute, or that it is missing; its numbers."""
    missing = [(f"{one.name}_missing", table[one.column].isnull()) for one in attributes]
    places = [(one.name, ibis.coalesce(listed_code(table, one), -1)) for one in attributes]
    numbers = [
        (f"{one.name}_number", whole_pay(table[one.column], one.numbers))
        for one in attributes
        if one.numbers is not None
    ]
    return places + numbers + missing
