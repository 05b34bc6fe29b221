import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.publishing.bundle import verify_bundle
from tests.publishing.bundle.made_up import write_demo
from tests.publishing.bundle.tampering import Row, relist, reseal, rewrite, stated

FILES = [
    *("README.txt", "certificate.json", "certificate.schema.json", "checksums.txt"),
    *(
        f"tables/{table}.{kind}"
        for table in ("by_place", "by_sex", "total")
        for kind in ("csv", "csv-metadata.json", "parquet")
    ),
    "version_demo.txt",
]


def test_a_sealed_bundle_is_sound_and_has_exactly_these_files(demo: Path) -> None:
    assert verify_bundle(demo) == ()
    found = sorted(str(path.relative_to(demo)) for path in demo.rglob("*") if path.is_file())
    assert found == sorted(FILES)


def test_a_bundle_may_be_moved_and_renamed(demo: Path, tmp_path: Path) -> None:
    demo.rename(tmp_path / "other name")
    assert verify_bundle(tmp_path / "other name") == ()


def test_a_report_may_be_added_and_nothing_else(demo: Path) -> None:
    (demo / "report.html").write_text("<p>")
    assert verify_bundle(demo) == ()
    (demo / "notes.txt").write_text("more")
    assert verify_bundle(demo) == ("'notes.txt' does not belong to the bundle",)


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_is_found_wherever_it_is(demo: Path, name: str) -> None:
    path = demo / name
    content = path.read_bytes()
    step = max(1, len(content) // 9)
    for at in [*range(0, len(content), step), len(content) - 1]:
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert verify_bundle(demo), at
    path.write_bytes(content)
    assert verify_bundle(demo) == ()


def test_a_missing_file_is_found(demo: Path) -> None:
    for name in FILES:
        content = (demo / name).read_bytes()
        (demo / name).unlink()
        assert f"{name} is missing" in verify_bundle(demo)
        (demo / name).write_bytes(content)


@pytest.mark.parametrize("content", [b"", b"\0\xff\xfe junk" * 99, b"[" * 200_000], ids=len)
def test_junk_is_a_finding_and_never_an_exception(demo: Path, content: bytes) -> None:
    for number, name in enumerate(FILES):
        copy = shutil.copytree(demo, demo.parent / str(number) / "demo")
        (copy / name).write_bytes(content)
        assert verify_bundle(copy), name
        if name not in ("certificate.json", "checksums.txt", "README.txt"):
            reseal(copy)
            assert verify_bundle(copy), name


def test_a_link_in_place_of_a_file_is_refused(demo: Path, tmp_path: Path) -> None:
    for name in FILES:
        (demo / name).rename(tmp_path / "elsewhere")
        (demo / name).symlink_to(tmp_path / "elsewhere")
        assert any("is a link" in finding for finding in verify_bundle(demo)), name
        (tmp_path / "elsewhere").replace(demo / name)


def test_links_folders_and_pipes_are_refused_without_opening_them(demo: Path) -> None:
    (demo / "loop").symlink_to(demo)
    (demo / "more").mkdir()
    os.mkfifo(demo / "tables" / "pipe")
    assert len([one for one in verify_bundle(demo) if "does not belong there" in one]) == 3
    (demo / "certificate.json").unlink()
    os.mkfifo(demo / "certificate.json")
    assert verify_bundle(demo)


def test_a_linked_tables_folder_is_refused(demo: Path, tmp_path: Path) -> None:
    (demo / "tables").rename(tmp_path / "tables")
    (demo / "tables").symlink_to(tmp_path / "tables")
    assert "'tables' is a link or a folder that does not belong there" in verify_bundle(demo)


def test_what_is_no_folder_is_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert verify_bundle(tmp_path / "file") == ("it is not a folder",)
    assert verify_bundle(tmp_path / "none") == ("it is not a folder",)
    assert verify_bundle(tmp_path) == ("certificate.json is missing",)


def test_a_partial_folder_is_refused_even_if_all_files_are_there(tmp_path: Path) -> None:
    hidden = tmp_path / ".demo.partial-77-0"
    hidden.mkdir()
    write_demo(hidden / "demo")
    assert [one for one in verify_bundle(hidden / "demo") if "broke off" in one]
    shutil.move(hidden / "demo", tmp_path / ".demo.partial-78-1")
    assert [one for one in verify_bundle(tmp_path / ".demo.partial-78-1") if "broke off" in one]


def swapped(rows: list[Row]) -> list[Row]:
    return [rows[0], rows[2], rows[1], *rows[3:]]


def changed(row: int, **fields: object) -> Callable[[list[Row]], list[Row]]:
    def change(rows: list[Row]) -> list[Row]:
        return [one | fields if at == row else one for at, one in enumerate(rows)]

    return change


def without(*dropped: int) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [one for at, one in enumerate(rows) if at not in dropped]


ORDER = "has rows that are missing, repeated or not in the order of the codes"
COUNT = "has a number of rows that cannot hold every combination of codes"


@pytest.mark.parametrize(
    ("table", "change", "finding"),
    [
        ("by_sex", swapped, ORDER),
        ("by_place", swapped, ORDER),
        ("by_sex", changed(3, sex="X"), "has codes that the certificate does not list"),
        ("by_sex", changed(3, sex="M"), ORDER),
        ("by_sex", changed(3, place=None), "has rows with an empty field"),
        ("by_sex", changed(3, value=None), "has rows with an empty field"),
        ("by_sex", without(2), COUNT),
        ("by_sex", without(2, 5, 9, 11), ORDER),
        ("by_sex", lambda rows: [*rows, *rows[-4:]], ORDER),
        ("by_sex", lambda rows: rows[4:] + rows[:4], ORDER),
        ("by_place", without(2), COUNT),
        ("by_sex", changed(3, status=5), "has status flags other than 1 and -2"),
        ("by_sex", changed(3, margin=-1), "has margins below 0"),
        ("by_sex", changed(3, margin=None), "has margins where status is -2, or lacks them"),
        ("by_place", changed(2, margin=3), "has margins where status is -2, or lacks them"),
        ("by_place", changed(2, value=3), "has a value other than 0 where there is no"),
        ("by_sex", changed(3, status=-2, value=0, margin=None), "has different flags in one"),
        ("total", changed(0, status=-2, value=0), "has rows without an establishment, though"),
    ],
)
def test_rows_that_were_changed_together_with_every_checksum_are_found(
    demo: Path, table: str, change: Callable[[list[Row]], list[Row]], finding: str
) -> None:
    rewrite(demo, table, change)
    found = verify_bundle(demo)
    assert [one for one in found if one.startswith(f"the table {table} {finding}")], found


def test_the_tampering_itself_leaves_a_sound_bundle(demo: Path) -> None:
    rewrite(demo, "by_sex", changed(3, value=12345))
    assert verify_bundle(demo) == ()  # noise cannot be checked; everything else was kept


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("E1,-20,", "E1,-21,"),
        lambda text: text + "05,11,M,E1,1,1,1\n",
        lambda text: text[:-1],
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("01001", '"01001"'),
        lambda text: text.replace("place,sector", "sector,place"),
    ],
)
def test_a_csv_that_differs_from_the_parquet_is_found(
    demo: Path, change: Callable[[str], str]
) -> None:
    path = demo / "tables" / "by_sex.csv"
    path.write_bytes(change(path.read_text()).encode())
    reseal(demo)
    (finding,) = verify_bundle(demo)
    assert "in CSV than" in finding


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.rename_columns(["a", *table.column_names[1:]]),
        lambda table: table.select(table.column_names[::-1]),
        lambda table: table.set_column(4, "value", table["value"].cast(pa.float64())),
        lambda table: table.set_column(0, "place", table["place"].cast(pa.string())),
        lambda table: table.slice(1),
    ],
)
def test_a_parquet_of_another_shape_is_found(
    demo: Path, change: Callable[[pa.Table], pa.Table]
) -> None:
    path = demo / "tables" / "by_sex.parquet"
    pq.write_table(change(pq.ParquetFile(path).read()), path)
    reseal(demo)
    assert [one for one in verify_bundle(demo) if one.startswith("the table by_sex has")]


