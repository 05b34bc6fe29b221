"""Files as users have them: other encodings, Excel, SAS, Stata, SPSS; all give the same rows."""

import gzip
import stat
from collections.abc import Callable, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest
import xlsxwriter

from leeward.core.codebook.resources import Resources, read_encoding
from leeward.core.errors import BadFile, InvalidParameter, Undisclosed
from leeward.publishing.engines import foreign_files, table_files
from leeward.publishing.engines.address import FileAddress
from leeward.publishing.engines.database import SqlDatabase
from leeward.publishing.engines.opening import open_database

ROWS: list[dict[str, object]] = [
    {"id": "001", "town": "Köln", "county": 44001, "pay": 1.5},
    {"id": "002", "town": None, "county": None, "pay": 2.0},
    {"id": "010", "town": "Łódź", "county": 44003, "pay": None},
]
"""Codes with zeros, letters beyond ASCII, whole numbers with a gap, a fraction, missing values."""

TEXTS = [row | {name: None if row[name] is None else f"{row[name]:g}" for name in ("county", "pay")}
         for row in ROWS]  # fmt: skip
"""The same as a sheet has them: every cell is a text."""

LATIN = ROWS[:2]
"""Those that narrow encodings can write."""


def frame() -> pl.DataFrame:
    return pl.DataFrame(ROWS).with_columns(pl.col("county").cast(pl.Float64))


def workbook(path: Path, sheets: Mapping[str, list[dict[str, object]]]) -> None:
    with xlsxwriter.Workbook(path) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, list(rows[0]))
            for number, row in enumerate(rows, 1):
                sheet.write_row(number, 0, list(row.values()))


def sheet(path: Path) -> None:
    workbook(path, {"one": ROWS})


WRITERS: Mapping[str, Callable[[Path], object]] = {
    ".xlsx": sheet,
    ".dta": lambda path: pyreadstat.write_dta(frame(), path),
    ".sav": lambda path: pyreadstat.write_sav(frame(), path),
    ".xpt": lambda path: pyreadstat.write_xport(frame(), path),
}


def opened(folder: Path, name: str, encoding: str | None = None) -> SqlDatabase:
    allowed = Resources(encoding=encoding)
    return open_database({"jobs": name}, folder, allowed, tables=("jobs",))


def rows(database: SqlDatabase) -> list[dict[str, object]]:
    return database.rows(database.tables()["jobs"].order_by("id"))


def private(database: SqlDatabase) -> list[int]:
    """The modes of the files that were made."""
    made = database._spill.path.glob("file_jobs/*")  # type: ignore[attr-defined]
    return [stat.S_IMODE(one.stat().st_mode) for one in made]


