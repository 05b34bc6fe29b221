"""Counts of a file: every rule about rows by hand, whatever the format and the order of rows."""

from pathlib import Path

import duckdb
import numpy as np
import pytest

from leeward.core.codebook import read_codebook
from leeward.publishing.engines.table_files import opened_file
from leeward.systems.synth.counting import NAME, FileCounts
from leeward.systems.synth.domain import Domain
from tests.systems.synth.scene import CODEBOOK, domain

# A byte order mark, quotes, a line break and the separator inside texts; one row is left out.
CONTENT = """\ufeffsex,age,school,pay,height,since
F,old,degree,99,1,2025-01-31
"M","young","no
ne",100,1.25,2026-01-31
,"old",none,5000,1.9999,
x,young,"a,b",-3,7,1999-01-01
M,unborn,none,1,1,2025-01-31
M,,,many,,2025-01-31
"""
EXPECTED = {
    "sex": [2, 3],
    "age": [2, 2, 1],
    "school": [1, 0, 1, 3],
    "pay": [2, 2, 1],
    "since": [2, 1, 2],
    "height": [1, 1, 0, 2, 1],
}


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet", "reversed.csv"])
def test_every_row_counts_by_rules_of_the_codebook(tmp_path: Path, form: str) -> None:
    path, known = tmp_path / f"people.{form}", domain()
    (tmp_path / "plain.csv").write_text(CONTENT)
    text = f"read_csv('{tmp_path}/plain.csv', all_varchar = true, quote = '\"', header = true)"
    order = "ORDER BY height DESC" if form == "reversed.csv" else ""
    duckdb.sql(f"COPY (FROM {text} {order}) TO '{path}'")
    if form == "csv":
        path.write_text(CONTENT)
    groups = [np.arange(size) for size in known.sizes]
    with opened_file(path, NAME) as files:
        counts = FileCounts(files, known)
        found = {name: counts.of([at], groups).tolist() for at, name in enumerate(known.names)}
        assert found == EXPECTED
        both = counts.of([1, 3], [*groups[:3], np.array([0, 0, 1])])
        assert both.tolist() == [[2, 0], [2, 0], [0, 1]]


def test_texts_that_mean_missing_are_missing(tmp_path: Path) -> None:
    """Of codes, of whole and of real numbers; `-7` would be a number below the least."""
    path = tmp_path / "people.csv"
    path.write_text(
        "sex,age,school,pay,height,since\n-,old,none,-7,1,2025-01-31\nM,old,none,99,-7,-\n"
    )
    book = read_codebook({**CODEBOOK, "nulls": ["-", "-7"]})
    known = Domain.of(book, 4)
    groups = [np.arange(size) for size in known.sizes]
    with opened_file(path, NAME) as files:
        counts = FileCounts(files, known)
        found = {name: counts.of([at], groups).tolist() for at, name in enumerate(known.names)}
        assert counts.unlisted() == (0,) * len(known.names)
    assert found["sex"] == [1, 1]  # missing is F
    assert found["pay"] == [1, 0, 1]
    assert found["height"] == [1, 0, 0, 0, 1]
    assert found["since"] == [1, 0, 1]
