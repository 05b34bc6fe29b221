"""Transaction: one look at a ledger, or one change of it, in which nothing else happens."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from leeward.core.errors import InvalidParameter
from leeward.core.privacy import Guarantee
from leeward.publishing.ledger.account import payment
from leeward.publishing.ledger.book import Book
from leeward.publishing.ledger.contents import Contents, mark_format
from leeward.publishing.ledger.entry import FORMAT, Anchor, Entry
from leeward.publishing.ledger.notation import account_name
from leeward.publishing.ledger.repeat import (
    refuse_other_keys,
    refuse_other_kinds,
    refuse_other_rule,
    refuse_repeat,
    refuse_same_establishments,
)
from leeward.publishing.ledger.subject import Subject


@dataclass(frozen=True)
class Transaction:
    """A read or write transaction of SQLite, with the book that was read and found sound in it."""

    connection: sqlite3.Connection = field(repr=False)
    book: Book
    head: Anchor

    @classmethod
    def begin(cls, connection: sqlite3.Connection) -> "Transaction":
        """Read and check everything; a damaged ledger is refused."""
        contents = Contents.read(connection)
        book = contents.book()
        return cls(connection, book, book.entries[-1].anchor if book.entries else contents.birth)

    def append(self, body: Mapping[str, object], next_step: str) -> Entry:
        """Write one entry at the end; one that contradicts earlier entries is refused."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        entry = Entry.after(self.head, {**body, "format": FORMAT, "time": now})
        if against := self.book.objection(entry):
            raise InvalidParameter(
                against.parameter, rule=against.rule, value=against.value, next_step=next_step
            )
        mark_format(self.connection)
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

    def payment(
        self,
        account: str,
        charge: Guarantee,
        subject: Subject | None,
        *,
        again: bool,
        shared: bool = False,
    ) -> Guarantee:
        """What a release pays, after every check that may refuse it."""
        book, payer = self.book, self.book.account(account_name(account))
        if subject is not None:
            refuse_repeat(book, account, subject, again=again)
            refuse_other_rule(book, account, subject)
            refuse_other_kinds(book, payer, subject)
            refuse_other_keys(book, account, subject)
            if not shared:
                refuse_same_establishments(book, account, subject)
        return payment(payer, charge)
