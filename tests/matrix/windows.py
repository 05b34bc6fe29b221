"""Pages of a crawl in a real browser: wide, on a phone, in the dark and on paper."""

import csv
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import leeward
from leeward.web.releases_print import MOST_PRINTED
from tests.browser import seen
from tests.browser.view import DARK, WIDE, Look, View
from tests.matrix.page import Visit, route_of

FILES = ("{form}", "{file}")
"""What a route has in its path that answers with a file."""

SMALL = Look("small", 390, 844)


def faults(
    visit: Visit,
    releases: Path,
    view: View,
    *,
    several: Mapping[str, int] | None = None,
    known: Collection[str] = (),
) -> list[str]:
    """What is wrong with the pages of a crawl, whose server still answers.

    Of each route one address is looked at for each kind of bundle, or as many as `several` says;
    none of the routes that are `known`.
    """
    base = f"http://{visit.page.host}{visit.page.site.base}"
    return [
        f"{address}: {fault}"
        for address in addresses(visit, releases, several or {}, known)
        for fault in _faults_of(view, f"{base}{address}", rows_of(releases, address))
    ]


def addresses(
    visit: Visit, releases: Path, several: Mapping[str, int], known: Collection[str]
) -> Iterator[str]:
    """The addresses that are looked at."""
    for route, opened in visit.opened.items():
        if route in known or any(part in route for part in FILES):
            continue
        # Rows as they were published come first: all of them are to be printed.
        plain = sorted(opened, key=lambda address: "tables/" in address and "?" in address)
        if route in several:
            yield from plain[: several[route]]
        else:
            yield from {kind_of(releases, address): address for address in reversed(plain)}.values()


def kind_of(releases: Path, address: str) -> tuple[object, ...]:
    """What the pages of a bundle differ by: its tables, and whether they were settled."""
    match urlsplit(address).path.split("/"):
        case "", "releases", name, *_:
            certificate = leeward.read_bundle(releases / name).certificate
            tables = (table.name for table in certificate.tables)
            return (certificate.made_from is None, *tables)
        case _:
            return ()


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
    yield from (*seen.sideways(view.page), *seen.clipped(view.page))
    view.wear(WIDE)
    yield from seen.on_paper(view.page, rows)
