"""One row leaves how every other row counts as it was, whatever reads the rows."""

import gzip
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd  # type: ignore[import-untyped] # has no types
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from leeward.core.codebook import TABLES
from leeward.core.codebook.resources import Resources
from leeward.publishing.engines import foreign_files
from leeward.publishing.engines.loose_values import text_array
from tests.publishing.engines.cluster import cluster
from tests.publishing.engines.one_row import (
    BLOBS,
    COLUMNS,
    DATES,
    LONG,
    NUMBERS,
    OTHERS,
    TEXTS,
    WORKPLACES,
    Reader,
    Row,
    Rows,
    Sources,
    drawn,
    one_row_changes_no_other,
)

HEADERS = {"workplaces": ("workplace_id", "place"), **COLUMNS}
ARROW = {
    "text": pa.string(),
    "int": pa.int64(),
    "float": pa.float64(),
    "decimal": pa.decimal128(20, 2),
    "bool": pa.bool_(),
}
POSTGRES = {
    "text": "text",
    "int": "bigint",
    "float": "double precision",
    "decimal": "numeric",
    "bool": "boolean",
}
ODD: dict[str, Sequence[object]] = {
    "text": (*TEXTS, None),
    "int": (0, -1, 2**53 + 1, 2**63 - 1, None),
    "int32": (0, -1, 2**31 - 200, None),
    "float": (*(one for one in NUMBERS if isinstance(one, float)), None),
    "decimal": (1.5, -2, 2.2, None),
    "bool": (True, False, None),
}
TYPED = ("text", "int", "float", "decimal", "bool")

LOOSE = (*NUMBERS, *TEXTS, *DATES, *BLOBS, *OTHERS)

PLAIN_LINES = tuple(
    one.encode()
    for one in (
        *("#5,F", "# a comment", "x,F\r", "x", "", "   ", ",", "x,F,", "x,F,,,,,", "x,,,,,,,y"),
        *("5;F", "a\tb,F", "x\0,F,1", "x,F #c,1", "worker_id,sex,birth", "\\N,F,1", "\ufeffx,F,1"),
        *("x,F\rM,1", "x,F,1\r\r", "x,'F',1", "x,F\\,1", "$$,F,1", "\u2028,F,1", "\x1a,F,1"),
        *('"x",F,1', '"x,y",F,1', '"x""y",F,1', 'x"y,F,1', '"x",F', '"x","F","1","2","3"', '"x"'),
        *(f"{LONG},F,1", f"x,{'y' * 2_100_000},1", f"{'z' * 2_100_000}", '"x\r",F,1', "x,F,1,"),
    )
)
"""Lines of which none has a wrong quote."""

ODD_LINES = (
    *PLAIN_LINES,
    *(b'"x,F,1', b'"x"y,F,1', b'x,"F"",1', b'x,"', b'""",F,1', b'"\r', b"x\xff,F,1", b"\xff\xfe"),
)


def tables(rows: Rows) -> Iterator[tuple[str, Sequence[Row | bytes]]]:
    yield "workplaces", WORKPLACES
    yield from ((name, rows.table(name)) for name in COLUMNS)


def line(row: Row | bytes) -> bytes:
    if isinstance(row, bytes):
        return row
    return ",".join("" if one is None else str(one) for one in row).encode()


def csv(rows: Rows, _: Mapping[str, str], folder: Path) -> Sources:
    for name, held in tables(rows):
        lines = [",".join(HEADERS[name]).encode(), *map(line, held)]
        (folder / f"{name}.csv").write_bytes(b"\n".join(lines) + b"\n")
    return {name: f"{name}.csv" for name in TABLES}


def zipped_csv(rows: Rows, kinds: Mapping[str, str], folder: Path) -> Sources:
    for name, written in csv(rows, kinds, folder).items():
        content = (folder / str(written)).read_bytes()
        (folder / f"{name}.csv.gz").write_bytes(gzip.compress(content.replace(b"\n", b"\r\n")))
    return {name: f"{name}.csv.gz" for name in TABLES}


