"""Every page of every plan, seen in a real browser: wide, on a phone, in the dark and on paper."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.browser import seen
from tests.browser.view import NewView
from tests.matrix import windows
from tests.matrix.office import Made, Office
from tests.matrix.page import COMPARISON, Visit, served
from tests.matrix.test_matrix import HERE

SEVERAL = {
    "/comparison": 3,
    "/releases/{name}/tables/{table}": 3,
    "/releases/{name}/tables/{table}/pivot": 3,
}
"""How many addresses of a route are looked at, where it is more than one."""

ALIKE = ("/releases", "/ledger", "/glossary", "/laboratory", "/laboratory/{name}")
"""Pages that are the same for every plan: they are looked at with the first."""


def addresses(visit: Visit, *, first: bool) -> Iterator[str]:
    """An address for each page that a person reads; several for tables."""
    for route, opened in windows.pages(visit, but=() if first else ALIKE):
        yield from opened[: SEVERAL.get(route, 1)]


@pytest.mark.parametrize("name", HERE)
def test_every_page_of_every_plan_is_whole_in_every_window(
    name: str,
    office: Office,
    made: Callable[[str], Made],
    visit: Callable[[str], Visit],
    view: NewView,
) -> None:
    with served(made(name), office) as page:
        visited = replace(visit(name), page=page)
        chosen = addresses(visited, first=name == HERE[0])
        found = windows.faults(visited, chosen, made(name).bundle.parent, view())
    assert "\n".join(found) == ""


LONG = """() => {
  const number = "\u221299,999,999,999";
  for (const row of document.querySelectorAll(".bars tbody tr, .stacking tbody tr"))
    [...row.querySelectorAll("td.number")].forEach((cell, at, all) => {
      cell.textContent = at + 1 < all.length ? number : `${number} to ${number}`;
    });
}"""
"""Writes numbers as long as noise of little epsilon may make those of pay."""


def test_a_comparison_of_very_long_numbers_fits(
    office: Office, made: Callable[[str], Made], view: NewView
) -> None:
    with served(made("mean"), office) as page:
        seen_by = view()
        seen_by.page.goto(f"http://{page.host}{page.site.base}{COMPARISON}")
        seen_by.page.evaluate(LONG)
        assert [*seen.on_screen(seen_by.page), *seen.on_paper(seen_by.page)] == []
        seen_by.wear(windows.SMALL)
        assert [*seen.sideways(seen_by.page), *seen.broken_words(seen_by.page)] == []
