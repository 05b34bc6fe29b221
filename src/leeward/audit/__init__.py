"""Audit: the true privacy loss of mechanisms and the truth of sentences, from exact masses."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from multiprocessing import get_context

from leeward.audit.controls import CONTROLS
from leeward.audit.lines import FULL_GRID, LINES, QUICK_GRID
from leeward.audit.neighbours import FULL, QUICK
from leeward.audit.promises import Promise, false_promises, true_promises
from leeward.audit.row import Row

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
    tasks, cores = range(len(LINES) + len(CONTROLS)), _cores()
    rows = partial(_rows, quick=quick)
    if cores < 2:
        yield from chain.from_iterable(map(rows, tasks))
        return
    with ProcessPoolExecutor(cores, mp_context=get_context("fork")) as pool:
        yield from chain.from_iterable(pool.map(rows, tasks))


def _rows(task: int, *, quick: bool) -> list[Row]:
    """The rows of one line, or of one control."""
    grid, depth = (QUICK_GRID, QUICK) if quick else (FULL_GRID, FULL)
    if task < len(LINES):
        return list(LINES[task].rows(grid, depth))
    return [CONTROLS[task - len(LINES)].row(depth)]


def _cores() -> int:
    """Forked processes share what is loaded; only Linux forks safely."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def examine() -> Iterator[Promise]:
    """Every sentence about a guarantee under every policy, then every false one."""
    yield from true_promises()
    yield from false_promises()
