"""Audit: the true privacy loss of mechanisms and the truth of sentences, from exact masses."""

from collections.abc import Iterator
from functools import partial
from itertools import chain

from leeward.core.processes import in_order, on_all_cores
from leeward.lab.audit.audit_line import FULL_GRID, QUICK_GRID
from leeward.lab.audit.controls import CONTROLS
from leeward.lab.audit.false_promises import false_promises
from leeward.lab.audit.lines import LINES
from leeward.lab.audit.local_exam import survey_promises
from leeward.lab.audit.neighbours import FULL, QUICK
from leeward.lab.audit.promises import Promise, true_promises
from leeward.lab.audit.reading_exam import false_readings, readings
from leeward.lab.audit.row import Row

__all__ = ["CONTROLS", "LINES", "Promise", "Row", "audit", "examine"]


def audit(*, quick: bool = False) -> Iterator[Row]:
    """All rows: every mechanism under every policy it is proved for, then every control.

    The code that releases call is run on neighbouring databases with noise that tells what it was
    asked for; losses are computed from these exact integer distributions.

    Parameters
    ----------
    quick
        Fewer α, ε and databases: below two minutes.

    Returns
    -------
    Iterator[Row]
        A `Row` has the `claim`, the computed `epsilon` and `delta`, and the `verdict`; it is
        `as_expected` if a mechanism is confirmed, or a control, which is known to be bad, rejected.

    Examples
    --------
    >>> rows = list(audit(quick=True))
    >>> rows[0].claim.mechanism, rows[0].claim.policy, rows[0].verdict
    ('edge_laplace', 'worker', 'confirmed')
    >>> all(row.as_expected for row in rows)
    True
    """
    tasks = len(LINES) + len(CONTROLS)
    yield from chain.from_iterable(
        in_order(on_all_cores(partial(_rows, quick=quick), tasks, "audit"))
    )


def _rows(task: int, *, quick: bool) -> list[Row]:
    """The rows of one line, or of one control."""
    grid, depth = (QUICK_GRID, QUICK) if quick else (FULL_GRID, FULL)
    if task < len(LINES):
        return list(LINES[task].rows(grid, depth))
    return [CONTROLS[task - len(LINES)].row(depth)]


def examine() -> Iterator[Promise]:
    """Every sentence about a guarantee and about reading numbers, then every false one."""
    yield from true_promises()
    yield from survey_promises()
    yield from readings()
    yield from false_promises()
    yield from false_readings()
