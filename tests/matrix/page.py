"""A visitor who follows every link of the page, and sends every form that only reads."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from starlette.routing import Match

from leeward.interface.web import laboratory, ledger_tab, plan_tab, releases_tab
from leeward.interface.web.geography import read_map
from tests.interface.web.serving import Served, serving
from tests.matrix.consumers import Text
from tests.matrix.office import Made, Office

COMPARISON = "/comparison?first=first&second=second"

STARTS = ("/plan", "/releases", "/ledger", "/glossary", "/laboratory", COMPARISON)
VARIED = ("sort", "order", "columns", "status", "totals", "first", "second", "table")
"""Fields of which each value is opened; of all others one value stands for the rest."""

ROUTES = (
    *plan_tab.routes(),
    *releases_tab.routes(),
    *ledger_tab.routes(),
    *laboratory.routes(),
)


def news(address: str) -> set[tuple[str, str, str]]:
    """What an address may show for the first time: its page, and each of its fields there.

    The second release of a plan has the pages of the first.
    """
    parts = urlsplit(address)
    path = parts.path.replace("/releases/second", "/releases/first")
    fields = ((name, value if name in VARIED else "") for name, value in parse_qsl(parts.query))
    return {(path, "", ""), *((path, *each) for each in fields)}


def route_of(path: str) -> str:
    """The kind of an address: the route that answers it."""
    scope = {"type": "http", "path": path, "method": "GET", "root_path": ""}
    for route in ROUTES:
        if route.matches(scope)[0] is Match.FULL:
            return route.path
    return path


class Offers(Text):
    """A page with the addresses that it offers: its links, its forms with one answer changed."""

    def __init__(self, page: str) -> None:
        self.links: list[str] = []
        self.forms: list[tuple[str, dict[str, list[str]]]] = []
        self._action: str | None = None
        self._fields: dict[str, list[str]] = {}
        self._select = ""
        super().__init__(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "form" and given.get("method", "get").lower() == "get":
            self._action, self._fields = given.get("action", ""), {}
        elif tag == "input" and given.get("name"):
            self._fields.setdefault(given["name"], []).append(given.get("value", ""))
        elif tag == "select":
            self._select = given.get("name", "")
            self._fields.setdefault(self._select, [])
        elif tag == "option" and self._select:
            self._fields[self._select].append(given.get("value", ""))

    def handle_data(self, data: str) -> None:
        """An option without a value sends its words."""
        super().handle_data(data)
        if self._select and self._fields[self._select] and data.strip():
            last = self._fields[self._select]
            last[-1] = last[-1] or (
                "" if data.strip() in {"any", "choose", "cells"} else data.strip()
            )

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        if tag == "select":
            self._select = ""
        elif tag == "form" and self._action is not None:
            self.forms.append((self._action, self._fields))
            self._action = None

    def addresses(self) -> Iterator[str]:
        """Every link, and every form with the first answers and with each other answer once."""
        yield from self.links
        for action, fields in self.forms:
            first = {name: values[0] if values else "" for name, values in fields.items()}
            yield f"{action}?{urlencode(first)}"
            for name, values in fields.items():
                for value in values[1:]:
                    yield f"{action}?{urlencode({**first, name: value})}"


@dataclass
class Visit:
    """A crawl: the addresses that were opened, by route, and what was wrong with an answer."""

    page: Served
    most: int = 1000
    """Maximum number of addresses of one route."""

    within: str = "/"
    """How the addresses begin that are opened."""

    opened: dict[str, list[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def crawl(self, *starts: str) -> "Visit":
        """Open whatever can be reached and has something new."""
        waiting, seen = deque(starts), set[tuple[str, str, str]]()
        while waiting:
            address = waiting.popleft()
            fresh = news(address) - seen
            seen |= fresh
            if fresh and address.startswith(self.within):
                opened = self.opened.setdefault(route_of(urlsplit(address).path), [])
                if len(opened) < self.most:
                    opened.append(address)
                    waiting.extend(self._open(address))
        return self

    def _open(self, address: str) -> Iterator[str]:
        """Look at one answer; gives the addresses that it offers."""
        answer = self.page.get(address)
        if "location" in answer.headers:
            yield answer.headers["location"].removeprefix(self.page.site.base)
        if answer.status >= 400:
            words = " ".join(Text(answer.text).words.split())
            self.faults.append(f"{address}: {answer.status} {words}")
        elif "html" in answer.headers.get("content-type", ""):
            offers = Offers(answer.text)
            try:
                offers.require_proper()
            except AssertionError as fault:
                self.faults.append(f"{address}: {fault}")
            yield from self._offered(address, offers)

    def _offered(self, address: str, offers: Offers) -> Iterator[str]:
        base = self.page.site.base
        for offered in offers.addresses():
            full = urlsplit(urljoin(f"{base}{address}", offered))
            if not full.scheme and full.path.startswith(f"{base}/"):
                query = urlencode(parse_qsl(full.query))  # without empty fields
                yield full.path.removeprefix(base) + (f"?{query}" if query else "")


@contextmanager
def served(
    made: Made, office: Office, failed: Callable[[Exception], None] | None = None
) -> Iterator[Served]:
    """The page of a plan: with its bundles, ledger, a map and a laboratory."""
    gallery = {"index.html": "<!doctype html><title>Attacks</title><p>None.</p>"}
    more = {"geography": read_map(office.map()), "failed": failed}
    with serving(made.plan, made.bundle.parent, made.ledger, gallery, **more) as page:
        yield page


def visited(made: Made, office: Office) -> Visit:
    """All addresses of the page of a plan."""
    failed: list[Exception] = []
    with served(made, office, failed.append) as page:
        visit = Visit(page).crawl(*STARTS)
    return replace(visit, faults=[*visit.faults, *map(repr, failed)])
