"""Protected: a table with its margins as withholding or rounding publishes it.

None of these has a guarantee: they bound what one table says, not what an attacker knows.

Rounding makes cells multiples of a base that still add up to rounded margins. Every cell goes to
one of the two multiples next to it. CP-SAT chooses which, so that every margin is next to its own
true sum too where that can be, and the cells are as near as they can be. Without it, or on large
tables, cumulative sums are rounded: cells stay next to theirs, margins may not. A step of fixed
size is little beside a large establishment.
"""

from dataclasses import dataclass

import numpy as np

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.errors import InvalidParameter, shown
from leeward.lab.baselines.feasibility import (
    UNBOUNDED,
    Equations,
    Feasible,
    Mask,
    has_solver,
    solved,
    solver,
)

MOST_CELLS = 5_000
"""Cells that CP-SAT is given."""

SECONDS = 5.0


@dataclass(frozen=True, eq=False, repr=False)
class Protected:
    """n cells and the r margins that add them up.

    `values` are the published cells, 0 where they are `withheld`. `low` and `high` are what a
    reader knows of each cell without looking at sums, `least` and `most` the same of margins.
    """

    values: Integers
    withheld: Mask
    low: Integers
    high: Integers
    least: Integers
    most: Integers
    words: str
    """What was done, and by which method."""

    @classmethod
    def without(cls, counts: Integers, margins: Equations, hidden: Mask, words: str) -> "Protected":
        """Cells and margins of a mask (n+r,) are withheld, all others are exact."""
        cells, sums = hidden[: counts.size], hidden[counts.size :]
        totals = margins.totals(counts)
        values = np.where(cells, 0, counts)
        return cls(
            values,
            cells,
            values,
            np.where(cells, UNBOUNDED, counts),
            np.where(sums, 0, totals),
            np.where(sums, UNBOUNDED, totals),
            words,
        )

    def feasible(self, margins: Equations) -> Feasible:
        """What an attacker starts from."""
        said = self.most < UNBOUNDED
        return Feasible(margins.kept(said), self.low, self.high, self.least[said], self.most[said])

    def imputed(self, margins: Equations, establishments: Integers) -> Floats:
        """Cells (n,) with the best public guess of those that are withheld.

        What a published margin leaves to its withheld cells, in proportion to their establishments
        in the public frame; of several margins the one with the fewest withheld cells.
        """
        unknown = self.withheld[margins.cell]
        useful = (unknown & (self.most < UNBOUNDED)[margins.row]).nonzero()[0]
        rest = np.maximum(self.most - margins.totals(self.values), 0)
        parts = np.where(self.withheld, np.maximum(establishments, 1), 0)
        shared, open_cells = margins.totals(parts), margins.added(unknown)
        best = useful[np.argsort(-open_cells[margins.row[useful]], kind="stable")]
        row = np.full(self.values.size, -1)
        row[margins.cell[best]] = margins.row[best]  # the last one stays: the fewest cells
        known = row >= 0
        guess = self.values.astype(np.float64)
        guess[known] = (rest * 1.0)[row[known]] * parts[known] / shared[row[known]]
        lone = self.withheld & ~known
        there = ~self.withheld
        per_establishment = self.values[there].sum() / max(establishments[there].sum(), 1)
        guess[lone] = parts[lone] * float(per_establishment)
        return guess


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
    values, how = _solved(counts, margins, base, seconds), "CP-SAT"
    if values is None:  # differences of rounded cumulative sums: each cell less than a base off
        ends = (np.cumsum(counts) + base // 2) // base * base
        values, how = np.diff(ends, prepend=0), "cumulative sums"
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
    far = [int(base - 2 * number) for number in rest]  # what raising a cell adds to its distance
    steep = base * (counts.size + 1)
    model.minimize(steep * slack + sum(cost * step for cost, step in zip(far, up, strict=True)))
    done, status = solved(model, seconds)
    if status not in (cp.OPTIMAL, cp.FEASIBLE):
        return None
    raised = np.array([done.value(step) for step in up], dtype=np.int64)
    nearest: Integers = base * (lower + raised)
    return nearest
