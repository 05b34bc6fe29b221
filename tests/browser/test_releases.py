"""Bundles and ledgers in the page: read, searched, compared; strangers' ones do no harm."""

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.office import Office
from tests.browser.stranger import write_broken, write_hostile, write_many
from tests.browser.view import LOOKS, PHONE, WIDE, NewView


@pytest.fixture(scope="module")
def library(office: Office, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A folder with good, strange and broken bundles, and the page that shows it."""
    folder = tmp_path_factory.mktemp("library")
    shutil.copytree(office.folder / "bundle", folder / "spring")
    summer = ("--out", str(folder / "summer"), "--ledger", "ledger.sqlite", "--again")
    office.run("release", "plan.yaml", *summer)
    shutil.copy(office.folder / "ledger.sqlite", folder)
    write_hostile(folder / "hostile")
    write_many(folder / "many")
    write_broken(folder)
    (folder / "outside").symlink_to(office.folder / "bundle")
    with Office(folder).serving("--ledger", "ledger.sqlite") as address:
        yield folder, address


VIEWS = {
    "list": "releases",
    "bundle": "releases/spring",
    "verified": "releases/spring/verification",
    "hostile": "releases/hostile",
    "hostile-table": "releases/hostile/tables/strange",
    "many": "releases/many",
    "long-table": "releases/many/tables/a_table_with_a_rather_long_name_03",
    "table": "releases/spring/tables/place_industry",
    "nothing-found": "releases/spring/tables/place_industry?search=nowhere",
    "series": "releases/spring/tables/place_industry/series?code.place=0300001&code.sector=44-45"
    "&code.ownership=5",
    "corrupt-table": "releases/corrupt/tables/t",
    "comparison": "comparison?first=spring&second=summer&table=place_industry",
    "comparison-choice": "comparison",
    "other-comparison": "comparison?first=spring&second=many",
    "ledger": "ledger",
    "no-such-page": "releases/none",
}


IN_THE_DARK = ("bundle", "table", "comparison", "ledger", "no-such-page")
"""Views whose colours are looked at; where things stand is the same in the dark."""


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_is_fit_to_be_looked_at(
    view: NewView, library: tuple[Path, str], pictures: Path, name: str
) -> None:
    window = view()
    window.page.goto(library[1] + VIEWS[name])
    assert window.page.title() != "run"
    window.look_at(pictures, f"releases-{name}", LOOKS if name in IN_THE_DARK else (WIDE, PHONE))
    window.wrongs = [one for one in window.wrongs if "status of 4" not in one]  # told as such


def test_a_table_is_searched_filtered_and_sorted(view: NewView, library: tuple[Path, str]) -> None:
    folder, address = library
    with (folder / "spring" / "tables" / "place_industry.csv").open() as file:
        rows = list(csv.DictReader(file))
    page = view().page
    page.goto(address + VIEWS["table"])
    heading = page.locator("table.table-rows thead th", has=page.get_by_role("link", name="value"))
    for order in ("descending", "ascending", None, "descending"):
        heading.get_by_role("link").click()
        sorted_now = page.locator("table.table-rows th[aria-sort]")
        expect(sorted_now).to_have_count(0 if order is None else 1)
        if order is not None:
            expect(heading).to_have_attribute("aria-sort", order)
    shown = page.locator("table.table-rows tbody tr td[data-name=value]")
    largest = sorted((int(row["value"]) for row in rows), reverse=True)
    expect(shown.first).to_have_text(f"{largest[0]:,}")
    page.fill("#search", "retail")
    page.get_by_role("button", name="Show").click()
    wanted = [row for row in rows if row["sector"] == "44-45"]
    expect(page.locator(".row-count")).to_contain_text(f"{len(wanted)} of {len(rows)} rows")
    expect(page.locator("table.table-rows tbody tr")).to_have_count(len(wanted))
    found = [int(one.replace(",", "").replace("−", "-")) for one in shown.all_inner_texts()]
    assert found == sorted((int(row["value"]) for row in wanted), reverse=True)


def test_broken_bundles_are_named_and_not_opened(view: NewView, library: tuple[Path, str]) -> None:
    window = view()
    window.page.goto(library[1] + "releases")
    listed = window.page.locator("table.bundles")
    for name in ("cut", "oversized"):
        expect(listed.get_by_role("row").filter(has_text=name)).to_contain_text("Not opened")
    expect(listed).not_to_contain_text("outside")
    window.page.goto(library[1] + "releases/linked/verification")
    expect(window.page.locator("#verification")).to_contain_text("Not sound.")


def test_a_report_is_made_anew_and_harmless(view: NewView, library: tuple[Path, str]) -> None:
    folder, address = library
    (folder / "hostile" / "report.html").write_text("<script>document.title='run'</script>")
    window = view()
    window.page.goto(address + "releases/hostile/report")
    expect(window.page.locator("h1")).to_contain_text("employment counts")
    assert window.page.title() != "run"
    wide = window.page.evaluate("document.querySelector('main').getBoundingClientRect().width")
    assert wide < 1000, "the style of the report was not let through"


def test_tables_are_downloaded_from_the_report(view: NewView, library: tuple[Path, str]) -> None:
    folder, address = library
    window = view()
    window.page.goto(address + "releases/spring/report")
    for link in ("CSV", "Parquet", "CSVW description"):
        with window.page.expect_download() as begun:
            window.page.get_by_role("link", name=link, exact=True).first.click()
        saved = begun.value
        published = folder / "spring" / "tables" / saved.suggested_filename
        assert Path(saved.path()).read_bytes() == published.read_bytes()


def test_an_empty_folder_says_what_to_do(view: NewView, tmp_path: Path, pictures: Path) -> None:
    window = view()
    with Office(tmp_path).serving() as address:
        for tab in ("plan", "releases", "ledger"):
            window.page.goto(address + tab)
            expect(window.page.locator("main")).to_contain_text("leeward")
            window.look_at(pictures, f"empty-{tab}")


def test_a_damaged_ledger_is_told_and_the_page_stays_up(
    view: NewView, tmp_path: Path, pictures: Path
) -> None:
    (tmp_path / "ledger.sqlite").write_bytes(b"SQLite format 3\x00" + b"nonsense" * 500)
    window = view()
    with Office(tmp_path).serving("--ledger", "ledger.sqlite") as address:
        window.page.goto(address + "ledger")
        window.keep(pictures, "ledger-damaged")
        expect(window.page.locator("main")).to_contain_text("must be")
        window.page.goto(address + "releases")
        expect(window.page.locator("h1")).to_have_text("Releases")
    window.wrongs = [one for one in window.wrongs if "status of 4" not in one]
