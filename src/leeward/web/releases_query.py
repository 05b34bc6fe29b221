"""Query: what an address asks of a table, and the addresses of what may be asked next."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from leeward.bundle import CertifiedTable
from leeward.bundle.selection import Selection
from leeward.errors import InvalidParameter, shown

CODE = "code."
"""Before the name of an identifier: an attribute may be called `page`."""

DESCENDING = "down"


def read_selection(asked: Mapping[str, str], table: CertifiedTable) -> Selection:
    """The selection of an address; what it does not name stays open."""
    return Selection(
        search=asked.get("search", "").strip(),
        filters={name: asked.get(f"{CODE}{name}", "").strip() for name in table.identifiers},
        status=_number(asked, "status") if asked.get("status") else None,
        sort=asked.get("sort", ""),
        descending=asked.get("order") == DESCENDING,
        page=_number(asked, "page") if asked.get("page") else 1,
    )


def _number(asked: Mapping[str, str], name: str) -> int:
    text = asked[name]
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise InvalidParameter(
            name,
            rule="must be a whole number",
            value=shown(text),
            next_step="Use the fields and links of the page.",
        )
    return int(text)


@dataclass(frozen=True)
class Asked:
    """The texts of an address as they were written, to fill the fields again."""

    search: str
    status: str
    sort: str
    order: str

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "Asked":
        """What of it stands in a field of its own."""
        return cls(*(asked.get(name, "") for name in ("search", "status", "sort", "order")))

    @property
    def narrowed(self) -> bool:
        """Whether it asks for anything."""
        return any((self.search, self.status, self.sort))


@dataclass(frozen=True)
class Header:
    """A column: where a click leads, and how it is sorted now."""

    name: str
    query: str
    sorted: str


def query(selection: Selection) -> str:
    """A selection as the end of an address."""
    asked = {
        "search": selection.search,
        **{f"{CODE}{name}": code for name, code in selection.filters.items()},
        "status": "" if selection.status is None else str(selection.status),
        "sort": selection.sort,
        "order": DESCENDING if selection.descending else "",
        "page": str(selection.page) if selection.page > 1 else "",
    }
    return urlencode({name: text for name, text in asked.items() if text})


def turned(selection: Selection, page: int) -> str:
    """The same rows on another page."""
    return query(replace(selection, page=page))


def headers(table: CertifiedTable, selection: Selection) -> list[Header]:
    """Every column; a click sorts by it, another one the other way, a third not at all."""
    return [
        Header(name, query(_next(selection, name)), _sorted(selection, name))
        for name in table.columns
    ]


def _next(selection: Selection, column: str) -> Selection:
    """Codes are sorted upwards first; of numbers the large ones are looked for."""
    order = [False, True] if column in selection.filters else [True, False]
    if selection.sort != column:
        return replace(selection, sort=column, descending=order[0], page=1)
    if selection.descending == order[0]:
        return replace(selection, descending=order[1], page=1)
    return replace(selection, sort="", descending=False, page=1)


def _sorted(selection: Selection, column: str) -> str:
    """As aria-sort says it."""
    if selection.sort != column:
        return "none"
    return "descending" if selection.descending else "ascending"
