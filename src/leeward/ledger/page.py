"""The page that is open for writing: the whole book, checked, and the place for the next entry."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from leeward.errors import InvalidParameter
from leeward.ledger.anchor import Anchor
from leeward.ledger.book import Book
from leeward.ledger.contents import Contents
from leeward.ledger.entry import FORMAT, Entry
from leeward.ledger.schema import renew


@dataclass(frozen=True)
class Page:
    """A book that was found sound inside the transaction that may add to it."""

    connection: sqlite3.Connection = field(repr=False)
    book: Book
    head: Anchor

    @classmethod
    def turn(cls, connection: sqlite3.Connection) -> "Page":
        """Read and check everything; a damaged ledger is refused."""
        contents = Contents.read(connection)
        book = contents.book()
        return cls(connection, book, book.entries[-1].anchor if book.entries else contents.birth)

    def append(self, body: Mapping[str, object], next_step: str) -> Entry:
        """Write one entry at the end, unless it contradicts what stands before it."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        entry = Entry.after(self.head, {**body, "format": FORMAT, "time": now})
        if found := self.book.objection(entry):
            raise InvalidParameter(
                found.parameter, rule=found.rule, value=found.value, next_step=next_step
            )
        renew(self.connection)
        self.connection.execute(
            "INSERT INTO entries (number, previous, body, hash) VALUES (?, ?, ?, ?)",
            (entry.number, entry.previous, entry.text, entry.hash),
        )
        return entry

    def append_about(self, reserved: int, body: Mapping[str, object]) -> Entry:
        """Write what became of a reserved release."""
        account = self.book.charge(reserved, "entry").account
        about = {**body, "account": account, "names": reserved}
        return self.append(about, "See what became of it with `leeward ledger show`.")
