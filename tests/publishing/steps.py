"""The steps of a release: where its process notes how far it is, waits, or dies."""

import os
import signal
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from leeward.core import randomness
from leeward.publishing.bundle import BundleWriter, TableWriter, disk, sealed_folder, writer
from leeward.publishing.engines import engine
from leeward.publishing.engines.duckdb import Embedded
from leeward.publishing.ledger import Ledger, ledger
from leeward.publishing.ledger.store import Transaction

LOG = "steps.txt"
GATE = "gate"

STEPS: tuple[tuple[Any, str, str], ...] = (
    (engine.Engine, "check", "rows are checked"),
    (Ledger, "reserve", "reserve"),
    (Transaction, "append", "an entry is added"),
    (engine.Engine, "prepare", "tabulate"),
    (TableWriter, "write", "write a batch"),
    (TableWriter, "__exit__", "end a table"),
    (writer, "write_file", "write a text"),
    (sealed_folder, "write_file", "write a text"),
    (sealed_folder, "flush", "flush"),
    (disk, "flush", "flush"),
    (Path, "rename", "rename"),
    (BundleWriter, "discard", "discard"),
    (Ledger, "commit", "commit"),
    (engine.Engine, "close", "forget the data"),
)


class Steps:
    """Notes every step in a file; at one of them the process dies or waits for a gate."""

    def __init__(self, die: int | None, wait: list[str]) -> None:
        self._numbers = count()
        self._die = die
        self._wait = wait
        self._log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def reach(self, words: str) -> None:
        os.write(self._log, f"{words}\n".encode())
        if next(self._numbers) == self._die:
            os.kill(os.getpid(), signal.SIGKILL)
        if words in self._wait:
            self._wait.remove(words)
            gate = Path(f"{GATE} {words}")
            while not gate.exists():
                time.sleep(0.005)

    def around(self, work: Callable[..., Any], words: str) -> Callable[..., Any]:
        def noted(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 (whatever the step takes)
            self.reach(f"before: {words}")
            result = work(*args, **kwargs)
            self.reach(f"after: {words}")
            return result

        return noted


def note_steps(die: int | None = None, wait: list[str] | None = None) -> None:
    """Let this process note its steps, from now on and for all its life."""
    steps = Steps(die, wait or [])
    for owner, name, words in STEPS:
        setattr(owner, name, steps.around(getattr(owner, name), words))
    first = iter(["draw"])

    def urandom(size: int) -> bytes:
        for words in first:
            steps.reach(words)
        return os.urandom(size)

    setattr(randomness, "os", SimpleNamespace(urandom=urandom))  # noqa: B010 (it has no such name)
    setattr(ledger, "salt", lambda: os.urandom(16).hex())  # noqa: B010 (of an entry: no noise)


def ask_endlessly(after: str) -> None:
    """Let the database be in the middle of a query that never ends, after this step."""
    honest = Embedded.rows

    def rows(self: Embedded, query: Any) -> Any:  # noqa: ANN401 (Ibis ships no types)
        if Path(LOG).exists() and after in Path(LOG).read_text().splitlines():
            with Path(LOG).open("a") as log:
                log.write("endless\n")
            while True:
                self._backend.con.execute("SELECT sum(range) FROM range(1000000000)").fetchall()
        return honest(self, query)

    Embedded.rows = rows  # type: ignore[method-assign]
