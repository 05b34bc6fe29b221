"""Address: the table that an address of the Releases tab names, and the rows that it asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlencode

from starlette.requests import Request

from leeward.core.errors import InvalidParameter, shown
from leeward.core.show.numbers import MOST_LETTERS, cut
from leeward.interface.web.releases_folder import bundle_of
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.blocks import certified
from leeward.publishing.bundle.selection import Coded, RowSelection

CODE = "code."
"""Prefix of the name of an identifier in an address: an attribute may be called `page`."""

DESCENDING = "down"
TOTALS = "too"
MOST_CHOICES = 100
"""Maximum number of codes in a list to choose from; of longer lists the first are suggested."""

MOST_IDENTIFIERS = 40
"""Maximum number of identifiers of a table that the page shows."""


@dataclass(frozen=True)
class AddressTexts:
    """The texts of an address, to fill the fields of the page again."""

    search: str
    status: str
    sort: str
    order: str
    totals: str

    @classmethod
    def of(cls, address: Mapping[str, str]) -> "AddressTexts":
        """The texts of the fields with a fixed name."""
        names = ("search", "status", "sort", "order", "totals")
        return cls(*(address.get(name, "") for name in names))

    @property
    def narrowed(self) -> bool:
        """Whether the address narrows or sorts the rows."""
        return any((self.search, self.status, self.sort))


@dataclass(frozen=True)
class Choice:
    """The codes of an identifier, all or the first of them; `chosen` is the code asked for."""

    name: str
    codes: tuple[Coded, ...]
    chosen: str
    number: int

    @property
    def whole(self) -> bool:
        """Whether the list has every code."""
        return len(self.codes) == self.number


def table_of(request: Request) -> tuple[Bundle, CertifiedTable]:
    """The bundle and the table that an address names; a stranger may have written a wide one."""
    bundle = bundle_of(request)
    table = certified(bundle, request.path_params["table"])
    refuse_wide(table)
    return bundle, table


def read_selection(address: Mapping[str, str], table: CertifiedTable) -> RowSelection:
    """The selection that an address asks for."""
    return RowSelection(
        search=address.get("search", "").strip(),
        filters={name: address.get(f"{CODE}{name}", "").strip() for name in table.identifiers},
        status=_number(address, "status") if address.get("status") else None,
        sort=address.get("sort", ""),
        descending=address.get("order") == DESCENDING,
        page=_number(address, "page") if address.get("page") else 1,
        totals=address.get("totals") == TOTALS and table.totals is not None,
    )


def _number(address: Mapping[str, str], name: str) -> int:
    text = address[name]
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise InvalidParameter(
            name,
            rule="must be a whole number",
            value=shown(text),
            next_step="Use the fields and links of the page.",
        )
    return int(text)


def query(selection: RowSelection) -> str:
    """A selection as the end of an address."""
    texts = {
        "search": selection.search,
        **{f"{CODE}{name}": code for name, code in selection.filters.items()},
        "status": "" if selection.status is None else str(selection.status),
        "sort": selection.sort,
        "order": DESCENDING if selection.descending else "",
        "totals": TOTALS if selection.totals else "",
        "page": str(selection.page) if selection.page > 1 else "",
    }
    return urlencode({name: text for name, text in texts.items() if text})


def refuse_wide(table: CertifiedTable) -> None:
    """Refuse a table with too many columns for a page: a stranger may have written it."""
    if len(table.identifiers) > MOST_IDENTIFIERS:
        raise InvalidParameter(
            "table",
            rule=f"must have at most {MOST_IDENTIFIERS} identifiers to be shown",
            value=f"{len(table.identifiers):,}",
            next_step="Read it with a program that reads Parquet.",
        )


def choices(table: CertifiedTable, address: Mapping[str, str]) -> list[Choice]:
    """A list for each identifier, with the code that the address asks for."""
    lists = []
    for name in table.identifiers:
        listed = table.listed(name)
        short = ((code, label) for code, label in listed.items() if len(code) <= MOST_LETTERS)
        codes = tuple(Coded(code, cut(label)) for code, label in islice(short, MOST_CHOICES))
        lists.append(Choice(name, codes, address.get(f"{CODE}{name}", ""), len(listed)))
    return lists
