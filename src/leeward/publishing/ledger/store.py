"""The file of a ledger, and what happens in it: mode 600, one writer at a time, durable."""

import os
import shlex
import sqlite3
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from leeward.core.errors import BadFile, Damaged, InvalidParameter
from leeward.core.privacy import Guarantee
from leeward.publishing.ledger.account import payment
from leeward.publishing.ledger.book import Book
from leeward.publishing.ledger.contents import (
    APPLICATION,
    FORMATS,
    Contents,
    create_identity,
    create_tables,
    mark_format,
)
from leeward.publishing.ledger.entry import FORMAT, Anchor, Entry, damaged
from leeward.publishing.ledger.notation import account_name
from leeward.publishing.ledger.part_sums import in_part
from leeward.publishing.ledger.repeat import (
    refuse_other_keys,
    refuse_other_kinds,
    refuse_other_rule,
    refuse_overlapping_parts,
    refuse_repeat,
    refuse_same_establishments,
)
from leeward.publishing.ledger.subject import Subject

PRIVATE = 0o600
"""File mode: readable and writable by the owner alone."""

LOCK_TIMEOUT = 60.0
"""How long to wait for another process that writes, in seconds."""

DAMAGE = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CONSTRAINT}


ANOTHER = "Give the file of a ledger, or make one with `leeward ledger create`."


@dataclass(frozen=True)
class Store:
    """Opens the path for every use and keeps nothing open between uses.

    So a replaced file is noticed, and threads and forks share nothing. Only SQLite opens the
    file: closing any other handle would drop the locks of SQLite.
    """

    path: Path

    def create(self) -> None:
        """Make the file, which must not exist, readable and writable by its owner alone."""
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            handle = os.open(self.path, flags, PRIVATE)
        except FileExistsError:
            step = "Use that ledger, or give another path."
            raise self._bad("must not exist yet", "a file of this name", step) from None
        except (OSError, ValueError) as error:
            raise self._unusable(error) from None
        try:
            os.fchmod(handle, PRIVATE)  # a umask can only have taken away more
        finally:
            os.close(handle)
        try:
            with self._transaction("BEGIN IMMEDIATE") as connection:
                create_tables(connection)
                create_identity(connection)
            # The folder too, so that the name of the new file is on disk.
            folder = os.open(self.path.absolute().parent, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except BaseException:
            self.path.unlink(missing_ok=True)  # nothing was charged to it yet
            raise

    def check(self) -> None:
        """Reject a path that is not a private ledger file of this format."""
        self._check_file()
        with self._connection() as connection:
            self._check_format(connection)
            self._check_mode()

    def permissions(self) -> int:
        return stat.S_IMODE(self._stat().st_mode)

    def faults(self, anchors: tuple[Anchor, ...]) -> Iterator[str]:
        """Faults of the file, its hash chain and its entries, and contradictions to bundles.

        None is the last: whatever else is wrong is said too.
        """
        mode = self.permissions()
        if mode != PRIVATE:
            yield f"the file has mode {mode:o}, not {PRIVATE:o}"
        try:
            with self.reading() as connection:
                pages = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
                contents = Contents.read(connection)
        except Damaged as error:
            yield str(error.value)
            return
        yield from (f"the database is broken: {fault}" for fault in pages if fault != "ok")
        book, faults = contents.examined()
        yield from faults
        yield from book.unreadable_subjects()
        yield from contents.against(anchors)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A read transaction: the file does not change while it is read."""
        self._stat()
        with self._transaction("BEGIN") as connection:
            self._check_format(connection)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A write transaction: on disk when the block ends, or not written at all."""
        self._check_file()
        with self._transaction("BEGIN IMMEDIATE") as connection:
            self._check_format(connection)
            self._check_mode()
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._connection() as connection:
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        address = f"{self.path.absolute().as_uri()}?mode=rw"  # never makes a file
        try:
            opened = sqlite3.connect(address, LOCK_TIMEOUT, isolation_level=None, uri=True)
            with closing(opened) as connection:
                connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
                connection.execute("PRAGMA synchronous = EXTRA")
                connection.execute("PRAGMA fullfsync = ON")
                yield connection
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code in DAMAGE:
                raise damaged(f"the database cannot be used: {error}") from None
            if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                rule = f"must be free within {LOCK_TIMEOUT:g} seconds"
                state, step = "another process is writing to it", "Try again when it is done."
                raise self._bad(rule, state, step) from None
            if code == sqlite3.SQLITE_NOTADB:
                raise self._bad("must be a ledger", "a file that is no database", ANOTHER) from None
            step = "Work as the owner, in a folder that can be written, on a disk with room."
            rule = "must be readable and writable, and its folder too"
            raise self._bad(rule, f"{error}", step) from None

    def _check_format(self, connection: sqlite3.Connection) -> None:
        ((application,),) = connection.execute("PRAGMA application_id")
        ((version,),) = connection.execute("PRAGMA user_version")
        if application != APPLICATION:
            raise self._bad("must be a ledger", "another database", ANOTHER)
        if version not in FORMATS:
            rule = f"must be of format {' or '.join(map(str, FORMATS))}"
            raise self._bad(rule, f"format {version}", "Use a newer Leeward.")
        ((mode,),) = connection.execute("PRAGMA journal_mode")
        if mode != "delete":
            # Only a rollback journal is gone, and with it the charge on disk, when COMMIT returns.
            raise damaged(f"its journal mode is {mode}, not delete")

    def _check_file(self) -> None:
        state = self._stat()
        if not stat.S_ISREG(state.st_mode):
            other = "a folder" if stat.S_ISDIR(state.st_mode) else "a device or pipe"
            raise self._bad("must be a file", other, "Give the file of the ledger.")
        if state.st_size == 0:
            step = "If it stays so, its making broke off: remove it and make the ledger anew."
            raise self._bad("must be a ledger", "an empty file", step)

    def _check_mode(self) -> None:
        """Reject a ledger that other users may open. Call it after the format check."""
        mode = self.permissions()
        if mode & 0o077:
            step = f"Run `chmod 600 {shlex.quote(str(self.path))}`."
            raise self._bad("must be closed to everyone but its owner", f"mode {mode:o}", step)

    def _stat(self) -> os.stat_result:
        try:
            return self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            step = "Check the path, or make a ledger with `leeward ledger create`."
            raise self._bad("must exist", "no such file", step) from None
        except (OSError, ValueError) as error:
            raise self._unusable(error) from None

    def _unusable(self, error: OSError | ValueError) -> BadFile:
        reason = getattr(error, "strerror", None) or str(error)
        step = "Give a path in a folder that can be written."
        return self._bad("must be a usable path", reason, step)

    def _bad(self, rule: str, state: str, next_step: str) -> BadFile:
        value = f"{state} ({str(self.path)!r})"
        return BadFile("ledger", rule=rule, value=value, next_step=next_step)


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
        book, whole = self.book, self.book.account(account_name(account))
        payer = in_part(whole, None if subject is None else subject.part)
        if subject is not None:
            refuse_repeat(book, account, subject, again=again)
            refuse_other_rule(book, account, subject)
            refuse_other_kinds(book, payer, subject)
            refuse_other_keys(book, account, subject)
            if not shared:
                refuse_same_establishments(book, account, subject)
                refuse_overlapping_parts(book, payer, subject)
        return payment(payer, charge)
