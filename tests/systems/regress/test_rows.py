"""How rows are read: every rule by hand, and the same from CSV and Parquet."""

from fractions import Fraction
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import Codebook, RealRange, read_codebook
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.moments import UNIT, lattice_points
from leeward.publishing.engines.table_files import opened_file
from leeward.systems.regress.cell_points import NAME, NOWHERE, Rows, read_rows
from leeward.systems.regress.regression_request import RegressionRequest
from leeward.systems.regress.setting import Columns

CODEBOOK: dict[str, object] = {
    "attributes": {
        "place": {"table": "workplaces", "public": "true", "codes": ["1", "2", "9"], "other": "9"},
        "rank": {"table": "jobs", "type": "number", "low": "-1", "high": "3", "column": "x"},
    }
}
X = [-1.0, 3.0, 9.0, None, 1.0, float("inf"), float("nan"), 1.0]
Y = [0.0, 1.0, 0.5, 0.5, None, -2.0, 0.5, 0.25]
PLACE = ["1", "1", "1", "1", "1", "2", "2", None]
PLANT = ["a", "a", "b", "b", "b", "a", "c", "d"]


def held(
    folder: Path, kind: str, workplace: str | None = None, nulls: tuple[str, ...] = ()
) -> Rows:
    table = pa.table({"x": X, "y": Y, "place": PLACE, "plant": PLANT})
    path = folder / f"rows.{kind}"
    if kind == "csv":
        rows = zip(X, Y, PLACE, PLANT, strict=True)
        texts = [",".join("" if one is None else str(one) for one in row) for row in rows]
        path.write_text("\n".join(["x,y,place,plant", *texts, ""]).replace("inf", "1e99"))
    else:
        pq.write_table(table, path)
    codebook: Codebook = read_codebook({**CODEBOOK, "nulls": nulls})
    alpha = None if workplace is None else "0.1"
    columns = Columns("rank", "y", "place", workplace)
    request = RegressionRequest(path, columns, "moments", "1", codebook=codebook, alpha=alpha)
    with opened_file(request.file, NAME) as files:
        return read_rows(files, request)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_rows_fall_under_the_rules_of_the_codebook(tmp_path: Path, kind: str) -> None:
    rows = held(tmp_path, kind)
    assert rows.cells == ("1", "2", "9")
    assert rows.cell.tolist() == [0, 0, 0, 0, 0, 1, 1, NOWHERE]
    assert rows.kept.tolist() == [True, True, True, False, False, True, False, False]
    codebook = read_codebook(CODEBOOK)
    sums = rows.establishments(codebook.real("rank"), codebook.real("y"))
    # (−1, −1), (1, 1) and, moved to the end, (1, 0); in the second place (1, −1)
    assert (sums.total() / UNIT).tolist() == [[3, 1, 1.5, 0, 2], [1, 1, 0.5, -1, -1], [0] * 5]
    assert [len(x) for x, _ in rows.by_cell()] == [3, 1, 0]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_texts_that_mean_missing_are_missing(tmp_path: Path, kind: str) -> None:
    """3.0 is a text in CSV, and a number in Parquet; y is not declared."""
    nulls = ("3", "3.0", "7")
    rows = held(tmp_path, kind, nulls=nulls)
    assert rows.kept.tolist() == [True, False, True, False, False, True, False, False]
    plain, listed = (
        RegressionRequest(
            tmp_path / "x.csv",
            Columns("rank", "y", "place", None),
            "moments",
            "1",
            codebook=read_codebook({**CODEBOOK, "nulls": texts}),
        ).digest
        for texts in ((), nulls)
    )
    assert plain != listed


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_establishments_are_workplaces_in_a_cell_with_all_their_rows(
    tmp_path: Path, kind: str
) -> None:
    codebook = read_codebook(CODEBOOK)
    made = held(tmp_path, kind, "plant").establishments(codebook.real("rank"), codebook.real("y"))
    assert made.cell.tolist() == [0, 0, 1, 1]
    assert made.sizes.tolist() == [2, 3, 1, 1]
    assert (made.sums[:, 0] // UNIT).tolist() == [2, 1, 1, 0]
    assert made.largest().tolist() == [3, 1, 0]


def test_ends_come_from_the_codebook_and_no_table_is_by_a_real_number() -> None:
    pay = {"table": "jobs", "type": "integer", "unit": "cent", "cap": "9", "classes": {"all": "9"}}
    attributes = {**cast(dict[str, object], CODEBOOK["attributes"]), "pay": pay}
    book = read_codebook({"attributes": attributes})
    assert book.real("pay") == RealRange("pay", Fraction(0), Fraction(9))
    assert book.real("rank") == RealRange("x", Fraction(-1), Fraction(3))
    assert book.real("other") == RealRange("other", Fraction(0), Fraction(1))
    assert list(book.attributes) == ["place", "pay"]
    with pytest.raises(InvalidParameter, match="must have codes: a column of type number"):
        book.attribute("rank", "by")


def test_the_lattice_rounds_to_the_nearest_point() -> None:
    values = np.array([0.0, 0.0002, 0.00025, 0.5, 0.99976, 1.0, 7.0, -7.0, np.inf, np.nan])
    points = lattice_points(values, Fraction(0), Fraction(1))
    assert points.tolist() == [-1000, -1000, -999, 0, 1000, 1000, 1000, -1000, 1000, -1000]


def test_rows_and_sums_do_not_show_themselves(tmp_path: Path) -> None:
    rows = held(tmp_path, "csv")
    assert "array" not in repr(rows)
    codebook = read_codebook(CODEBOOK)
    assert "array" not in repr(rows.establishments(codebook.real("rank"), codebook.real("y")))
