"""An office with a made-up economy, a plan and a ledger, and the real processes that work there."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leeward.core.privacy import Guarantee
from leeward.lab.economy import Economy, write_economy
from leeward.publishing.ledger import Entry, Ledger
from tests.publishing.steps import GATE, LOG
from tests.unchecked import UNCHECKED

Changes = Mapping[str, Mapping[str, Any]]
"""Functions of tests, as `module:name`, that a process calls before its command begins."""

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds after which a process that should have done something is given up."""

HEAD = """\
data:
  workplaces: {economy}/workplaces.parquet
  workers: {economy}/workers.parquet
  jobs: {economy}/jobs.parquet
codebook: {economy}/codebook.yaml
account: office
period: {period}
"""
TABLES = """\
protect: {policy: strong, alpha: 0.1, epsilon: 4}
tables:
  - {name: by_sector, by: [place, sector], mechanism: slope, margins: none}
  - {name: by_sex, by: [place, sex], mechanism: vector_pareto, margins: none}
"""


class Driver:
    """Starts real `leeward` processes without waiting for their imports."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.publishing.driver"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, line: str) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate(timeout=PATIENCE)


@dataclass
class Running:
    """A `leeward` process. Until it is asked how it ended, its number belongs to nobody else."""

    driver: Driver
    number: int
    folder: Path

    def send(self, sign: signal.Signals) -> None:
        os.kill(self.number, sign)

    def ended(self) -> int:
        return self.driver.ask(f"reap {self.number}")

    def wait_for(self, words: str) -> None:
        """Until the process has come to this step, where it waits to be let through."""
        deadline = time.monotonic() + PATIENCE
        while words not in steps(self.folder):
            assert time.monotonic() < deadline, f"never came to: {words}"
            assert not self.driver.ask(f"gone {self.number}"), f"ended before: {words}"
            time.sleep(0.005)

    def let_through(self, words: str) -> None:
        (self.folder / f"{GATE} {words}").touch()


def steps(folder: Path) -> list[str]:
    """The steps that the process in this folder has noted."""
    log = folder / LOG
    return log.read_text().splitlines() if log.exists() else []


@dataclass(frozen=True)
class Ended:
    """How a process ended and what it said."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Office:
    """A folder with plans, a ledger and receipts; every command runs in a folder of its own inside.

    Another office has other receipts: whether a release finds one depends on its own office only.
    """

    driver: Driver
    folder: Path

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger.sqlite"

    def open_account(self, epsilon: int, policy: str = "strong") -> None:
        with Ledger.new(self.ledger) as book:
            book.open_account("office", Guarantee(policy, "0.1", epsilon))

    def write_plan(self, economy: Path, *, period: str = "2026Q2", tables: str = TABLES) -> None:
        text = HEAD.format(economy=economy, period=period) + tables
        (self.folder / f"{period}.yaml").write_text(text)

    def entries(self) -> tuple[Entry, ...]:
        with Ledger.open(self.ledger) as book:
            return book.entries()

    def start(self, name: str, *arguments: str, changes: Changes | None = None) -> Running:
        """Start a command in the folder of this name."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        order = {
            "arguments": arguments,
            "folder": str(folder),
            "state": str(self.folder / "state"),
            "changes": changes or {},
        }
        return Running(self.driver, self.driver.ask(json.dumps(order)), folder)

    def run(self, name: str, *arguments: str, changes: Changes | None = None) -> Ended:
        """Run a command to its end."""
        running = self.start(name, *arguments, changes=changes)
        code = running.ended()
        said = [(running.folder / f"{stream}.txt").read_text() for stream in ("stdout", "stderr")]
        return Ended(code, *said)


def checked_release(*options: str, period: str = "2026Q2") -> tuple[str, ...]:
    """The command line of a release of checked data, as it is given inside the folder of a run."""
    plan, ledger = f"../{period}.yaml", "../ledger.sqlite"
    return "release", plan, "--out", "bundle", "--ledger", ledger, *options


def release(*options: str, period: str = "2026Q2") -> tuple[str, ...]:
    """The same of data that were not checked."""
    return checked_release(*UNCHECKED, *options, period=period)


def noted(die: int | None = None, wait: Sequence[str] = ()) -> Changes:
    """The change that lets a process note its steps, die at one of them, or wait at some."""
    return {"tests.publishing.steps:note_steps": {"die": die, "wait": list(wait)}}


@contextmanager
def driving() -> Iterator[Driver]:
    driver = Driver()
    try:
        yield driver
    finally:
        driver.close()


def write_small_economy(folder: Path) -> Path:
    """Its codebook folds no code into another, so that a wrong one is wrong."""
    files = write_economy(Economy(jobs=3000, establishments=150, seed=1), folder)
    folding = ("    other: ", "    null_as: ")
    lines = files.codebook.read_text().splitlines(keepends=True)
    files.codebook.write_text("".join(one for one in lines if not one.startswith(folding)))
    return folder
