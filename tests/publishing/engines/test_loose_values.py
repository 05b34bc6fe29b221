"""The text of a value follows from the value, and the same cells give the same texts everywhere."""

import sqlite3
import warnings
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest
import xlsxwriter

from leeward.publishing.engines.loose_values import value_text
from leeward.publishing.engines.opening import open_database

NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *(("", ""), ("01", "01"), ("ä", "ä"), ("\ud800", None), (None, None), (b"F", None)),
        *((True, "true"), (np.bool_(False), "false"), (7, "7"), (np.int8(7), "7"), (10**99, None)),
        *((44001.0, "44001"), (-0.0, "0"), (1.5, "1.5"), (1e-5, "0.00001"), (1e300, "1E+300")),
        *((NAN, None), (float("inf"), "Infinity"), (np.float32(1.1), "1.1"), (2.0**60, str(2**60))),
        *((Decimal("1.10"), "1.1"), (Decimal("1E+9999999"), "1E+9999999"), (pd.NA, None)),
        *((date(2000, 1, 1), "36526"), (datetime(2000, 1, 1, 12), "36526.5"), (pd.NaT, None)),
        *((date(1900, 2, 28), "59"), (date(1900, 3, 1), "61"), (time(6), "0.25")),
        (datetime(2000, 1, 1, 12, tzinfo=UTC), "36526.5"),
        (timedelta(days=1, hours=6), "1.25"),
        (UUID(int=7), str(UUID(int=7))),
        ([1], None),
    ],
)
def test_the_text_of_a_value(value: object, text: str | None) -> None:
    assert value_text(value) == text


MIXED: list[object] = [44001, 1.5, "unknown", True, None, date(2000, 1, 1)]
TEXTS = ["44001", "1.5", "unknown", "true", None, "36526"]


def test_a_sheet_and_a_frame_give_the_same_texts(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "jobs.xlsx", {"default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["id", "code"])
        for k, value in enumerate(MIXED, 1):
            sheet.write_row(k, 0, [f"{k}", value])
        sheet.write_row(7, 0, ["7"])
        sheet.write_formula(7, 1, "=1/0", None, "#DIV/0!")
    ids = [f"{k}" for k in range(1, 8)]
    frame = pd.DataFrame({"id": ids, "code": pd.Series([*MIXED, b"\xff"], dtype=object)})
    listed = frame.assign(code=pd.Categorical([*MIXED, None], categories=MIXED[:4] + MIXED[5:]))
    for source in ("jobs.xlsx", frame, listed):
        with closing(open_database({"jobs": source}, tmp_path, tables=("jobs",))) as database:
            found = database.rows(database.tables()["jobs"].order_by("id"))
        assert [row["code"] for row in found] == [*TEXTS, None]


def test_columns_of_sqlite_without_a_type_are_texts(tmp_path: Path) -> None:
    """Known bad: Ibis takes the type of the first row for that of all."""
    held = [7, 1.5, "unknown", b"\xff", None, "ä"]
    for rows in (held, held[::-1], []):
        (tmp_path / "x.db").unlink(missing_ok=True)
        with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
            connection.execute("CREATE TABLE jobs (code)")
            connection.executemany("INSERT INTO jobs VALUES (?)", [(one,) for one in rows])
            connection.execute("INSERT INTO jobs VALUES (CAST(x'61ff' AS TEXT))")
            connection.execute("INSERT INTO jobs VALUES (CAST(x'6100ff' AS TEXT))")
            connection.commit()
        source = {"jobs": f"sqlite://{tmp_path / 'x.db'}#jobs"}
        with (
            warnings.catch_warnings(action="ignore"),  # of Ibis about pandas
            closing(open_database(source, tmp_path, tables=("jobs",))) as database,
        ):
            table = database.tables()["jobs"]
            texts = [piece.to_pylist() for piece in database.stream(table)]
        found = [row["code"] for piece in texts for row in piece]
        expected = [one if isinstance(one, str) else value_text(one) for one in rows]
        assert found == [*expected, None, None]
