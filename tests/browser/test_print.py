"""What is printed: every row and column of a view, no fields, and where it is from."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import seen
from tests.browser.office import Office
from tests.browser.view import NewView

OWN = "releases/bundle/tables"


def rows_of(office: Office, table: str) -> list[dict[str, str]]:
    with (office.folder / "bundle" / "tables" / f"{table}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("query", ["", "?sort=value&order=down", "?search=retail"])
def test_a_printed_table_has_every_row_of_its_view(
    view: NewView, office: Office, address: str, query: str
) -> None:
    rows = rows_of(office, "place_industry")
    wanted = [row for row in rows if "search" not in query or row["sector"] == "44-45"]
    page = view().page
    page.goto(f"{address}{OWN}/place_industry{query}")
    numbers = {f"{int(row['value']):,}".replace("-", "−") for row in wanted}
    assert seen.on_paper(page, rows=len(wanted), words=sorted(numbers)) == []
    seen.put_on_paper(page)
    assert seen.unsourced(page) == []
    assert page.locator("table.table-rows").is_hidden()
    seen.take_off_paper(page)
    assert page.locator("table.table-rows").is_visible()


def test_rows_that_were_filtered_without_loading_are_printed(view: NewView, address: str) -> None:
    page = view().page
    page.goto(f"{address}{OWN}/place_industry")
    page.fill("#search", "retail")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#rows")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator(".row-count")).to_contain_text(" of ")
    seen.put_on_paper(page)
    assert page.locator(".chosen").inner_text().startswith("Shown: with retail in codes or labels")


def test_without_the_whole_view_paper_says_what_is_there(view: NewView, address: str) -> None:
    window = view()
    window.page.route("**/print?*", lambda route: route.abort())
    window.page.goto(f"{address}{OWN}/place_industry")
    seen.put_on_paper(window.page)
    assert "Printed is page 1 of" in window.page.locator(".only-paper").inner_text()
    assert window.page.locator("table.table-rows").is_visible()
    window.expecting("Failed to load")


def test_the_browser_itself_prints_the_whole_view(view: NewView, address: str) -> None:
    """Its own event loads the rows: nothing of the test does."""
    window = view()
    window.page.goto(f"{address}{OWN}/place_sex_education")
    with window.page.expect_request("**/print?*"):
        whole = pages(window.page.pdf(format="A4"))
    window.page.route("**/print?*", lambda route: route.abort())
    assert 0 < whole != pages(window.page.pdf(format="A4"))
    window.expecting("Failed to load")


def pages(pdf: bytes) -> int:
    """The pages of a PDF of Chromium, whose page objects are not compressed."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_a_printed_pivot_has_every_column(view: NewView, office: Office, address: str) -> None:
    page = view().page
    page.goto(f"{address}{OWN}/place_industry/pivot?columns=sector")
    names = page.locator("table.pivot thead .number").all_inner_texts()
    assert len(names) == len({row["sector"] for row in rows_of(office, "place_industry")})
    assert seen.on_paper(page, words=names) == []


PAGES = {
    "plan": "plan",
    "releases": "releases",
    "bundle": "releases/bundle",
    "report": "releases/bundle/report",
    "table": f"{OWN}/place_sex_education",
    "pivot": f"{OWN}/place_sex_education/pivot",
    "series": f"{OWN}/place_industry/series?code.place=0300001&code.sector=44-45&code.ownership=5",
    "comparison": "comparison",
    "ledger": "ledger",
    "glossary": "glossary",
}


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_whole_on_screen_and_on_paper(
    view: NewView, address: str, name: str, pictures: Path
) -> None:
    window = view()
    window.page.goto(address + PAGES[name])
    assert seen.on_screen(window.page) == []
    assert seen.on_paper(window.page) == []
    assert window.page.pdf(path=pictures / f"print-{name}.pdf", format="A4").startswith(b"%PDF")
    window.page.set_viewport_size({"width": 390, "height": 844})
    assert seen.on_screen(window.page) == []
    window.page.emulate_media(color_scheme="dark")
    assert seen.faint(window.page) == []
