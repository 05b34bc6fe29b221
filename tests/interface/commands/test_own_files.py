"""Files as offices have them: Windows-1252, semicolons, umlauts, ids with blanks; one workbook."""

from collections.abc import Callable

import polars as pl
import pyreadstat
import pytest
import xlsxwriter

from leeward.core.codebook import TABLES
from leeward.publishing.engines import opening
from tests.interface.commands.scene import Office, Rows, jobs, workers, workplaces

DATA = [part for name in TABLES for part in (f"--{name}", f"{name}.csv")]
UMLAUT = {"01": "Köln", "02": "Düren", "03": "Görlitz"}


def tables() -> dict[str, Rows]:
    """The tables of the office; its places have umlauts, and a column of the workers has one."""
    places = [{**one, "place": UMLAUT[one["place"]]} for one in workplaces()]
    people = [{**one, "Größe": "1"} for one in workers()]
    return {"workplaces": places, "workers": people, "jobs": jobs()}


def write_windows(office: Office, *, blanks: str = "") -> None:
    for name, rows in tables().items():
        lines = [";".join(one) for one in (rows[0], *(one.values() for one in rows))]
        text = "\r\n".join(lines).replace("\r\ne", f"\r\n{blanks}e")
        (office.folder / f"{name}.csv").write_bytes(text.encode("cp1252"))


def describe(office: Office, **places: str) -> None:
    codes = ", ".join(f'"{code}"' for code in UMLAUT)
    names = ", ".join(UMLAUT.values())
    office.edit("codebook.yaml", (f"codes: [{codes}]", f"codes: [{names}]"))
    data = [(f"{name}: {name}.csv", f"{name}: {place}") for name, place in places.items()]
    office.edit("plan.yaml", *data)


def test_a_table_of_windows_is_read_when_its_encoding_is_told(office: Office) -> None:
    write_windows(office, blanks="  ")
    refused = office.run("init", *DATA, "--out", "draft")
    assert refused.exit_code == 1
    assert "data.workers: must be CSV in UTF-8" in refused.stderr  # of the places it is a row
    assert "--encoding cp1252" in refused.stderr
    made = office.run("init", *DATA, "--out", "draft", "--encoding", "windows-1252")
    assert made.exit_code == 0, made.output
    assert 'encoding: "windows-1252"' in (office.folder / "draft" / "plan.yaml").read_text()
    describe(office, jobs="jobs.csv\n  encoding: cp1252")
    checked = office.run("check", "plan.yaml").stdout
    assert "not in workplaces, 40 of 40 rows" in checked
    assert "  40 of them match without the blanks around ids: trim" in checked
    write_windows(office)
    office.released()
    published = (office.folder / "bundle" / "tables" / "by_place.csv").read_text(encoding="utf-8")
    assert "Görlitz" in published


def write_workbook(office: Office) -> dict[str, str]:
    with xlsxwriter.Workbook(office.folder / "all.xlsx") as book:
        for name, rows in tables().items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate((rows[0], *(one.values() for one in rows))):
                sheet.write_row(number, 0, row)
    return {name: f"all.xlsx#{name}" for name in TABLES}


def write_stata(office: Office) -> dict[str, str]:
    for name, rows in tables().items():
        frame = pl.DataFrame(rows).rename({"Größe": "size"}, strict=False)
        pyreadstat.write_dta(frame, office.folder / f"{name}.dta")
    return {name: f"{name}.dta" for name in TABLES}


@pytest.mark.parametrize("write", [write_workbook, write_stata])
def test_a_release_from_other_programs(
    write: Callable[[Office], dict[str, str]], office: Office
) -> None:
    places = write(office)
    describe(office, **places)
    with opening.connect(places, office.folder) as engine:
        assert set(engine.describe()["jobs"]) == {"worker_id", "workplace_id"}
    assert office.run("check", "plan.yaml").exit_code == 0
    office.released()
    assert office.run("verify", "bundle", "--ledger", "ledger.sqlite").exit_code == 0
