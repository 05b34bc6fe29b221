"""Contents: the SQLite tables of a ledger file, and what they hold, checked link by link."""

import hmac
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from leeward.core.errors import Damaged
from leeward.publishing.ledger.book import Book
from leeward.publishing.ledger.entry import FORMAT, Anchor, Entry, damaged

if TYPE_CHECKING:
    from leeward.core.randomness import SecretBits

APPLICATION = 0x4C657721
"""SQLite application id of a ledger: the bytes 'Lew!'."""

FORMATS = (1, 2, 3, 4, 5, FORMAT)
"""Formats that can be read. A file of an earlier format becomes one of the current format with its
next entry: an older program then reports that it is too old, not that the ledger is damaged."""


STATEMENTS = (
    "CREATE TABLE identity (id TEXT NOT NULL)",
    "CREATE TABLE secret (key BLOB NOT NULL)",
    "CREATE TABLE entries (number INTEGER PRIMARY KEY, previous TEXT NOT NULL, "
    "body TEXT NOT NULL, hash TEXT NOT NULL)",
    # INSERT OR REPLACE would remove a row without asking the trigger against DELETE.
    "CREATE TRIGGER entries_in_order BEFORE INSERT ON entries "
    "WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM entries) "
    "BEGIN SELECT RAISE(ABORT, 'entries are added at the end'); END",
    *(
        f"CREATE TRIGGER {table}_never_{event.lower()}d BEFORE {event} ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END"
        for table in ("identity", "secret", "entries")
        for event in ("UPDATE", "DELETE")
    ),
)


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the tables and triggers of an empty ledger."""
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    mark_format(connection)
    for statement in STATEMENTS:
        connection.execute(statement)


def mark_format(connection: sqlite3.Connection) -> None:
    """Mark the file as one that holds entries of the current format."""
    connection.execute(f"PRAGMA user_version = {FORMAT}")


KEY_BYTES = 32
BIRTH = b"leeward ledger"


def seal(key: bytes, content: bytes) -> str:
    """HMAC-SHA256: equal for equal contents, and reveals nothing without the key."""
    return hmac.new(key, content, sha256).hexdigest()


def _secret_bits() -> "SecretBits":
    from leeward.core.randomness import SecretBits  # noqa: PLC0415 (reading a ledger draws nothing)

    return SecretBits()


def salt() -> str:
    """128 random bits in hexadecimal digits."""
    return f"{_secret_bits().word(128):032x}"


def create_identity(connection: sqlite3.Connection) -> None:
    """Draw the public name and the secret of an empty ledger."""
    bits = _secret_bits()
    connection.execute("INSERT INTO identity VALUES (?)", (f"{bits.word(64):016x}",))
    key = bits.word(8 * KEY_BYTES).to_bytes(KEY_BYTES, "little")
    connection.execute("INSERT INTO secret VALUES (?)", (key,))


@dataclass(frozen=True)
class Contents:
    """Identity, secret and rows as stored, whether sound or not."""

    schema_as_made: bool
    """Whether the file has our tables and triggers, and nothing else."""

    ids: tuple[object, ...]
    keys: tuple[object, ...] = field(repr=False)
    rows: tuple[tuple[object, ...], ...] = field(repr=False)

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> "Contents":
        """Everything, in the order of the numbers."""
        # Names with sqlite_ are the engine's own and cannot be given by anyone else.
        query = "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        schema = sorted(str(sql) for (sql,) in connection.execute(query))
        ids = tuple(row[0] for row in connection.execute("SELECT id FROM identity"))
        keys = tuple(row[0] for row in connection.execute("SELECT key FROM secret"))
        query = "SELECT number, previous, body, hash FROM entries ORDER BY number"
        rows = tuple(connection.execute(query))
        return cls(schema == sorted(STATEMENTS), ids, keys, rows)

    @property
    def key(self) -> bytes:
        return self._identity()[1]

    @property
    def birth(self) -> Anchor:
        """The head before the first entry: it binds the chain to this name and this secret."""
        name, key = self._identity()
        first = sha256(f"{name}\n{seal(key, BIRTH)}".encode()).hexdigest()
        return Anchor(0, first, name)

    def _identity(self) -> tuple[str, bytes]:
        match self.ids, self.keys:
            case (str(name),), (bytes(key),) if name and len(key) == KEY_BYTES:
                return name, key
        raise damaged("its name or its secret is missing or not what was made")

    def book(self) -> Book:
        """The entries; a damaged ledger is refused."""
        book, faults = self.examined()
        if faults:
            raise damaged(faults[0])
        return book

    def examined(self) -> tuple[Book, tuple[str, ...]]:
        """The entries that agree with their hashes, and what is wrong, in plain words."""
        other = [] if self.schema_as_made else ["the tables or triggers are not as they were made"]
        try:
            head = self.birth
        except Damaged as error:
            return Book(()), (*other, str(error.value))
        entries: list[Entry] = []
        broken: list[str] = []
        for row in self.rows:
            broken += _faults(head, row, entries)
            head = _claimed(row, head)
        book = Book(tuple(entries))
        return book, (*other, *(broken or book.nonsense()))

    def against(self, anchors: tuple[Anchor, ...]) -> Iterator[str]:
        """What bundles say of entries that the rows contradict."""
        try:
            birth = self.birth
        except Damaged:  # reported by `examined`
            return
        hashes = {row[0]: row[3] for row in self.rows} | {0: birth.hash}
        for anchor in dict.fromkeys(anchors):
            entry = f"entry {anchor.number} of a bundle"
            if anchor.ledger != birth.ledger:
                yield f"{entry}: it belongs to ledger {anchor.ledger}"
            elif anchor.number not in hashes:
                yield (
                    f"{entry}: the ledger has no such entry; its end was cut off or an old copy "
                    "was put back"
                )
            elif hashes[anchor.number] != anchor.hash:
                yield (
                    f"{entry}: the ledger has another one; it was rewritten, or an old copy was "
                    "put back and used"
                )


def _faults(head: Anchor, row: tuple[object, ...], entries: list[Entry]) -> Iterator[str]:
    """Faults of one row; a row that agrees with its hash is added to `entries`."""
    match row:
        case int(number), str(previous), str(body), str(digest):
            pass
        case _:
            yield f"entry {head.number + 1}: it holds a value of the wrong type"
            return
    if number != head.number + 1:
        first, last = head.number + 1, number - 1
        if last < first:
            yield f"entry {number}: it has no place in the order"
        else:
            yield (
                f"entry {first}: missing"
                if first == last
                else f"entries {first} to {last}: missing"
            )
    elif previous != head.hash:
        yield f"entry {number}: it does not follow what stands before it"
    try:
        entries.append(Entry(number, previous, body, digest, head.ledger))
    except Damaged as error:
        yield str(error.value)


def _claimed(row: tuple[object, ...], head: Anchor) -> Anchor:
    """The head that a row claims to be, so that one fault is not repeated for every later row."""
    match row:
        case int(number), _, _, str(digest) if number >= 0:
            try:
                return Anchor(number, digest, head.ledger)
            except ValueError:
                pass
    return Anchor(head.number + 1, head.hash, head.ledger)
