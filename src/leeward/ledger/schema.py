"""The tables of a ledger file, and triggers that stop whoever edits it by accident."""

import sqlite3

APPLICATION = 0x4C657721
"""Marks the file as a ledger: the bytes 'Lew!'."""

FORMAT = 2
FORMATS = (1, 2)
"""That can be read. A file of format 1 becomes one of format 2 with its next entry: an older
program then says that it is too old, and not that the ledger is damaged."""


def _only_grows(table: str) -> list[str]:
    return [
        f"CREATE TRIGGER {table}_never_{event.lower()}d BEFORE {event} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END"
        for event in ("UPDATE", "DELETE")
    ]


STATEMENTS = (
    "CREATE TABLE identity (id TEXT NOT NULL)",
    "CREATE TABLE secret (key BLOB NOT NULL)",
    "CREATE TABLE entries (number INTEGER PRIMARY KEY, previous TEXT NOT NULL, "
    "body TEXT NOT NULL, hash TEXT NOT NULL)",
    # INSERT OR REPLACE would remove a row without asking the trigger against DELETE.
    "CREATE TRIGGER entries_in_order BEFORE INSERT ON entries "
    "WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM entries) "
    "BEGIN SELECT RAISE(ABORT, 'entries are added at the end'); END",
    *(line for table in ("identity", "secret", "entries") for line in _only_grows(table)),
)


def lay_out(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty ledger."""
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    renew(connection)
    for statement in STATEMENTS:
        connection.execute(statement)


def renew(connection: sqlite3.Connection) -> None:
    """Mark the file as one that holds entries of this format; nothing else changed."""
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def as_made(connection: sqlite3.Connection) -> bool:
    """Whether the file has these tables and triggers, and nothing else."""
    # Names with sqlite_ are the engine's own and cannot be given by anyone else.
    query = "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    return sorted(str(sql) for (sql,) in connection.execute(query)) == sorted(STATEMENTS)
