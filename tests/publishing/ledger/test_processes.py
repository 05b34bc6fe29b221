"""Real processes: many at one ledger, and some that are killed while they write."""

import random
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from leeward.publishing.ledger import Entry, Ledger
from leeward.publishing.ledger.notation import written
from leeward.publishing.ledger.store import Store, Transaction
from tests.publishing.ledger.scenes import ledger_with, release, strong

PROCESSES = 8
TRIES = 6
FITTING = 29
ROUNDS = 12
PATIENCE = 300
"""Seconds: eight processes wait for one disk."""

WORKER = """
import sys
from pathlib import Path
from leeward.core.errors import OverBudget
from leeward.publishing.ledger import Ledger, Subject
from leeward.core.privacy import Guarantee

path, who, tries, epsilon = sys.argv[1:]
ledger = Ledger.open(Path(path))
charge = Guarantee("strong", "0.1", epsilon)
print("ready", flush=True)
sys.stdin.readline()
for turn in range(int(tries)):
    name = f"{who}-{turn}"
    sealed = ledger.sealed(name.encode())
    try:
        entry = ledger.reserve("lodes", charge, Subject(sealed, sealed, "2026Q2", name, ()))
    except OverBudget:
        print("refused", flush=True)
    else:
        print(entry.number, entry.hash, name, flush=True)
"""


def worker(path: Path, who: str, tries: int, epsilon: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, str(path), who, str(tries), epsilon]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def start(process: subprocess.Popen[str]) -> None:
    """Let a worker go that is ready."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.stdin.write("go\n")
    process.stdin.flush()


def acknowledged(lines: list[str]) -> set[tuple[int, str, str]]:
    """The charges of which a worker was told that they stand; the last line may be torn."""
    parts = [line.split() for line in lines if line.endswith("\n") and line != "refused\n"]
    return {(int(number), digest, name) for number, digest, name in parts}


def charges(ledger: Ledger) -> set[tuple[int, str, str]]:
    return {(e.number, e.hash, bundle(e)) for e in ledger.entries() if e.kind == "reserved"}


def bundle(entry: Entry) -> str:
    return "" if entry.subject is None else entry.subject.bundle


def test_eight_processes_never_pass_the_cap(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, strong(Fraction(FITTING, 7)))
    crowd = [worker(ledger.path, f"p{n}", TRIES, "1/7") for n in range(PROCESSES)]
    for process in crowd:
        start(process)
    outputs = [process.communicate(timeout=PATIENCE)[0] for process in crowd]
    assert [process.returncode for process in crowd] == [0] * PROCESSES
    lines = [line for output in outputs for line in output.splitlines(keepends=True)]
    assert len(lines) == PROCESSES * TRIES
    assert lines.count("refused\n") == PROCESSES * TRIES - FITTING
    told = acknowledged(lines)
    assert len(told) == FITTING
    assert charges(ledger) == told
    assert ledger.account("lodes").left.epsilon == 0
    assert ledger.verify(entry.anchor for entry in ledger.entries()) == ()


def killed(victim: subprocess.Popen[str], after: int, later: float) -> list[str]:
    """What a worker said that was killed a moment after so many charges, however fast it is."""
    assert victim.stdout is not None
    lines = [victim.stdout.readline() for _ in range(after)]
    time.sleep(later)
    victim.kill()
    return lines + victim.stdout.readlines()


def test_a_killed_process_loses_no_charge(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, strong(10**6))
    chance = random.Random(20261115)  # noqa: S311 - when to strike, nothing secret
    told: set[tuple[int, str, str]] = set()
    for turn in range(ROUNDS):
        with worker(ledger.path, f"r{turn}", 10**6, "1/7") as victim:
            start(victim)
            told |= acknowledged(killed(victim, chance.randrange(5), chance.uniform(0.001, 0.05)))
        assert victim.returncode == -9
        survivor = Ledger.open(ledger.path)
        assert survivor.verify() == ()
        standing = charges(survivor)
        assert told <= standing
        # At most the one charge of each round that was on disk before it could be told.
        assert len(standing - told) <= turn + 1
    assert len(told) > ROUNDS


@pytest.fixture
def long_ledger(tmp_path: Path) -> Ledger:
    """Three thousand charges, written in one go."""
    ledger = ledger_with(tmp_path, strong(10**6))
    with Store(ledger.path).writing() as connection:
        held = Transaction.begin(connection)
        for number in range(3_000):
            charge = written(strong(Fraction(number + 1, 1000)))
            body = {
                "kind": "reserved",
                "account": "lodes",
                "charge": charge,
                "paid": charge,
                "subject": release(number).written(),
                "corrects": None,
                "salt": "0" * 32,
                "same_establishments": None,
                "unchecked": None,
            }
            held = Transaction(connection, held.book, held.append(body, "").anchor)
    return ledger


def test_a_long_ledger_is_still_exact(long_ledger: Ledger) -> None:
    made = long_ledger.reserve("lodes", strong("1/3"), release(3_000))
    assert made.number == 3_002
    spent = long_ledger.account("lodes").spent
    assert spent == strong(Fraction(3_000 * 3_001, 2 * 1000) + Fraction(1, 3))
    assert long_ledger.verify([made.anchor]) == ()
