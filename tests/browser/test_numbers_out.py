"""Numbers get out of the page, and people get in: files, trend, map, terms, sign-off, a draft."""

import csv
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from leeward.publishing.plan.plan import read_plan
from tests.browser.office import Office
from tests.browser.view import DARK, PHONE, WIDE, NewView

TABLE = "releases/spring/tables/place_industry"
CELL = "?code.place=0300001&code.sector=44-45&code.ownership=5"
PNG = b"\x89PNG\r\n\x1a\n"


def square(number: int) -> list[list[list[float]]]:
    """A square in a row of squares."""
    x, y = number % 4, 45 - number // 4
    corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1), (x, y)]
    return [[[-70 + a, float(b)] for a, b in corners]]


def write_map(path: Path, codes: list[str]) -> None:
    """A map of squares, one for each code and one that no table knows."""
    areas = [
        {"type": "Feature", "properties": {"GEOID": code, "size": number},
         "geometry": {"type": "Polygon", "coordinates": square(number)}}
        for number, code in enumerate([*codes, "elsewhere"])
    ]  # fmt: skip
    path.write_text(json.dumps({"type": "FeatureCollection", "features": areas}))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def desk(office: Office, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Two bundles of an account, a map, the office's tables, and no plan."""
    folder = tmp_path_factory.mktemp("desk")
    for name in ("spring", "summer"):
        shutil.copytree(office.folder / "bundle", folder / name)
    rows = rows_of(folder / "spring/tables/place_industry.csv")
    write_map(folder / "places.json", sorted({row["place"] for row in rows}))
    (folder / "new").mkdir()
    given = ("--tables", str(office.folder / "economy"), "--map", "places.json")
    with Office(folder).serving("new/plan.yaml", *given) as address:
        yield folder, address


VIEWS = {
    "draft": "plan",
    "pivot": "releases/spring/tables/place_sex_education/pivot?columns=education",
    "map": f"{TABLE}/map",
    "glossary": "glossary",
}


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_is_fit_to_be_looked_at(
    view: NewView, desk: tuple[Path, str], pictures: Path, name: str
) -> None:
    window = view()
    window.page.goto(desk[1] + VIEWS[name])
    dark = (DARK,) if name in ("pivot", "map") else ()
    window.look_at(pictures, f"out-{name}", (WIDE, PHONE, *dark))


def saved(page: Page, name: str, role: str = "link") -> bytes:
    """What the browser saves after a click."""
    with page.expect_download() as coming:
        page.get_by_role(role, name=re.compile(name)).click()  # type: ignore[arg-type] # a link or a button
    return Path(coming.value.path()).read_bytes()


def test_rows_and_charts_are_saved(view: NewView, desk: tuple[Path, str]) -> None:
    folder, address = desk
    page = view().page
    page.goto(address + f"{TABLE}?search=retail")
    held = rows_of(folder / "spring/tables/place_industry.csv")
    retail = [row for row in held if row["sector"] == "44-45"]
    got = list(csv.DictReader(saved(page, "of this view as CSV").decode().splitlines()))
    assert [(row["place"], row["value"], row["margin"]) for row in got] == [
        (row["place"], row["value"], row["margin"]) for row in retail
    ]
    assert {row["sector_label"] for row in got} == {"Retail Trade"}
    assert len(saved(page, "The whole table, .* as CSV").splitlines()) == 1 + len(held)
    assert b"<svg" in saved(page, "Chart as SVG")
    assert saved(page, "Chart as PNG", "button").startswith(PNG)


def test_a_cell_is_followed_over_releases(view: NewView, desk: tuple[Path, str]) -> None:
    page = view().page
    page.goto(desk[1] + f"{TABLE}/series{CELL}")
    expect(page.locator(".trend circle")).to_have_count(2)
    assert saved(page, "Numbers as CSV").startswith(b"period,release,value,low,high,status\n")
    assert saved(page, "Chart as PNG", "button").startswith(PNG)


def test_areas_are_shaded_and_those_that_say_little_faded(
    view: NewView, desk: tuple[Path, str]
) -> None:
    page = view().page
    page.goto(desk[1] + VIEWS["map"])
    told = page.locator(".lead").inner_text()
    zero = int(told.split("with a number, ")[1].split()[0])
    expect(page.locator(".areas .faded")).to_have_count(zero)
    page.select_option("[name='code.sector']", "44-45")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".lead")).to_contain_text("Retail Trade")
    assert saved(page, "Chart as PNG", "button").startswith(PNG)


def test_a_term_is_explained_by_keyboard(view: NewView, desk: tuple[Path, str]) -> None:
    page = view().page
    page.goto(desk[1] + TABLE)
    box = page.locator("#term-margin")
    expect(box).to_be_hidden()
    page.get_by_role("button", name="What is margin?").focus()
    page.keyboard.press("Enter")
    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()


def test_a_bundle_is_signed_by_two_people(view: NewView, desk: tuple[Path, str]) -> None:
    window = view()
    page = window.page
    page.goto(desk[1] + "releases/spring")
    for name, decision, answer in (
        ("Ada Smith", "submitted", "Signed."),
        ("Smith, Ada", "approved", "by someone other than who submitted it"),
        ("Ben Jones", "approved", "It stands approved"),
    ):
        page.fill("#sign-name", name)
        page.fill("#sign-role", "office")
        page.select_option("#sign-decision", decision)
        page.get_by_role("button", name="Verify and sign").click()
        expect(page.locator("section[aria-labelledby=sign-offs]")).to_contain_text(answer)
    window.expecting("422")
    record = (desk[0] / "spring.sign-off.jsonl").read_text().splitlines()
    assert [json.loads(line)["decision"] for line in record] == ["submitted", "approved"]


def test_a_plan_is_drafted_from_headers(view: NewView, desk: tuple[Path, str]) -> None:
    window = view()
    page = window.page
    page.goto(desk[1] + "plan")
    expect(page.locator("#workers")).to_have_value("workers.parquet")
    page.fill("#account", "office")
    page.fill("#period", "2026Q2")
    page.get_by_role("button", name="Draft a plan").click()
    expect(page.locator("#drafted")).to_contain_text("codebook.yaml")
    page.get_by_role("link", name="Open the plan").click()
    expect(page.locator("#plan")).to_be_visible()
    expect(page.locator("#protect\\.epsilon")).to_have_value("4")
    assert (desk[0] / "new" / "codebook.yaml").is_file()
    window.wrongs = [one for one in window.wrongs if "422" not in one]  # lists may be empty yet


def test_a_filter_is_chosen_and_saved(view: NewView, address: str, office: Office) -> None:
    page = view().page
    page.goto(address + "plan")
    page.locator("[name='tables[0].add']").select_option("ownership")
    page.get_by_role("button", name="Add a filter").first.click()
    kept = page.locator("[name='tables[0].kept'][value='5']")
    kept.check()
    page.fill("#file", "filtered.yaml")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#saved")).to_contain_text("filtered.yaml")
    expect(kept).to_be_checked()
    written = read_plan(office.folder / "filtered.yaml").request.tables[0]
    assert written.where == {"ownership": ["5"]}
    (office.folder / "filtered.yaml").unlink()
