"""Audit: the true privacy loss of mechanisms and the truth of sentences, from exact masses."""

from collections.abc import Iterator

from leeward.audit.controls import CONTROLS
from leeward.audit.false_promises import false_promises
from leeward.audit.lines import FULL_GRID, LINES, QUICK_GRID
from leeward.audit.measure import FULL, QUICK
from leeward.audit.promises import Promise, true_promises
from leeward.audit.row import Row

__all__ = ["CONTROLS", "LINES", "Promise", "Row", "audit", "examine"]


def audit(*, quick: bool = False) -> Iterator[Row]:
    """All rows: every mechanism under every policy it is proved for, then every control."""
    grid, depth = (QUICK_GRID, QUICK) if quick else (FULL_GRID, FULL)
    for line in LINES:
        yield from line.rows(grid, depth)
    for control in CONTROLS:
        yield control.row(depth)


def examine() -> Iterator[Promise]:
    """Every sentence about a guarantee under every policy, then every false one."""
    yield from true_promises()
    yield from false_promises()
