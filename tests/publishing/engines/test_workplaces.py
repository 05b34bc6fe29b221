"""What is asked of workplaces alone: codes of a public column, and the sketch of a frame."""

from dataclasses import replace
from hashlib import md5
from pathlib import Path

import pandas as pd  # type: ignore[import-untyped] # has no types
import polars as pl
import pyarrow as pa
import pytest

from leeward.core.codebook import TABLES, Attribute, Dimension, read_codebook
from leeward.core.errors import BadData
from leeward.publishing.engines import connect, workplaces
from leeward.publishing.engines.code_classes import Integers
from leeward.publishing.engines.database import SqlDatabase
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.opening import open_database
from tests.publishing.engines.small import WRITERS, Economy, codebook, economy, parquet

KEY = "5eed" * 8


def rows(*sectors: str | None) -> Economy:
    made = economy(8)
    workplaces = [
        {"workplace_id": k, "place": f"0{k % 3}", "sector": one, "state_owned": k == 1}
        for k, one in enumerate(sectors)
    ]
    return Economy(workplaces, made.workers, [])


@pytest.mark.parametrize("place", WRITERS)
def test_texts_stand_once_and_in_order(place: str, tmp_path: Path) -> None:
    made = rows("B", None, "ä", "A", "B", "A b", "a")
    with connect(WRITERS[place](made, tmp_path), tmp_path) as engine:
        assert engine.codes("sector") == ("A", "A b", "B", "a", "ä")
        assert engine.codes("place") == ("00", "01", "02")
        assert engine.codes("state_owned") == ("false", "true")
        assert engine.codes("workplace_id") == ("0", "1", "2", "3", "4", "5", "6")


def counted(database: SqlDatabase, *attributes: Attribute) -> tuple[dict[str, Integers], Integers]:
    return hiding_errors(lambda: workplaces.frame_counts(database, attributes), public=True)


@pytest.mark.parametrize("place", WRITERS)
def test_establishments_are_counted_by_public_codes(place: str, tmp_path: Path) -> None:
    """A text outside the list, a null, a coarser code of the same column; ids are not read."""
    declared = {"table": "workplaces", "public": "true"}
    coarse = declared | {"from": "sector", "codes": ["X", "Y"], "map": {"A": "X", "B": "Y"}}
    own = {"sector": declared | {"codes": ["A", "B"], "other": "B", "null_as": "A"}, "all": coarse}
    known = tuple(read_codebook({"attributes": own}).attributes.values())
    sources = WRITERS[place](rows("B", None, "ä", "A", "B"), tmp_path)
    database = open_database(sources, tmp_path, tables=("workplaces",))
    try:
        positions, number = counted(database, *known)
        with pytest.raises(BadData, match="must have the column 'sectr'"):
            counted(database, replace(known[0], column="sectr"))
        with pytest.raises(BadData, match="must hold codes of the codebook; got another text in"):
            counted(database, replace(known[0], unlisted=None))
    finally:
        database.close()
    found = zip(positions["sector"], positions["all"], number, strict=True)
    assert sorted(map(tuple, found)) == [(0, 0, 1), (0, 0, 1), (1, 1, 1), (1, 1, 2)]


def test_a_text_that_means_missing_is_counted_as_a_null(tmp_path: Path) -> None:
    own = {"table": "workplaces", "public": "true", "codes": ["A", "B"], "null_as": "B"}
    book = read_codebook({"nulls": ["-"], "attributes": {"sector": own}})
    sources = WRITERS["parquet"](rows("A", "-", None), tmp_path)
    database = open_database(sources, tmp_path, tables=("workplaces",))
    try:
        positions, number = counted(database, *book.attributes.values())
    finally:
        database.close()
    found = zip(positions["sector"].tolist(), number.tolist(), strict=True)
    assert sorted(found) == [(0, 1), (1, 2)]


@pytest.mark.parametrize(("column", "step"), [("sectr", "'sector'"), ("sex", "mend the codebook")])
def test_columns_of_other_tables_are_not_listed(column: str, step: str, tmp_path: Path) -> None:
    refused = pytest.raises(BadData, match=f"must have the column '{column}'")
    with connect(parquet(rows("A"), tmp_path), tmp_path) as engine, refused as caught:
        engine.codes(column)
    assert step in str(caught.value)


def test_fractions_are_no_codes(tmp_path: Path) -> None:
    made = Economy([{"workplace_id": 1, "pay": 1.5}], [], [])
    refused = pytest.raises(BadData, match="must hold text, whole numbers")
    with connect(parquet(made, tmp_path), tmp_path) as engine, refused as caught:
        engine.codes("pay")
    assert "1.5" not in str(caught.value)


