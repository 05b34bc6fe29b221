"""Pages of a crawl in a real browser: wide, on a phone, in the dark and on paper."""

import csv
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import leeward
from leeward.interface.web.releases_print import MOST_PRINTED
from tests.browser import seen
from tests.browser.view import DARK, WIDE, Look, View
from tests.matrix.page import Visit, route_of

FILES = ("{form}", "{file}")
"""What a route has in its path that answers with a file."""

SMALL = Look("small", 390, 844)


def faults(visit: Visit, addresses: Iterable[str], releases: Path, view: View) -> list[str]:
    """What is wrong with these pages of a visit, whose server still answers."""
    base = f"http://{visit.page.host}{visit.page.site.base}"
    return [
        f"{address}: {fault}"
        for address in addresses
        for fault in _faults_of(view, f"{base}{address}", rows_of(releases, address))
    ]


def pages(visit: Visit, but: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    """Each route that answers with a page, and the addresses to look at, the best first.

    Rows as they were published are the best: all of them are to be printed.
    """
    for route, opened in visit.opened.items():
        if route not in but and not any(part in route for part in FILES):
            yield route, sorted(opened, key=lambda one: "tables/" in one and "?" in one)


def rows_of(releases: Path, address: str) -> int:
    """How many rows the view of a whole table has: its cells, without rows of totals."""
    if "?" in address or route_of(address) != "/releases/{name}/tables/{table}":
        return 0
    _, _, bundle, _, name = address.split("/")
    table = leeward.read_bundle(releases / bundle)[name].about
    with (releases / bundle / "tables" / f"{name}.csv").open(encoding="utf-8") as file:
        return min(sum(1 for _ in csv.reader(file)) - 1 - table.total_rows, MOST_PRINTED)


def _faults_of(view: View, address: str, rows: int) -> Iterator[str]:
    """What a careful reader would mind in each window."""
    view.wear(WIDE)
    answer = view.page.goto(address)
    assert answer is not None
    if answer.status >= 400:
        yield f"status {answer.status}"
    yield from seen.on_screen(view.page)
    view.wear(DARK)
    yield from seen.faint(view.page)
    view.wear(SMALL)
    yield from (
        *seen.sideways(view.page),
        *seen.clipped(view.page),
        *seen.broken_words(view.page),
        *seen.overlaid(view.page),
    )
    view.wear(WIDE)
    yield from seen.on_paper(view.page, rows)