@pytest.mark.parametrize("cells", [4, foreign_files.CELLS])
@pytest.mark.parametrize("end", WRITERS)
def test_its_rows_are_read(
    end: str, cells: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With four cells at a time a row is a piece."""
    monkeypatch.setattr(foreign_files, "CELLS", cells)
    WRITERS[end](tmp_path / f"jobs{end}")
    with closing(opened(tmp_path, f"jobs{end}")) as database:
        assert rows(database) == (TEXTS if end == ".xlsx" else ROWS)
        kinds = [str(kind) for kind in database.tables()["jobs"].schema().values()]
        assert kinds == [
            "string",
            "string",
            *(["string"] * 2 if end == ".xlsx" else ["float64"] * 2),
        ]
        assert private(database) == [0o600]
        one = sha256((tmp_path / f"jobs{end}").read_bytes()).digest()
        file = sha256(one).hexdigest()
        named = sha256(f"{file} ['one']".encode()).hexdigest()
        assert database.digest() == (named if end == ".xlsx" else file)
        WRITERS[end](tmp_path / f"jobs{end}")
        database.digest()
        assert not database.unchanged()  # since it was converted


@pytest.mark.parametrize("end", [".csv", ".tsv.gz"])
@pytest.mark.parametrize("encoding", [None, "cp1252", "latin-1", "utf-16"])
def test_text_is_decoded(end: str, encoding: str | None, tmp_path: Path) -> None:
    mark = "\t" if "tsv" in end else ";"
    # In .tsv a name may hold more commas than there are tabs.
    texts = [["id", "town" if mark == ";" else "a,b,c,d"], ["001", "Köln"], [" 2", "Ärger, viel"]]
    text = "".join(f"{mark.join(row)}\r\n" for row in texts)
    content = text.encode(encoding or "utf-8")
    zipped = end.endswith(".gz")
    (tmp_path / f"jobs{end}").write_bytes(gzip.compress(content) if zipped else content)
    with closing(opened(tmp_path, f"jobs{end}", read_encoding(encoding, "e"))) as database:
        found = database.tables({"jobs": tuple(texts[0])})["jobs"]
        assert database.rows(found.order_by("id")) == [
            dict(zip(texts[0], row, strict=True)) for row in reversed(texts[1:])
        ]
        assert private(database) == ([] if encoding is None else [0o600])


def test_utf_8_with_a_mark_is_utf_8_beside_files_of_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("id;town\n1;Köln\n", encoding="utf-8-sig")
    with closing(opened(tmp_path, "jobs.csv", "cp1252")) as database:
        assert rows(database) == [{"id": "1", "town": "Köln"}]


def test_transport_files_do_not_say_their_encoding(tmp_path: Path) -> None:
    pyreadstat.write_xport(frame().head(2), tmp_path / "jobs.xpt")
    content = (tmp_path / "jobs.xpt").read_bytes()
    narrow = content.replace("Köln".encode(), "Köln ".encode("cp1252"))
    (tmp_path / "jobs.xpt").write_bytes(narrow)
    with closing(opened(tmp_path, "jobs.xpt", "cp1252")) as database:
        assert rows(database)[0]["town"] == "Köln"


def test_text_in_no_such_encoding_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_bytes(b"id\nSECRET\x81\n")
    with pytest.raises(Undisclosed) as caught:
        opened(tmp_path, "jobs.csv", "cp1252")
    assert caught.value.__context__ is None
    assert str(caught.value.inside) == (
        "data.jobs: must be text in cp1252 throughout, as `encoding` says; got 'jobs.csv'. Name "
        "its own encoding, or leave `encoding` out for UTF-8."
    )


@pytest.mark.parametrize(
    ("content", "likely"),
    [
        ("id;Größe\n1;2\n".encode("cp1252"), "cp1252"),
        ("id;Größe\n1;2\n".encode("utf-16"), "utf-16"),
        ("id;Größe\n1;2\n".encode("utf-16-le"), "utf-16-le"),
        ("id;Büro\n1;2\n".encode("cp850"), "cp850"),
    ],
)
def test_the_likely_encoding_is_named_and_right(
    content: bytes, likely: str, tmp_path: Path
) -> None:
    (tmp_path / "jobs.csv").write_bytes(content)
    with pytest.raises(BadFile, match=f"It may be in {likely}: write `encoding: {likely}`"):
        opened(tmp_path, "jobs.csv")
    with closing(opened(tmp_path, "jobs.csv", likely)) as database:
        assert database.tables()["jobs"].columns[1] in ("Größe", "Büro")


def test_an_encoding_has_many_names() -> None:
    assert {read_encoding(one, "e") for one in ("cp1252", "Windows-1252")} == {"cp1252"}
    for wrong in ("base64", "idna", "unicode_escape", "utf_7", "none", "a\0"):
        with pytest.raises(InvalidParameter, match="--encoding: must be an encoding of text"):
            read_encoding(wrong, "--encoding")


def test_a_sheet_is_named_where_there_are_several(tmp_path: Path) -> None:
    workbook(tmp_path / "a.xlsx", {"2025": ROWS, "2026": LATIN})
    with pytest.raises(BadFile, match=r"got the sheets '2025', '2026'\. Write a\.xlsx#2025, or"):
        opened(tmp_path, "a.xlsx")
    with pytest.raises(BadFile, match="must have the sheet '2027'; got the sheets '2025', '2026'"):
        opened(tmp_path, "a.xlsx#2027")
    digests = set()
    for name, held in (("2025", ROWS), ("2026", LATIN)):
        with closing(opened(tmp_path, f"a.xlsx#{name}")) as database:
            assert len(rows(database)) == len(held)
            digests.add(database.digest())
    assert len(digests) == 2  # else the second would pass for what was released before


def test_cells_of_several_kinds_are_texts_and_blank_rows_are_none(tmp_path: Path) -> None:
    mixed: list[dict[str, object]] = [
        {"id": "1", "code": 44001},
        {"id": None, "code": None},
        {"id": "2", "code": "44X"},
        {"id": "3", "code": True},
    ]
    workbook(tmp_path / "jobs.xlsx", {"s": mixed})
    with closing(opened(tmp_path, "jobs.xlsx")) as database:
        assert [row["code"] for row in rows(database)] == ["44001", "44X", "true"]


def test_missing_values_that_users_define_are_nulls(tmp_path: Path) -> None:
    coded = pl.DataFrame({"id": ["1", "2"], "code": pl.Series([7.0, "a"], dtype=pl.Object)})
    pyreadstat.write_dta(coded, tmp_path / "jobs.dta", missing_user_values={"code": ["a"]})
    ranged = pl.DataFrame({"id": ["1", "2"], "code": [7.0, 99.0]})
    pyreadstat.write_sav(ranged, tmp_path / "jobs.sav", missing_ranges={"code": [99]})
    for name in ("jobs.dta", "jobs.sav"):
        with closing(opened(tmp_path, name)) as database:
            assert [row["code"] for row in rows(database)] == [7, None]


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    (tmp_path / "jobs.dta").write_bytes(b"x")
    with pytest.raises(BadFile, match=r"extra `files` is not installed; got no pyreadstat.*files"):
        opened(tmp_path, "jobs.dta")


@pytest.mark.parametrize("end", [*WRITERS, ".sas7bdat"])
def test_a_broken_file_shows_nothing(end: str, tmp_path: Path) -> None:
    (tmp_path / f"jobs{end}").write_bytes(b"SECRET" * 1000)
    with pytest.raises(Undisclosed) as caught:
        opened(tmp_path, f"jobs{end}")
    assert caught.value.inside is not None
    assert "SECRET" not in str(caught.value.inside)


@pytest.mark.parametrize(("hashed", "second"), [(True, "workers.csv"), (False, "jobs.csv")])
def test_a_file_that_is_replaced_before_it_is_converted_has_changed(
    hashed: bool, second: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was hashed before that, or converted for another table: the rows are not those."""
    (tmp_path / "jobs.csv").write_bytes("id;town\n1;Köln\n".encode("latin-1"))
    (tmp_path / "workers.csv").write_bytes("id;town\n1;Köln\n".encode("latin-1"))
    real = foreign_files.readable

    def replacing(address: FileAddress, *rest: Any, **told: Any) -> FileAddress:  # noqa: ANN401
        made = real(address, *rest, **told)
        if address.table == "jobs":
            (tmp_path / second).write_bytes(b"id;town\n2;Ulm\n3;Hof\n")
        return made

    for reads, same in ((real, True), (replacing, False)):
        monkeypatch.setattr(table_files, "readable", reads)
        paths = {"jobs": tmp_path / "jobs.csv", "workers": tmp_path / second}
        addresses = tuple(FileAddress(table, path, "csv") for table, path in paths.items())
        files = table_files.Files(addresses, Resources(encoding="latin-1"), hashed=hashed)
        with closing(files):
            files.digest()
            assert files.unchanged() is same


@pytest.mark.parametrize("stray", [(1, 0), (2, 6), (9, 8)])
def test_cells_beside_all_names_are_no_columns(stray: tuple[int, int], tmp_path: Path) -> None:
    """Known bad: a sheet as wide as its rows, so that one cell of a worker refuses it in public."""
    for name, cells in (("plain", ()), ("stray", (stray,))):
        with xlsxwriter.Workbook(tmp_path / f"{name}.xlsx") as book:
            sheet = book.add_worksheet()
            sheet.write_row(0, 1, list(ROWS[0]))
            for number, row in enumerate(ROWS, 1):
                sheet.write_row(number, 1, list(row.values()))
            for at in cells:
                sheet.write(*at, "x")
    with (
        closing(opened(tmp_path, "plain.xlsx")) as plain,
        closing(opened(tmp_path, "stray.xlsx")) as other,
    ):
        assert rows(other) == rows(plain)
        assert other.tables()["jobs"].schema() == plain.tables()["jobs"].schema()


def test_the_only_sheet_is_the_same_data_with_and_without_its_name(tmp_path: Path) -> None:
    sheet(tmp_path / "jobs.xlsx")
    with (
        closing(opened(tmp_path, "jobs.xlsx")) as one,
        closing(opened(tmp_path, "jobs.xlsx#one")) as same,
    ):
        assert one.digest() == same.digest()


@pytest.mark.parametrize("end", [*WRITERS, ".csv"])
def test_of_a_header_alone_no_row_is_kept_or_seen(end: str, tmp_path: Path) -> None:
    """The byte behind the header is no text in the encoding that is told."""
    path = tmp_path / f"jobs{end}"
    (WRITERS.get(end) or (lambda one: one.write_bytes(b"id;town;county;pay\n\x81")))(path)
    allowed = Resources(encoding="cp1252")
    sources, jobs = {"jobs": path.name}, ("jobs",)
    with closing(open_database(sources, tmp_path, allowed, tables=jobs, headers=jobs)) as database:
        assert list(database.tables()["jobs"].columns) == list(ROWS[0])
        assert rows(database) == []
