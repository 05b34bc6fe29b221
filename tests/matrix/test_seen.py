"""Every page of every plan, seen in a real browser: wide, on a phone, in the dark and on paper."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser import seen
from tests.browser.view import DARK, WIDE, Look, NewView, View
from tests.matrix.office import TOTAL, Made, Office
from tests.matrix.page import Visit, served
from tests.matrix.test_matrix import HERE

FILES = ("{form}", "{file}")
"""What a route has in its path that answers with a file."""

SEVERAL = {
    "/comparison": 3,
    "/releases/{name}/tables/{table}": 3,
    "/releases/{name}/tables/{table}/pivot": 3,
}
"""How many addresses of a route are looked at, where it is more than one."""

ALIKE = ("/releases", "/ledger", "/glossary", "/laboratory", "/laboratory/{name}")
"""Pages that are the same for every plan: they are looked at with the first."""

SMALL = Look("small", 390, 844)


def addresses(visit: Visit, *, first: bool) -> Iterator[str]:
    """An address for each page that a person reads; several for tables."""
    for route, opened in visit.opened.items():
        if not any(part in route for part in FILES) and (first or route not in ALIKE):
            # Rows as they were published come first: all of them are to be printed.
            plain = sorted(opened, key=lambda address: "tables/" in address and "?" in address)
            yield from plain[: SEVERAL.get(route, 1)]


def rows_of(made: Made, address: str) -> int:
    """How many rows the view of a whole table has: its cells, without rows of totals."""
    parts = address.split("/")
    if len(parts) != 5 or parts[3] != "tables" or "?" in address:
        return 0
    path = Path(made.bundle.parent, parts[2], "tables", f"{parts[4]}.csv")
    with path.open(encoding="utf-8") as file:
        return sum(TOTAL not in row.values() for row in csv.DictReader(file))


def faults(view: View, address: str, rows: int) -> Iterator[str]:
    """What a careful reader would mind in each window."""
    view.wear(WIDE)
    answer = view.page.goto(address)
    assert answer is not None
    assert answer.status < 400
    yield from seen.on_screen(view.page)
    view.wear(DARK)
    yield from seen.faint(view.page)
    view.wear(SMALL)
    yield from (*seen.sideways(view.page), *seen.clipped(view.page))
    view.wear(WIDE)
    yield from seen.on_paper(view.page, rows)


@pytest.mark.parametrize("name", HERE)
def test_every_page_of_every_plan_is_whole_in_every_window(
    name: str,
    office: Office,
    made: Callable[[str], Made],
    visit: Callable[[str], Visit],
    view: NewView,
) -> None:
    found, window = [], view()
    with served(made(name), office) as page:
        base = f"http://{page.host}{page.site.base}"
        for address in addresses(visit(name), first=name == HERE[0]):
            wrong = faults(window, f"{base}{address}", rows_of(made(name), address))
            found += [f"{address}: {fault}" for fault in wrong]
    assert "\n".join(found) == ""
