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

from tests.browser.conftest import NAMES, options
from tests.browser.office import Office

PICTURES = Path(__file__).parent / "pictures"


def main() -> None:
    """Take every view again."""
    with TemporaryDirectory() as folder:
        office = Office(Path(folder) / "demo")
        office.run("demo", "--out", str(office.folder), folder=office.folder.parent)
        report = (office.folder / "bundle" / "report.html").as_uri()
        with window() as page, office.serving("plan.yaml", "--ledger", "ledger.sqlite") as address:
            keep(page, f"{address}plan", "plan", at="#table-0")
            table = "releases/bundle/tables/place_industry?sort=value&order=down"
            keep(page, f"{address}{table}", "table", at=".crumbs")
            keep(page, report, "report", at="h3:text-is('place_industry')")


@contextmanager
def window() -> Iterator[Page]:
    """A window of a usual size."""
    path = next(filter(None, map(shutil.which, NAMES)))
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=path, args=options())
        yield browser.new_page(viewport={"width": 1100, "height": 940})
        browser.close()


def keep(page: Page, address: str, name: str, *, at: str) -> None:
    """What the window shows of a page when something stands at its top."""
    page.goto(address)
    page.locator(at).first.evaluate("one => scrollTo(0, one.getBoundingClientRect().top - 80)")
    page.screenshot(path=PICTURES / f"view-{name}.png")


if __name__ == "__main__":
    main()
