"""Rounding: cells as multiples of a base that still add up to rounded margins.

Every cell goes to one of the two multiples next to it. CP-SAT chooses which, so that every margin
is next to its own true sum too where that can be, and the cells are as near as they can be.
Without it, or on large tables, cumulative sums are rounded: cells stay next to theirs, margins may
not. It has no guarantee: a step of fixed size is little beside a large establishment.
"""

import numpy as np

from leeward.core.codebook.cells import Integers
from leeward.core.errors import InvalidParameter, shown
from leeward.lab.baselines.feasibility import Equations, has_solver, solved, solver
from leeward.lab.baselines.protected import Protected

MOST_CELLS = 5_000
"""Cells that CP-SAT is given."""

SECONDS = 5.0


def controlled(
    counts: Integers, margins: Equations, base: int = 5, *, seconds: float = SECONDS
) -> Protected:
    """Round the cells (n,) of a table; published margins are sums of published cells."""
    if not 2 <= base <= 1000:
        raise InvalidParameter(
            "base",
            rule="must be a whole number from 2 to 1000",
            value=shown(base),
            next_step="Give 5 or 10.",
        )
    found = _solved(counts, margins, base, seconds)
    how = "CP-SAT" if found is not None else "cumulative sums"
    values = _cumulative(counts, base) if found is None else found
    sums = margins.totals(values)
    steps = -(-(np.abs(sums - margins.totals(counts)) + 1) // base)
    far = base * int(steps.max(initial=1))
    return Protected(
        values,
        np.zeros(values.size, dtype=bool),
        np.maximum(values - base + 1, 0),
        values + base - 1,
        np.maximum(sums - far + 1, 0),
        sums + far - 1,
        f"rounded to multiples of {base} by {how}; margins are less than {far} jobs off",
    )


def _cumulative(counts: Integers, base: int) -> Integers:
    """Differences of rounded cumulative sums: additive, and each cell is less than a base off."""
    ends = (np.cumsum(counts) + base // 2) // base * base
    return np.diff(ends, prepend=0)


def _solved(counts: Integers, margins: Equations, base: int, seconds: float) -> Integers | None:
    """The nearest cells whose margins are as few steps off as can be; None if none was found."""
    if counts.size > MOST_CELLS or seconds <= 0 or not has_solver():
        return None
    cp = solver()
    model = cp.CpModel()
    lower, rest = counts // base, counts % base
    up = [model.new_int_var(0, int(number > 0), "") for number in rest]
    slack = model.new_int_var(0, counts.size, "")
    sums, floors = margins.totals(counts), margins.totals(lower)
    for row, cells in enumerate(margins.members()):
        raised = sum(up[int(cell)] for cell in cells)
        low, high = int(sums[row] // base - floors[row]), int(-(-sums[row] // base) - floors[row])
        model.add(raised + slack >= low)
        model.add(raised - slack <= high)
    far = [int(base - 2 * one) for one in rest]  # what raising a cell adds to its distance
    steep = base * (counts.size + 1)
    model.minimize(steep * slack + sum(cost * one for cost, one in zip(far, up, strict=True)))
    done, status = solved(model, seconds)
    if status not in (cp.OPTIMAL, cp.FEASIBLE):
        return None
    raised = np.array([done.value(one) for one in up], dtype=np.int64)
    nearest: Integers = base * (lower + raised)
    return nearest