def xlsx(rows: Rows, _: Mapping[str, str], folder: Path) -> Sources:
    for name, held in tables(rows):
        with xlsxwriter.Workbook(folder / f"{name}.xlsx", {"nan_inf_to_errors": True}) as book:
            sheet, day = book.add_worksheet(), book.add_format({"num_format": "yyyy-mm-dd"})
            sheet.write_row(0, 0, HEADERS[name])
            for at, row in enumerate(held, 1):
                for column, value in enumerate(row):
                    if isinstance(value, date):
                        sheet.write_datetime(at, column, value, day)
                    elif isinstance(value, str):
                        sheet.write_string(at, column, value)
                    elif not isinstance(value, bytes):
                        sheet.write(at, column, value)
    return {name: f"{name}.xlsx" for name in TABLES}


SPOILT = "@@BAD@@"
"""Becomes bytes that are no UTF-8 when the file is written."""


def pandas_frames(rows: Rows, kinds: Mapping[str, str]) -> Mapping[str, pd.DataFrame]:
    types = {"text": "str", "int32": "Int32", "float": "float64", "loose": "object"}
    return {
        name: pd.DataFrame(
            {
                column: pd.Series(
                    [row[k] for row in held],
                    dtype=types[kinds.get(column, "int32")] if name != "workplaces" else None,
                )
                for k, column in enumerate(HEADERS[name])
            }
        )
        for name, held in tables(rows)
    }


def spoil(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content.replace(SPOILT.encode(), b"@\xff@@\xfe@@"))


def stata(rows: Rows, kinds: Mapping[str, str], folder: Path) -> Sources:
    for name, frame in pandas_frames(rows, kinds).items():
        pyreadstat.write_dta(frame, folder / f"{name}.dta")
        spoil(folder / f"{name}.dta")
    return {name: f"{name}.dta" for name in TABLES}


def spss(rows: Rows, kinds: Mapping[str, str], folder: Path) -> Sources:
    for name, frame in pandas_frames(rows, kinds).items():
        pyreadstat.write_sav(frame, folder / f"{name}.sav")
        spoil(folder / f"{name}.sav")
    return {name: f"{name}.sav" for name in TABLES}


def arrow(rows: Rows, kinds: Mapping[str, str]) -> dict[str, pa.Table]:
    places = {"workplace_id": pa.int64(), "place": pa.string()}
    declared = {one: ARROW[kind] for one, kind in kinds.items()}
    return {
        name: pa.table(
            {
                column: pa.array(
                    [row[k] for row in held],
                    (places if name == "workplaces" else declared)[column],
                )
                for k, column in enumerate(HEADERS[name])
            }
        )
        for name, held in tables(rows)
    }


def parquet(rows: Rows, kinds: Mapping[str, str], folder: Path) -> Sources:
    for name, table in arrow(rows, kinds).items():
        pq.write_table(table, folder / f"{name}.parquet")
    return {name: f"{name}.parquet" for name in TABLES}


def arrow_frames(rows: Rows, kinds: Mapping[str, str], _: Path) -> Sources:
    return arrow(rows, kinds)


def polars_frames(rows: Rows, kinds: Mapping[str, str], _: Path) -> Sources:
    return {name: pl.from_arrow(table) for name, table in arrow(rows, kinds).items()}


def objects(rows: Rows, kinds: Mapping[str, str], _: Path) -> Sources:
    return pandas_frames(rows, kinds)


def duckdb_file(rows: Rows, kinds: Mapping[str, str], folder: Path) -> Sources:
    with duckdb.connect(str(folder / "office.duckdb")) as connection:
        for name, table in arrow(rows, kinds).items():
            connection.register("rows", table)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")  # noqa: S608
    return {name: f"duckdb://office.duckdb#{name}" for name in TABLES}


def sqlite(rows: Rows, kinds: Mapping[str, str], folder: Path) -> Sources:
    declared = {"loose": "", "text": "TEXT", "int": "BIGINT", "float": "DOUBLE"}
    with closing(sqlite3.connect(folder / "office.db")) as connection:
        for name, held in tables(rows):
            types = [declared[kinds.get(one, "text")] for one in HEADERS[name]]
            header = ", ".join(map(" ".join, zip(HEADERS[name], types, strict=True)))
            connection.execute(f"CREATE TABLE {name} ({header})")
            for row in held:
                connection.execute(*_insertion(name, row))
        connection.commit()
    return {name: f"sqlite://{folder / 'office.db'}#{name}" for name in TABLES}


