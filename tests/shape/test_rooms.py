"""A release goes through the rooms without going back and forth between them."""

import subprocess
import sys

from benchmarks.rooms import visits

MOST_CHANGES = 25


def test_a_release_changes_rooms_at_most_25_times() -> None:
    """In a process of its own: what other tests have computed is not computed again."""
    words = [sys.executable, "-m", "benchmarks.rooms"]
    traced = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    *lines, summary = (line for line in traced.splitlines() if line)
    assert summary.endswith(f" {len(lines) - 1} changes of room")
    assert 10 < len(lines) - 1 <= MOST_CHANGES, traced
    assert {"release", "ledger", "engines", "noise", "bundle"} <= {
        line.split()[0] for line in lines
    }


def test_going_back_and_forth_is_counted() -> None:
    """Known bad: two rooms that take turns."""
    taking_turns = [
        "p.ledger.book",
        "p.engines.frame",
        "core.exact",
        "p.ledger.entry",
        "p.engines.digest",
    ]
    in_order = ["p.ledger.book", "p.ledger.entry", "p.engines.frame", "p.engines.__init__"]
    assert [room for room, _ in visits(taking_turns)] == ["ledger", "engines"] * 2
    assert visits(in_order) == [("ledger", ["p.ledger.book", "p.ledger.entry"]),
                                ("engines", ["p.engines.frame"])]  # fmt: skip
