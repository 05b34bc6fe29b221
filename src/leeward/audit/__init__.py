"""Audit: the true privacy loss of every mechanism, computed from exact mass functions."""

from collections.abc import Iterator

from leeward.audit.controls import CONTROLS
from leeward.audit.lines import FULL_GRID, LINES, QUICK_GRID
from leeward.audit.measure import FULL, QUICK
from leeward.audit.row import Row

__all__ = ["CONTROLS", "LINES", "Row", "audit"]


def audit(*, quick: bool = False) -> Iterator[Row]:
    """All rows: every mechanism under every policy it is proved for, then every control."""
    grid, depth = (QUICK_GRID, QUICK) if quick else (FULL_GRID, FULL)
    for line in LINES:
        yield from line.rows(grid, depth)
    for control in CONTROLS:
        yield control.row(depth)