def _insertion(name: str, row: Iterable[Any]) -> tuple[str, list[Any]]:
    """A statement in which texts are bytes that may be no text."""
    values = [one.replace(SPOILT, "@") if isinstance(one, str) else one for one in row]
    marks = [
        "CAST(x'ff' || ? AS TEXT)" if isinstance(one, str) and SPOILT in one else "?" for one in row
    ]
    return f"INSERT INTO {name} VALUES ({', '.join(marks)})", values  # noqa: S608 (fixed names)


IN_SQLITE = (*(one for one in NUMBERS if one != 10**20), *TEXTS, *BLOBS, None, True, SPOILT)
IN_SHEETS = tuple(one for one in LOOSE if not (isinstance(one, str) and "\0" in one))
STATISTICAL = {
    **ODD,
    "text": (*(one for one in TEXTS if "\0" not in one and one != LONG), "y" * 200, None, SPOILT),
    "float": (*(one for one in ODD["float"] if one not in (1e300, float("inf"))), None),
}

READERS: dict[str, Reader] = {
    "CSV": Reader(csv, odd={"loose": ("?", 1.5, None, "9.0")}, lines=PLAIN_LINES),
    "CSV without quotes": Reader(
        csv, odd={"loose": ('"', 1.5, None)}, lines=ODD_LINES, resources=Resources(quotes="none")
    ),
    "CSV with CRLF, compressed": Reader(zipped_csv, odd={"loose": (None,)}, lines=PLAIN_LINES),
    "XLSX": Reader(xlsx, odd={"loose": IN_SHEETS}),
    "Stata": Reader(stata, ("text", "int32", "float"), STATISTICAL),
    "SPSS": Reader(spss, ("text", "int32", "float"), STATISTICAL),
    "Parquet": Reader(parquet, TYPED, ODD),
    "DuckDB file": Reader(duckdb_file, TYPED, ODD),
    "SQLite": Reader(
        sqlite,
        ("loose", "text", "int", "float"),
        dict.fromkeys(("loose", "text", "int", "float"), IN_SQLITE),
    ),
    "pandas": Reader(
        objects, ("loose", "loose", "text", "int32", "float"), {**ODD, "loose": LOOSE}
    ),
    "Polars": Reader(polars_frames, TYPED, ODD, examples=4),
    "Arrow": Reader(arrow_frames, TYPED, ODD, examples=4),
}


@pytest.mark.parametrize("name", READERS)
def test_one_row_changes_no_other(name: str) -> None:
    @drawn(READERS[name])
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        one_row_changes_no_other(READERS[name], data)

    holds()


def test_a_reader_that_looks_at_all_rows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Known bad: one text among numbers makes other numbers texts, which no class knows."""

    def by_column(values: Iterable[object]) -> pa.Array:
        held = list(values)
        wrong = any(isinstance(one, str) for one in held) and any(
            isinstance(one, float) for one in held
        )
        return text_array([None] * len(held) if wrong else held)

    monkeypatch.setattr(foreign_files, "text_array", by_column)
    monkeypatch.setitem(READERS, "XLSX", replace(READERS["XLSX"], examples=60))
    with pytest.raises(AssertionError):
        test_one_row_changes_no_other("XLSX")


def test_nor_in_postgresql() -> None:
    numbers = count()
    with cluster() as socket:

        def postgres(rows: Rows, kinds: Mapping[str, str], _: Path) -> Sources:
            schema = f"s{next(numbers)}"
            with psycopg.connect(host=str(socket), user="postgres", autocommit=True) as connection:
                connection.execute(f"CREATE SCHEMA {schema}")
                for name, held in tables(rows):
                    types = [POSTGRES[kinds.get(one, "text")] for one in HEADERS[name]]
                    header = ", ".join(map(" ".join, zip(HEADERS[name], types, strict=True)))
                    connection.execute(f"CREATE TABLE {schema}.{name} ({header})")
                    with connection.cursor().copy(f"COPY {schema}.{name} FROM STDIN") as copy:
                        for row in held:
                            copy.write_row(row)
            return {
                name: f"postgres://postgres@/postgres?host={socket}#{schema}.{name}"
                for name in TABLES
            }

        texts = tuple(one for one in TEXTS if "\0" not in one)
        reader = Reader(postgres, TYPED, {**ODD, "text": (*texts, None)}, examples=4)

        @drawn(reader)
        @given(st.data())
        def holds(data: st.DataObject) -> None:
            one_row_changes_no_other(reader, data)

        holds()
