"""A small ledger and the releases that are charged to it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from leeward.core.exact import Number
from leeward.core.privacy import Guarantee
from leeward.publishing.ledger import Ledger, Subject, TableCharge

DIGEST = "d" * 64


def strong(epsilon: Number, delta: Number = 0, rho: Number = 0, alpha: Number = "0.1") -> Guarantee:
    return Guarantee("strong", alpha, epsilon, delta, rho)


def release(number: int = 1, data: int | None = None) -> Subject:
    """A release of its own, or one that shares the data of another."""
    table = TableCharge("place_industry", "slope", strong(1))
    sealed = f"{number if data is None else data:064x}"
    return Subject(f"{number:064x}", sealed, "2026Q2", f"out/{number}", (table,))


def ledger_with(folder: Path, cap: Guarantee | None = None) -> Ledger:
    """A ledger whose account 'lodes' may lose ε = 4."""
    made = Ledger.new(folder / "office.ledger")
    made.open_account("lodes", strong(4) if cap is None else cap)
    return made


@contextmanager
def opened_up(path: Path) -> Iterator[sqlite3.Connection]:
    """The bare database in the hands of someone who removes the triggers first."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type='trigger'")
        kept = list(triggers)
        for name, _ in kept:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, statement in kept:
            connection.execute(statement)
