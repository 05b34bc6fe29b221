"""Views of the page and of a report for the documents, taken by a real browser.

`python -m docs.views` makes a demonstration, serves it, and writes docs/pictures/view-*.png.
The released numbers in them are other ones each time.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import NAMES, options
from tests.browser.office import Office

PICTURES = Path(__file__).parent / "pictures"
RECIPES = {
    "umetrics": "bundle/tables/y1_earnings?code.institution=00900001",
    "pseo": "ours-y1/tables/y1_earnings",
    "veo": "published/tables/y1_earnings_veop",
    "qwi": "bundle-2026Q2/tables/flows?code.place=0300001&code.sector=62",
}
"""A table of each recipe's demonstration."""


ATTACKS = ("differencing", "edge", "margins")
"""Attacks whose first picture is in the documents."""


def main() -> None:
    """Take every view again."""
    views_of_attacks()
    views_of_recipes()
    with TemporaryDirectory() as folder:
        office = Office(Path(folder) / "demo")
        office.run("demo", "--out", str(office.folder), folder=office.folder.parent)
        report = (office.folder / "bundle" / "report.html").as_uri()
        office_page = office.serving("plan.yaml", "--ledger", "ledger.sqlite")
        with window(1280) as page, office_page as address:
            keep(page, f"{address}plan", "plan", at="#table-0")
            table = "releases/bundle/tables/place_industry?sort=value&order=down"
            keep(page, f"{address}{table}", "table", at=".crumbs")
            keep(page, report, "report", at="h3:text-is('place_industry')")


def views_of_attacks() -> None:
    """The first picture of some attacks, with its title."""
    with TemporaryDirectory() as folder, window(900) as page:
        for name in ATTACKS:
            office = Office(Path(folder))
            office.run("attack", name, "--out", name)
            page.goto((office.folder / name / "index.html").as_uri())
            page.locator(".picture").first.screenshot(path=PICTURES / f"view-attack-{name}.png")


def views_of_recipes() -> None:
    """One table of each recipe."""
    for name, table in RECIPES.items():
        with TemporaryDirectory() as folder:
            office = Office(Path(folder) / name)
            options = ("--recipe", name, "--demo", "--out", str(office.folder))
            office.run("init", *options, folder=office.folder.parent)
            with window(1280, 760) as page, office.serving() as address:
                keep(page, f"{address}releases/{table}", name, at="table")


@contextmanager
def window(width: int = 1100, height: int = 940) -> Iterator[Page]:
    """A window, of a usual size if nothing else is said."""
    path = next(filter(None, map(shutil.which, NAMES)))
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=path, args=options())
        yield browser.new_page(viewport={"width": width, "height": height})
        browser.close()


def keep(page: Page, address: str, name: str, *, at: str) -> None:
    """What the window shows of a page when something stands at its top."""
    page.goto(address)
    page.locator(at).first.evaluate("one => scrollTo(0, one.getBoundingClientRect().top - 80)")
    page.screenshot(path=PICTURES / f"view-{name}.png")


if __name__ == "__main__":
    main()
