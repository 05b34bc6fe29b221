"""Walks go through the rooms without going back and forth between them."""

import re
import subprocess
import sys

from benchmarks.rooms import WALKS, visits

MOST_CHANGES = {"count": 29, "product": 31, "earnings": 29, "synthesis": 23, "page": 22}
"""They may only fall; laws of radii, a further room beside mechanisms, raised three once."""


def test_walks_do_not_change_rooms_more_often() -> None:
    """In processes of their own: what other tests have computed is not computed again."""
    words = [sys.executable, "-m", "benchmarks.rooms"]
    traced = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    changes = {name: int(n) for name, n in re.findall(r"^(\w+): .* (\d+) changes", traced, re.M)}
    assert {*changes} == {*WALKS} == {*MOST_CHANGES}
    assert min(changes.values()) > 10
    assert all(changes[name] <= most for name, most in MOST_CHANGES.items()), traced
    assert {"release", "ledger", "engines", "noise", "bundle"} <= {
        line.split()[0] for line in traced.splitlines() if line
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
