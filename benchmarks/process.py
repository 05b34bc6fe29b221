"""Process: a command run to its end, timed as a whole, with its peak memory."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """One process: how long it took and its peak memory."""

    seconds: float
    megabytes: float


def environment() -> dict[str, str]:
    """This environment, in which compiled sources are kept as those of an installed package are."""
    return dict(os.environ) | {"PYTHONDONTWRITEBYTECODE": ""}


def timed(command: Sequence[str], folder: Path) -> Run:
    """Run a process to its end; its output is shown only if it fails."""
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=environment(), stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            sys.exit(said.read().decode())
    return Run(seconds, usage.ru_maxrss / 1024)


def leeward(*words: str) -> list[str]:
    """The command line of this environment."""
    return [sys.executable, "-c", "from leeward.interface.commands import start; start()", *words]


def best(runs: Sequence[Run]) -> Run:
    """The quickest of several runs: the one that the machine disturbed least."""
    return min(runs, key=lambda run: run.seconds)


def verdict(holds: bool) -> str:
    """How a bound is told."""
    return "holds" if holds else "FAILS"