def test_a_parquet_cut_off_anywhere_is_a_finding(demo: Path) -> None:
    path = demo / "tables" / "by_sex.parquet"
    content = path.read_bytes()
    for length in range(0, len(content), 97):
        path.write_bytes(content[:length])
        reseal(demo)
        assert verify_bundle(demo) == ("the table by_sex cannot be read",)


def test_a_parquet_with_changed_bytes_never_breaks_the_check(demo: Path) -> None:
    path = demo / "tables" / "by_place.parquet"
    content = path.read_bytes()
    for at in range(0, len(content), 29):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
        reseal(demo)
        verify_bundle(demo)


def far_codes(content: Row) -> None:
    many = {str(number): "" for number in range(9000)}
    table = stated(content, "by_sex")
    names = ["a", "b", "c", "d", "e", *table["identifiers"]]
    table["identifiers"], table["columns"] = names, [*names, *table["columns"][4:]]
    table["codes"] = {**dict.fromkeys(names[:5], many), **table["codes"]}


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda c: c.update(format=4), "certificate.json must be a certificate (format"),
        (lambda c: c.update(format="1"), "certificate.json must be a certificate (format"),
        (lambda c: c.update(more=1), "certificate.json must be a certificate (more"),
        (lambda c: c.pop("ledger"), "certificate.json must be a certificate (ledger"),
        (lambda c: c["ledger"].update(entry=10**400), "certificate.json must be"),
        (lambda c: c["ledger"].update(entry=1.5), "certificate.json must be"),
        (lambda c: c["plan"].update(big=float("nan")), "certificate.json must be written"),
        (lambda c: c["guarantee"].update(epsilon="1/0"), "certificate.json must be"),
        (lambda c: c["guarantee"].update(epsilon="0"), "certificate.json must be"),
        (lambda c: c["guarantee"].update(alpha=None), "certificate.json must be"),
        (lambda c: c["files"].pop("README.txt"), "certificate.json must be"),
        (lambda c: c["files"].update({"../../x": c["files"]["README.txt"]}), "certificate.json"),
        (lambda c: stated(c, "total").update(name="../total"), "certificate.json must be"),
        (lambda c: stated(c, "total").update(columns=["value"]), "certificate.json must be"),
        (lambda c: stated(c, "total").update(rows=2), "the table total has another number"),
        (lambda c: stated(c, "by_sex").update(complete=True), f"the table by_sex {COUNT}"),
        (far_codes, "the table by_sex has more combinations of codes than can be counted"),
        (lambda c: c.update(period="2027Q1"), "version_demo.txt does not agree"),
        (lambda c: c.update(name="other"), "certificate.json must be"),
    ],
)
def test_a_changed_certificate_is_found(
    demo: Path, change: Callable[[Row], Any], finding: str
) -> None:
    reseal(demo, change)
    found = verify_bundle(demo)
    assert any(one.startswith(finding) for one in found), found


def test_a_key_that_stands_twice_is_found(demo: Path) -> None:
    path = demo / "certificate.json"
    path.write_text(path.read_text().replace("{", '{\n "format": 3,', 1))
    relist(demo)
    assert json.loads(path.read_text())["format"] == 3
    assert verify_bundle(demo) == ("certificate.json must be written as Leeward writes it",)


def test_another_schema_is_found(demo: Path) -> None:
    (demo / "certificate.schema.json").write_text("{}\n")
    reseal(demo)
    assert verify_bundle(demo) == ("certificate.schema.json is not the published schema",)


def test_a_list_of_checksums_must_be_whole(demo: Path) -> None:
    path = demo / "checksums.txt"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[1:]))
    assert "checksums.txt does not list exactly the files of the bundle" in verify_bundle(demo)
    path.write_text("".join(lines[::-1]))
    assert "checksums.txt is not a list of checksums" in verify_bundle(demo)
