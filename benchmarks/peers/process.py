"""One process from start to end: how long it took, and its peak memory."""

import os
import resource
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.family import megabytes
from benchmarks.process import Run

POLL, SAMPLE = 0.02, 1.0


class Failed(Exception):
    """A process that did not do its work, and why."""


@dataclass(frozen=True)
class Place:
    """Where a process runs: folder, environment, what it says, and how long it may take.

    `family` asks for the memory of the process and all below it, what they share counted once; it
    is sampled. Otherwise the memory is the system's own peak of the one process.
    """

    folder: Path
    log: Path
    environment: Mapping[str, str]
    seconds: float
    family: bool = False


def timed(command: Sequence[str], place: Place) -> Run:
    """Run a process to its end."""
    place.log.parent.mkdir(parents=True, exist_ok=True)
    with place.log.open("wb") as said:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=place.folder,
            env=dict(place.environment),
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        status, usage, sampled = _wait(process.pid, start, place)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if seconds > place.seconds:
        raise Failed(f"stopped after {place.seconds:,.0f} s")
    if process.returncode:
        raise Failed(_reason(place.log) or f"exit code {process.returncode}")
    return Run(seconds, sampled if place.family else usage.ru_maxrss / 1024)


def _wait(pid: int, start: float, place: Place) -> tuple[int, resource.struct_rusage, float]:
    most, last = 0.0, start
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            return status, usage, most
        now = time.perf_counter()
        if place.family and now - last > SAMPLE:
            most, last = max(most, megabytes(pid)), now
        if now - start > place.seconds:
            os.killpg(pid, signal.SIGKILL)
        time.sleep(POLL)


def _reason(log: Path) -> str:
    """The last line with an error in it, or the last line."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "Error" in line or "Exception" in line]
    return (errors or lines or [""])[-1][:160]
