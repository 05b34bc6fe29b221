"""Files of a table: rows with labels, texts that stay texts, pictures without a script."""

import csv
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pyarrow.parquet as pq

from leeward.core.codebook import Marginal
from leeward.core.show.numbers import count
from leeward.interface.web.releases_table import MOST_COLUMNS
from leeward.publishing.bundle import BundleWriter
from tests.derived.derive.test_series import write_quarter
from tests.interface.web.serving import serving
from tests.publishing.bundle.made_up import cells, certificate, certified, dimension

FORMULA = "=1+1"


def write_formulas(target: Path) -> None:
    """A bundle whose codes would be formulas."""
    marginal = Marginal("t", (dimension("place", [FORMULA, "+2"]),), ())
    with BundleWriter(target) as bundle:
        with bundle.table(marginal, margins=("margin",)) as writer:
            writer.write(cells(marginal, (0, 1), margins=True))
        bundle.seal(certificate(target.name, [certified(writer)]))


def test_rows_come_with_labels_in_every_form(tmp_path: Path) -> None:
    write_quarter(tmp_path / "late", "2026Q2", 120)
    with serving(releases=tmp_path) as page:
        at = "/releases/late/tables/jobs/files/jobs."
        whole, one = page.get(f"{at}csv"), page.get(f"{at}csv?code.place=02")
        held = pq.read_table(BytesIO(page.get(f"{at}parquet?search=02").body)).to_pylist()
        missing = [page.get(at + end).status for end in ("json", "csv/x")]
        described = page.get(f"{at}csv-metadata.json")
        (tmp_path / "late/tables/jobs.csv-metadata.json").write_text("{}")
        changed = page.get(f"{at}csv-metadata.json")
    assert whole.text.splitlines() == [
        "place,place_label,value,status,margin",
        "01,label of 01,120,1,30",
        "02,label of 02,120,1,30",
    ]
    assert whole.headers["content-disposition"] == 'attachment; filename="jobs.csv"'
    assert one.text.splitlines()[1:] == ["02,label of 02,120,1,30"]
    expected = {"place": "02", "place_label": "label of 02", "value": 120, "status": 1}
    assert held == [expected | {"margin": 30}]
    assert missing == [404, 404]
    assert described.text.count('"name"') >= len(expected)
    assert changed.status == 400


def test_a_sheet_holds_texts_and_no_formulas(tmp_path: Path) -> None:
    write_formulas(tmp_path / "strange")
    with serving(releases=tmp_path) as page:
        answer = page.get("/releases/strange/tables/t/files/t.xlsx")
        text = page.get("/releases/strange/tables/t/files/t.csv")
    with ZipFile(BytesIO(answer.body)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert FORMULA in sheet
    assert "<f>" not in sheet
    assert next(iter(csv.DictReader(text.text.splitlines())))["place"] == FORMULA


def test_a_picture_needs_nothing_else_and_runs_nothing(tmp_path: Path) -> None:
    write_quarter(tmp_path / "late", "2026Q2", 120)
    with serving(releases=tmp_path) as page:
        drawn = page.get("/releases/late/tables/jobs/files/jobs.svg")
        trend = page.get("/releases/late/tables/jobs/series/jobs.svg?code.place=01")
    for answer in (drawn, trend):
        assert answer.headers["content-type"] == "image/svg+xml"
        assert "script-src" not in answer.headers["content-security-policy"]
        assert "sandbox" in answer.headers["content-security-policy"]
        assert "<script" not in answer.text
        assert "var(" not in answer.text
        assert "href" not in answer.text


def test_a_pivot_has_the_codes_of_one_attribute_as_columns(tmp_path: Path) -> None:
    marginal = Marginal("t", (dimension("place", ["1", "2"]),), (dimension("sex", ["M", "F"]),))
    with BundleWriter(tmp_path / "two") as bundle:
        with bundle.table(marginal, margins=("margin",)) as writer:
            writer.write(cells(marginal, (0, 1), margins=True))
        bundle.seal(certificate("two", [certified(writer)]))
    with serving(releases=tmp_path) as page:
        rows = page.get("/releases/two/tables/t/files/t.csv").text.splitlines()
        shown = page.get("/releases/two/tables/t/pivot?columns=sex")
        wrong = page.get("/releases/two/tables/t/pivot?columns=none")
    values = [count(int(line.split(",")[4])) for line in rows[1:]]
    assert shown.status == 200
    assert shown.text.count("<tr>") == 3
    assert all(f">{value}" in shown.text for value in values)
    assert wrong.status == 400


def test_a_pivot_is_offered_where_its_columns_have_room(tmp_path: Path) -> None:
    for name, number in (("few", MOST_COLUMNS), ("many", MOST_COLUMNS + 1)):
        codes = [f"{at:02}" for at in range(number)]
        marginal = Marginal("t", (dimension("place", codes),), ())
        with BundleWriter(tmp_path / name) as bundle:
            with bundle.table(marginal, margins=("margin",)) as writer:
                writer.write(cells(marginal, range(number), margins=True))
            bundle.seal(certificate(name, [certified(writer)]))
    with serving(releases=tmp_path) as page:
        few, many = (page.get(f"/releases/{name}/tables/t").text for name in ("few", "many"))
        opened = page.get("/releases/many/tables/t/pivot")
        asked = page.get("/releases/many/tables/t/pivot?columns=place")
    assert ("/t/pivot" in few, "/t/pivot" in many) == (True, False)
    assert (opened.status, asked.status) == (200, 400)
    assert "at most 40 codes" in opened.text