def test_too_many_texts_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workplaces, "MOST_TEXTS", 3)
    with connect(parquet(rows("A", "B", "C", "C"), tmp_path), tmp_path) as engine:
        assert engine.codes("sector") == ("A", "B", "C")
        with pytest.raises(BadData, match="must hold at most 3 different texts"):
            engine.codes("workplace_id")


def true_sketch(ids: list[object], size: int) -> tuple[str, ...]:
    """By the definition, one id after the other."""
    hashes = {md5(f"{KEY}{one}".encode(), usedforsecurity=False).hexdigest() for one in ids}
    return tuple(one[:16] for one in sorted(hashes)[:size])


SPELT = {
    "17": ("17", " 17", "17.0", "0017", "17.000", "00017.0 "),
    "0": ("0", "000", "0.0"),
    "a.0": ("a.0", " a.0"),
    "0x1": ("0x1",),
    "17.5": ("17.5",),
    "-07": ("-07",),
    "1.": ("1.",),
    "": (" ",),
}
"""Plain ids, and how else they are written."""


@pytest.mark.parametrize("place", ["parquet", "sqlite", "duckdb"])
def test_ids_in_plain_form_have_no_blanks_zeros_before_and_zeros_behind(
    place: str, tmp_path: Path
) -> None:
    ids = [one for written in SPELT.values() for one in written]
    made, book = economy(3), codebook(tmp_path)
    workplaces = [made.workplaces[0] | {"workplace_id": one} for one in ids]
    sources = WRITERS[place](Economy(workplaces, made.workers, []), tmp_path)
    with connect(sources, tmp_path) as engine:
        assert engine.frame_sketch(book, KEY, 1024) == true_sketch([*ids], 1024)
        plain = engine.frame_sketch(book, KEY, 1024, plain=True)
    assert plain == true_sketch([*SPELT], 1024)


@pytest.mark.parametrize(
    ("kind", "text_ids"),
    [*((kind, False) for kind in WRITERS), ("parquet", True), ("sqlite", True)],
)
def test_a_sketch_is_the_same_in_every_kind_of_file(
    kind: str, text_ids: bool, tmp_path: Path
) -> None:
    made, book = economy(3, text_ids=text_ids), codebook(tmp_path)
    ids = [row["workplace_id"] for row in made.workplaces]
    with connect(WRITERS[kind](made, tmp_path), tmp_path) as engine:
        for size in (4, 1024):
            assert engine.frame_sketch(book, KEY, size) == true_sketch(ids, size)
        assert engine.frame_sketch(book, KEY[::-1], 4) != true_sketch(ids, 4)
    assert len(ids) > 4


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.Table.from_pylist,
}


@pytest.mark.parametrize("kind", FRAMES)
def test_a_sketch_of_frames_in_memory_is_that_of_files(kind: str, tmp_path: Path) -> None:
    """A second account for the same establishments is rejected whatever holds them."""
    made, book = economy(3), codebook(tmp_path)
    ids = [row["workplace_id"] for row in made.workplaces]
    tables: dict[str, object] = {one: FRAMES[kind](getattr(made, one)) for one in TABLES}
    with connect(tables, tmp_path) as engine:
        assert engine.frame_sketch(book, KEY, 1024) == true_sketch(ids, 1024)


def test_both_ways_are_tried() -> None:
    assert "duckdb" in workplaces.MD5
    assert "sqlite" not in workplaces.MD5


@pytest.mark.parametrize("place", WRITERS)
def test_the_sketch_of_a_part_is_that_of_its_establishments(place: str, tmp_path: Path) -> None:
    """As tables count them: a text outside the list and a null are B and A here."""
    declared = {"table": "workplaces", "public": "true", "codes": ["A", "B"]}
    own = codebook(tmp_path)
    sector = read_codebook(
        {"attributes": {"sector": declared | {"other": "B", "null_as": "A"}}}
    ).attributes["sector"]
    sources = WRITERS[place](rows("B", None, "ä", "A", "B"), tmp_path)
    with connect(sources, tmp_path) as engine:
        whole, *parts = (
            engine.frame_sketch(own, KEY, 1024, part=part)
            for part in (None, *(Dimension.keeping(sector, (code,)) for code in "AB"))
        )
    assert [len(part) for part in (whole, *parts)] == [5, 2, 3]
    assert sorted((*parts[0], *parts[1])) == list(whole)
